"""Looks at tokens by position, and says what was found where."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from longmind.when import words
from longmind.when.lexer import Token
from longmind.when.nodes import Node

AGO: Final = "so long ago"
AHEAD: Final = "so long from now"
CLOCK: Final = "time of day"
DIGITS: Final = "date in digits"
PART: Final = "part of the day"
UNIT: Final = "calendar unit"
WINDOW: Final = "last or next so long"
"""Names of rules that other rules ask for; the rest are named where they are read."""

_EDGE = Token("mark", "", -1, -1)


class Found(NamedTuple):
    """A meaning, the position after its last token, and the rule that saw it."""

    node: Node
    end: int
    rule: str
    is_day: bool = False
    """One calendar day: a time of day may be said with it."""
    is_vague: bool = False
    is_range: bool = False


class Reader:
    """Tokens that may be asked for at any position; outside the text there are empty marks."""

    __slots__ = ("_count", "_tokens", "_words")

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._count = len(tokens)
        self._words = [token.text if token.kind == "word" else "" for token in tokens]

    def __len__(self) -> int:
        return self._count

    def at(self, i: int) -> Token:
        return self._tokens[i] if 0 <= i < self._count else _EDGE

    def word(self, i: int) -> str:
        return self._words[i] if 0 <= i < self._count else ""

    def mark(self, i: int) -> str:
        token = self.at(i)
        return token.text if token.kind == "mark" else ""

    def skip(self, i: int, *texts: str) -> int:
        """The next position if the token here is one of these words or marks, else this one."""
        return i + 1 if self.at(i).text in texts and self.at(i).kind in {"word", "mark"} else i

    def phrase(self, i: int, *texts: str) -> int | None:
        """The position after these words, if they stand here one after the other."""
        for text in texts:
            if self.word(i) != text:
                return None
            i += 1
        return i

    def possessive(self, i: int) -> int:
        return i + 1 if self.at(i).glued and self.mark(i) in {"'s", "'", "’"} else i

    def which(self, i: int) -> tuple[words.Which | None, int]:
        """'last', 'this', 'next' and their like here ('this past', 'this coming'), and the position after."""
        word = self.word(i)
        if word not in words.WHICH:
            return None, i
        after = self.word(i + 1)
        if word == "this" and after in words.WHICH and after not in {"this", "current"}:
            return words.WHICH[after], i + 2
        return words.WHICH[word], i + 1

    def counts_things(self, i: int) -> bool:
        """Whether what stands here makes the number before it a quantity: '2000 people', '50 %', '3 days'."""
        token = self.at(i)
        if token.kind == "word":
            return token.text in words.MEASURES or token.text in words.UNITS
        return token.kind == "mark" and token.text in {"%", "$", "€", "£", "°", "+", "x", "*", "="}

    def is_cued(self, i: int, cues: Container[str]) -> bool:
        """Whether one of the cue words stands before this position, an article between them or not."""
        before = self.word(i - 1)
        if before == "the":
            before = self.word(i - 2)
        return before in cues
