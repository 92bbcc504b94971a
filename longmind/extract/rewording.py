"""What it takes to read a sentence in other words: a shape, and what is read in the place of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from typing import Final, NamedTuple

Edit = tuple[int, int, str]
"""A range of the text, and what is read in its place."""

NAME: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
WHO: Final = rf"(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Oo]ur) [a-z-]+(?: {NAME})?|{NAME})"


class Rewording(NamedTuple):
    words: str
    """Of these, one stands as a whole run of letters in whatever is matched; none where it may not."""
    hints: tuple[tuple[str, ...], ...]
    """And of each of these, one stands somewhere in it; in lower case."""
    shape: re.Pattern[str]
    edits: Callable[[re.Match[str]], Iterator[Edit]]
    part: re.Pattern[str] | None = None
    """What every match has in it, where that is sooner looked for than the shape, and seldom found."""


def cut(*groups: str) -> Callable[[re.Match[str]], Iterator[Edit]]:
    """Leave out what some groups matched."""

    def edits(match: re.Match[str]) -> Iterator[Edit]:
        for group in groups:
            yield match.start(group), match.end(group), ""

    return edits


def put(group: str, text: str) -> Callable[[re.Match[str]], Iterator[Edit]]:
    """Read a text in the place of what a group matched."""

    def edits(match: re.Match[str]) -> Iterator[Edit]:
        yield match.start(group), match.end(group), match.expand(text)

    return edits


class Rewordings:
    """A list of rewordings by the words they need: of nearly ninety, a sentence has those of two or three."""

    __slots__ = ("_always", "_by_word", "_items")

    def __init__(self, items: tuple[Rewording, ...]) -> None:
        self._items = items
        self._always = tuple(number for number, item in enumerate(items) if not item.words)
        self._by_word: dict[str, list[int]] = {}
        for number, item in enumerate(items):
            for word in item.words.split():
                self._by_word.setdefault(word, []).append(number)

    def edits(self, masked: str, letters: Set[str]) -> list[Edit]:
        """What to read in another way, as ranges of the text; `letters` are its runs of letters."""
        numbers = set(self._always)
        by_word = self._by_word
        for word in letters & by_word.keys():
            numbers.update(by_word[word])
        low = masked.lower()
        edits: list[Edit] = []
        for number in numbers:
            _, hints, shape, edits_of, part = self._items[number]
            for alternatives in hints:
                for hint in alternatives:
                    if hint in low:
                        break
                else:
                    break
            else:
                if part is None or part.search(masked) is not None:
                    for match in shape.finditer(masked):
                        edits += edits_of(match)
        return edits
