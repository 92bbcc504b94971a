"""When something expires: a moment, or a time to live from now."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from typing import Annotated, Final

from longmind.base.errors import InvalidInput
from longmind.base.times import format_ms, to_ms

TtlLike = str | int | float | timedelta | None
ExpiresAt = Annotated[datetime | int | None, "When it expires: no read shows it from then on."]
Ttl = Annotated[TtlLike, "For how long it is shown: seconds, or a text such as 30d or 12h."]

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PIECE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII)
_MOST_SECONDS: Final = 1000 * 366 * 86_400


class Unchanged:
    """Says that an argument was not given, where None says something."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = Unchanged()


def expiry(expires_at: datetime | int | None, ttl: TtlLike, *, now: int) -> int | None:
    """The moment at which something expires that is written now; None if it does not."""
    if expires_at is not None and ttl is not None:
        raise InvalidInput("Give expires_at or ttl, not both.", hint="ttl counts from now.")
    if ttl is not None:
        return now + ttl_ms(ttl)
    if expires_at is None:
        return None
    moment = to_ms(expires_at, "expires_at")
    if moment <= now:
        raise InvalidInput(
            f"expires_at is {format_ms(moment)}, which is past: it would never be shown.",
            hint=f"Give a moment after {format_ms(now)}, or ttl=.",
        )
    return moment


def ttl_ms(ttl: str | int | float | timedelta) -> int:
    """A time to live in milliseconds."""
    seconds = _text_seconds(ttl) if isinstance(ttl, str) else ttl
    if isinstance(seconds, timedelta):
        seconds = seconds.total_seconds()
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidInput(f"ttl must be seconds or a text such as '30d', not {type(ttl).__name__}.")
    if not 0.001 <= seconds <= _MOST_SECONDS:
        raise InvalidInput(
            f"ttl must be more than nothing and at most 1000 years, not {ttl!r}.",
            hint="Leave it out for what does not expire.",
        )
    return math.floor(seconds * 1000)


def _text_seconds(text: str) -> float:
    stripped = text.strip().lower()
    pieces = _PIECE.findall(stripped)
    if pieces and not _PIECE.sub("", stripped).strip():
        return sum(float(number) * _UNITS[unit] for number, unit in pieces)
    try:
        return float(stripped)
    except ValueError:
        raise InvalidInput(
            f"{text!r} is not a time to live.",
            hint="Write a number and a unit: 45s, 90m, 12h, 30d, 2w; or seconds.",
        ) from None
