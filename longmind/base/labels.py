"""Names as labels of a metric, which a monitoring system keeps a series for: only so many of them."""

from __future__ import annotations

import threading
from typing import Final

OTHER: Final = "(other)"
"""Stands for all further names. No space is called so."""
_MOST: Final = 100


class BoundedLabels:
    """The first names keep their own label; all later ones share one."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, name: str) -> str:
        with self._lock:
            if name not in self._names and len(self._names) >= self._most:
                return OTHER
            self._names.add(name)
            return name
