"""Chroma: vectors in its HNSW index, on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chromadb
from chromadb.config import Settings

from bench.peers.exchange import Vectors, run

_BATCH = 5000


class Chroma:
    def __init__(self, folder: Path) -> None:
        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._rows = client.create_collection(
            "rows", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        for first in range(0, len(ids), _BATCH):
            part = slice(first, first + _BATCH)
            self._rows.add(ids=list(ids[part]), documents=list(texts[part]), embeddings=vectors[part])

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        ids: Sequence[str] = self._rows.query(query_embeddings=vector[None, :], n_results=limit)["ids"][0]
        return ids


if __name__ == "__main__":
    run(Chroma, packages=["chromadb"])
