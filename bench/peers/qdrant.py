"""Qdrant's local mode: vectors, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qdrant_client import QdrantClient, models

from bench.peers.exchange import Vectors, run


class Qdrant:
    def __init__(self, folder: Path) -> None:
        self._client = QdrantClient(path=str(folder))
        self._ids: Sequence[str] = ()

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        size = models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
        self._client.create_collection("rows", vectors_config=size)
        self._ids = ids
        self._client.upload_collection(
            "rows", vectors=vectors, ids=range(len(ids)), payload=[{"text": text} for text in texts]
        )

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        points = self._client.query_points("rows", query=vector, limit=limit).points
        return [self._ids[int(point.id)] for point in points]


if __name__ == "__main__":
    run(Qdrant, packages=["qdrant-client"])
