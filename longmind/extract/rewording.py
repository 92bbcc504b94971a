"""What it takes to read a sentence in other words: a shape, and what is read in the place of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from longmind.base.words import runs_of_letters
from longmind.extract.patterns import pattern, source_of
from longmind.extract.reach import Parts, reach
from longmind.extract.words import lowered, occurrences

Edit = tuple[int, int, str]
"""A range of the text, and what is read in its place."""

NAME: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
_LONG: Final = 400
_WITHIN: Final = pattern(r"(?<=[^a-z])[a-z]+(?=[^a-z])")
"""Shorter texts are looked through as a whole: to find out where is no sooner done."""
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
    """A list of rewordings by the words they need: of a few hundred, a sentence has those of two or three.

    Of a long text only what stands near those words is looked through: a shape that may begin with any
    sentence costs as much as all the rest of reading where it is tried at each.
    """

    __slots__ = ("_always", "_by_word", "_far", "_items")

    def __init__(self, items: tuple[Rewording, ...]) -> None:
        # The fewer hints a group has, the sooner it is known that none of them is there.
        self._items = tuple(item._replace(hints=tuple(sorted(item.hints, key=len))) for item in items)
        self._always = tuple(number for number, item in enumerate(items) if not item.words)
        self._by_word: dict[str, list[int]] = {}
        for number, item in enumerate(items):
            for word in item.words.split():
                self._by_word.setdefault(word, []).append(number)
        self._far: dict[int, int | None] = {}
        """How many ends of sentences a match may hold, of those that a long text has been tried with."""

    def edits(self, masked: str, letters: Set[str]) -> list[Edit]:
        """What to read in another way, as ranges of the text; `letters` are its runs of letters."""
        words: dict[int, list[str]] = {number: [] for number in self._always}
        by_word = self._by_word
        for word in letters & by_word.keys():
            for number in by_word[word]:
                words.setdefault(number, []).append(word)
        low = lowered(masked)
        if len(masked) > _LONG:
            return self._edits_nearby(masked, _Places(low, letters, by_word.keys()), words)
        edits: list[Edit] = []
        for number in words:
            item = self._items[number]
            for alternatives in item.hints:
                for hint in alternatives:
                    if hint in low:
                        break
                else:
                    break
            else:
                edits += _edits_in(item, masked, 0, len(masked))
        return edits

    def _edits_nearby(self, masked: str, places: _Places, words: Mapping[int, list[str]]) -> list[Edit]:
        edits: list[Edit] = []
        for number, needed in words.items():
            item = self._items[number]
            groups = []
            for alternatives in item.hints:
                groups.append(places.with_hint(alternatives))
                if not groups[-1]:
                    break
            else:
                far = self._reach(number) if needed else None
                if far is None:
                    edits += _edits_in(item, masked, 0, len(masked))
                    continue
                near = set(places.with_word(needed))
                for group in groups:
                    near &= {part + step for part in group for step in range(-far, far + 1)}
                for start, end in places.parts.windows(sorted(near), far):
                    edits += _edits_in(item, masked, start, end)
        return edits

    def _reach(self, number: int) -> int | None:
        if number not in self._far:
            source, flags = source_of(self._items[number].shape)
            self._far[number] = reach(source, flags)
        return self._far[number]


class _Places:
    """In which parts of a long text words and hints stand; each is looked for once."""

    __slots__ = ("_letters", "_low", "_of_hint", "_of_word", "parts")

    def __init__(self, low: str, letters: Set[str], words: Set[str]) -> None:
        self._low, self._letters = low, letters
        self.parts = Parts.of(low)
        self._of_hint: dict[str, list[int]] = {}
        self._of_word: dict[str, list[int]] = {}
        for part, (start, end) in enumerate(pairwise((0, *self.parts.ends, len(low)))):
            for word in words & set(runs_of_letters(low[start:end])):
                self._of_word.setdefault(word, []).append(part)

    def with_word(self, words: Iterable[str]) -> list[int]:
        """The parts in which any of these words stands."""
        return [part for word in words for part in self._of_word.get(word, ())]

    def with_hint(self, hints: Iterable[str]) -> list[int]:
        """The parts in which any of these hints begins."""
        return [part for hint in hints for part in self._with_one(hint)]

    def _with_one(self, hint: str) -> list[int]:
        parts = self._of_hint.get(hint)
        if parts is None:
            parts = self.parts.at(occurrences(self._low, hint)) if _whole_words(hint) <= self._letters else []
            self._of_hint[hint] = parts
        return parts


@cache
def _whole_words(piece: str) -> frozenset[str]:
    """The runs of letters that a text must have for a piece of it to be this."""
    return frozenset(_WITHIN.findall(piece))


def _edits_in(item: Rewording, masked: str, start: int, end: int) -> Iterator[Edit]:
    if item.part is None or item.part.search(masked, start, end) is not None:
        for match in item.shape.finditer(masked, start, end):
            yield from item.edits(match)
