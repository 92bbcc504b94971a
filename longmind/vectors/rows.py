"""Reading the rows of `frame_vector` and `frame_token`, for a few frames or, into memory, for all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from longmind.base.arrays import Float16Array, Float32Array, Int64Array, np
from longmind.base.columns import FrameIds
from longmind.base.ordering import first_of_each
from longmind.store.engine import Connection, Row, Value, scalar
from longmind.store.segments import EVERYTHING, Segment
from longmind.store.tables import batched, check_frame_id, damaged, typed
from longmind.store.transaction import Snapshot
from longmind.store.visible import among
from longmind.vectors.late_interaction import Pieces, fitting

IDENTITY: Final = "vectors.embedder"
BASIS: Final = "vectors.basis"
REBUILT: Final = "vectors.rebuilt"
"""Settings of the store: whose vectors these are, their basis for late interaction, when all were made."""

ALL: Final = 1 << 62
"""More rows than any frames have."""

LOAD: Final = 20_000
"""So many frames are read at once: as rows they take far more memory than as an array."""

_MANY: Final = 2000
_MEASURED: Final = 1000
"""Rows whose sizes stand for those of a whole partition."""

Load = Callable[[Connection, int], Iterator[tuple[Int64Array, Any]]]
"""Reads what was written after a revision, in parts: the frame of each row, ascending, and the rows."""


# Windows: the vectors of a frame, one for each window of its text


def load_windows(dimensions: int, segment: Segment = EVERYTHING) -> Load:
    def load(db: Connection, since: int) -> Iterator[tuple[Int64Array, Float16Array]]:
        source = _source(db, segment, ("frame_vector v",), since)
        sql = f"SELECT v.frame_id, v.windows, v.data FROM {source.sql}"
        for rows in rows_in_parts(db, "frame_vector", sql, source.values, key=source.key):
            yield windows_of(rows, dimensions)

    return load


class _Source(NamedTuple):
    """Tables and conditions of a SELECT that ends in `key > ?`."""

    sql: str
    values: tuple[Value, ...]
    key: str


def _source(db: Connection, segment: Segment, tables: tuple[str, ...], since: int) -> _Source:
    """The rows that a segment's frames have in the last of these tables, written after a revision.

    SQLite reads the tables of a CROSS JOIN in the order in which they are named. The rows of a segment are
    found by its frames, but a few that came since a revision by the time at which they were written.
    """
    alias = tables[-1].split()[-1]
    conditions, values = ["1 = 1"], list(segment.clause().values)
    by_time = since >= 0 and not _are_many(db, since)
    # With the sign, it is no column to SQLite: it would go through all rows in the order of their ids, to
    # save sorting a few.
    key = f"+{alias}.frame_id" if by_time else f"{alias}.frame_id"
    if segment != EVERYTHING:
        tables = (*tables, "frame f") if by_time else ("frame f", *tables)
        key = key if by_time else "f.frame_id"
        conditions = [segment.clause().sql]
    aliases = [table.split()[-1] for table in tables]
    conditions += [f"{one}.frame_id = {other}.frame_id" for one, other in pairwise(aliases)]
    if since >= 0:
        conditions.append("v.written_at > ?")
        values.append(since)
    sql = f"{' CROSS JOIN '.join(tables)} WHERE {' AND '.join(conditions)} AND {key} > ?"
    return _Source(sql, tuple(values), key)


def _are_many(db: Connection, since: int) -> bool:
    """Whether so much was written that looking through it costs more than most segments do."""
    newer = f"SELECT 1 FROM frame_vector WHERE written_at > ? LIMIT {_MANY + 1}"
    return scalar(db, f"SELECT count(*) FROM ({newer}) AS newer", (since,)) > _MANY


def read_windows(db: Connection, ids: Sequence[int], dimensions: int) -> tuple[Int64Array, Float32Array]:
    """The windows of these frames, by frame."""

    rows: list[Row] = []
    for batch in batched(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id, windows, data FROM frame_vector WHERE {clause.sql} ORDER BY frame_id"
        rows += db.all(sql, clause.values)
    frames, vectors = windows_of(rows, dimensions)
    return frames, vectors.astype(np.float32)


def windows_of(rows: Sequence[Row], dimensions: int) -> tuple[Int64Array, Float16Array]:
    """Rows of (frame, number of windows, their vectors), with the frame of each window."""

    typed(rows, "frame_vector", int, int, bytes)
    width = 2 * dimensions
    ids, windows, data = zip(*rows, strict=True) if rows else ((), (), ())
    counts = np.array(windows, dtype=np.int64)
    if [*map(len, data)] != (counts * width).tolist():
        raise damaged("frame_vector")
    raw = np.frombuffer(b"".join(data), dtype=np.float16)
    return np.repeat(np.array(ids, dtype=np.int64), counts), raw.reshape(-1, dimensions)


def count_windows(db: Connection, segment: Segment = EVERYTHING) -> int:
    return _count(db, "coalesce(sum(x.windows), 0)", "frame_vector x", segment)


def count_frames(db: Connection, segment: Segment = EVERYTHING) -> int:
    """Frames with vectors, which are never more than the windows."""
    return _count(db, "count(*)", "frame_vector x", segment)


def window_bytes(db: Connection, segment: Segment = EVERYTHING) -> int:
    return _bytes(db, "frame_vector x", segment)


def _count(db: Connection, what: str, table: str, segment: Segment) -> int:
    source = _source(db, segment, (table,), -1)
    return scalar(db, f"SELECT {what} FROM {source.sql}", (*source.values, 0))


def _bytes(db: Connection, table: str, segment: Segment) -> int:
    """How much the rows of a segment hold; of a large partition, about how much."""
    if segment.kind != "partition":
        return _count(db, "coalesce(sum(length(x.data)), 0)", table, segment)
    source = _source(db, segment, (table,), -1)
    rows = db.all(f"SELECT length(x.data) FROM {source.sql} LIMIT {_MEASURED}", (*source.values, 0))
    total = sum(int(size) for (size,) in rows)
    if len(rows) < _MEASURED:
        return total
    # Adding up a million rows would take a second of the search that asks whether there is room for them.
    frames = scalar(db, "SELECT count(*) FROM frame WHERE space = ?", (segment.partition,))
    return total * frames // _MEASURED


# Word pieces: the token signs of a frame


def load_pieces(
    db: Connection, since: int, segment: Segment = EVERYTHING
) -> Iterator[tuple[Int64Array, Any]]:

    # At first without the vectors, which are larger.
    tables = ("frame_token t",) if since < 0 else ("frame_vector v", "frame_token t")
    source = _source(db, segment, tables, since)
    sql = f"SELECT t.frame_id, t.data FROM {source.sql}"
    for rows in rows_in_parts(db, "frame_token", sql, source.values, key=source.key):
        pieces = Pieces.of([data for _, data in typed(rows, "frame_token", int, bytes)])
        yield np.repeat(np.array([row[0] for row in rows], dtype=np.int64), pieces.sizes), pieces.signs


def read_pieces(db: Connection, ids: Sequence[int], *, most: int = ALL) -> Pieces:
    """Of these frames, in their order, as far as they have no more than so many together."""
    data: dict[int, bytes] = {}
    for batch in batched(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id, data FROM frame_token WHERE {clause.sql}"
        data.update(typed(db.all(sql, clause.values), "frame_token", int, bytes))
    return Pieces.of([bytes(data.get(frame_id, b"")) for frame_id in ids]).up_to(most)


def piece_bytes(db: Connection, segment: Segment = EVERYTHING) -> int:
    return _bytes(db, "frame_token x", segment)


# In memory


class FrameRows:
    """The mirror of one of these tables: the rows of a segment's frames in one array, found by frame."""

    def __init__(self, load: Load, width: int, dtype: str) -> None:

        self._load = load
        self._lock = threading.Lock()
        self._rows = np.empty((0, width), dtype=dtype)
        self._room = GrowingArray(self._rows, spare=0.125)
        self._frames = FrameIds(np.zeros(1, dtype=np.int64))
        self._starts: Int64Array = np.zeros(1, dtype=np.int64)
        self._sizes: Int64Array = np.zeros(1, dtype=np.int64)

    @property
    def nbytes(self) -> int:
        return self._room.nbytes + self._frames.ids.nbytes + self._starts.nbytes + self._sizes.nbytes

    def advance(self, snapshot: Snapshot, since: int) -> None:
        for frames, rows in self._load(snapshot.db, since):
            with self._lock:
                self._add(frames, rows)

    def of(self, ids: Int64Array, *, most: int = ALL) -> tuple[Any, Int64Array]:
        """The rows of these frames, in their order, and how many each has; of the first, up to so many."""

        with self._lock:
            rows = self._rows
            if not len(rows):
                return rows, np.zeros(len(ids), dtype=np.int64)
            slots = self._frames.slots(ids)  # there is nothing in slot 0
            sizes = self._sizes.take(slots)
            sizes = sizes if most == ALL else fitting(sizes, most)
            starts = self._starts.take(slots[: len(sizes)])
        return rows.take(spread(starts, sizes), axis=0), sizes

    def _add(self, frames: Int64Array, rows: Any) -> None:

        if not len(frames):
            return
        first = np.flatnonzero(first_of_each(frames))
        ids = np.concatenate([self._frames.ids, frames[first]])
        starts = np.concatenate([self._starts, len(self._rows) + first])
        sizes = np.concatenate([self._sizes, np.diff(first, append=len(frames))])
        if frames[0] <= self._frames.ids[-1]:
            # A frame whose rows were replaced is found at its new ones; the old ones stay, unused.
            order = np.argsort(ids, kind="stable")
            last = np.append(ids[order][1:] != ids[order][:-1], True)
            ids, starts, sizes = (values[order][last] for values in (ids, starts, sizes))
        self._frames, self._starts, self._sizes = FrameIds(ids), starts, sizes
        self._rows = self._room.append(rows)


