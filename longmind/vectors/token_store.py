"""The word pieces of the frames: read for a few of them, or kept in memory for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.store.engine import Connection, Row
from longmind.store.frames import batches
from longmind.store.typed import check_frame_id, damaged, typed
from longmind.store.visible import among
from longmind.vectors.growing_array import GrowingArray
from longmind.vectors.late_interaction import BYTES, Pieces, fitting
from longmind.vectors.quantized import spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ids = NDArray[np.int64]
else:
    Bytes = Ids = Any

MOST_BYTES: Final = 300 << 20
"""So much is kept; where there is more, it is read."""

ALL: Final = 1 << 62
"""More pieces than any frames have."""

_LOAD: Final = 20_000


def read_pieces(db: Connection, ids: Sequence[int], *, most: int = ALL) -> Pieces:
    """Of these frames, in their order, as far as they have no more than so many together."""
    found: dict[int, bytes] = {}
    for batch in batches(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id, data FROM frame_token WHERE {clause.sql}"
        found.update(typed(db.all(sql, clause.values), "frame_token", int, bytes))
    return Pieces.of([bytes(found.get(frame_id, b"")) for frame_id in ids]).up_to(most)


class TokenStore:
    """All of a store's, unless there are too many. Grown as frames arrive; not to be asked meanwhile."""

    def __init__(self, db: Connection, *, most: int = MOST_BYTES) -> None:
        import numpy as np

        row = db.one("SELECT coalesce(sum(length(data)), 0) FROM frame_token")
        size = int(row[0]) if row else 0
        self._most = most
        self.is_complete = size <= most
        """False: there are too many, and none is kept."""
        none = np.empty((size // BYTES if self.is_complete else 0, BYTES), dtype=np.uint8)
        self._room = GrowingArray(none, used=0, spare=0.125)
        self._signs: Bytes = none[:0]
        self._starts: Ids = np.zeros(1, dtype=np.int64)
        self._sizes: Ids = np.zeros(1, dtype=np.int64)
        self._add("FROM frame_token t WHERE t.frame_id > ?", db)

    def grow(self, db: Connection, *, since: int) -> None:
        """By what was written after a revision."""
        self._add(
            "FROM frame_vector v JOIN frame_token t ON t.frame_id = v.frame_id "
            f"WHERE v.written_at > {since:d} AND t.frame_id > ?",
            db,
        )

    def of(self, ids: Ids, *, most: int = ALL) -> Pieces:
        """Of these frames, in their order, as far as they have no more than so many together."""
        import numpy as np

        known = np.where(ids < len(self._starts), ids, 0)  # there is no frame 0
        sizes = fitting(self._sizes[known], most)
        starts = self._starts[known[: len(sizes)]]
        return Pieces(self._signs.take(spread(starts, sizes), axis=0), sizes)

    def _add(self, which: str, db: Connection) -> None:
        import numpy as np

        if not self.is_complete:
            return
        for found in _parts(which, db):
            pieces = Pieces.of([bytes(data) for _, data in found])
            if self._signs.nbytes + pieces.signs.nbytes > self._most:
                self.is_complete = False
                self._signs = self._signs[:0].copy()
                self._room = GrowingArray(self._signs)
                return
            ids = np.array([frame_id for frame_id, _ in found], dtype=np.int64)
            starts, sizes = _longer(self._starts, ids), _longer(self._sizes, ids)
            starts[ids] = len(self._signs) + np.cumsum(pieces.sizes) - pieces.sizes
            sizes[ids] = pieces.sizes
            self._signs = self._room.append(pieces.signs)
            self._starts, self._sizes = starts, sizes


def _parts(which: str, db: Connection) -> Iterator[list[Row]]:
    last = 0
    while True:
        found = db.all(f"SELECT t.frame_id, t.data {which} ORDER BY t.frame_id LIMIT {_LOAD}", (last,))
        if not found:
            return
        typed(found, "frame_token", int, bytes)
        ids = [frame_id for frame_id, _ in found]
        if ids != sorted(ids):  # in the order of a damaged tree, not of the numbers in it
            raise damaged("frame_token")
        last = check_frame_id(db, ids[-1], "frame_token")
        yield found


def _longer(values: Ids, ids: Ids) -> Ids:
    """With a place for each of these ids, which ascend, and for some to come."""
    import numpy as np

    size = int(ids[-1]) + 1
    if size <= len(values):
        return values
    longer = np.zeros(size + size // 8, dtype=values.dtype)
    longer[: len(values)] = values
    return longer
