"""How often a key may ask: a bucket for each, filled as time passes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple

_ROUNDING: Final = 1e-6
"""What adding fractions up may be off by; it must not make a second of it."""


class Bucket(NamedTuple):
    """What a key had left at a moment, under a limit of so many requests a minute."""

    rate: int
    level: float
    since: float

    def take(self, rate: int, now: float) -> tuple[Bucket, int]:
        """The bucket after a request, and 0, or after how many seconds a request is worth trying again."""
        level = min(float(rate), self.level + (now - self.since) * rate / 60)
        if self.rate != rate:  # the limit was changed: begin again with the new one
            level = float(rate)
        allowed = level >= 1
        bucket = Bucket(rate, level - 1 if allowed else level, now)
        return bucket, 0 if allowed else max(1, math.ceil((1 - level) * 60 / rate - _ROUNDING))


class Buckets:
    """One bucket for each key: it holds a minute's worth of requests, and fills at that rate."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.lock = threading.Lock()
        self._buckets: dict[str, Bucket] = {}

    def take(self, key_id: str, rate: int) -> int:
        """0 if the request may go on; otherwise after how many seconds it is worth trying again."""
        now = self.clock()
        with self.lock:
            bucket = self._buckets.get(key_id) or Bucket(rate, float(rate), now)
            self._buckets[key_id], seconds = bucket.take(rate, now)
        return seconds

    def close(self) -> None:
        """Give up what is held outside this process; here nothing."""
