"""Reading the rows of `frame_vector` and `frame_token`, for a few frames or, into memory, for all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from longmind.base.arrays import Float16Array, Float32Array, Int64Array, np
from longmind.base.ordering import first_of_each
from longmind.store.engine import Connection, Row, Value, scalar
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

Load = Callable[[Connection, int], Iterator[tuple[Int64Array, Any]]]
"""Reads what was written after a revision, in parts: the frame of each row, ascending, and the rows."""


# Windows: the vectors of a frame, one for each window of its text


def load_windows(dimensions: int) -> Load:
    def load(db: Connection, since: int) -> Iterator[tuple[Int64Array, Float16Array]]:
        sql = "SELECT frame_id, windows, data FROM frame_vector WHERE written_at > ? AND frame_id > ?"
        for rows in rows_in_parts(db, "frame_vector", sql, (since,)):
            yield windows_of(rows, dimensions)

    return load


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
    if any(len(data) != windows * width for _, windows, data in rows):
        raise damaged("frame_vector")
    frames = np.repeat(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
    )
    raw = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float16)
    return frames, raw.reshape(-1, dimensions)


def count_windows(db: Connection) -> int:
    return scalar(db, "SELECT coalesce(sum(windows), 0) FROM frame_vector")


def window_bytes(db: Connection) -> int:
    return scalar(db, "SELECT coalesce(sum(length(data)), 0) FROM frame_vector")


# Word pieces: the token signs of a frame


def load_pieces(db: Connection, since: int) -> Iterator[tuple[Int64Array, Any]]:

    sql = "SELECT t.frame_id, t.data FROM frame_token t WHERE t.frame_id > ?"
    if since >= 0:  # at first without the other table, which is larger
        sql = (
            "SELECT t.frame_id, t.data FROM frame_vector v JOIN frame_token t ON t.frame_id = v.frame_id "
            f"WHERE v.written_at > {since:d} AND t.frame_id > ?"
        )
    for rows in rows_in_parts(db, "frame_token", sql, (), key="t.frame_id"):
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


def piece_bytes(db: Connection) -> int:
    return scalar(db, "SELECT coalesce(sum(length(data)), 0) FROM frame_token")


# In memory


class FrameRows:
    """The mirror of one of these tables: the rows of all frames in one array, found by frame."""

    def __init__(self, load: Load, width: int, dtype: str) -> None:

        self._load = load
        self._lock = threading.Lock()
        self._rows = np.empty((0, width), dtype=dtype)
        self._room = GrowingArray(self._rows, spare=0.125)
        self._starts: Int64Array = np.zeros(1, dtype=np.int64)
        self._sizes: Int64Array = np.zeros(1, dtype=np.int64)

    @property
    def nbytes(self) -> int:
        return self._room.nbytes + self._starts.nbytes + self._sizes.nbytes

    def advance(self, snapshot: Snapshot, since: int) -> None:
        for frames, rows in self._load(snapshot.db, since):
            with self._lock:
                self._add(frames, rows)

    def of(self, ids: Int64Array, *, most: int = ALL) -> tuple[Any, Int64Array]:
        """The rows of these frames, in their order, and how many each has; of the first, up to so many."""

        with self._lock:
            there = np.where(ids < len(self._starts), ids, 0)  # there is no frame 0
            sizes = fitting(self._sizes[there], most)
            starts = self._starts[there[: len(sizes)]]
            rows = self._rows
        return rows.take(spread(starts, sizes), axis=0), sizes

    def _add(self, frames: Int64Array, rows: Any) -> None:

        if not len(frames):
            return
        starts = np.flatnonzero(first_of_each(frames))
        ids = frames[starts]
        self._starts, self._sizes = _longer(self._starts, ids), _longer(self._sizes, ids)
        # A frame whose rows were replaced is found at its new ones; the old ones stay, unused.
        self._starts[ids] = len(self._rows) + starts
        self._sizes[ids] = np.diff(starts, append=len(frames))
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


def _longer(values: Int64Array, ids: Int64Array) -> Int64Array:
    """With a place for each of these ids, which ascend, and for some to come."""

    size = int(ids[-1]) + 1
    if size <= len(values):
        return values
    longer = np.zeros(size + size // 8, dtype=values.dtype)
    longer[: len(values)] = values
    return longer
