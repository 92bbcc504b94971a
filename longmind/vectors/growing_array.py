"""An array that grows at its end."""

from __future__ import annotations

from typing import Any


class GrowingArray:
    """Has space for more behind what is there; what was handed out of it before stays as it was."""

    def __init__(self, first: Any, *, used: int | None = None, spare: float = 0.5) -> None:
        """`used` is how much of the array is there; a longer one, when it is needed, has so much to spare."""
        self._room = first
        self._size = len(first) if used is None else used
        self._spare = spare

    def append(self, more: Any) -> Any:
        """All of it, with these behind."""
        import numpy as np

        size = self._size + len(more)
        if size > len(self._room):
            room = np.empty((size + int(size * self._spare), *self._room.shape[1:]), dtype=self._room.dtype)
            room[: self._size] = self._room[: self._size]
            self._room = room
        self._room[self._size : size] = more
        self._size = size
        return self._room[:size]
