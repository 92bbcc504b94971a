"""What a time phrase means: small values that a calendar turns into a stretch of local time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from longmind.when.calendar import (
    GRAINS,
    Calendar,
    Duration,
    Span,
    finer,
    midnight,
    month_length,
    part_of,
    shift,
    unit_at,
    unit_start,
)
from longmind.when.words import Grain, Third, Which

_DAY = timedelta(days=1)
# A weekday agrees with a date in at least one year out of six; farther off it is a mistake of the writer.
_WEEKDAY_YEARS = 6


@dataclass(frozen=True, slots=True)
class Node(ABC):
    """A meaning; `floats` when which of several recurring occurrences is meant is not said."""

    @property
    def floats(self) -> bool:
        return False

    @property
    def is_point(self) -> bool:
        """A time on the clock: what begins 'after' it begins then, what lasts 'until' it stops there."""
        return False

    @abstractmethod
    def resolve(self, calendar: Calendar) -> Span:
        """The stretch of local time that is meant."""


# Fixed on the calendar, or by the reference alone
@dataclass(frozen=True, slots=True)
class Now(Node):
    @property
    def is_point(self) -> bool:
        return True

    def resolve(self, calendar: Calendar) -> Span:
        return Span(calendar.now, calendar.now + GRAINS["second"], "second")


@dataclass(frozen=True, slots=True)
class Instant(Node):
    """A date and time in full; aware when its offset was written."""

    moment: datetime
    grain: Grain

    @property
    def is_point(self) -> bool:
        return True

    def resolve(self, calendar: Calendar) -> Span:
        start = self.moment
        if start.tzinfo is not None:
            start = start.astimezone(calendar.zone).replace(tzinfo=None)
        return Span(start, start + GRAINS[self.grain], self.grain)


@dataclass(frozen=True, slots=True)
class Years(Node):
    """A year, a decade or a century, by its first year."""

    year: int
    grain: Grain

    def resolve(self, calendar: Calendar) -> Span:
        return unit_at(_date(self.year, 1, 1), self.grain)


@dataclass(frozen=True, slots=True)
class IsoWeek(Node):
    number: int
    year: int | None = None
    year_offset: int = 0
    """Without a year: of how many years after that of the reference."""

    def resolve(self, calendar: Calendar) -> Span:
        year = self.year if self.year is not None else calendar.now.year + self.year_offset
        return unit_at(datetime.fromisocalendar(year, self.number, 1), "week")


@dataclass(frozen=True, slots=True)
class Unit(Node):
    """The calendar unit so many after that of the reference: yesterday, last month, this year."""

    grain: Grain
    offset: int

    def resolve(self, calendar: Calendar) -> Span:
        return calendar.unit(self.grain, self.offset)


@dataclass(frozen=True, slots=True)
class SoFar(Node):
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
class Window(Node):
    """The last or next so long: whole days with today among them, or exact from the reference if shorter."""

    length: Duration
    sign: int

    def resolve(self, calendar: Calendar) -> Span:
        is_short = self.length.is_within_day
        near = calendar.now if is_short else calendar.today
        far = calendar.shift(near, self.length, self.sign)
        last = max(far, near)
        return Span(min(far, near), last if is_short else last + _DAY, self.length.grain)


# Recurring: of the year or week that is said, else of one near the reference


@dataclass(frozen=True, slots=True)
class Date(Node):
    """A month, a day of a month, or a day of some month, with or without a year and a weekday."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    which: Which | None = None

    @property
    def floats(self) -> bool:
        return self.year is None and self.which is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.month is not None and (self.year is not None or self.which == "this"):
            return self._in(calendar.now.year if self.year is None else self.year, self.month)
        if self.weekday is None and self.which != "this":
            near = list(self._occurrences(calendar, near=True))
            with suppress(ValueError):  # none is near: a 29th of February
                return calendar.pick(near, self.which)
        spans = list(self._occurrences(calendar))
        if self.weekday is not None:
            agreeing = [span for span in spans if span.start.weekday() == self.weekday]
            try:
                return calendar.pick(agreeing, self.which)
            except ValueError:
                pass
        return calendar.pick(spans, self.which)

    def _in(self, year: int, month: int) -> Span:
        return unit_at(_date(year, month, self.day or 1), "month" if self.day is None else "day")

    def _occurrences(self, calendar: Calendar, *, near: bool = False) -> Iterator[Span]:
        """In order of time; `near`: the few among which the one that is meant nearly always is."""
        now = calendar.now
        this_month = now.year * 12 + now.month - 1
        months = (
            [year * 12 + self.month - 1 for year in calendar.years_around(near=near)]
            if self.month is not None
            else range(this_month - 2, this_month + 3)
            if near
            else range(this_month - 24, this_month + 26)
        )
        for year, month in (divmod(n, 12) for n in months):
            far = abs(year - now.year) > _WEEKDAY_YEARS and self.weekday is not None
            if not far and 1 <= year < 9999 and (self.day or 1) <= month_length(year, month + 1):
                yield self._in(year, month + 1)


