"""memvid's file with its full text index and vectors, asked in its hybrid way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import memvid_sdk

from bench.peers.exchange import Vectors, run

_BATCH = 1000


class Memvid:
    def __init__(self, folder: Path) -> None:
        self._file = memvid_sdk.create(str(folder / "rows.mv2"), enable_vec=True, enable_lex=True)
        self._names: dict[str, str] = {}

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        self._names = {f"mv2://rows/{index}": name for index, name in enumerate(ids)}
        rows = [
            {"title": "", "label": "row", "text": text, "uri": uri}
            for uri, text in zip(self._names, texts, strict=True)
        ]
        for first in range(0, len(rows), _BATCH):
            part = slice(first, first + _BATCH)
            self._file.put_many(rows[part], embeddings=vectors[part].tolist())
        self._file.commit()

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        answer = self._file.find(text, k=limit, mode="auto", query_embedding=vector.tolist())
        return [self._names[hit["uri"]] for hit in answer["hits"] if hit["uri"] in self._names]


if __name__ == "__main__":
    run(Memvid, packages=["memvid-sdk"])
