"""One process at a time: a lock on a file, which the system lets go of when its holder dies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(path: Path, *, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock; `waiting` is called once if another process has it."""
    with path.open("a+b") as file:
        if not _lock(file.fileno(), wait=False):
            if waiting is not None:
                waiting()
            _lock(file.fileno(), wait=True)
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, wait: bool) -> bool:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
            else:
                return True

else:
    import fcntl

    def _lock(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
