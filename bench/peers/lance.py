"""LanceDB's hybrid search: its own full text index and vectors, fused by its default reranker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lancedb
import pyarrow

from bench.peers.exchange import Vectors, run


class Lance:
    def __init__(self, folder: Path) -> None:
        self._home = lancedb.connect(str(folder))
        self._rows: lancedb.table.Table | None = None

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        flat = pyarrow.array(vectors.ravel(), type=pyarrow.float32())
        rows = pyarrow.table(
            {
                "id": list(ids),
                "text": list(texts),
                "vector": pyarrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            }
        )
        self._rows = self._home.create_table("rows", rows)
        self._rows.create_fts_index("text")

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        assert self._rows is not None
        # Quotes ask for a phrase, which its index as it comes refuses.
        unquoted = text.replace('"', " ")
        query = (
            self._rows.search(query_type="hybrid", vector_column_name="vector").vector(vector).text(unquoted)
        )
        ids: Sequence[str] = query.metric("cosine").limit(limit).to_arrow()["id"].to_pylist()
        return ids


if __name__ == "__main__":
    run(Lance, packages=["lancedb"])
