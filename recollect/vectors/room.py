"""An array that grows at its end."""

from __future__ import annotations

from typing import Any


class Room:
    """Has space for more behind what is there; what was handed out of it before stays as it was."""

    def __init__(self, first: Any) -> None:
        self._room = first
        self._size = len(first)

    def append(self, more: Any) -> Any:
        """All of it, with these behind."""
        import numpy as np

        size = self._size + len(more)
        if size > len(self._room):
            room = np.empty((size + size // 2, *self._room.shape[1:]), dtype=self._room.dtype)
            room[: self._size] = self._room[: self._size]
            self._room = room
        self._room[self._size : size] = more
        self._size = size
        return self._room[:size]
