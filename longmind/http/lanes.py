"""Threads for requests: reads, writes and long work do not wait for each other."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread

from longmind.access.guard import Limits
from longmind.base.errors import Busy
from longmind.operations.operation import Operation

T = TypeVar("T")

_MEMORY: Final = 0.9
"""How much of the mean time of a request is that of earlier ones."""
_MOST_SECONDS: Final = 30
"""Nobody is asked to come back later than this: how long work takes changes faster."""


class QueueFull(Busy):
    """So many requests of a kind wait already that a further one is better told to come back."""

    def __init__(self, kind: str, waiting: int, seconds: int) -> None:
        super().__init__(
            f"{waiting} {kind} requests are waiting already, the most that this server lets wait.",
            hint=f"Try again in {seconds} seconds." if seconds > 1 else "Try again in a second.",
        )
        self.seconds = seconds


class Lanes:
    """Each kind of work has workers and a queue of its own.

    A large text takes seconds to split, embed and index, and a small write may wait for it, because a store
    has one writer at a time. Reads never wait for a writer, so that they must not stand behind one either,
    nor be refused because many writes are waiting.
    """

    def __init__(self, limits: Limits) -> None:
        self._large_bytes = limits.large_bytes
        self._reads = _Lane("read", limits.workers, limits.waiting)
        self._writes = _Lane("write", limits.workers, limits.waiting)
        self._long = _Lane("long", limits.lasting, limits.waiting)

    async def run(self, operation: Operation, work: Callable[[], T], *, body_bytes: int) -> T:
        """Do the work in a thread of the lane that the operation belongs to; `QueueFull` if too many wait."""
        return await self._lane(operation, body_bytes).run(work)

    def _lane(self, operation: Operation, body_bytes: int) -> _Lane:
        if operation.lasting or body_bytes >= self._large_bytes:
            return self._long
        return self._reads if operation.effect == "read" else self._writes


class _Lane:
    """Some workers, first come, first served, and a queue that has an end."""

    def __init__(self, kind: str, workers: int, most_waiting: int) -> None:
        self._kind = kind
        self._most_waiting = most_waiting
        self._limiter = CapacityLimiter(workers)
        self._mean_seconds = 0.0

    async def run(self, work: Callable[[], T]) -> T:
        waiting = self._limiter.statistics().tasks_waiting
        if waiting >= self._most_waiting:
            raise QueueFull(self._kind, waiting, self._seconds(waiting))

        def timed() -> T:
            started = time.monotonic()
            try:
                return work()
            finally:
                # Threads may overwrite each other's update: a mean of nearly all requests is as good.
                spent = time.monotonic() - started
                self._mean_seconds = _MEMORY * self._mean_seconds + (1 - _MEMORY) * spent

        return await to_thread.run_sync(timed, limiter=self._limiter)

    def _seconds(self, waiting: int) -> int:
        """When the queue of now is likely to be done."""
        seconds = math.ceil(waiting * self._mean_seconds / self._limiter.total_tokens)
        return max(1, min(_MOST_SECONDS, seconds))
