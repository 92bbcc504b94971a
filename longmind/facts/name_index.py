"""All names in memory, so that a question that names nobody costs no query."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from longmind.store.engine import Connection, scalar
from longmind.store.follower import Follower, Mirrors
from longmind.store.transaction import Snapshot

_NAME_BYTES: Final = 110
"""Of a name in a set: the string, and its share of the table."""


class NameIndex:
    """Which normal forms may be names. Without the names in memory, each of them may be."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._names = Follower(mirrors, "names", _Names, size=_size)

    def among(self, norms: Collection[str], snapshot: Snapshot) -> Collection[str]:
        """Those of the norms that may be names: they are looked up, so too many do no harm."""
        names = self._names.at_if_kept(snapshot)
        return norms if names is None else [norm for norm in norms if norm in names.norms]


class _Names:
    """The mirror of `fact_alias`: normal forms, of which one that nothing is called by any more may stay."""

    def __init__(self) -> None:
        self.norms: set[str] = set()
        self._last = 0

    def advance(self, snapshot: Snapshot, since: int) -> None:
        """By the names that were given since; their numbers are never used again."""
        sql = "SELECT alias_id, alias_norm FROM fact_alias WHERE alias_id > ? ORDER BY alias_id"
        rows = snapshot.db.all(sql, (self._last,))
        if rows:
            self.norms.update(str(norm) for _, norm in rows)
            self._last = int(rows[-1][0])

    @property
    def nbytes(self) -> int:
        return _NAME_BYTES * len(self.norms)


def _size(db: Connection) -> int:
    return _NAME_BYTES * scalar(db, "SELECT count(*) FROM fact_alias")
