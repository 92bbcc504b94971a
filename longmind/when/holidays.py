"""Well-known days that fall on a fixed date, on the nth weekday of a month, or so many days from Easter."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from longmind.when.calendar import Span, month_length, unit_at

_FIXED: Final = {
    "new year day": (1, 1),
    "new year eve": (12, 31),
    "new year": (1, 1),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "boxing day": (12, 26),
    "halloween": (10, 31),
    "valentine day": (2, 14),
    "valentine": (2, 14),
    "saint patrick day": (3, 17),
    "st patrick day": (3, 17),
    "april fool day": (4, 1),
    "earth day": (4, 22),
    "cinco de mayo": (5, 5),
    "juneteenth": (6, 19),
    "independence day": (7, 4),
    "veteran day": (11, 11),
}
_NTH_WEEKDAY: Final = {
    "martin luther king day": (1, 0, 3, 0),
    "mlk day": (1, 0, 3, 0),
    "mother day": (5, 6, 2, 0),
    "memorial day": (5, 0, -1, 0),
    "father day": (6, 6, 3, 0),
    "labor day": (9, 0, 1, 0),
    "labour day": (9, 0, 1, 0),
    "thanksgiving day": (11, 3, 4, 0),
    "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1),
    "cyber monday": (11, 3, 4, 4),
}
"""Month, weekday, which of them (-1: the last), and days after it."""
_FROM_EASTER: Final = {
    "ash wednesday": -46,
    "palm sunday": -7,
    "good friday": -2,
    "easter sunday": 0,
    "easter monday": 1,
    "easter": 0,
}


def _fixed(month: int, day: int) -> Callable[[int], Span]:
    return lambda year: unit_at(datetime(year, month, day), "day")  # noqa: DTZ001 - local time


def _nth_weekday(month: int, weekday: int, nth: int, plus: int) -> Callable[[int], Span]:
    def in_year(year: int) -> Span:
        first = datetime(year, month, 1)  # noqa: DTZ001
        day = 1 + (weekday - first.weekday()) % 7
        day += 7 * (nth - 1) if nth > 0 else (month_length(year, month) - day) // 7 * 7
        return unit_at(first.replace(day=day) + timedelta(days=plus), "day")

    return in_year


def _from_easter(days: int) -> Callable[[int], Span]:
    return lambda year: unit_at(_easter(year) + timedelta(days=days), "day")


def _easter(year: int) -> datetime:
    """Easter Sunday (Gregorian), by the anonymous computus."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    moon = (19 * golden + century - leap_centuries - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    leaps, year_rest = divmod(rest, 4)
    weekday = (32 + 2 * century_rest + 2 * leaps - moon - year_rest) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return datetime(year, month, day + 1)  # noqa: DTZ001


_NAMED: Final[dict[str, Callable[[int], Span]]] = {
    **{name: _fixed(*rule) for name, rule in _FIXED.items()},
    **{name: _nth_weekday(*rule) for name, rule in _NTH_WEEKDAY.items()},
    **{name: _from_easter(days) for name, days in _FROM_EASTER.items()},
}
"""As in the United States where countries differ. Possessives and plurals are read as these plain forms."""

HOLIDAYS: Final[dict[str, list[tuple[tuple[str, ...], Callable[[int], Span]]]]] = {}
"""The names that begin with each word, longest first, and the day of each in a year."""
for _name in sorted(_NAMED, key=lambda name: -len(name.split())):
    HOLIDAYS.setdefault(_name.split()[0], []).append((tuple(_name.split()), _NAMED[_name]))