@dataclass(frozen=True, slots=True)
class Yearly(Node):
    """What comes once a year: a season, a quarter, a holiday."""

    in_year: Callable[[int], Span]
    year: int | None = None
    which: Which | None = None
    nearest: bool = False
    """'This winter' is the one around now; 'this Christmas' that of this year."""

    @property
    def floats(self) -> bool:
        return self.year is None and self.which is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.year is not None:
            return self.in_year(self.year)
        if self.which == "this" and not self.nearest:
            return self.in_year(calendar.now.year)
        years = calendar.years_around(near=self.which != "this")
        return calendar.pick([self.in_year(year) for year in years], self.which)


def months_from(first: int, count: int) -> Callable[[int], Span]:
    """The stretch of so many months in any year: seasons, quarters, halves."""

    def in_year(year: int) -> Span:
        start = _date(year, first, 1)
        return Span(start, shift(start, Duration(months=count), 1), "quarter")

    return in_year


@dataclass(frozen=True, slots=True)
class Weekday(Node):
    """A day of the week: alone and 'last' before today, 'coming' after it, 'next' that of the next week."""

    weekday: int
    which: Which | None = None
    week: Node | None = None

    @property
    def floats(self) -> bool:
        return self.which is None and self.week is None

    def resolve(self, calendar: Calendar) -> Span:
        monday = None
        if self.week is not None:
            monday = unit_start(self.week.resolve(calendar).start, "week")
        elif self.which in {"this", "next"}:
            monday = calendar.unit("week", 0 if self.which == "this" else 1).start
        if monday is not None:
            return unit_at(monday + self.weekday * _DAY, "day")
        if self.which == "last" or (self.which is None and calendar.prefer == "past"):
            back = (calendar.today.weekday() - self.weekday - 1) % 7 + 1
            return unit_at(calendar.today - back * _DAY, "day")
        ahead = (self.weekday - calendar.today.weekday() - 1) % 7 + 1
        return unit_at(calendar.today + ahead * _DAY, "day")


@dataclass(frozen=True, slots=True)
class Weekend(Node):
    """Saturday and Sunday of a week: of the reference's, of the one before or after, or of a day's."""

    which: Which | None = None
    of: Node | None = None

    @property
    def floats(self) -> bool:
        return self.which is None and self.of is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.of is not None:
            base = self.of.resolve(calendar)
            saturday = unit_start(base.start, "week") + 5 * _DAY
            if base.grain == "day" and base.start.weekday() == 0:  # a Monday lengthens the weekend before it
                return Span(saturday - 7 * _DAY, base.end, "day")
            return _weekend(saturday)
        saturday = calendar.unit("week", {"last": -1, "next": 1}.get(self.which or "", 0)).start + 5 * _DAY
        if self.which == "coming" and saturday <= calendar.now:
            saturday += 7 * _DAY
        if self.which is None and calendar.prefer == "past" and saturday > calendar.now:
            saturday -= 7 * _DAY
        return _weekend(saturday)


@dataclass(frozen=True, slots=True)
class Hours(Node):
    """A time of day or a part of the day, on some day or that of the reference; ends may pass midnight."""

    start: timedelta
    end: timedelta
    grain: Grain
    day: Node | None = None
    on_clock: bool = True
    """A time on the clock, not a part of the day."""

    @property
    def floats(self) -> bool:
        return self.day is not None and self.day.floats

    @property
    def is_point(self) -> bool:
        return self.on_clock

    def resolve(self, calendar: Calendar) -> Span:
        day = calendar.today if self.day is None else midnight(self.day.resolve(calendar).start)
        return Span(day + self.start, day + self.end, self.grain)


# Said by way of another time


@dataclass(frozen=True, slots=True)
class Holding(Node):
    """The calendar unit that holds the start of something: 'the week of May 7'."""

    grain: Grain
    of: Node

    def resolve(self, calendar: Calendar) -> Span:
        return unit_at(unit_start(self.of.resolve(calendar).start, self.grain), self.grain)


