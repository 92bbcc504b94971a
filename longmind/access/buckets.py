"""How often a key may ask: a bucket for each, filled as time passes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final

_ROUNDING: Final = 1e-6
"""What adding fractions up may be off by; it must not make a second of it."""


class Buckets:
    """One bucket for each key: it holds a minute's worth of requests, and fills at that rate."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._levels: dict[str, tuple[int, float, float]] = {}

    def take(self, key_id: str, rate: int) -> int:
        """0 if the request may go on; otherwise after how many seconds it is worth trying again."""
        now = self._clock()
        with self._lock:
            before, level, since = self._levels.get(key_id, (rate, float(rate), now))
            if before != rate:  # the limit was changed: begin again with the new one
                level, since = float(rate), now
            level = min(float(rate), level + (now - since) * rate / 60)
            allowed = level >= 1
            self._levels[key_id] = (rate, level - 1 if allowed else level, now)
        return 0 if allowed else max(1, math.ceil((1 - level) * 60 / rate - _ROUNDING))
