"""One slot while a transaction changes it: what was said there, and the spans that follow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from longmind.facts.belief import AssertedPeriod, Effect, HeldPeriod, Slot
from longmind.facts.rows import AssertionRow, SpanRow


@dataclass(eq=False, slots=True)
class LiveSpan:
    """A span that is open as far as this transaction has got; `row` is None until it is stored."""

    fact_id: int
    start: int
    end: int | None
    row: SpanRow | None = None

    @property
    def held(self) -> HeldPeriod:
        return HeldPeriod(self.fact_id, self.start, self.end)


class SlotState:
    """One slot as far as this transaction has got."""

    __slots__ = ("complete", "facts", "rows", "slot", "spans", "stored", "touched")

    def __init__(self) -> None:
        self.slot = Slot()
        self.spans: list[LiveSpan] = []
        """In order of time; they do not overlap."""
        self.stored: tuple[SpanRow, ...] = ()
        """The spans that were open when it was loaded."""
        self.rows: dict[int, AssertionRow] = {}
        """Stored assertions of the slot that were loaded, by number."""
        self.facts: dict[int, int] = {}
        """The values that occur here, each with its predicate."""
        self.complete = False
        """Whether all assertions of the slot were loaded, and not only those that can matter."""
        self.touched = False

    def met(self, predicate_id: int) -> list[int]:
        return sorted(fact_id for fact_id, predicate in self.facts.items() if predicate == predicate_id)

    def starts(self) -> Iterator[tuple[AssertedPeriod, AssertionRow | None]]:
        for claim in (*self.slot.claims, *self.slot.endings):
            yield claim, self.rows.get(claim.order)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said here, as far as is known."""
        slot = self.slot
        return not (self.spans or slot.claims or slot.endings or slot.denials)

    def begin(self, assertion: AssertedPeriod) -> LiveSpan:
        """Take in the first thing said here: nothing is to be worked out."""
        self.touched = True
        self.slot.claims.append(assertion)
        span = LiveSpan(cast(int, assertion.value), assertion.start, assertion.end)
        self.spans.append(span)
        return span

    def add(self, assertion: AssertedPeriod) -> Outcome:
        """Take an assertion in, and say which spans it closed and opened."""
        self.touched = True
        start = None if assertion.effect is Effect.DENIES else assertion.start
        if assertion.effect is Effect.HOLDS and self.is_empty:
            return Outcome((), (self.begin(assertion),), ())
        self.slot.add(assertion)
        return self.refresh(start, None if start is None else assertion.end)

    def refresh(self, start: int | None = None, end: int | None = None) -> Outcome:
        """Work out anew what is held in a period, or at all times if all assertions were loaded."""
        self.touched = True
        if start is None:
            low, high, affected = 0, len(self.spans), self.spans
            beliefs = self.slot.belief()
        else:
            low = max(0, bisect_left(self.spans, start, key=_start) - 1)
            while low < len(self.spans) and _ends_before(self.spans[low], start):
                low += 1
            high = len(self.spans) if end is None else bisect_left(self.spans, end + 1, lo=low, key=_start)
            affected = self.spans[low:high]
            behind = [span.held for span in affected]
            beliefs = [
                *(HeldPeriod(span.fact_id, span.start, start) for span in affected if span.start < start),
                *self.slot.belief(start, end, behind=behind),
            ]
            if end is not None:
                beliefs += [
                    HeldPeriod(span.fact_id, max(span.start, end), span.end)
                    for span in affected
                    if span.end is None or span.end > end
                ]
        kept = {span.held: span for span in affected}
        fresh = [kept.pop(item) if item in kept else _span(item) for item in _joined(beliefs)]
        self.spans[low:high] = fresh
        return Outcome(affected, fresh, list(kept.values()))


class Outcome(NamedTuple):
    """Spans before and after one assertion, in the period that it could change."""

    before: Sequence[LiveSpan]
    after: Sequence[LiveSpan]
    closed: Sequence[LiveSpan]

    def status(self, fact_id: int) -> Literal["recorded", "extended", "unchanged"]:
        if not self.before:
            return "recorded"
        mine = [span for span in self.after if span.fact_id == fact_id]
        if not any(span.fact_id == fact_id for span in self.before) or not mine:
            return "recorded"
        gone = any(span.fact_id == fact_id for span in self.closed)
        return "extended" if gone else "unchanged"

    def others(self, fact_id: int) -> tuple[int, ...]:
        if not self.closed:
            return ()
        return tuple(dict.fromkeys(span.fact_id for span in self.closed if span.fact_id != fact_id))


def _joined(held: Iterable[HeldPeriod]) -> list[HeldPeriod]:
    """Periods of one value that touch become one."""
    joined: list[HeldPeriod] = []
    for item in held:
        if joined and joined[-1].value == item.value and joined[-1].end == item.start:
            joined[-1] = HeldPeriod(item.value, joined[-1].start, item.end)
        else:
            joined.append(item)
    return joined


def _span(held: HeldPeriod) -> LiveSpan:
    return LiveSpan(cast(int, held.value), held.start, held.end)


def _start(span: LiveSpan) -> int:
    return span.start


def _ends_before(span: LiveSpan, moment: int) -> bool:
    return span.end is not None and span.end < moment