@dataclass(frozen=True, slots=True)
class Shifted(Node):
    """So long before or after something; without a base, the reference.

    The span is that of the base, or of one day; the grain is the unit in which the distance was said.
    """

    length: Duration
    sign: int
    base: Node | None = None
    ahead: bool = False
    """'A week from Friday' is from the coming Friday."""

    @property
    def is_point(self) -> bool:
        return self.length.is_within_day

    def resolve(self, calendar: Calendar) -> Span:
        if self.base is None:
            if self.length.is_within_day:
                start = calendar.shift(calendar.now, self.length, self.sign)
                return Span(start, start + GRAINS["minute"], self.length.grain)
            day = unit_at(calendar.shift(calendar.today, self.length, self.sign), "day")
            return replace(day, grain=self.length.grain)
        if self.ahead and self.base.floats:
            calendar = calendar.seen_from(calendar.now, "future")
        base = self.base.resolve(calendar)
        start = calendar.shift(base.start, self.length, self.sign)
        end = calendar.shift(base.end, self.length, self.sign)
        return Span(start, max(end, start + GRAINS["minute"]), finer(self.length.grain, base.grain))


@dataclass(frozen=True, slots=True)
class Beside(Node):
    """So long directly before (-1) or after (1) something, or from its start (0): 'the week before May'."""

    length: Duration
    sign: int
    base: Node

    def resolve(self, calendar: Calendar) -> Span:
        base = self.base.resolve(calendar)
        if self.sign < 0:
            return Span(calendar.shift(base.start, self.length, -1), base.start, self.length.grain)
        start = base.end if self.sign else base.start
        return Span(start, calendar.shift(start, self.length, 1), self.length.grain)


@dataclass(frozen=True, slots=True)
class NearestWeekday(Node):
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


@dataclass(frozen=True, slots=True)
class Part(Node):
    """The early, middle or late third of something, or one of its halves."""

    base: Node
    part: Third | int

    @property
    def floats(self) -> bool:
        return self.base.floats

    def resolve(self, calendar: Calendar) -> Span:
        span = self.base.resolve(calendar)
        if isinstance(self.part, int):
            number, parts = self.part - 1, 2
        else:
            number, parts = ("early", "mid", "late").index(self.part), 3
        return part_of(span, number, parts)


@dataclass(frozen=True, slots=True)
class Nth(Node):
    """The nth (from the end when negative) day, week, month, quarter or weekday in something."""

    number: int
    grain: Grain
    base: Node
    weekday: int | None = None
    count: int = 1

    @property
    def floats(self) -> bool:
        return self.base.floats

    def resolve(self, calendar: Calendar) -> Span:
        span = self.base.resolve(calendar)
        nth = self._unit(span) if self.weekday is None else self._weekday(span, self.weekday)
        if not (span.start <= nth.start < span.end):
            raise ValueError("there is no such day in that time")
        return nth

    def _weekday(self, span: Span, weekday: int) -> Span:
        first = span.start + ((weekday - span.start.weekday()) % 7) * _DAY
        weeks = self.number - 1 if self.number > 0 else ((span.end - first).days - 1) // 7 + 1 + self.number
        return unit_at(first + 7 * weeks * _DAY, "day")

    def _unit(self, span: Span) -> Span:
        step = Duration.of(self.count, self.grain)
        start, end = span.start, span.end
        if self.grain == "week" and span.grain == "year":  # ISO weeks: the first has the fourth of January
            start = unit_start(span.start.replace(day=4), "week")
            end = unit_start(span.end.replace(day=4), "week")
        away = Duration.of((abs(self.number) - 1) * self.count, self.grain)
        if self.number > 0:
            start = max(shift(start, away, 1), span.start)
            return Span(start, shift(start, step, 1), self.grain)
        end = shift(end, away, -1)
        return Span(shift(end, step, -1), end, self.grain)


@dataclass(frozen=True, slots=True)
class Range(Node):
    """From the start of one thing to the end of another, or to its start when that is a time of day."""

    first: Node
    last: Node

    def resolve(self, calendar: Calendar) -> Span:
        first, last = self._ends(calendar)
        start, end = first.start, last.start if self._stops_at_once else last.end
        if end <= start:
            start, end = last.start, first.end
        return Span(start, end, finer(first.grain, last.grain))

    @property
    def _stops_at_once(self) -> bool:
        return self.last.is_point and not isinstance(self.last, Shifted)

    def _ends(self, calendar: Calendar) -> tuple[Span, Span]:
        """Each end that floats is looked for from the other one."""
        if self.first.floats and not self.last.floats:
            last = self.last.resolve(calendar)
            return self.first.resolve(calendar.seen_from(last.start, "past")), last
        first = self.first.resolve(calendar)
        if self.last.floats:
            return first, self.last.resolve(calendar.seen_from(first.start, "future"))
        return first, self.last.resolve(calendar)


def _date(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day)  # noqa: DTZ001 - local time, the calendar has the zone


def _weekend(saturday: datetime) -> Span:
    return Span(saturday, saturday + 2 * _DAY, "day")
