"""Is this English? The rules read nothing else; a cheap look at script and small words tells."""

from __future__ import annotations

from typing import Final

from longmind.base.words import runs_of_letters

_LOOK: Final = 600
_FEWEST: Final = 4
_ENGLISH: Final = frozenset(
    "the a an and or but if of to in on at for with from by is am are was were be been i you he she it "
    "we they my your his her our their me him them this that these those not no do does "
    "did have has had will would can could should what when where who why how there here so as "
    "than then just also very about im dont its got get like up out now please thanks lol u ur".split()
)
_OTHERS: Final = {
    "German": "der die das und ist ich nicht ein eine mit auf für von zu den dem "
    "wir sie habe bin wohne mein meine es im auch aber wie war sind hat bei nach",
    "Spanish": "el los las una que es en por con para no se mi "
    "vivo soy tengo muy pero como está este esta yo más al del",
    "French": "le les un une des et est je ne pas que qui dans pour avec "
    "sur mon ma mes suis j ai nous vous il elle au du ce très mais",
    "Portuguese": "o os um uma e é que em não para com por meu "
    "minha eu moro tenho sou muito mas do da na no ele ela",
    "Italian": "il lo gli una di che è e in non per con "
    "mio mia sono ho abito vivo molto ma del della al questo",
    "Dutch": "het een en is ik niet van dat op met voor "
    "mijn ben heb woon maar ook zijn er aan naar wij",
}  # fmt: skip
_SETS: Final = {name: frozenset(words.split()) for name, words in _OTHERS.items()}
ENGLISH_ONLY: Final = "The built-in rules read English only"
NOT_ENGLISH: Final = (
    f"{ENGLISH_ONLY}, and this text seems to be in {{}}: it is stored and found by search, but no facts or "
    "memories were taken from it. To have them, set extractor.mode to hybrid and llm.model to a language "
    "model. Search by meaning needs embedder='minilm+use' there. This is said once."
)


def other_language(text: str) -> str | None:
    """What to tell the user where the text is in another language; None where it is, or may be, English."""
    head = text[:_LOOK]
    if head.isascii():
        # Nearly every English text has a small word early on; then nobody need count.
        words = runs_of_letters(head[:200])
        if len(words) < _FEWEST or sum(map(_ENGLISH.__contains__, words)) * 6 >= len(words):
            return None
    words = runs_of_letters(head)
    if len(words) < _FEWEST:
        foreign = sum(not character.isascii() and character.isalpha() for character in head)
        script = foreign * 2 > sum(character.isalpha() for character in head) and foreign > 6
        return NOT_ENGLISH.format("another script") if script and not _is_latin(head) else None
    letters = [character for character in head if character.isalpha()]
    if letters and not _is_latin(head):
        return NOT_ENGLISH.format("another script")
    english = sum(word in _ENGLISH for word in words)
    name, count = max(
        ((name, sum(word in small for word in words)) for name, small in _SETS.items()),
        key=lambda pair: pair[1],
    )
    return NOT_ENGLISH.format(name) if count > 2 * english and count * 6 >= len(words) else None


def _is_latin(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return sum(ord(character) < 0x250 for character in letters) * 2 >= len(letters)
