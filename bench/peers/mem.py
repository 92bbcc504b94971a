"""mem0 with infer=False: what is added is kept as it is, and searched as mem0 does by default."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

from bench.peers.exchange import Vectors, run


class Known(EmbeddingBase):
    """Hands out vectors that were made before."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors: dict[str, list[float]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.vectors[text]


class Mem0:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = Known()
        self._memory: Memory | None = None

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        store = {"path": str(self._folder / "qdrant"), "embedding_model_dims": vectors.shape[1]}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**store, "on_disk": True}},
                "history_db_path": str(self._folder / "history.db"),
            }
        )
        self._memory.embedding_model = self._known
        self._known.vectors = dict(zip(texts, vectors.tolist(), strict=True))
        for name, text in zip(ids, texts, strict=True):
            message = [{"role": "user", "content": text}]
            self._memory.add(message, user_id="all", metadata={"name": name}, infer=False)

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        assert self._memory is not None
        self._known.vectors[text.strip()] = self._known.vectors[text] = vector.tolist()
        answer = self._memory.search(text, filters={"user_id": "all"}, top_k=limit, threshold=0.0)
        return [item["metadata"]["name"] for item in answer["results"]]


if __name__ == "__main__":
    run(Mem0, packages=["mem0ai"])
