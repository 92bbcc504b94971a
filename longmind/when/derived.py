"""What a time phrase means when it is said by way of another time, or of the reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from longmind.when.calendar import (
    GRAINS,
    Calendar,
    Duration,
    Span,
    finer,
    midnight,
    shift,
    unit_at,
    unit_start,
)
from longmind.when.nodes import Instant, Node, Now, Settled, weekend
from longmind.when.words import Grain, Third

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Holding(Settled):
    """The calendar unit that holds the start of something: 'the week of May 7'."""

    grain: Grain
    of: Node

    def resolve(self, calendar: Calendar) -> Span:
        return unit_at(unit_start(self.of.resolve(calendar).start, self.grain), self.grain)


@dataclass(frozen=True, slots=True)
class Window(Settled):
    """The last or next so long: whole days with today among them, or exact from the reference if shorter."""

    length: Duration
    sign: int

    def resolve(self, calendar: Calendar) -> Span:
        if self.length.is_within_day:
            far = calendar.shift(calendar.now, self.length, self.sign)
            return Span(min(far, calendar.now), max(far, calendar.now), self.length.grain)
        far = calendar.shift(calendar.today, self.length, self.sign)
        start, last = min(far, calendar.today), max(far, calendar.today)
        return Span(start, last + _DAY, self.length.grain)


@dataclass(frozen=True, slots=True)
class Shifted(Settled):
    """So long before or after something; without a base, the reference.

    The span is that of the base, or of one day; the grain is the unit in which the distance was said.
    """

    length: Duration
    sign: int
    base: Node | None = None
    ahead: bool = False
    """'A week from Friday' is from the coming Friday."""

    def resolve(self, calendar: Calendar) -> Span:
        if self.base is None:
            if self.length.is_within_day:
                start = calendar.shift(calendar.now, self.length, self.sign)
                return Span(start, start + GRAINS["minute"], self.length.grain)
            return replace(
                unit_at(calendar.shift(calendar.today, self.length, self.sign), "day"),
                grain=self.length.grain,
            )
        if self.ahead and self.base.floats:
            calendar = calendar.seen_from(calendar.now, "future")
        base = self.base.resolve(calendar)
        start = calendar.shift(base.start, self.length, self.sign)
        end = calendar.shift(base.end, self.length, self.sign)
        return Span(start, max(end, start + GRAINS["minute"]), finer(self.length.grain, base.grain))


@dataclass(frozen=True, slots=True)
class Beside(Settled):
    """The stretch of one length directly before or after something: 'the week before Christmas'."""

    length: Duration
    sign: int
    base: Node

    def resolve(self, calendar: Calendar) -> Span:
        base = self.base.resolve(calendar)
        if self.sign < 0:
            return Span(calendar.shift(base.start, self.length, -1), base.start, self.length.grain)
        return Span(base.end, calendar.shift(base.end, self.length, 1), self.length.grain)


@dataclass(frozen=True, slots=True)
class Lasting(Settled):
    """So long from the start of something: 'the week beginning June 4'."""

    length: Duration
    base: Node

    def resolve(self, calendar: Calendar) -> Span:
        start = self.base.resolve(calendar).start
        return Span(start, calendar.shift(start, self.length, 1), self.length.grain)


@dataclass(frozen=True, slots=True)
class Part:
    """The early, middle or late third of something, or one of its halves."""

    base: Node
    part: Third | int

    @property
    def floats(self) -> bool:
        return self.base.floats

    def resolve(self, calendar: Calendar) -> Span:
        span = self.base.resolve(calendar)
        if isinstance(self.part, int):
            middle, grain = _cut(span, 1, 2), _finer_grain(span.grain)
            return Span(middle, span.end, grain) if self.part == 2 else Span(span.start, middle, grain)
        cuts = [span.start, _cut(span, 1, 3), _cut(span, 2, 3), span.end]
        number = ("early", "mid", "late").index(self.part)
        return Span(cuts[number], cuts[number + 1], _finer_grain(span.grain))


@dataclass(frozen=True, slots=True)
class SoFar(Settled):
    """What is over, today with it, or what is left of the unit that holds the reference."""

    grain: Grain
    earlier: bool

    def resolve(self, calendar: Calendar) -> Span:
        span = calendar.unit(self.grain, 0)
        if self.grain == "day":
            start, end = (span.start, calendar.now) if self.earlier else (calendar.now, span.end)
            return Span(start, end, "hour") if start < end else span
        if self.earlier:
            return Span(span.start, calendar.today + _DAY, "day")
        return Span(calendar.today, span.end, "day")


@dataclass(frozen=True, slots=True)
class Nth:
    """The nth (from the end when negative) day, week, month, quarter, weekday or weekend in something."""

    number: int
    grain: Grain | None
    base: Node
    weekday: int | None = None
    count: int = 1

    @property
    def floats(self) -> bool:
        return self.base.floats

    def resolve(self, calendar: Calendar) -> Span:
        span = self.base.resolve(calendar)
        if self.weekday is not None:
            first = span.start + ((self.weekday - span.start.weekday()) % 7) * _DAY
            days = (span.end - first).days
            number = self.number - 1 if self.number > 0 else (days - 1) // 7 + 1 + self.number
            found = unit_at(first + 7 * number * _DAY, "day")
            if self.grain == "week":
                found = weekend(found.start)
        else:
            found = self._units(span)
        if not (span.start <= found.start < span.end):
            raise ValueError("there is no such day in that time")
        return found

    def _units(self, span: Span) -> Span:
        grain = self.grain or "day"
        step = Duration.of(self.count, grain)
        if grain == "week" and span.grain == "year":
            monday = unit_start(span.start.replace(day=4), "week")
            if self.number < 0:
                monday = unit_start(span.end.replace(day=4), "week")
            base = Span(monday, monday, "week")
        else:
            base = Span(span.start, span.end, grain)
        if self.number > 0:
            start = shift(base.start, Duration.of((self.number - 1) * self.count, grain), 1)
            start = max(start, span.start)
            return Span(start, shift(start, step, 1), grain)
        end = shift(base.end, Duration.of((-self.number - 1) * self.count, grain), -1)
        return Span(shift(end, step, -1), end, grain)


@dataclass(frozen=True, slots=True)
class Hours:
    """A time of day or a part of the day, on some day or that of the reference; ends may pass midnight."""

    start: timedelta
    end: timedelta
    grain: Grain
    day: Node | None = None
    is_point: bool = True
    """A time on the clock, not a part of the day: a range that ends with it stops there."""

    @property
    def floats(self) -> bool:
        return self.day is not None and self.day.floats

    def resolve(self, calendar: Calendar) -> Span:
        day = calendar.today if self.day is None else midnight(self.day.resolve(calendar).start)
        return Span(day + self.start, day + self.end, self.grain)


@dataclass(frozen=True, slots=True)
class Range(Settled):
    """From the start of one thing to the end of another, or to its start when that is a time of day."""

    first: Node
    last: Node

    def resolve(self, calendar: Calendar) -> Span:
        first, last = self._ends(calendar)
        is_point = isinstance(self.last, Instant | Now) or (
            isinstance(self.last, Hours) and self.last.is_point
        )
        end = last.start if is_point else last.end
        start = first.start
        if end <= start:
            start, end = last.start, first.end
        return Span(start, end, finer(first.grain, last.grain))

    def _ends(self, calendar: Calendar) -> tuple[Span, Span]:
        if self.first.floats and not self.last.floats:
            last = self.last.resolve(calendar)
            return self.first.resolve(calendar.seen_from(last.start, "past")), last
        first = self.first.resolve(calendar)
        if self.last.floats:
            return first, self.last.resolve(calendar.seen_from(first.start, "future"))
        return first, self.last.resolve(calendar)


@dataclass(frozen=True, slots=True)
class NearestWeekday(Settled):
    """The last such weekday before, or the first after, something."""

    weekday: int
    sign: int
    base: Node
    days: int

    def resolve(self, calendar: Calendar) -> Span:
        span = self.base.resolve(calendar)
        if self.sign < 0:
            back = (span.start.weekday() - self.weekday - self.days) % 7 + self.days
            start = midnight(span.start) - back * _DAY
        else:
            start = midnight(span.end) + (self.weekday - span.end.weekday()) % 7 * _DAY
        return Span(start, start + self.days * _DAY, "day")


def _finer_grain(grain: Grain) -> Grain:
    order: list[Grain] = ["hour", "day", "month", "year", "decade", "century"]
    if grain in {"week", "month"}:
        return "day"
    if grain == "quarter":
        return "month"
    return order[max(0, order.index(grain) - 1)] if grain in order else grain


def _cut(span: Span, part: int, parts: int) -> datetime:
    """Where one part of a span ends: at a whole year, month, day or hour of it."""
    if span.grain == "century":
        return span.start.replace(year=span.start.year + 100 * part // parts)
    if span.grain == "decade":
        return span.start.replace(year=span.start.year + {(1, 3): 4, (2, 3): 7}.get((part, parts), 5))
    if span.grain in {"year", "quarter"}:
        months = (span.end.year - span.start.year) * 12 + span.end.month - span.start.month
        if months % parts == 0:
            return shift(span.start, Duration(months=months * part // parts), 1)
    days = (span.end - span.start).days
    if days > 1:
        return span.start + days * part // parts * _DAY
    return span.start + (span.end - span.start) * part / parts
