"""txtai's hybrid index: its own BM25 beside vectors, weighted as it does by default."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from txtai import Embeddings

from bench.peers.exchange import Vectors, run


class Txtai:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Vectors] = {}
        # A function, not a method: anything else it would call to get one.
        self._index = Embeddings(
            {"method": "external", "transform": lambda texts: self._transform(texts), "hybrid": True}
        )

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        self._known = dict(zip(texts, vectors, strict=True))
        self._index.index(zip(ids, texts, strict=True))
        self._index.save(str(self._folder / "index"))

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        self._known[text] = vector
        return [name for name, _ in self._index.search(text, limit)]

    def _transform(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._known[text] for text in texts])


if __name__ == "__main__":
    run(Txtai, packages=["txtai"])
