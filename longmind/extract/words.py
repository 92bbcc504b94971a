"""The words of one sentence, column by column: what each is, and where it stands in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from longmind.base.words import runs_of_letters
from longmind.extract.rule_match import Range
from longmind.extract.tokens import Known, Token, known_words

if TYPE_CHECKING:
    from longmind.extract.grammar import ParsedClause

_BEYOND: Final = ("",) * 4
"""Blanks past the last word, as far as the grammar looks: no test of the length at each look."""


def letters_of(text: str) -> frozenset[str]:
    """The runs of letters of a text, in lower case, as patterns see them that take either case."""
    return frozenset(runs_of_letters(_in_english(text)))


def lowered(text: str) -> str:
    """A text in lower case as those patterns see it, each character in its place."""
    return _in_english(text).lower()


def occurrences(low: str, word: str) -> Iterator[int]:
    """Where a word stands in a text in lower case, also as a part of other words."""
    at = low.find(word)
    while at >= 0:
        yield at
        at = low.find(word, at + 1)


def _in_english(text: str) -> str:
    """To patterns that take either case, these are letters of English."""
    if text.isascii():
        return text
    return text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")


class Words:
    """The masked text, and of each word or mark of a sentence the text, the lower case and the tag.

    Columns are read in a third of the time that fields of tokens are, and few words are ever needed whole.
    """

    __slots__ = ("_letters", "count", "low", "lows", "masked", "starts", "tags", "texts")

    def __init__(self, masked: str, words: list[Known], starts: list[int]) -> None:
        self.masked = masked
        self.starts = starts
        self.count = len(starts)
        texts, low, tags = zip(*words, strict=True) if words else ((), (), ())
        self.lows = frozenset(low)
        self.texts: tuple[str, ...] = texts + _BEYOND
        self.low: tuple[str, ...] = low + _BEYOND
        self.tags: tuple[str, ...] = tags + _BEYOND
        self._letters: frozenset[str] | None = None

    @property
    def letters(self) -> frozenset[str]:
        """The runs of letters, in lower case, by which patterns are gated."""
        if self._letters is None:
            text = self.masked[self.starts[0] : self.end(self.count - 1)] if self.count else ""
            self._letters = letters_of(text)
        return self._letters

    @classmethod
    def between(cls, masked: str, start: int, end: int) -> Words:
        """The words between two positions of the text."""
        return cls(masked, *known_words(masked, start, end))

    def some(self, first: int, after: int) -> Words:
        """Some of the words, as if they stood alone."""
        after = min(after, self.count)
        columns = zip(self.texts[first:after], self.low[first:after], self.tags[first:after], strict=True)
        return Words(self.masked, list(columns), self.starts[first:after])

    def within(self, span: Range) -> Words:
        """The words that begin between two positions."""
        first, after = bisect_left(self.starts, span[0]), bisect_left(self.starts, span[1])
        return self if first == 0 and after == self.count else self.some(first, after)

    def tokens(self, first: int, after: int) -> list[Token]:
        """Some of the words, each with all there is to know of it."""
        make = tuple.__new__  # Token(...) takes three times as long
        return [
            make(Token, (text, low, tag, start, start + len(text)))
            for text, low, tag, start in zip(
                self.texts[first:after],
                self.low[first:after],
                self.tags[first:after],
                self.starts[first:after],
                strict=False,  # the columns go on with blanks
            )
        ]

    def indices(self, span: Range, first: int, after: int) -> tuple[int, int]:
        """Which of some words begin between two positions."""
        after = min(after, self.count)
        begin = bisect_left(self.starts, span[0], first, after)
        return begin, bisect_left(self.starts, span[1], begin, after)

    def end(self, at: int) -> int:
        """Where a word ends in the text."""
        return self.starts[at] + len(self.texts[at])

    def span(self, first: int, after: int) -> Range:
        """The characters of some words."""
        if first >= after:
            at = self.starts[first] if first < self.count else self.end(self.count - 1)
            return at, at
        return self.starts[first], self.starts[after - 1] + len(self.texts[after - 1])

    def clause(self, clause: ParsedClause) -> Range:
        """The characters of a clause."""
        verb = clause.verb
        begin = clause.begin if clause.begin < verb.first else verb.first
        return self.span(begin, clause.end if clause.end > verb.after else verb.after)
