"""The parts of a query that may be names: word sequences, words, and stretches of scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.base.words import UNSEGMENTED
from longmind.facts.canonical import alias_norm

_LONGEST_SEQUENCE: Final = 5
LAST_SOURCE: Final = _LONGEST_SEQUENCE
"""The source of what is a single word, or a stretch of a script without spaces."""
_MOST_WORDS: Final = 64
_MOST_CHARACTERS: Final = 2000
_LONGEST_NAME: Final = 16
"""Characters of a name in a script without spaces: enough for a full name with its title."""
_MOST_UNSEGMENTED: Final = 256
"""Characters of such scripts that are looked at; each may begin a name."""
_ASCII_SYMBOLS: Final = frozenset("$+<=>^`|~")
_ASCII_WORD: Final = re.compile(r"[^\s!-/:-@\[-`{-~]+")


class Mention(NamedTuple):
    """A part of the query that may be a name; `source` prefers the whole query, then longer sequences."""

    source: int
    norm: str


def mentions(query: str) -> list[Mention]:
    """The whole query, its word sequences of five down to two, then its words of two characters or more."""
    return list(_mentions(query))


@lru_cache(maxsize=4)  # a search asks twice: for facts, and for texts that name the same
def _mentions(query: str) -> tuple[Mention, ...]:
    query = _readable(query)
    longest: dict[str, int] = {}
    words = list(_words(query))[:_MOST_WORDS]
    norms = [(0, alias_norm(query))]
    for length in range(min(_LONGEST_SEQUENCE, len(words)), 1, -1):
        source = _LONGEST_SEQUENCE + 1 - length
        for first in range(len(words) - length + 1):
            piece = query[words[first][0] : words[first + length - 1][1]]
            norms.append((source, alias_norm(piece)))
    for start, end in words:
        norm = alias_norm(query[start:end])
        if len(norm) >= 2:
            norms.append((LAST_SOURCE, norm))
    for source, norm in norms:
        if norm:
            longest.setdefault(norm, source)
    return tuple(Mention(source, norm) for norm, source in longest.items())


class Unsegmented:
    """Every stretch of a text without spaces that may be a name, and where it stands."""

    def __init__(self, runs: Iterable[str] = ()) -> None:
        self._runs = tuple(runs)
        self.norms: frozenset[str] = frozenset(
            run[start:end] for run in self._runs for start, end in _stretches(run)
        )

    def overlapped(self, names: Iterable[str]) -> frozenset[str]:
        """Those of the names that occur only across longer ones, read from the left.

        In a text without spaces a name may turn up by accident across two words. Of names that overlap, the
        first is meant, and of those that begin together the longest.
        """
        known_norms = self.norms.intersection(names)
        meant: set[str] = set()
        for run in self._runs if known_norms else ():
            position = 0
            while position < len(run):
                ends = (end for start, end in _stretches(run, position) if run[start:end] in known_norms)
                end = max(ends, default=0)
                if end:
                    meant.add(run[position:end])
                position = max(end, position + 1)
        return known_norms - meant


def spelled_out(query: str) -> Unsegmented:
    """The stretches of a query in scripts that put no spaces between words."""
    if query.isascii():
        return Unsegmented()
    query = _readable(query)
    words = (query[start:end] for start, end in list(_words(query))[:_MOST_WORDS])
    runs, size = [], 0
    for word in words:
        if UNSEGMENTED.search(word) and size < _MOST_UNSEGMENTED:
            runs.append(alias_norm(word)[: _MOST_UNSEGMENTED - size])
            size += len(word)
    return Unsegmented(runs)


def _stretches(run: str, first: int | None = None) -> Iterator[tuple[int, int]]:
    """Places of two characters or more in which no word of a script with spaces is cut in two."""
    for start in range(len(run) - 1) if first is None else (first,):
        if _is_inside_word(run, start):
            continue
        for end in range(start + 2, min(len(run), start + _LONGEST_NAME) + 1):
            if not _is_inside_word(run, end):
                yield start, end


def _is_inside_word(run: str, position: int) -> bool:
    around = run[max(position - 1, 0) : position + 1]
    return 0 < position < len(run) and around.isalnum() and not UNSEGMENTED.search(around)


def _readable(query: str) -> str:
    return query[:_MOST_CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode()


def _words(query: str) -> Iterator[tuple[int, int]]:
    if query.isascii():
        yield from (match.span() for match in _ASCII_WORD.finditer(query))
        return
    start = None
    for position, character in enumerate(query):
        if _separates(character):
            if start is not None:
                yield start, position
            start = None
        elif start is None:
            start = position
    if start is not None:
        yield start, len(query)


def _separates(character: str) -> bool:
    """White space and punctuation of any script: "Ana’s" and "¿Ana?" name Ana too."""
    return (
        character.isspace() or character in _ASCII_SYMBOLS or unicodedata.category(character).startswith("P")
    )
