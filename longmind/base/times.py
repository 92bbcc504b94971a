"""Instants as unix milliseconds, and the point on two time axes that every read takes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar, Protocol, runtime_checkable

from longmind.base.errors import InvalidInput


@runtime_checkable
class Clock(Protocol):
    """Gives the present as unix milliseconds."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


FOREVER = 2**63 - 1
"""Later than every stored instant; `AsOf.LATEST` uses it on both axes."""

_EARLIEST = -(2**63) + 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_ms(value: datetime | date | str | int, name: str = "time") -> int:
    """An aware datetime, a date, a text in ISO 8601, or unix milliseconds, as unix milliseconds.

    A date is its first instant in UTC, and a text without a zone is in UTC, as on the command line.
    """
    if type(value) is int and _EARLIEST <= value <= FOREVER:
        return value
    if isinstance(value, str):
        value = _read_iso(value, name)
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, datetime):
        if value.tzinfo is None or value.utcoffset() is None:
            raise InvalidInput(
                f"{name} is a datetime without a time zone: {value.isoformat()}.",
                hint="Attach one, for example value.replace(tzinfo=timezone.utc).",
            )
        return (value - _EPOCH) // timedelta(milliseconds=1)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(
            f"{name} must be an aware datetime or unix milliseconds, not {type(value).__name__}.",
            hint='Give datetime(..., tzinfo=timezone.utc), a date, "2024-05-01", or milliseconds since 1970.',
        )
    if not _EARLIEST <= value <= FOREVER:
        raise InvalidInput(
            f"{name} does not fit 64 bits.",
            hint="Give milliseconds since 1970, not microseconds or nanoseconds.",
        )
    return int(value)


def _read_iso(text: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInput(
            f"{name}: {text!r} is not a valid time.",
            hint='Write it as "2024-05-01" or "2024-05-01T09:30:00Z".',
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def from_ms(value: int) -> datetime:
    """Unix milliseconds as an aware datetime in UTC."""
    try:
        return _EPOCH + timedelta(milliseconds=value)
    except OverflowError:
        raise InvalidInput(
            f"{value} ms lies outside the years 1 to 9999.",
            hint="Give milliseconds since 1970, not microseconds or nanoseconds.",
        ) from None


def format_ms(value: int) -> str:
    """Unix milliseconds as RFC 3339 in UTC; instants outside the calendar stay numbers."""
    try:
        moment = from_ms(value)
    except InvalidInput:
        return str(value)
    precision = "milliseconds" if value % 1000 else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class AsOf:
    """What the store knew at `system` about what was so at `valid`."""

    system: int
    valid: int

    LATEST: ClassVar[AsOf]

    def __init__(self, system: datetime | int, valid: datetime | int) -> None:
        object.__setattr__(self, "system", to_ms(system, "system"))
        object.__setattr__(self, "valid", to_ms(valid, "valid"))

    @classmethod
    def at(cls, moment: datetime | int) -> AsOf:
        """The same instant on both axes."""
        return cls(system=moment, valid=moment)


AsOf.LATEST = AsOf(system=FOREVER, valid=FOREVER)


def clock_time(milliseconds: int) -> str:
    """'1:02:03', as players show a position in a recording."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
