"""Candidates from pgvector's HNSW index, under the same filter as everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.base.errors import Forbidden, Unsupported
from recollect.store.engine import Rows
from recollect.store.frames import batches
from recollect.store.store import Store
from recollect.store.transaction import Transaction
from recollect.store.visible import among, visible
from recollect.vectors.codes import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
else:
    Ids = Any


class PgVector:
    """A copy of the vectors in a column that the server can search."""

    def bind(self, store: Store, dimensions: int) -> None:
        """Make the extension, the table and the index where they are missing."""
        with store.read() as snapshot:
            if snapshot.rows.one("SELECT to_regclass('frame_window')") != (None,):
                return
        if store.engine.read_only:
            return
        try:
            with store.write() as tx:
                # Two stores of one database may come here at once.
                tx.rows.one("SELECT pg_advisory_xact_lock(hashtext('recollect:pgvector'))")
                if tx.rows.one("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'") is None:
                    raise Unsupported(
                        "The server does not have the extension pgvector.",
                        hint="Install it there, or open the store with embedder=None.",
                    )
                tx.rows.run("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
                self._create(tx, dimensions)
        except Forbidden as error:
            raise Unsupported(
                "The server does not let this user create the extension pgvector.",
                hint="Have an administrator run: CREATE EXTENSION vector",
            ) from error

    def _create(self, tx: Transaction, dimensions: int) -> None:
        tx.rows.run(
            "CREATE TABLE IF NOT EXISTS frame_window (frame_id BIGINT NOT NULL, part BIGINT NOT NULL, "
            f"embedding public.vector({dimensions}) NOT NULL, PRIMARY KEY (frame_id, part))"
        )
        tx.rows.run(
            "CREATE INDEX IF NOT EXISTS frame_window_near ON frame_window "
            "USING hnsw (embedding public.vector_cosine_ops)"
        )

    def renew(self, tx: Transaction, dimensions: int) -> None:
        """Empty, for vectors that may have other dimensions."""
        tx.rows.run("DROP TABLE IF EXISTS frame_window")
        self._create(tx, dimensions)

    def add(self, tx: Transaction, ids: Sequence[int], vectors: Sequence[Any]) -> None:
        """Copy the windows of these frames."""
        for batch in batches(ids):
            clause = among("frame_id", batch)
            tx.rows.run(f"DELETE FROM frame_window WHERE {clause.sql}", clause.values)
        tx.rows.many(
            "INSERT INTO frame_window VALUES (?, ?, CAST(? AS public.vector))",
            [
                (frame_id, part, _literal(window))
                for frame_id, windows in zip(ids, vectors, strict=True)
                for part, window in enumerate(windows)
            ],
        )

    def remove(self, tx: Transaction, ids: Sequence[int]) -> int:
        if tx.rows.one("SELECT to_regclass('frame_window')") == (None,):
            return 0
        count = 0
        for batch in batches(ids):
            clause = among("frame_id", batch)
            count += tx.rows.run(f"DELETE FROM frame_window WHERE {clause.sql}", clause.values)
        return count

    def find(self, question: Question, rows: Rows, limit: int) -> Ids:
        import numpy as np

        clause = visible(question.view, question.where)
        rows.one("SELECT set_config('hnsw.ef_search', ?, true)", (str(min(1000, max(40, limit))),))
        # Keeps walking the graph until enough frames pass the filter.
        rows.one("SELECT set_config('hnsw.iterative_scan', 'strict_order', true)")
        found = rows.all(
            "SELECT w.frame_id FROM frame_window w JOIN frame f ON f.frame_id = w.frame_id "
            f"WHERE {clause.sql} ORDER BY w.embedding <=> CAST(? AS public.vector) LIMIT {limit}",
            (*clause.values, _literal(question.vector)),
        )
        return np.unique(np.array([row[0] for row in found], dtype=np.int64))


def _literal(vector: Any) -> str:
    return "[" + ",".join(f"{float(value):.5g}" for value in vector) + "]"
