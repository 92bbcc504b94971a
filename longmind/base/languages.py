"""Which language a text is in: by the script, and among Latin scripts by the small words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from longmind.base.words import STOP_WORDS

_FUNCTION_WORDS: Final = {
    name: frozenset(words.split())
    for name, words in {
        "catalan": "el els les un una de del dels i que en amb per és no es al als però com va més són ha",
        "czech": "a v na se že je s z do o k i by ale jako pro za po jsem byl jeho tak si která který jsou",
        "danish": "og i at det er en den til af på de der ikke et med som har jeg var for han fra men vi kan",
        "dutch": "de het een en van ik te dat die in niet zijn is was op aan met voor er maar om ook als bij",
        "finnish": "ja on ei että se oli mutta myös kun hän ovat joka niin kuin tai jos vain nyt minä olen",
        "french": "le la les de des du et un une est dans que qui pour pas sur au avec il elle ce ne plus",
        "german": "der die und das ist nicht ein eine zu den mit von auf sich für im dem des auch es ich wir",
        "hungarian": "a az és hogy nem is egy ez de meg csak van volt ha már mint azt el még nagyon vagy",
        "indonesian": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada",
        "italian": "il di che è la un a per in una sono non mi si lo ha le con i del della da al come anche",
        "lithuanian": "ir kad yra buvo į su iš bet kaip tai ne per apie jis ji jo ar dar tik taip nuo",
        "norwegian": "og i det er på en til som av for at med ikke jeg den har var de et fra men hun om vi",
        "polish": "i w na z się nie to że jest do jak ale po co tak za od jego są przez był dla oraz który",
        "portuguese": "o a de que e do da em um para não com uma os no se na por mais as dos como mas foi",
        "romanian": "și în de la a cu nu pe este un o să care mai din că pentru au fost sunt ca dar ce",
        "spanish": "el la los las de que y en un una por con no para es del se lo su como pero fue más al",
        "swedish": "och i att det som en på är av för med den till inte jag har de ett om men var sig från",
        "turkish": "ve bir bu da de için ile çok ne gibi daha var ama olan olarak kadar sonra ben o mi",
    }.items()
}
_SCRIPTS: Final = (
    ("russian", re.compile("[\u0400-\u04ff]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("armenian", re.compile("[\u0530-\u058f]")),
    ("hindi", re.compile("[\u0900-\u097f]")),
    ("tamil", re.compile("[\u0b80-\u0bff]")),
    ("persian", re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")),  # letters that Arabic does not have
    ("arabic", re.compile("[\u0600-\u06ff]")),
)
LANGUAGES: Final = tuple(sorted({*_FUNCTION_WORDS, *(name for name, _ in _SCRIPTS)}))
_ENGLISH: Final = "english"
_LOOKED_AT: Final = 120
"""Words of a text that decide its language."""
_LEAST_SHARE: Final = 0.1


def _votes() -> dict[str, tuple[str, ...]]:
    """For each small word the languages that have it. Single letters are variables as often as words."""
    names: dict[str, list[str]] = {}
    for name, words in (*_FUNCTION_WORDS.items(), (_ENGLISH, STOP_WORDS)):
        for word in words:
            if len(word) > 1:
                names.setdefault(word, []).append(name)
    return {word: tuple(languages) for word, languages in names.items()}


_VOTES: Final = _votes()
FOREIGN_WORDS: Final = frozenset(word for word, names in _VOTES.items() if _ENGLISH not in names)


def language_of(words: Sequence[str]) -> str | None:
    """The language of a text by its words in lower case; None for English and whatever cannot be told."""
    seen = words[:_LOOKED_AT]
    if not seen:
        return None
    script = None if all(map(str.isascii, seen)) else _script_of(seen)
    if script is not None:
        return script
    # No language can have more of them than English if English has all: so it is with most texts in English.
    if FOREIGN_WORDS.isdisjoint(seen):
        return None
    small = [word for word in seen if word in _VOTES]
    votes: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for word in small:
        for name in _VOTES[word]:
            counts[name] = counts.get(name, 0) + 1
            votes.setdefault(name, set()).add(word)
    english = counts.pop(_ENGLISH, 0)
    if not counts:
        return None
    best = max(counts, key=lambda name: (counts[name], name))
    # Small words are shared between languages, and a program has variables that look like one: two different
    # ones are needed, and more of them than English has.
    enough = counts[best] > english and counts[best] >= _LEAST_SHARE * len(seen)
    return best if enough and len(votes[best]) >= 2 else None


def _script_of(words: Sequence[str]) -> str | None:
    """The language whose script most of the words are in, if it has one to itself."""
    foreign = [word for word in words if not word.isascii()]
    if 2 * len(foreign) <= len(words):
        return None
    text = " ".join(foreign)
    for name, letters in _SCRIPTS:
        letter_count = len(letters.findall(text))
        # A few Persian letters are enough: most letters of Persian are Arabic ones.
        if letter_count >= (0.03 if name == "persian" else 0.4) * len(text):
            return name
    return None