class GrowingArray:
    """An array that grows at its end; what was handed out of it before stays as it was."""

    def __init__(self, first: Any, *, spare: float = 0.5) -> None:
        """A longer array, when one is needed, has this share of its length to spare."""
        self._array = first
        self._size = len(first)
        self._spare = spare

    @property
    def nbytes(self) -> int:
        return int(self._array.nbytes)

    def append(self, more: Any) -> Any:
        """All of it, with these behind."""

        size = self._size + len(more)
        if size > len(self._array):
            shape = size + int(size * self._spare), *self._array.shape[1:]
            array = np.empty(shape, dtype=self._array.dtype)
            array[: self._size] = self._array[: self._size]
            self._array = array
        self._array[self._size : size] = more
        self._size = size
        return self._array[:size]


def spread(first: Int64Array, counts: Int64Array) -> Int64Array:
    """Positions: so many from each first one on."""

    if (counts == 1).all():
        return first
    offsets = np.cumsum(counts) - counts
    positions: Int64Array = np.repeat(first - offsets, counts) + np.arange(int(counts.sum()))
    return positions


def rows_in_parts(
    db: Connection, table: str, sql: str, values: tuple[Value, ...], *, key: str = "frame_id"
) -> Iterator[list[Row]]:
    """The rows of a query that ends in `frame_id > ?`, so many at a time."""
    last = 0
    while True:
        rows = db.all(f"{sql} ORDER BY {key} LIMIT {LOAD}", (*values, last))
        if not rows:
            return
        typed(rows, table, int)
        ids = [row[0] for row in rows]
        if ids != sorted(ids) or ids[0] <= last:  # in the order of a damaged tree, not of the numbers in it
            raise damaged(table)
        last = check_frame_id(db, ids[-1], table)
        yield rows
