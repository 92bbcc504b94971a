"""Are the vectors whole: rows of a wrong size, damaged, missing, or too many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from longmind.base.arrays import np
from longmind.store.engine import Connection
from longmind.store.parts import Problem
from longmind.store.transaction import Snapshot
from longmind.vectors.rows import rows_in_parts

if TYPE_CHECKING:
    from longmind.vectors.index import VectorIndex

_LISTED: Final = 20


def verify(index: VectorIndex, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
    if index.mismatch(snapshot.db):
        return  # of another embedder: their size and number are for a handle of that one to judge
    db = snapshot.db
    width = index.embedder.identity.dimensions * 2
    for frame_id in _listed(db, "frame_vector x LEFT JOIN text_doc d ON d.frame_id = x.frame_id", "d"):
        yield _problem(f"there are vectors of frame {frame_id}, which is not indexed")
    for (frame_id,) in db.all(
        f"SELECT frame_id FROM frame_vector WHERE length(data) <> windows * {width} LIMIT {_LISTED}"
    ):
        yield _problem(f"the vectors of frame {frame_id} have a wrong size")
    if deep:
        yield from _missing(index, db)
        yield from _damaged(index, db)


def _missing(index: VectorIndex, db: Connection) -> Iterable[Problem]:
    # Frames without vectors are not damage: the embedder was absent, failed, or was over its budget. They are
    # counted in the notes, and every search says how many there are.
    for frame_id in _listed(db, "frame_token x LEFT JOIN frame_vector v ON v.frame_id = x.frame_id", "v"):
        yield _problem(f"there are token signs of frame {frame_id}, which has no vectors")
    if index.embedder.supports_tokens and index.basis is not None:
        lacking = "frame_vector x LEFT JOIN frame_token t ON t.frame_id = x.frame_id"
        for frame_id in _listed(db, lacking, "t"):
            yield _problem(f"frame {frame_id} has vectors and no token signs")
    if index.mirror is not None and index.mirror.exists(db):
        copied = (
            "frame_vector x LEFT JOIN (SELECT frame_id, count(*) AS windows FROM frame_window "
            "GROUP BY frame_id) w ON w.frame_id = x.frame_id AND w.windows = x.windows"
        )
        for frame_id in _listed(db, copied, "w"):
            yield _problem(f"the server's copy of the vectors of frame {frame_id} is not whole")
        surplus = "frame_window x LEFT JOIN frame_vector v ON v.frame_id = x.frame_id"
        for frame_id in _listed(db, surplus, "v"):
            yield _problem(f"the server has a copy of vectors of frame {frame_id}, which has none")


def _damaged(index: VectorIndex, db: Connection) -> Iterable[Problem]:

    dimensions = index.embedder.identity.dimensions
    sql = "SELECT frame_id, data FROM frame_vector WHERE frame_id > ?"
    for rows in rows_in_parts(db, "frame_vector", sql, ()):
        for frame_id, data in rows:
            if not isinstance(data, bytes) or len(data) % (dimensions * 2):
                yield _problem(f"the vectors of frame {frame_id} are damaged")
                continue
            vectors = np.frombuffer(bytes(data), dtype=np.float16).reshape(-1, dimensions).astype(np.float32)
            if not np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 0.01):
                yield _problem(f"the vectors of frame {frame_id} are damaged")


def _listed(db: Connection, joined: str, other: str) -> list[int]:
    """Frames of the first table, `x`, without a row in the other."""
    sql = f"SELECT DISTINCT x.frame_id FROM {joined} WHERE {other}.frame_id IS NULL ORDER BY x.frame_id"
    return [int(row[0]) for row in db.all(f"{sql} LIMIT {_LISTED}")]


def _problem(detail: str) -> Problem:
    return Problem("vectors", detail, derived=True)
