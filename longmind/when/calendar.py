"""Calendar arithmetic against a reference: units, shifts, recurring days, and spans as unix milliseconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Literal

from longmind.base.errors import InvalidInput
from longmind.base.times import to_ms
from longmind.when.words import Grain, Which

Prefer = Literal["past", "future"]

GRAINS: Final[dict[Grain, timedelta]] = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "quarter": timedelta(days=91),
    "year": timedelta(days=365),
    "decade": timedelta(days=3652),
    "century": timedelta(days=36524),
}
"""Every grain from fine to coarse, with its usual length."""

_MONTHS_IN: Final[dict[Grain, int]] = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_MOST_COUNT = 100_000
_PARTS: Final[dict[Grain, tuple[int, Grain]]] = {
    "second": (1, "second"),
    "minute": (60, "second"),
    "hour": (60, "minute"),
    "day": (24, "hour"),
    "week": (7, "day"),
    "month": (30, "day"),
    "quarter": (3, "month"),
    "year": (12, "month"),
    "decade": (10, "year"),
    "century": (10, "decade"),
}


class NeedsReference(InvalidInput):
    """A phrase such as 'yesterday' was to be resolved without a reference time; never leaves `find_times`."""


@dataclass(frozen=True, slots=True)
class Duration:
    months: int = 0
    days: int = 0
    seconds: int = 0
    grain: Grain = "day"
    """The finest unit that was said."""

    @classmethod
    def of(cls, count: float, unit: Grain) -> Duration:
        if not 0 <= count <= _MOST_COUNT:
            raise ValueError(f"{count} {unit}s is not a useful length of time")
        if count != int(count):
            parts, finer_unit = _PARTS[unit]
            whole = cls.of(int(count), unit)
            return whole.plus(cls.of(round((count - int(count)) * parts), finer_unit))
        if unit in _MONTHS_IN:
            months = count * _MONTHS_IN[unit]
            return cls(months=int(months), grain=unit)
        seconds = round(count * GRAINS[unit].total_seconds())
        if unit in {"day", "week"}:
            return cls(days=seconds // 86_400, seconds=seconds % 86_400, grain=unit)
        return cls(seconds=seconds, grain=unit)

    def plus(self, other: Duration) -> Duration:
        return Duration(
            months=self.months + other.months,
            days=self.days + other.days,
            seconds=self.seconds + other.seconds,
            grain=finer(self.grain, other.grain),
        )

    @property
    def is_within_day(self) -> bool:
        return self.seconds > 0


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open stretch of local time (naive, on the calendar's zone)."""

    start: datetime
    end: datetime
    grain: Grain

    @property
    def middle(self) -> datetime:
        return self.start + (self.end - self.start) / 2


