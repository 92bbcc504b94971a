"""What a time phrase means: small values that a calendar turns into a stretch of local time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from longmind.when.calendar import (
    GRAINS,
    Calendar,
    Duration,
    Span,
    month_length,
    shift,
    unit_at,
    unit_start,
)
from longmind.when.holidays import Holiday
from longmind.when.words import Grain, Which

_DAY = timedelta(days=1)
_WEEKDAY_YEARS = 6


class Node(Protocol):
    """A meaning; `floats` when which of several recurring occurrences is meant is not said."""

    @property
    def floats(self) -> bool: ...

    def resolve(self, calendar: Calendar) -> Span: ...


@dataclass(frozen=True, slots=True)
class Settled:
    """Shared by the nodes that never float."""

    @property
    def floats(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Now(Settled):
    def resolve(self, calendar: Calendar) -> Span:
        return Span(calendar.now, calendar.now + GRAINS["second"], "second")


@dataclass(frozen=True, slots=True)
class Instant(Settled):
    """A date and time in full; aware when its offset was written."""

    moment: datetime
    grain: Grain

    def resolve(self, calendar: Calendar) -> Span:
        start = self.moment
        if start.tzinfo is not None:
            start = start.astimezone(calendar.zone).replace(tzinfo=None)
        return Span(start, start + GRAINS[self.grain], self.grain)


@dataclass(frozen=True, slots=True)
class Stretch(Settled):
    """So many calendar units from a year on: a year, a decade, a century."""

    year: int
    grain: Grain

    def resolve(self, calendar: Calendar) -> Span:
        return unit_at(_date(self.year, 1, 1), self.grain)


@dataclass(frozen=True, slots=True)
class Date:
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
        if self.year is not None and self.month is not None:
            return self._in(self.year, self.month)
        if self.which == "this" and self.month is not None:
            return self._in(calendar.now.year, self.month)
        spans = list(self._occurrences(calendar))
        if self.weekday is not None:
            agreeing = [span for span in spans if span.start.weekday() == self.weekday]
            try:
                return calendar.pick(agreeing, self.which)
            except ValueError:
                pass
        return calendar.pick(spans, self.which)

    def _in(self, year: int, month: int) -> Span:
        if self.day is None:
            return unit_at(_date(year, month, 1), "month")
        return unit_at(_date(year, month, self.day), "day")

    def _occurrences(self, calendar: Calendar) -> Iterator[Span]:
        now = calendar.now
        near = (
            [(year, self.month) for year in calendar.years_around()]
            if self.month is not None
            else [
                divmod(n, 12) for n in range(now.year * 12 + now.month - 25, now.year * 12 + now.month + 25)
            ]
        )
        for year, month in near:
            actual = month if self.month is not None else month + 1
            far = abs(year - now.year) > _WEEKDAY_YEARS and self.weekday is not None
            if not far and 1 <= year < 9999 and (self.day or 1) <= month_length(year, actual):
                yield self._in(year, actual)


@dataclass(frozen=True, slots=True)
class Season:
    first_month: int
    year: int | None = None
    which: Which | None = None

    @property
    def floats(self) -> bool:
        return self.year is None and self.which is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.year is not None:
            return self._in(self.year)
        return calendar.pick([self._in(year) for year in calendar.years_around()], self.which)

    def _in(self, year: int) -> Span:
        start = _date(year, self.first_month, 1)
        return Span(start, shift(start, Duration(months=3), 1), "quarter")


@dataclass(frozen=True, slots=True)
class Share:
    """A quarter or half of a year."""

    shares: int
    number: int
    year: int | None = None

    @property
    def floats(self) -> bool:
        return self.year is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.year is not None:
            return self._in(self.year)
        return calendar.pick([self._in(year) for year in calendar.years_around()], None)

    def _in(self, year: int) -> Span:
        months = 12 // self.shares
        start = _date(year, 1 + months * (self.number - 1), 1)
        return Span(start, shift(start, Duration(months=months), 1), "quarter")


@dataclass(frozen=True, slots=True)
class Feast:
    """A holiday."""

    holiday: Holiday
    year: int | None = None
    which: Which | None = None

    @property
    def floats(self) -> bool:
        return self.year is None and self.which is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.year is not None:
            return unit_at(self.holiday.date(self.year), "day")
        if self.which == "this":
            return unit_at(self.holiday.date(calendar.now.year), "day")
        days = [unit_at(self.holiday.date(year), "day") for year in calendar.years_around()]
        return calendar.pick(days, self.which)


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week: alone and 'last' before today, 'coming' after it, 'next' that of the next week."""

    weekday: int
    which: Which | None = None
    week: Node | None = None

    @property
    def floats(self) -> bool:
        return self.which is None and self.week is None

    def resolve(self, calendar: Calendar) -> Span:
        if self.week is not None:
            monday = unit_start(self.week.resolve(calendar).start, "week")
            return unit_at(monday + self.weekday * _DAY, "day")
        if self.which in {"this", "next"}:
            monday = calendar.unit("week", 0 if self.which == "this" else 1).start
            return unit_at(monday + self.weekday * _DAY, "day")
        if self.which == "last" or (self.which is None and calendar.prefer == "past"):
            back = (calendar.today.weekday() - self.weekday - 1) % 7 + 1
            return unit_at(calendar.today - back * _DAY, "day")
        ahead = (self.weekday - calendar.today.weekday() - 1) % 7 + 1
        return unit_at(calendar.today + ahead * _DAY, "day")


@dataclass(frozen=True, slots=True)
class Weekend:
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
            return weekend(saturday)
        saturday = calendar.unit("week", {"last": -1, "next": 1}.get(self.which or "", 0)).start + 5 * _DAY
        if self.which == "coming" and saturday <= calendar.now:
            saturday += 7 * _DAY
        if self.which is None and calendar.prefer == "past" and saturday > calendar.now:
            saturday -= 7 * _DAY
        return weekend(saturday)


@dataclass(frozen=True, slots=True)
class Unit(Settled):
    """The calendar unit so many after that of the reference: yesterday, last month, this year."""

    grain: Grain
    offset: int

    def resolve(self, calendar: Calendar) -> Span:
        return calendar.unit(self.grain, self.offset)


@dataclass(frozen=True, slots=True)
class IsoWeek(Settled):
    number: int
    year: int | None = None

    def resolve(self, calendar: Calendar) -> Span:
        year = self.year if self.year is not None else calendar.now.year
        monday = datetime.fromisocalendar(year, self.number, 1)
        return unit_at(monday, "week")


def _date(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day)  # noqa: DTZ001 - local time, the calendar has the zone


def weekend(saturday: datetime) -> Span:
    return Span(saturday, saturday + 2 * _DAY, "day")
