"""Which parts of a store a read touches, and what is kept of each in memory.

A *segment* is the frames of one partition (a space's shared part, or one user's), the frames of scope global,
or, for reads across all spaces or all users, every frame. A view names its segments, and a mirror is kept for
each segment: a question costs what its own segments cost, however many others the store has.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Final, Generic, Literal, NamedTuple

from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.store.audit_log import erased_partitions, logged_name
from longmind.store.engine import Connection, Row, Value
from longmind.store.follower import Follower, M, Mirrors
from longmind.store.visible import Clause

_MOST_NAMED: Final = 8
"""A view of more partitions is answered from all frames: a mask costs less than so many segments."""
_SMALL: Final = 5000
"""Frames of a segment that may be looked through for what concerns few frames of a store."""
_KEPT: Final = 1024
"""So many segments are followed for each kind of mirror; what is held of them is under the memory limit."""


class Segment(NamedTuple):
    """Frames that are kept in memory together. No frame is in two of a view's segments."""

    kind: Literal["all", "partition", "global"]
    partition: str = ""

    def clause(self, alias: str = "f") -> Clause:
        """Its frames, as a condition on a row of `frame`."""
        if self.kind == "all":
            return Clause("1 = 1")
        if self.kind == "global":
            return Clause(f"{alias}.scope = 'global'")
        return Clause(f"{alias}.space = ? AND {alias}.scope = 'space'", (self.partition,))

    def among(self, column: str) -> Clause:
        """Its frames, as a condition on a column of ids."""
        if self.kind == "all":
            return Clause("1 = 1")
        clause = self.clause("sf")
        return Clause(f"{column} IN (SELECT sf.frame_id FROM frame sf WHERE {clause.sql})", clause.values)


EVERYTHING: Final = Segment("all")
GLOBAL: Final = Segment("global")


def segments_of(view: View) -> tuple[Segment, ...]:
    """The segments that hold every frame a view may show."""
    if view.spaces is ALL or view.user is ALL or len(view.spaces) > _MOST_NAMED:
        return (EVERYTHING,)
    return (*(Segment("partition", name) for name in view.spaces), GLOBAL)


def rows_about(
    db: Connection, segment: Segment, size: int, sql: str, values: Sequence[Value], *, order: str = ""
) -> list[Row]:
    """Rows of a table that concerns few frames of a store: at least those of a segment of so many frames.

    `sql` ends in a condition. Whichever is less is looked through, all such rows or the frames of the
    segment: most stores have no such row at all.
    """
    if segment.kind == "all" or size > _SMALL:
        return db.all(f"{sql} {order}", values)
    rows = db.all(f"{sql} {order} LIMIT ?", (*values, size + 1))
    if len(rows) <= size:
        return rows
    here = segment.among("frame_id")
    return db.all(f"{sql} AND {here.sql} {order}", (*values, *here.values))


class SegmentMirrors(Generic[M]):
    """A follower for each segment that somebody asks for."""

    def __init__(
        self,
        mirrors: Mirrors,
        name: str,
        new: Callable[[Segment], M],
        *,
        generation: Callable[[Connection], Hashable] = lambda db: None,
        size: Callable[[Connection, Segment], int] | None = None,
    ) -> None:
        self._mirrors = mirrors
        self._name = name
        self._new = new
        self._generation = generation
        self._size = size
        self._followers: OrderedDict[Segment, Follower[M]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, segment: Segment) -> Follower[M]:
        with self._lock:
            follower = self._followers.get(segment)
            if follower is None:
                size = self._size
                follower = self._followers[segment] = Follower(
                    self._mirrors,
                    self._name,
                    lambda: self._new(segment),
                    generation=self._generation,
                    size=None if size is None else lambda db: size(db, segment),
                    lost_rows=partial(_lost_rows, segment),
                )
                while len(self._followers) > _KEPT:
                    self._followers.popitem(last=False)
            else:
                self._followers.move_to_end(segment)
            return follower


def _lost_rows(segment: Segment, db: Connection, revision: int) -> bool:
    """Whether an erase after a revision may have taken frames of a segment."""
    if segment.kind != "partition":
        return True
    first = "SELECT 1 FROM frame WHERE space = ? AND recorded_at <= ? LIMIT 1"
    if db.one(first, (segment.partition, revision)) is None:
        return True  # nothing is left of what was there; nor may the log know its user by the same digest
    names = erased_partitions(db, revision)
    return names is None or logged_name(db, segment.partition) in names
