"""A sentence as words with the part of speech that each may be: enough grammar to find subject and verb."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from longmind.extract.patterns import pattern
from longmind.extract.verbs import verb_forms

_TOKEN = pattern(
    r"'(?:s|m|re|ve|ll|d)(?![^\W_])"
    r"|[A-Z]\.(?=\s[A-Z])|(?:Dr|Mr|Mrs|Ms|Prof|St)\.(?=\s)"
    r"|\d[\d.,:]*\d(?:(?:-[^\W\d_]+)+|(?:st|nd|rd|th|[a-z]{1,2})?(?![^\W_]))"
    r"|[^\W_]+(?:(?:[-_.&/@+]|'(?!(?:s|m|re|ve|ll|d)(?![^\W_])))[^\W_]+)*"
    r"|[^\w\s]|_+"
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NOMINATIVE: Final = _set("i we he she they it you")
PERSONS: Final = _set("he she they")
POSSESSIVES: Final = _set("my our his her their your its")
_DETERMINERS: Final = _set(
    "the a an this that these those some any no every each another both all most many several few either "
    "neither what which whose"
)
_PREPOSITIONS: Final = _set(
    "in on at to for with from by of about into onto over under near by between among through across along "
    "around behind beside besides beyond despite during except inside outside off out up down past per "
    "since till until toward towards upon via within without against above below after before than as "
    "next instead round including regarding concerning"
)
COORDINATORS: Final = _set("and but or nor so plus & yet then n")
_SUBORDINATORS: Final = _set(
    "if because although though while whereas unless whether when whenever where wherever that which who "
    "whom whose how why what cause cuz once lest"
)
BE: Final = _set("am is are was were 'm 're be been being ain't isn't aren't wasn't weren't")
HAVE: Final = _set("have has had 've haven't hasn't hadn't having")
DO: Final = _set("do does did don't doesn't didn't")
MODALS: Final = _set(
    "can could will would shall should may might must 'll 'd can't cannot couldn't won't wouldn't shouldn't "
    "mustn't mightn't shan't ought"
)
NEGATIVE: Final = _set(
    "not never don't doesn't didn't isn't aren't wasn't weren't ain't haven't hasn't hadn't can't cannot "
    "couldn't won't wouldn't shouldn't mustn't mightn't shan't hardly"
)
_ADVERBS: Final = _set(
    "not never always often sometimes usually rarely seldom also too just only even still already yet ever "
    "now then again here there really very quite so rather pretty almost nearly maybe perhaps actually "
    "honestly basically literally finally recently lately currently originally previously formerly once "
    "soon later earlier today yesterday tomorrow tonight twice together apart away back home abroad "
    "anymore anyway anyways somehow somewhat instead otherwise meanwhile moreover however therefore thus "
    "hence kinda sorta super totally absolutely definitely probably possibly certainly clearly obviously "
    "apparently mostly mainly partly fully both all either though nowadays forever well fast hard long "
    "far straight right myself himself herself themselves ourselves alone else longer full-time part-time "
    "officially personally hardly barely half technically legally"
)
_NOT_ADVERBS: Final = _set(
    "family italy july reply supply ally apply fly daily weekly monthly only early friendly lovely ugly "
    "lonely elderly silly belly jelly lily emily kelly molly sally polly billy holly assembly rally curly"
)
_NUMBERS: Final = _set(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "million half dozen"
)
INTERJECTIONS: Final = _set(
    "hi hello hey oh ah well yes yeah yep yup no nope nah ok okay sure right sorry thanks thank please btw "
    "fyi lol haha hmm um uh ugh wow yay omg damn man dude mate bro anyway anyways so look listen tbh ngl "
    "great cool nice awesome good morning afternoon evening soz thx cheers congrats guess update correction "
    "news note reminder hoi dear"
)


class Token(NamedTuple):
    """A word or a mark: `low` in lower case, `tag` its part of speech, characters `start` to `end`.

    Tags: I pronoun as subject, D determiner, P preposition, C and S conjunctions, X auxiliary, R adverb,
    V form of a verb, M number, U capitalised, N anything else, a comma, and a full stop for other marks.
    """

    text: str
    low: str
    tag: str
    start: int
    end: int


def _closed() -> dict[str, str]:
    tags: dict[str, str] = {}
    for words, tag in (
        (_NUMBERS, "M"), (_ADVERBS, "R"), (_PREPOSITIONS, "P"), (_SUBORDINATORS, "S"), (_DETERMINERS, "D"),
        (POSSESSIVES, "D"), (COORDINATORS, "C"), (BE | HAVE | DO | MODALS, "X"), (NOMINATIVE, "I"),
    ):  # fmt: skip
        tags.update(dict.fromkeys(words, tag))
    for word in ("that", "when", "where", "who", "which", "what", "whose"):
        tags[word] = "S"
    tags["then"] = "R"
    tags["so"] = "C"
    tags["'s"] = "X"
    tags[","] = ","
    return tags


_TAGS: Final = _closed()


Known: TypeAlias = tuple[str, str, str]
"""A word as it is written, in lower case, and its tag."""

_KNOWN: Final[dict[str, Known]] = {}
"""What stands between two blanks and is one word."""
_KNOWN_PARTS: Final[dict[str, tuple[tuple[int, Known], ...]]] = {}
"""What stands between two blanks and is several, and where in it each begins."""
_MOST_KNOWN: Final = 50_000
_LONGEST_KNOWN: Final = 40


def known_words(masked: str, start: int, end: int) -> tuple[list[Known], list[int]]:
    """The words and marks between the two positions, and where each begins."""
    words: list[Known] = []
    starts: list[int] = []
    at = start
    for chunk in masked[start:end].split():
        at = masked.find(chunk, at)
        word = _KNOWN.get(chunk)
        if word is not None:
            words.append(word)
            starts.append(at)
        else:
            for offset, word in _KNOWN_PARTS.get(chunk) or _parts(chunk, masked, at, end):
                words.append(word)
                starts.append(at + offset)
        at += len(chunk)
    if words and words[0][2] == "U" and words[0][1] in verb_forms():
        words[0] = (*words[0][:2], "V")
    if "once" in masked[start:end]:
        _tell_when(words)
    return words, starts


def _tell_when(words: list[Known]) -> None:
    """ "He once swam for Malta": the adverb, where what follows is a verb and no subject."""
    for at in range(1, len(words) - 1):
        text, low, _ = words[at]
        if low == "once" and "past" in {form for _, form in verb_forms().get(words[at + 1][1], ())}:
            words[at] = (text, low, "R")


def _parts(chunk: str, masked: str, at: int, end: int) -> tuple[tuple[int, Known], ...]:
    """The words of what stands between two blanks; kept, unless they depend on what comes after it."""
    for known in (_KNOWN, _KNOWN_PARTS):
        if len(known) > _MOST_KNOWN:
            known.clear()
    if chunk.isalpha():
        _KNOWN[chunk] = word = (chunk, *_tagged(chunk))
        return ((0, word),)
    stop = at + len(chunk)
    depends = chunk[-1] == "."  # "Dr. Ho" and "J. Ho", but not at the end of a sentence
    matches = _TOKEN.finditer(masked, at, min(end, stop + 2) if depends else stop)
    parts = tuple(
        (match.start() - at, (match.group(), *_tagged(match.group())))
        for match in matches
        if match.start() < stop
    )
    if not depends and len(chunk) <= _LONGEST_KNOWN:
        _KNOWN_PARTS[chunk] = parts
    return parts


def tokens_of(masked: str, start: int, end: int) -> list[Token]:
    """The words and marks between the two positions."""
    words, starts = known_words(masked, start, end)
    return [
        Token(text, low, tag, at, at + len(text)) for (text, low, tag), at in zip(words, starts, strict=True)
    ]


def _tagged(text: str) -> tuple[str, str]:
    """The word in lower case, and its part of speech where it stands inside a sentence."""
    low = text.lower()
    tag = _TAGS.get(low)
    if tag is None:
        first = text[0]
        if first.isdigit():
            tag = "M"
        elif not (first.isalpha() or first == "'"):
            tag = "."
        elif first.isupper():
            tag = "U"
        elif low in verb_forms():
            tag = "V"
        elif "-" in low and _NUMBERS.issuperset(low.split("-")):
            tag = "M"  # "sixty-two"
        elif low.endswith("ly") and low not in _NOT_ADVERBS:
            tag = "R"
        else:
            tag = "N"
    return low, tag
