"""Candidates from pgvector's HNSW index, under the same filter as everything else."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from longmind.base.arrays import Int64Array, np
from longmind.base.errors import Forbidden, Unsupported
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import among, visible
from longmind.vectors.quantized import VectorQuery
from longmind.vectors.rows import count_windows, rows_in_parts

# pgvector makes no HNSW index over longer vectors.
_MOST_DIMENSIONS: Final = 2000


class PgVector:
    """A copy of the vectors in a column that the server can search, begun when there are many of them.

    Up to then, and on a server that has no pgvector, they are searched in memory.
    """

    def exists(self, db: Connection) -> bool:
        return db.one("SELECT to_regclass('frame_window')") != (None,)

    def begin(self, store: Store, dimensions: int, *, above: int) -> None:
        """Make the extension, the table and the index if there are so many windows and no table yet."""
        if dimensions > _MOST_DIMENSIONS:
            return
        with store.read() as snapshot:
            is_needed = not self.exists(snapshot.db) and count_windows(snapshot.db) > above
        if not is_needed or store.engine.read_only:
            return
        # Where the server has no pgvector, or does not let us have it, memory does it.
        with suppress(Forbidden, Unsupported), store.write() as tx:
            # Two stores of one database may come here at once.
            tx.db.one("SELECT pg_advisory_xact_lock(hashtext('longmind:pgvector'))")
            if tx.db.one("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'") is None:
                return
            tx.db.run("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            self._create(tx, dimensions)
            self._fill(tx, dimensions)

    def _fill(self, tx: Transaction, dimensions: int) -> None:
        """Copy all windows there are."""

        sql = "SELECT frame_id, data FROM frame_vector WHERE frame_id > ?"
        for rows in rows_in_parts(tx.db, "frame_vector", sql, ()):
            windows = [
                np.frombuffer(bytes(data), dtype=np.float16).reshape(-1, dimensions) for _, data in rows
            ]
            self._insert(tx, [int(frame_id) for frame_id, _ in rows], windows)

    def _create(self, tx: Transaction, dimensions: int) -> None:
        tx.db.run(
            "CREATE TABLE IF NOT EXISTS frame_window (frame_id BIGINT NOT NULL, part BIGINT NOT NULL, "
            f"embedding public.vector({dimensions}) NOT NULL, PRIMARY KEY (frame_id, part))"
        )
        tx.db.run(
            "CREATE INDEX IF NOT EXISTS frame_window_near ON frame_window "
            "USING hnsw (embedding public.vector_cosine_ops)"
        )

    def drop(self, tx: Transaction) -> None:
        """For vectors that may have other dimensions."""
        tx.db.run("DROP TABLE IF EXISTS frame_window")

    def add(self, tx: Transaction, ids: Sequence[int], vectors: Sequence[Any]) -> None:
        """Copy the windows of these frames."""
        for batch in batched(ids):
            clause = among("frame_id", batch)
            tx.db.run(f"DELETE FROM frame_window WHERE {clause.sql}", clause.values)
        self._insert(tx, ids, vectors)

    def _insert(self, tx: Transaction, ids: Sequence[int], vectors: Sequence[Any]) -> None:
        tx.db.many(
            "INSERT INTO frame_window VALUES (?, ?, CAST(? AS public.vector))",
            [
                (frame_id, part, _literal(window))
                for frame_id, windows in zip(ids, vectors, strict=True)
                for part, window in enumerate(windows)
            ],
        )

    def differing(self, db: Connection, ids: Sequence[int], vectors: Sequence[Any]) -> set[int]:
        """Which of these frames are not copied as they should be."""
        copies: dict[int, list[str]] = {}
        for batch in batched(ids):
            clause = among("frame_id", batch)
            sql = f"SELECT frame_id, CAST(embedding AS TEXT) FROM frame_window WHERE {clause.sql}"
            for frame_id, text in db.all(f"{sql} ORDER BY frame_id, part", clause.values):
                copies.setdefault(int(frame_id), []).append(str(text))
        return {
            frame_id
            for frame_id, windows in zip(ids, vectors, strict=True)
            if [_values(text) for text in copies.get(frame_id, ())]
            != [_values(_literal(window)) for window in windows]
        }

    def remove(self, tx: Transaction, ids: Sequence[int]) -> int:
        if not self.exists(tx.db):
            return 0
        count = 0
        for batch in batched(ids):
            clause = among("frame_id", batch)
            count += tx.db.run(f"DELETE FROM frame_window WHERE {clause.sql}", clause.values)
        return count

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Int64Array:

        clause = visible(question.view, question.where)
        # As SET and not as set_config(): with the first line Citus passes them on to the worker that has the
        # rows, which would look at 40 candidates otherwise. Elsewhere that line means nothing.
        # The scan keeps walking the graph until enough frames pass the filter.
        db.run_each(
            (
                "SET LOCAL citus.propagate_set_commands TO 'local'",
                f"SET LOCAL hnsw.ef_search TO {min(1000, max(40, limit))}",
                "SET LOCAL hnsw.iterative_scan TO strict_order",
            )
        )
        rows = db.all(
            "SELECT w.frame_id FROM frame_window w JOIN frame f ON f.frame_id = w.frame_id "
            f"WHERE {clause.sql} ORDER BY w.embedding <=> CAST(? AS public.vector) LIMIT {limit}",
            (*clause.values, _literal(question.vector)),
        )
        return np.unique(np.array([row[0] for row in rows], dtype=np.int64))


def _literal(vector: Any) -> str:
    return "[" + ",".join(f"{float(value):.5g}" for value in vector) + "]"


def _values(literal: str) -> list[float]:
    """As the server keeps them, in single precision."""

    numbers: list[float] = np.array(literal.strip("[]").split(","), dtype=np.float32).tolist()
    return numbers
