"""How many ends of sentences a match of a pattern may hold, so that it is looked for near its words alone.

Read off the pattern itself, as the words it needs are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

from longmind.extract.patterns import pattern

_ENDS: Final = ".!?\n"
_END: Final = pattern(r"\s*[.!?\n][.!?\s]*")
"""One end of a sentence, and all that may follow it before the next begins."""
_NO_LIMIT: Final = 1_000_000


def reach(source: str, flags: int = 0) -> int | None:
    """At most so many ends of sentences lie in what the pattern looks at; None where there is no limit."""
    ends = _in_all(parser.parse(source, flags))
    return ends if ends < _NO_LIMIT else None


@dataclass(frozen=True, slots=True)
class Parts:
    """A text cut behind every end of a sentence."""

    ends: Sequence[int]
    length: int

    @classmethod
    def of(cls, text: str) -> Parts:
        return cls([match.end() for match in _END.finditer(text)], len(text))

    def at(self, positions: Iterable[int]) -> list[int]:
        """The parts that these positions, which go up, lie in: each once."""
        return list(dict.fromkeys(bisect_right(self.ends, position) for position in positions))

    def windows(self, parts: Iterable[int], far: int) -> Iterator[tuple[int, int]]:
        """The ranges that hold all matches with something of these parts in them, apart from each other.

        One part more on either side is for what a match looks at and does not hold.
        """
        low = high = -1
        for part in parts:
            first, last = part - far - 2, part + far + 1
            start = self.ends[first] if first >= 0 else 0
            end = self.ends[last] if last < len(self.ends) else self.length
            if start > high:
                if high >= 0:
                    yield low, high
                low = start
            high = end
        if high >= 0:
            yield low, high


def _in_all(items: Iterable[Any]) -> int:
    return sum(_in_one(op, argument) for op, argument in items)


def _in_one(op: Any, argument: Any) -> int:
    if (one := _of_character(op, argument)) is not None:
        return int(one)
    if op is ops.SUBPATTERN:
        return _in_all(argument[-1])
    if op is ops.ATOMIC_GROUP:
        return _in_all(argument)
    if op is ops.BRANCH:
        return max(map(_in_all, argument[1]))
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return _in_all(argument[1])
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        _, most, items = argument
        ends = _in_all(items)
        if ends and len(items) == 1 and _is_space(*items[0]):
            return 1  # of a run of blanks, however long, all is one end
        return min(int(most) * ends, _NO_LIMIT)
    return 0 if op is ops.AT else _NO_LIMIT


def _of_character(op: Any, argument: Any) -> bool | None:
    """Whether the one character that an item matches may end a sentence; None for other items."""
    if op is ops.LITERAL:
        return chr(argument) in _ENDS
    if op in (ops.NOT_LITERAL, ops.ANY):
        return True
    if op is ops.IN:
        refused = argument[0][0] is ops.NEGATE
        return any(_is_among(ord(end), argument) is not refused for end in _ENDS)
    return None


def _is_among(code: int, options: Sequence[Any]) -> bool:
    """Whether a character of `_ENDS` is one of those that a set names."""
    blank = chr(code).isspace()
    named = {
        ops.CATEGORY_SPACE: blank, ops.CATEGORY_NOT_SPACE: not blank,
        ops.CATEGORY_NOT_WORD: True, ops.CATEGORY_NOT_DIGIT: True,
    }  # fmt: skip
    return any(
        (op is ops.LITERAL and argument == code)
        or (op is ops.RANGE and argument[0] <= code <= argument[1])
        or (op is ops.CATEGORY and named.get(argument, False))
        for op, argument in options
    )


def _is_space(op: Any, argument: Any) -> bool:
    """Whether an item matches blanks and ends of lines and nothing else."""
    return op is ops.IN and list(argument) == [(ops.CATEGORY, ops.CATEGORY_SPACE)]
