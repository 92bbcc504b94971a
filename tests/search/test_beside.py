"""A model in this process embeds beside the other lanes: the same answers, and no failure is lost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from longmind.base.errors import Unavailable
from longmind.embed import Encoding
from longmind.embed.hash import HashEmbedder
from longmind.search.results import SearchResults
from tests.vectors.opening import open_memory

TEXTS = [f"{animal} {place} by the river" for place in range(20) for animal in ("zebra", "lion", "heron")]


class Local(HashEmbedder):
    """Fails on demand, and says that it may be asked beside the search."""

    runs_here = True
    failure: Exception | None = None

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        if self.failure is not None:
            raise self.failure
        return super().encode(texts, tokens=tokens)


def told(results: SearchResults) -> list[tuple[int, float]]:
    return [(hit.frame.id, hit.score) for hit in results]


def test_answers_are_the_same_as_of_an_embedder_that_is_asked_first(vector_location: str) -> None:
    with open_memory(vector_location, embedder=HashEmbedder(64)) as memory:
        memory.remember_many(TEXTS)
        first = [memory.search(query) for query in ("zebra 7", "river", "heron by the water")]
    with open_memory(vector_location, embedder=Local(64)) as memory:
        for expected in first:
            found = memory.search(expected.query)
            assert told(found) == told(expected)
            assert found.lanes == expected.lanes


def test_an_embedder_that_fails_beside_the_search_is_reported(vector_location: str) -> None:
    embedder = Local(64)
    with open_memory(vector_location, embedder=embedder) as memory:
        memory.remember_many(TEXTS)
        embedder.failure = Unavailable("The model is gone.")
        found = memory.search("zebra")
        assert [lane.name for lane in found.missing] == ["vector"]
        assert "The model is gone" in found.missing[0].detail
        assert all("zebra" in hit.frame.text for hit in found)
        assert memory.why_not("zebra", found[0].frame.id).found


def test_an_unforeseen_failure_beside_the_search_is_raised(vector_location: str) -> None:
    embedder = Local(64)
    with open_memory(vector_location, embedder=embedder) as memory:
        memory.remember_many(TEXTS)
        embedder.failure = ZeroDivisionError("a defect")
        with pytest.raises(ZeroDivisionError, match="a defect"):
            memory.search("zebra")
