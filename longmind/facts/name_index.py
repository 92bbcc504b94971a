"""All names in memory, so that a question that names nobody costs no query."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Final

from longmind.store.transaction import Snapshot

_MOST: Final = 200_000
"""So many names are kept; where there are more, every question is looked up."""


class NameIndex:
    """Normal forms. One that nothing is called by any more may stay: what is left is looked up anyway.

    Kept for who asks again; who asks once, as a command does that runs and ends, reads only what it asks for.
    """

    def __init__(self, *, most: int = _MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._was_asked = False
        self._revision = -1
        self._last = 0
        self._norms: set[str] = set()

    def among(self, norms: Collection[str], snapshot: Snapshot) -> Collection[str]:
        """Those of the norms that may be names."""
        with self._lock:
            if not self._was_asked:
                self._was_asked = True
                return norms
            if snapshot.revision > self._revision:
                self._grow(snapshot)
            return norms if len(self._norms) > self._most else [norm for norm in norms if norm in self._norms]

    def _grow(self, snapshot: Snapshot) -> None:
        """By the names that were given since; their numbers are never used again."""
        if len(self._norms) <= self._most:
            rows = snapshot.db.all(
                "SELECT alias_id, alias_norm FROM fact_alias WHERE alias_id > ? ORDER BY alias_id "
                f"LIMIT {self._most + 1}",
                (self._last,),
            )
            if rows:
                self._norms.update(str(norm) for _, norm in rows)
                self._last = int(rows[-1][0])
        # Last: an exception before it must not leave names out that were never read.
        self._revision = snapshot.revision
