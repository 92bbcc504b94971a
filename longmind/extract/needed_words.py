"""Which words a text must have for a pattern to match: most patterns need one of a few.

The words are read off the pattern itself, so that what is passed over can never differ from what would match.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

from longmind.base.words import STOP_WORDS
from longmind.extract.patterns import pattern
from longmind.extract.words import Words

_ANYTHING: Final = "\0"
"""Stands for characters that are not known."""
_EDGE: Final = "\1"
"""Stands for a place where no letter adjoins a letter, digit or low line."""
_MOST: Final = 3000
_WORD: Final = re.compile(r"[^\W\d_]+")
_EDGES: Final = (
    ops.AT_BEGINNING, ops.AT_BEGINNING_STRING, ops.AT_BOUNDARY, ops.AT_END, ops.AT_END_STRING,
)  # fmt: skip


class _TooMany(Exception):
    """The pattern matches too many different texts to look at each."""


_UNREAD: Final = frozenset({""})
"""In the place of words that have not been read off a pattern: most are never tried."""


class Gated:
    """A pattern that is tried only on texts that have one of the words it needs.

    `at_word`: it is only ever tried where a word begins or has just ended. `part` is a part of the pattern
    without which it matches nothing, where the whole is too large to be looked through.
    """

    __slots__ = ("_flags", "_needed", "_source", "shape")

    def __init__(self, source: str, flags: int = 0, *, at_word: bool = False, part: str = "") -> None:
        self.shape = pattern(source, flags)
        self._source, self._flags = rf"\b(?:{part or source})" if at_word else part or source, flags
        self._needed: frozenset[str] | None = _UNREAD

    def may_match(self, letters: frozenset[str]) -> bool:
        """Whether a text may hold a match, by its runs of letters in lower case."""
        needed = self._needed
        if needed is _UNREAD:
            needed = self._needed = needed_words(self._source, self._flags)
        return needed is None or not needed.isdisjoint(letters)

    def search(self, words: Words, start: int, end: int) -> re.Match[str] | None:
        """The first match between two positions of a sentence."""
        return self.shape.search(words.masked, start, end) if self.may_match(words.letters) else None

    def match(self, words: Words, start: int, end: int) -> re.Match[str] | None:
        """The match that begins at a position of a sentence."""
        return self.shape.match(words.masked, start, end) if self.may_match(words.letters) else None


def needed_words(source: str, flags: int = 0) -> frozenset[str] | None:
    """Words of which one stands, as a whole run of letters, in whatever the pattern matches.

    In lower case. None where a match may do without any word that is known.
    """
    try:
        texts = _texts(parser.parse(source, flags))
    except _TooMany:
        return None
    known = [_known_words(text) for text in texts]
    if not all(known):
        return None
    counts = Counter(word for words in known for word in words)

    def tells_most(word: str) -> tuple[bool, int, int, str]:
        return word not in STOP_WORDS, counts[word], len(word), word

    return frozenset(max(words, key=tells_most) for words in known)


def _known_words(text: str) -> set[str]:
    """The words that are known from edge to edge."""
    return {
        match.group()
        for match in _WORD.finditer(text)
        if text[match.start() - 1 : match.start()] not in ("", _ANYTHING)
        and text[match.end() : match.end() + 1] not in ("", _ANYTHING)
    }


def _texts(items: Iterable[Any]) -> set[str]:
    """Every text that the items match one after the other, with marks for what is not known."""
    texts = {""}
    for op, argument in items:
        following = _of_one(op, argument)
        if len(texts) * len(following) > _MOST:
            raise _TooMany
        texts = {first + second for first, second in product(texts, following)}
    return texts


def _of_one(op: Any, argument: Any) -> set[str]:
    if op is ops.LITERAL:
        character = chr(argument)
        return {character.lower() if character.isascii() else _ANYTHING}
    if op is ops.SUBPATTERN:
        return _texts(argument[-1])
    if op is ops.ATOMIC_GROUP:
        return _texts(argument)
    if op is ops.BRANCH:
        return set().union(*map(_texts, argument[1]))
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        return _repeated(*argument)
    if op is ops.AT:
        return {_EDGE} if argument in _EDGES else {""}
    if op is ops.ASSERT:
        return {_EDGE} if _is_edge(*argument) else {""}
    if op is ops.ASSERT_NOT:
        return {_EDGE} if _is_no_word(argument[1]) else {""}
    if op is ops.IN and (letter := _either_case(argument)) is not None:
        return {letter}
    return {" "} if op is ops.IN and _is_blank(argument) else {_ANYTHING}


def _repeated(least: int, most: int, items: Sequence[Any]) -> set[str]:
    once = _texts(items)
    texts = set() if least else {""}
    if least <= 1:
        texts |= once
    if most > 1:
        # Between the first and the last there may be anything, which only the edges of each can bound.
        texts |= {text[:1] + _ANYTHING + other[-1:] for text, other in product(once, once) if text and other}
    if len(texts) > _MOST:
        raise _TooMany
    return texts


def _is_edge(direction: int, items: Sequence[Any]) -> bool:
    """Whether what must come is the end of the text, or anything but a letter."""
    nearest = {text[:1] if direction > 0 else text[-1:] for text in _texts(items)}
    return all(text and text != _ANYTHING and not text.isalpha() for text in nearest)


def _is_no_word(items: Sequence[Any]) -> bool:
    """Whether what must not come is any letter: then a word ends here."""
    return len(items) == 1 and items[0][0] is ops.IN and (ops.CATEGORY, ops.CATEGORY_WORD) in items[0][1]


def _either_case(options: Sequence[Any]) -> str | None:
    """The letter of which the options are the small and the capital one."""
    if any(op is not ops.LITERAL or argument > 127 for op, argument in options):
        return None
    letters = {chr(argument).lower() for _, argument in options}
    return letters.pop() if len(letters) == 1 else None


def _is_blank(options: Sequence[Any]) -> bool:
    """Whether each of the options is a blank or a mark, and no letter."""
    return all(
        (op is ops.CATEGORY and argument is ops.CATEGORY_SPACE)
        or (op is ops.LITERAL and not (chr(argument).isalnum() or argument == ord("_")))
        for op, argument in options
    )
