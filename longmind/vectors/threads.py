"""One thread where libraries would take all: for small work, several wait longer than they work."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from longmind.base.arrays import load_numpy


class _OneThread:
    """The limit is the process's, so the first to enter sets it and the last to leave lifts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: Any = None
        self._modules = 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                # A package imported since (OpenCV, say) may have brought a library of its own with it.
                if self._controller is None or self._modules != len(sys.modules):
                    import threadpoolctl

                    load_numpy()  # its libraries must be loaded to be found
                    self._modules = len(sys.modules)
                    self._controller = threadpoolctl.ThreadpoolController().select(user_api="blas")
                self._limit = self._controller.limit(limits=1)

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()
                self._limit = None


_one_thread = _OneThread()


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, matrix products of this process run on the thread that asks for them."""
    if os.environ.get("OPENBLAS_NUM_THREADS") == "1":
        yield  # they do so anyway, and looking for the libraries to limit takes longer than a small search
        return
    _one_thread.enter()
    try:
        yield
    finally:
        _one_thread.leave()


@contextmanager
def one_worker() -> Iterator[None]:
    """A library on rayon that makes its threads inside makes one, unless the environment says how many.

    Read once, when they are made. Two look through a hundred thousand codes no sooner than one does: each
    keeps its own best, and the second takes its time from the lanes that work beside it.
    """
    name = "RAYON_NUM_THREADS"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        os.environ.pop(name, None)
