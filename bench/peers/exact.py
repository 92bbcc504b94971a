"""Vectors alone: one matrix product in numpy, which misses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.peers.exchange import Vectors, run


class Exact:
    def __init__(self, folder: Path) -> None:
        self._ids: Sequence[str] = ()
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        self._ids, self._vectors = ids, np.ascontiguousarray(vectors)

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        cosines = self._vectors @ vector
        limit = min(limit, len(cosines))
        best = np.argpartition(-cosines, limit - 1)[:limit]
        return [self._ids[row] for row in best[np.argsort(-cosines[best], kind="stable")]]


if __name__ == "__main__":
    run(Exact, packages=["numpy"])
