"""Many questions at once: the answers of single calls, from one state of the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from longmind import AsyncMemory, InvalidInput, Memory
from longmind.embed.protocol import EmbedderIdentity, Encoding
from longmind.operations import registry
from longmind.operations.values import plain
from longmind.testing import HashEmbedder

NOTES = ["Ana lives in Lisbon.", "Ana prefers trains to planes.", "The server runs on port 8080."]
QUERIES = ["where does Ana live?", "which port?", "where does Ana live?", "", "how does Ana travel?"]


class CountingEmbedder:
    """Writes down what it is asked to encode at once."""

    runs_here = False
    supports_tokens = False

    def __init__(self) -> None:
        self._inner = HashEmbedder()
        self.batches: list[list[str]] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        self.batches.append(list(texts))
        return self._inner.encode(texts, tokens=tokens)


@pytest.mark.parametrize("runs_here", [True, False])
def test_many_questions_get_the_answers_of_single_ones_and_are_embedded_once_together(
    runs_here: bool,
) -> None:
    embedder = CountingEmbedder()
    embedder.runs_here = runs_here
    with Memory.open(":memory:", embedder=embedder) as memory:
        memory.remember_many(NOTES)
        single = [memory.search(query, limit=2, reference=0) for query in QUERIES]
        contexts = [memory.recall(query, budget=200) for query in QUERIES]
        embedder.batches.clear()
        together = memory.search_many(QUERIES, limit=2, reference=0)
        assert list(together) == single
        assert together.revision == memory.revision
        assert embedder.batches == [["where does Ana live?", "which port?", "how does Ana travel?"]]
        recalled = memory.recall_many(iter(QUERIES), budget=200)
        assert [context.text for context in recalled] == [context.text for context in contexts]
        assert [context.receipt for context in recalled] == [context.receipt for context in contexts]
        assert len(memory.search_many([])) == len(memory.recall_many([])) == 0


def test_all_answers_are_of_one_state_though_somebody_writes_meanwhile(tmp_path: Path) -> None:
    with (
        Memory.open(tmp_path / "s.mind", embedder=None) as memory,
        Memory.open(tmp_path / "s.mind", embedder=None) as other,
    ):
        memory.remember("The first kettle is red.")

        def questions() -> object:
            yield "kettle"
            other.remember("The second kettle is blue.")
            yield "kettle"

        # Taken before the state is, so that both see what was written; and each sees the same.
        first, second = memory.search_many(questions())  # type: ignore[arg-type]
        assert [hit.frame.id for hit in first] == [hit.frame.id for hit in second]
        assert first.revision == second.revision == memory.revision


def test_what_is_wrong_with_the_questions_is_said() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        with pytest.raises(InvalidInput, match="list of questions"):
            memory.search_many("one question")
        with pytest.raises(InvalidInput, match="most at once"):
            memory.recall_many(["x"] * 1001)
        with pytest.raises(InvalidInput, match="string"):
            memory.search_many([3])  # type: ignore[list-item]


async def _asked(path: Path) -> list[int]:
    async with AsyncMemory.open(path, embedder=None) as memory:
        return [len(results) for results in await memory.search_many(["Ana", "port"])]


def test_many_questions_in_asyncio_and_as_operations(tmp_path: Path) -> None:
    import asyncio

    path = tmp_path / "s.mind"
    with Memory.open(path, embedder=None) as memory:
        memory.remember_many(NOTES)
        answer = plain(registry.find("search_many")(memory, queries=["Ana", "port"], limit=1))
        assert [len(results["hits"]) for results in answer["results"]] == [1, 1]
        answer = plain(registry.find("recall_many")(memory, queries=["Ana", "port"], budget=100))
        assert "8080" in answer["contexts"][1]["text"]
    assert asyncio.run(_asked(path)) == [2, 1]
