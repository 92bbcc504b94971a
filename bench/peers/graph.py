"""LangGraph's store with its semantic index, as agents built on it keep memories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from bench.peers.exchange import Vectors, run


class Graph:
    def __init__(self, folder: Path) -> None:
        self._known: dict[str, list[float]] = {}
        self._store: InMemoryStore | None = None

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        self._known = dict(zip(texts, vectors.tolist(), strict=True))
        self._store = InMemoryStore(
            index={"dims": vectors.shape[1], "embed": self._embed, "fields": ["text"]}
        )
        # A batch may say a text only once: it embeds each once, and then misses the others.
        rounds: dict[int, list[PutOp]] = defaultdict(list)
        mentions: Counter[str] = Counter()
        for name, text in zip(ids, texts, strict=True):
            rounds[mentions[text]].append(PutOp(("rows",), name, {"text": text}))
            mentions[text] += 1
        for batch in rounds.values():
            self._store.batch(batch)

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        assert self._store is not None
        self._known[text] = vector.tolist()
        return [item.key for item in self._store.search(("rows",), query=text, limit=limit)]

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._known[text] for text in texts]


if __name__ == "__main__":
    run(Graph, packages=["langgraph"])
