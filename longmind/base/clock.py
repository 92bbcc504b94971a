"""Where the time comes from: the only place below the interfaces that may read the wall clock."""

from __future__ import annotations

import time
from typing import Protocol, runtime_checkable


@runtime_checkable
class Clock(Protocol):
    """Gives the present as unix milliseconds."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000
