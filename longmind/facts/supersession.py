"""The rule of supersession as pure functions: open spans of one statement in, what to change out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal


class _Until(Enum):
    NEXT = "next"


UNTIL_NEXT: Final = _Until.NEXT
"""The end of an assertion that gives none: where the next other value begins, else open."""

UntilNext = Literal[_Until.NEXT]


@dataclass(frozen=True, slots=True)
class OpenSpan:
    """A period `[start, end)` of a value that the store holds to be so; `ref` is the caller's handle."""

    ref: Hashable
    value: Hashable
    start: int
    end: int | None

    def overlaps(self, start: int, end: int | None) -> bool:
        return (end is None or self.start < end) and (self.end is None or start < self.end)

    def touches(self, start: int, end: int | None) -> bool:
        return (end is None or self.start <= end) and (self.end is None or start <= self.end)

    def covers(self, start: int, end: int | None) -> bool:
        return self.start <= start and (self.end is None or (end is not None and end <= self.end))


@dataclass(frozen=True, slots=True)
class Remainder:
    """A part of a closed span that is recorded again, with its evidence."""

    source: OpenSpan
    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class AssertionPlan:
    """What an assertion changes. Where `kept` is set, that span already says it and none is recorded."""

    start: int
    end: int | None
    kept: OpenSpan | None
    merged: tuple[OpenSpan, ...]
    """Spans of the same value to close, because the new one contains them."""
    displaced: tuple[OpenSpan, ...]
    """Spans of other values to close, because they overlap the asserted period."""
    remainders: tuple[Remainder, ...]


@dataclass(frozen=True, slots=True)
class RetractionPlan:
    """What a retraction changes."""

    closed: tuple[OpenSpan, ...]
    remainders: tuple[Remainder, ...]


def plan_assertion(
    spans: Iterable[OpenSpan], value: Hashable, *, start: int, end: int | UntilNext | None, exclusive: bool
) -> AssertionPlan:
    """Assert `value` over `[start, end)` among the open spans of its statement.

    `exclusive`: one value at a time, so that others make room; otherwise only the same value is looked at.
    """
    ordered = sorted(spans, key=lambda span: span.start)
    others = [span for span in ordered if span.value != value] if exclusive else []
    following = (span.start for span in others if span.start > start)
    stop = min(following, default=None) if end is UNTIL_NEXT else end
    displaced = tuple(span for span in others if span.overlaps(start, stop))
    remainders = tuple(part for span in displaced for part in _outside(span, start, stop))
    same = tuple(span for span in ordered if span.value == value and span.touches(start, stop))
    covering = next((span for span in same if span.covers(start, stop)), None)
    if covering is not None:
        return AssertionPlan(start, stop, covering, (), displaced, remainders)
    first = min([start, *(span.start for span in same)])
    ends = [stop, *(span.end for span in same)]
    last = None if None in ends else max(item for item in ends if item is not None)
    return AssertionPlan(first, last, None, same, displaced, remainders)


def plan_retraction(spans: Iterable[OpenSpan], *, until: int | None) -> RetractionPlan:
    """Close spans; with `until`, those that last longer, whose part before it is recorded again."""
    ordered = sorted(spans, key=lambda span: span.start)
    if until is None:
        return RetractionPlan(tuple(ordered), ())
    closed = tuple(span for span in ordered if span.end is None or span.end > until)
    remainders = tuple(Remainder(span, span.start, until) for span in closed if span.start < until)
    return RetractionPlan(closed, remainders)


def _outside(span: OpenSpan, start: int, end: int | None) -> list[Remainder]:
    parts = []
    if span.start < start:
        parts.append(Remainder(span, span.start, start))
    if end is not None and (span.end is None or end < span.end):
        parts.append(Remainder(span, end, span.end))
    return parts
