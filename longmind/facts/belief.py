"""What is held, as a pure function of what was said: the assertions of one slot in, periods of values out.

At an instant, the value asserted with the latest start holds; of two that start together, the one said last.
An ending takes its value away from when it begins, until the value is asserted again with a later start. It
does not bring back what the value had replaced. A denial takes back what was said before it, as if it had
never been said.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Iterable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

UNKNOWN: Final = -62_135_596_800_000
"""The first instant of the year 1: the start of a period of which only the end is known."""


class Effect(IntEnum):
    """What an assertion does to its value."""

    HOLDS = 1
    ENDS = 2
    DENIES = 3


class AssertedPeriod(NamedTuple):
    """One live assertion over `[start, end)`. `order` is its place among all; None means every value."""

    order: int
    value: Hashable
    start: int
    end: int | None
    effect: Effect = Effect.HOLDS

    def covers(self, moment: int) -> bool:
        return self.start <= moment and (self.end is None or moment < self.end)

    def overlaps(self, start: int, end: int | None) -> bool:
        return (end is None or self.start < end) and (self.end is None or start < self.end)

    def means(self, value: Hashable) -> bool:
        return self.value is None or self.value == value

    @property
    def rank(self) -> tuple[int, int, int]:
        """The highest holds. Of periods whose start is not known, the one that ended first is the nearest."""
        nearness = -self.end if self.start == UNKNOWN and self.end is not None else 0
        return self.start, nearness, self.order


class HeldPeriod(NamedTuple):
    """A period in which a value holds."""

    value: Hashable
    start: int
    end: int | None


class Slot:
    """The assertions among which at most one holds at a time."""

    __slots__ = ("claims", "denials", "endings")

    def __init__(self, assertions: Iterable[AssertedPeriod] = ()) -> None:
        self.claims: list[AssertedPeriod] = []
        """In the order of their rank."""
        # Tuples, because most slots have neither, and a batch has thousands of slots.
        self.endings: tuple[AssertedPeriod, ...] = ()
        self.denials: tuple[AssertedPeriod, ...] = ()
        for item in assertions:
            self.add(item)

    def add(self, item: AssertedPeriod) -> None:
        if item.effect is Effect.HOLDS:
            insort(self.claims, item, key=_rank)
        elif item.effect is Effect.ENDS:
            self.endings += (item,)
        else:
            self.denials += (item,)

    def belief(
        self, start: int | None = None, end: int | None = None, *, behind: Sequence[HeldPeriod] = ()
    ) -> list[HeldPeriod]:
        """What holds in `[start, end)`, in order, each period as long as it can be.

        `behind` is what is known to hold there by assertions that start before `start` and are not in the
        slot: it shows where none of the slot's own claims covers.
        """
        first = min((item.start for item in self.claims), default=None) if start is None else start
        if first is None:
            return []
        beliefs: list[HeldPeriod] = []
        edges = self._edges(first, end, behind)
        for index, edge in enumerate(edges):
            stop = edges[index + 1] if index + 1 < len(edges) else end
            value = self._value(edge, behind)
            if value is None:
                continue
            if beliefs and beliefs[-1].end == edge and beliefs[-1].value == value:
                beliefs[-1] = HeldPeriod(value, beliefs[-1].start, stop)
            else:
                beliefs.append(HeldPeriod(value, edge, stop))
        return beliefs

    def _edges(self, first: int, last: int | None, behind: Sequence[HeldPeriod]) -> list[int]:
        edges = {first}
        periods = [(item.start, item.end) for item in (*self.claims, *self.endings, *self.denials)]
        periods += [(item.start, item.end) for item in behind]
        for start, end in periods:
            edges.add(start)
            if end is not None:
                edges.add(end)
        return sorted(edge for edge in edges if edge >= first and (last is None or edge < last))

    def _value(self, moment: int, behind: Sequence[HeldPeriod]) -> Hashable:
        winner = self.winner(moment)
        if winner is not None:
            return None if self.is_ended(winner, moment) else winner.value
        for belief in behind:
            if belief.start <= moment and (belief.end is None or moment < belief.end):
                return None if self._is_over(belief.value, moment) else belief.value
        return None

    def winner(self, moment: int) -> AssertedPeriod | None:
        """Of the claims that cover the instant and are not denied, the one of the highest rank."""
        for index in range(bisect_right(self.claims, moment, key=_start) - 1, -1, -1):
            item = self.claims[index]
            if item.covers(moment) and not self._is_denied(item.order, item.value, moment):
                return item
        return None

    def is_ended(self, claim: AssertedPeriod, moment: int) -> bool:
        return any(
            item.means(claim.value)
            and item.covers(moment)
            and (item.start, item.order) > (claim.start, claim.order)
            and not self._is_denied(item.order, claim.value, moment)
            for item in self.endings
        )

    def _is_over(self, value: Hashable, moment: int) -> bool:
        """Whether what holds by earlier assertions has ended; what was taken back of them does not hold."""
        return any(
            item.means(value) and item.covers(moment) and not self._is_denied(item.order, value, moment)
            for item in self.endings
        )

    def _is_denied(self, order: int, value: Hashable, moment: int) -> bool:
        """Whether what was said of a value, then, was taken back since."""
        return any(item.order > order and item.means(value) and item.covers(moment) for item in self.denials)

    def speaks_for(self, assertion: AssertedPeriod, held: HeldPeriod) -> bool:
        """Whether an assertion is a reason to hold a value over a period: it claims it, or gives its end."""
        if assertion.effect is Effect.ENDS:
            return held.end == assertion.start and assertion.means(held.value)
        if assertion.effect is not Effect.HOLDS or assertion.value != held.value:
            return False
        if not assertion.overlaps(held.start, held.end):
            return False
        return not any(
            item.order > assertion.order
            and item.means(assertion.value)
            and item.start <= max(assertion.start, held.start)
            and (item.end is None or not assertion.overlaps(item.end, held.end))
            for item in self.denials
        )


def _rank(item: AssertedPeriod) -> tuple[int, int, int]:
    return item.rank


def _start(item: AssertedPeriod) -> int:
    return item.start
