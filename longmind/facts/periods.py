"""Calendar periods that a phrase names outright ("in 2019", "from May 2015 to 2018"), and no others."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from longmind.base.times import to_ms

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_POINT: Final = (
    r"(?:(?P<iso{0}>\d{{4}}-\d\d-\d\d)"
    r"|(?:(?P<day{0}>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month{0}>[a-z]{{3,9}})\.?,?\s+"
    r"(?:of\s+)?(?P<my{0}>\d{{4}})"
    r"|(?P<month_first{0}>[a-z]{{3,9}})\.?\s+(?P<md{0}>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<mdy{0}>\d{{4}})"
    r"|(?P<year{0}>\d{{4}}))"
)
_SINCE: Final = re.compile(rf"(?:(?:back\s+)?in|since|from|on)?\s*{_POINT.format('a')}", re.IGNORECASE)
_RANGE: Final = re.compile(
    rf"(?:from|between)?\s*{_POINT.format('a')}\s*(?:to|until|till|and|-|–)\s*{_POINT.format('b')}",
    re.IGNORECASE,
)


def said_period(phrase: str, reference: int | None = None) -> tuple[int | None, int | None]:
    """First instant, and the instant after the last; None where the phrase names none without a reference."""
    text = phrase.strip()
    both = _RANGE.fullmatch(text)
    if both is not None:
        first, last = _bounds(both, "a"), _bounds(both, "b")
        if first is None or last is None or last[1] <= first[0]:
            return None, None
        return first[0], last[1]
    one = _SINCE.fullmatch(text)
    bounds = None if one is None else _bounds(one, "a")
    return (None, None) if bounds is None else (bounds[0], None)


def _bounds(match: re.Match[str], suffix: str) -> tuple[int, int] | None:
    """The day, month or year that a point names, as half-open milliseconds."""
    groups = match.groupdict()
    named = {name.removesuffix(suffix): groups[name] for name in groups if name.endswith(suffix)}
    try:
        if named["iso"]:
            year, month, day = map(int, named["iso"].split("-"))
        elif named["month_first"]:
            year, month, day = int(named["mdy"]), _month(named["month_first"]), int(named["md"])
        elif named["month"]:
            year, month, day = int(named["my"]), _month(named["month"]), int(named["day"] or 0)
        else:
            year, month, day = int(named["year"]), 0, 0
        start = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if day:
            return to_ms(start), to_ms(start) + 86_400_000
        if month in (0, 12):
            return to_ms(start), to_ms(start.replace(year=year + 1, month=1))
        return to_ms(start), to_ms(start.replace(month=month + 1))
    except ValueError:
        return None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1
