"""Where the time comes from: the only place below the interfaces that may read the wall clock."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol, runtime_checkable

from longmind.base.times import to_ms


@runtime_checkable
class Clock(Protocol):
    """Gives the present as unix milliseconds."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


class FrozenClock:
    """A clock that stands still until it is moved: for tests, replays and simulations."""

    def __init__(self, start: datetime | int) -> None:
        self._now = to_ms(start, "start")

    def now(self) -> int:
        return self._now

    def set(self, moment: datetime | int) -> None:
        self._now = to_ms(moment, "moment")

    def advance(self, *, days: float = 0, seconds: float = 0, milliseconds: int = 0) -> int:
        """Move on (or back, with negative values) and return the new reading."""
        moved = round(days * 86_400_000) + round(seconds * 1000) + milliseconds
        self._now = to_ms(self._now + moved, "moment")
        return self._now
