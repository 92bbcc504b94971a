"""The moment or range that somebody typed as an argument: unix milliseconds, ISO 8601, or a time phrase."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from longmind.base.errors import InvalidInput
from longmind.base.times import to_ms

# Eleven digits or more: a shorter number is more likely a year, a compact date or unix seconds.
_UNIX_MS = re.compile(r"-?\d{11,19}")
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d-?\d")


class TimeRange(NamedTuple):
    """Half-open unix milliseconds; None leaves a side open. A moment is the millisecond that it names."""

    since: int | None
    until: int | None


def parse_time(
    value: datetime | int | str, name: str, *, reference: int | None = None, zone: tzinfo = UTC
) -> TimeRange:
    """What was typed, as a range: '2025-03-31' is that day, '2025-03-31T14:30' that instant.

    Times without an offset are in `zone`. Only with a `reference` are phrases ('last week', 'since May')
    read too: what they mean depends on when they are typed.
    """
    if isinstance(value, str) and reference is not None:
        from longmind.when.find import find_times  # the grammar is only loaded by who needs it

        phrases = find_times(value.strip(), reference=reference, zone=zone)
        if len(phrases) == 1 and phrases[0].text == value.strip():
            return TimeRange(phrases[0].since, phrases[0].until)
    start = _instant(value, name, zone)
    is_day = isinstance(value, str) and _DATE.fullmatch(value.strip())
    return TimeRange(start, start + 86_400_000 if is_day else start + 1)


def parse_moment(value: datetime | int | str, name: str, *, strict: bool = False) -> int:
    """What was typed, as one instant: a date is its first, in UTC where it names no offset.

    `strict` takes text in RFC 3339 only, as files that other programs read and write have it.
    """
    if strict and isinstance(value, str):
        return parse_rfc3339(value, name)
    return _instant(value, name, UTC)


def _instant(value: datetime | int | str, name: str, zone: tzinfo) -> int:
    if not isinstance(value, str):
        return to_ms(value, name)
    text = value.strip()
    if _UNIX_MS.fullmatch(text):
        return to_ms(int(text), name)
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{name}: {value!r} is not a valid time.",
            hint="Write 2025-03-31, '2025-03-31 14:30', 2025-03-31T14:30:00+02:00 or unix milliseconds.",
        ) from None
    return to_ms(parsed if parsed.tzinfo else parsed.replace(tzinfo=zone), name)


def parse_rfc3339(value: object, name: str) -> int:
    """An instant as exchanged files write it: date, time and offset, all three."""
    if isinstance(value, str) and _RFC3339.fullmatch(value.strip()):
        # Python reads at most six digits of a second.
        text = re.sub(r"(\.\d{6})\d+", r"\1", value.strip().upper().replace(" ", "T"))
        try:
            return to_ms(datetime.fromisoformat(text), name)
        except ValueError:
            pass
    raise InvalidInput(f"{name}: {value!r} is not an RFC 3339 time.", hint="Write 2025-01-01T00:00:00Z.")
