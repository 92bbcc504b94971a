"""The memory that a server works on: opened when it is first needed, closed with the server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from longmind.base.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from longmind.memory import Memory

Opening = Callable[[bool], "Memory"]
"""Opens the memory; true: create it if it does not exist yet."""


class Holder:
    """One memory for all calls of a server, from any thread."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._memory: Memory | None = None
        self._lock = threading.Lock()
        self._closed = False

    def memory(self, *, begins: bool = False) -> Memory:
        """The memory; `NotFound` as long as there is none and this call may not begin one."""
        with self._lock:
            if self._closed:
                raise Unavailable("The server is stopping.", hint="Start it again.")
            if self._memory is None:
                self._memory = self._opening(begins)
            return self._memory

    def existing(self) -> Memory | None:
        """The memory, or None as long as there is none."""
        try:
            return self.memory()
        except NotFound:
            return None

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._memory is not None:
                self._memory.close()
                self._memory = None
