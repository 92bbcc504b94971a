"""Threads for requests: reads, writes and long work do not wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from longmind.access.guard import Limits
from longmind.operations.operation import Operation

T = TypeVar("T")


class Lanes:
    """Each kind of work has workers of its own.

    A large text takes seconds to split, embed and index, and a small write may wait for it, because a store
    has one writer at a time. Reads never wait for a writer, so that they must not stand behind one either.
    """

    def __init__(self, limits: Limits) -> None:
        self._large_bytes = limits.large_bytes
        self._reads = CapacityLimiter(limits.workers)
        self._writes = CapacityLimiter(limits.workers)
        self._long = CapacityLimiter(limits.lasting)

    async def run(self, operation: Operation, work: Callable[[], T], *, body_bytes: int) -> T:
        """Do the work in a thread of the lane that the operation belongs to."""
        return await to_thread.run_sync(work, limiter=self._lane(operation, body_bytes))

    def _lane(self, operation: Operation, body_bytes: int) -> CapacityLimiter:
        if operation.lasting or body_bytes >= self._large_bytes:
            return self._long
        return self._reads if operation.effect == "read" else self._writes