@dataclass(frozen=True, slots=True)
class Calendar:
    """What phrases are resolved against: the reference as local time, if there is one, and the zone."""

    reference: datetime | None
    zone: tzinfo
    prefer: Prefer = "past"

    @classmethod
    def at(cls, reference: int | None, *, zone: tzinfo, prefer: Prefer = "past") -> Calendar:
        if reference is None:
            return cls(None, zone, prefer)
        try:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=reference)
            return cls(moment.astimezone(zone).replace(tzinfo=None), zone, prefer)
        except OverflowError:
            raise InvalidInput(
                f"The reference {reference} ms lies outside the years 1 to 9999.",
                hint="Give unix milliseconds.",
            ) from None

    @property
    def now(self) -> datetime:
        if self.reference is None:
            raise NeedsReference("A relative time phrase needs a reference time.", hint="Give reference=.")
        return self.reference

    @property
    def today(self) -> datetime:
        return midnight(self.now)

    def seen_from(self, moment: datetime, prefer: Prefer) -> Calendar:
        """The same calendar with another reference, to resolve one end of a range from the other."""
        return replace(self, reference=moment, prefer=prefer)

    def unit(self, grain: Grain, offset: int) -> Span:
        """The calendar unit that holds the reference, or the one `offset` units later."""
        start = unit_start(self.now, grain)
        start = shift(start, Duration.of(abs(offset), grain), 1 if offset >= 0 else -1)
        return unit_at(start, grain)

    def shift(self, moment: datetime, by: Duration, sign: int) -> datetime:
        """Months and days on the calendar; hours and less in elapsed time, across changes of the clock."""
        moved = shift(moment, replace(by, seconds=0), sign)
        if not by.seconds:
            return moved
        elapsed = moved.replace(tzinfo=self.zone).astimezone(UTC) + sign * timedelta(seconds=by.seconds)
        return elapsed.astimezone(self.zone).replace(tzinfo=None)

    def pick(self, occurrences: Iterable[Span], which: Which | None) -> Span:
        """The occurrence meant, from some in order of time around the reference.

        Alone, the latest that has begun (or, preferring the future, the first not yet over); 'last', the
        latest over before today; 'next', the first after now; 'this', the nearest.
        """
        spans = list(occurrences)
        if which == "this":
            chosen = sorted(spans, key=lambda span: abs(span.middle - self.now))
        elif which == "last":
            chosen = [span for span in reversed(spans) if span.end <= self.today]
        elif which in {"next", "coming"}:
            chosen = [span for span in spans if span.start > self.now]
        elif self.prefer == "past":
            chosen = [span for span in reversed(spans) if span.start <= self.now]
        else:
            chosen = [span for span in spans if span.end > self.now]
        if not chosen:
            raise ValueError("no such day near the reference")
        return chosen[0]

    def years_around(self, *, near: bool = False) -> range:
        """Enough years on both sides for a 29th of February, or `near` for what comes every year."""
        year, reach = self.now.year, 2 if near else 9
        return range(max(1, year - reach), min(9999, year + reach + 1))

    def to_ms(self, moment: datetime) -> int:
        return to_ms(moment.replace(tzinfo=self.zone))


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def finer(one: Grain, other: Grain) -> Grain:
    return one if GRAINS[one] <= GRAINS[other] else other


def shift(moment: datetime, by: Duration, sign: int) -> datetime:
    """Moved on the local calendar; a day that the month lacks becomes its last."""
    if by.months:
        month = moment.year * 12 + moment.month - 1 + sign * by.months
        year, month = divmod(month, 12)
        if not 1 <= year <= 9999:
            raise OverflowError(f"year {year} is outside the calendar")
        day = min(moment.day, month_length(year, month + 1))
        moment = moment.replace(year=year, month=month + 1, day=day)
    return moment + sign * timedelta(days=by.days, seconds=by.seconds)


def month_length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def unit_start(moment: datetime, grain: Grain) -> datetime:
    """Where the unit of a day or longer that holds the moment begins; weeks begin on Monday."""
    day = midnight(moment)
    if grain == "week":
        return day - timedelta(days=day.weekday())
    if grain == "month":
        return day.replace(day=1)
    if grain == "quarter":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    if grain in {"year", "decade", "century"}:
        years = {"year": 1, "decade": 10, "century": 100}[grain]
        return day.replace(year=max(1, day.year // years * years), month=1, day=1)
    return day


_ONE: Final = {grain: Duration.of(1, grain) for grain in GRAINS}
"""One of each unit: what recurs is laid out for dozens of months or years before one of them is taken."""


def unit_at(start: datetime, grain: Grain) -> Span:
    return Span(start, shift(start, _ONE[grain], 1), grain)


_FINER: Final[dict[Grain, Grain]] = {
    "century": "decade",
    "decade": "year",
    "year": "month",
    "quarter": "month",
    "month": "day",
    "week": "day",
    "day": "hour",
}


def part_of(span: Span, number: int, parts: int) -> Span:
    """One of so many parts of a span, counted from 0: the second third of a year."""
    ends = [span.start, *(_part_end(span, n, parts) for n in range(1, parts)), span.end]
    return Span(ends[number], ends[number + 1], _FINER.get(span.grain, span.grain))


def _part_end(span: Span, part: int, parts: int) -> datetime:
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
        return span.start + timedelta(days=days * part // parts)
    return span.start + (span.end - span.start) * part / parts
