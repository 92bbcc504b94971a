"""Puts off Python's search for unreachable cycles while many objects are made at once."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_users = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """No cycles are looked for until the last of those who asked for this is done.

    A batch of many thousands of drafts and rows has next to no cycles, but the collector goes through all of
    it again and again: an eighth of the time of a bulk write. A program that switched the collector off keeps
    it off.
    """
    global _users, _was_enabled
    with _lock:
        if _users == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _was_enabled:
                gc.enable()
