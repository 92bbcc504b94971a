"""Well-known days that fall on a fixed date, on the nth weekday of a month, or so many days from Easter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from longmind.when.calendar import easter, month_length


@dataclass(frozen=True, slots=True)
class Fixed:
    month: int
    day: int

    def date(self, year: int) -> datetime:
        return datetime(year, self.month, self.day)  # noqa: DTZ001 - local time, zone applied later


@dataclass(frozen=True, slots=True)
class NthWeekday:
    month: int
    weekday: int
    nth: int
    """1 for the first; -1 for the last."""
    plus: int = 0

    def date(self, year: int) -> datetime:
        first = datetime(year, self.month, 1)  # noqa: DTZ001
        day = 1 + (self.weekday - first.weekday()) % 7
        if self.nth > 0:
            day += 7 * (self.nth - 1)
        else:
            day += (month_length(year, self.month) - day) // 7 * 7
        return first.replace(day=day) + timedelta(days=self.plus)


@dataclass(frozen=True, slots=True)
class FromEaster:
    days: int

    def date(self, year: int) -> datetime:
        month, day = easter(year)
        return datetime(year, month, day) + timedelta(days=self.days)  # noqa: DTZ001


Holiday = Fixed | NthWeekday | FromEaster

_NAMED: Final[dict[str, Holiday]] = {
    "new year day": Fixed(1, 1),
    "new year eve": Fixed(12, 31),
    "new year": Fixed(1, 1),
    "christmas eve": Fixed(12, 24),
    "christmas day": Fixed(12, 25),
    "christmas": Fixed(12, 25),
    "xmas": Fixed(12, 25),
    "boxing day": Fixed(12, 26),
    "halloween": Fixed(10, 31),
    "valentine day": Fixed(2, 14),
    "valentine": Fixed(2, 14),
    "saint patrick day": Fixed(3, 17),
    "st patrick day": Fixed(3, 17),
    "april fool day": Fixed(4, 1),
    "earth day": Fixed(4, 22),
    "cinco de mayo": Fixed(5, 5),
    "juneteenth": Fixed(6, 19),
    "independence day": Fixed(7, 4),
    "all saint day": Fixed(11, 1),
    "veteran day": Fixed(11, 11),
    "groundhog day": Fixed(2, 2),
    "martin luther king day": NthWeekday(1, 0, 3),
    "mlk day": NthWeekday(1, 0, 3),
    "mother day": NthWeekday(5, 6, 2),
    "memorial day": NthWeekday(5, 0, -1),
    "father day": NthWeekday(6, 6, 3),
    "labor day": NthWeekday(9, 0, 1),
    "labour day": NthWeekday(9, 0, 1),
    "thanksgiving day": NthWeekday(11, 3, 4),
    "thanksgiving": NthWeekday(11, 3, 4),
    "black friday": NthWeekday(11, 3, 4, plus=1),
    "cyber monday": NthWeekday(11, 3, 4, plus=4),
    "shrove tuesday": FromEaster(-47),
    "ash wednesday": FromEaster(-46),
    "palm sunday": FromEaster(-7),
    "maundy thursday": FromEaster(-3),
    "good friday": FromEaster(-2),
    "easter sunday": FromEaster(0),
    "easter monday": FromEaster(1),
    "easter": FromEaster(0),
    "ascension day": FromEaster(39),
    "whit monday": FromEaster(50),
}
"""As in the United States where countries differ. Possessives and plurals are read as these plain forms."""

HOLIDAYS: Final[dict[str, tuple[tuple[tuple[str, ...], Holiday], ...]]] = {
    first: tuple(
        (words, holiday)
        for words, holiday in sorted(
            ((tuple(name.split()), holiday) for name, holiday in _NAMED.items()),
            key=lambda entry: -len(entry[0]),
        )
        if words[0] == first
    )
    for first in {name.split()[0] for name in _NAMED}
}
"""By first word, longest name first."""
