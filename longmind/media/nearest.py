"""Which photos are nearest to a vector: all that a reader may see, compared exactly."""

from __future__ import annotations

from typing import Any, Final

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import InvalidInput
from longmind.base.filters import View, Where
from longmind.media.part import TABLES, VectorRow
from longmind.media.protocols import ImageEmbedder
from longmind.store.engine import Connection, scalar
from longmind.store.visible import Clause, both, visible

_PAGE: Final = 4096
"""Vectors that are compared at a time: memory does not grow with the number of photos."""


def identity(embedder: ImageEmbedder) -> str:
    """Which model a vector is of."""
    return f"{embedder.name} {embedder.version}".strip()


def nearest(
    db: Connection, view: View, where: Where, embedder: str, vector: Any
) -> tuple[list[tuple[int, float]], int]:
    """Every visible photo with its cosine, and how many have no vector of this model."""
    condition = both([visible(view, where), Clause("f.start_byte IS NULL")])
    query_vector = np.asarray(vector, dtype=np.float32)
    scores: list[tuple[int, float]] = []
    last = 0
    while True:
        rows = db.all(
            f"SELECT {TABLES.columns(VectorRow)} FROM frame f JOIN media_vector x "
            f"ON x.frame_id = f.frame_id AND x.embedder = ? WHERE {condition.sql} AND f.frame_id > ? "
            f"ORDER BY f.frame_id LIMIT {_PAGE}",
            (embedder, *condition.values, last),
        )
        if not rows:
            break
        checked = [TABLES.checked(VectorRow, row) for row in rows]
        last = checked[-1].frame_id
        scores += zip((row.frame_id for row in checked), _cosines(checked, query_vector), strict=True)
    photos = f"SELECT count(*) FROM frame f WHERE {condition.sql}"
    return scores, scalar(db, photos, condition.values) - len(scores)


def vector_of(db: Connection, frame_id: int, embedder: str) -> Float32Array | None:
    rows = TABLES.select(db, VectorRow, "x.frame_id = ? AND x.embedder = ?", (frame_id, embedder))
    return _vectors(rows)[0] if rows else None


def _cosines(rows: list[VectorRow], query_vector: Float32Array) -> list[float]:
    matrix = _vectors(rows)
    if matrix.shape[1] != len(query_vector):
        raise InvalidInput(
            f"The vectors of photos have {matrix.shape[1]} numbers, the query has {len(query_vector)}.",
            hint="The two sides of an image embedder must give vectors of the same length.",
        )
    # In double precision and row by row: a sum must not depend on which photos stand beside it.
    exact = matrix.astype(np.float64) * query_vector.astype(np.float64)
    cosines: list[float] = (
        exact.sum(axis=1) / np.sqrt(np.square(matrix, dtype=np.float64).sum(axis=1))
    ).tolist()
    return cosines


def _vectors(rows: list[VectorRow]) -> Float32Array:
    vectors: Float32Array = np.stack(
        [np.frombuffer(bytes(row.vector), dtype="<f2").astype(np.float32) for row in rows]
    )
    return vectors
