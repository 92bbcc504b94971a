"""Two processes on one store: what one writes, forgets or erases, the other's next search knows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from longmind import Memory
from tests.vectors.opening import open_memory
from tests.vectors.small import Search, method, searcher

ROOT = Path(__file__).resolve().parents[2]
SMALL = 20
"""Frames that are searched exactly; the tests go beyond them."""


class Other:
    """A second process that holds the store open."""

    def __init__(self, location: str, *, exact_limit: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.search.worker", "serve", location, str(exact_limit)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._hear()

    def ask(self, verb: str, given: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([verb, given]) + "\n")
        self.process.stdin.flush()
        return self._hear()

    def search(self, query: str, mode: str = "vector") -> list[int]:
        ids: list[int] = self.ask("search", {"query": query, "mode": mode})["ids"]
        return ids

    def _hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the other process ended: {self.process.stderr.read()[-2000:]}")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        self.process.wait(60)


def ids(results: Any) -> list[int]:
    return [hit.frame.id for hit in results]


def check_followed(memory: Memory, search: Search, other: Other) -> None:
    """Each side writes, forgets and erases; the other notices with its next search."""
    for mode in ("vector", "text", "hybrid"):
        mine = memory.remember(f"zebra in {mode}").id
        assert other.search(f"zebra in {mode}", mode)[0] == mine
        [theirs] = other.ask("remember", [f"lion in {mode}"])["ids"]
        assert ids(search(f"lion in {mode}", mode=mode))[0] == theirs
        other.ask("forget", mine)
        assert mine not in ids(search(f"zebra in {mode}", mode=mode, limit=100))
        memory.erase(theirs)
        assert theirs not in other.search(f"lion in {mode}", mode)
    replacement = memory.remember("a later tiger").id
    memory.supersede(other.ask("remember", ["an early tiger"])["ids"][0], replacement)
    assert replacement in other.search("an early tiger")
    assert "an early tiger" not in {hit.frame.text for hit in search("an early tiger", limit=100)}


def test_each_process_finds_what_the_other_wrote(vector_location: str) -> None:
    with open_memory(vector_location) as memory, Other(vector_location, exact_limit=10_000) as other:
        check_followed(memory, memory.search, other)


def test_each_process_finds_what_the_other_wrote_beyond_exact_search(many_location: str) -> None:
    with open_memory(many_location) as memory:
        memory.remember_many(f"river {place} and stone {place % 7}" for place in range(3 * SMALL))
        search = searcher(memory, exact_limit=SMALL)
        with Other(many_location, exact_limit=SMALL) as other:
            expected = (
                "pgvector, reranked" if many_location.startswith("postgresql") else "quantised, reranked"
            )
            assert method(search("river 7")) == expected
            assert other.ask("search", {"query": "river 7", "mode": "vector"})["lanes"]["vector"] == expected
            check_followed(memory, search, other)


def test_a_process_passes_into_the_large_range_by_what_the_other_wrote(many_location: str) -> None:
    with open_memory(many_location) as memory, Other(many_location, exact_limit=SMALL) as other:
        memory.remember("zebra")
        assert other.ask("search", {"query": "zebra", "mode": "vector"})["lanes"]["vector"] == "exact"
        last = memory.remember_many(f"river {place}" for place in range(2 * SMALL)).ids[-1]
        heard = other.ask("search", {"query": f"river {2 * SMALL - 1}", "mode": "vector"})
        assert heard["lanes"]["vector"].endswith("reranked")
        assert heard["ids"][0] == last


def test_words_alone_on_both_engines(location: str) -> None:
    with open_memory(location, embedder=None) as memory, open_memory(location, embedder=None) as second:
        first = memory.remember("zebra").id
        assert ids(second.search("zebra")) == [first]
        later = second.remember("zebra again").id
        assert set(ids(memory.search("zebra"))) == {first, later}
        memory.forget(first)
        assert ids(second.search("zebra")) == [later]
        memory.erase(later)
        assert ids(second.search("zebra")) == []


def test_a_filter_knows_labels_that_another_handle_changed(location: str) -> None:
    with open_memory(location, embedder=None) as memory, open_memory(location, embedder=None) as second:
        frame_id = memory.remember("zebra", tags=["old"]).id
        assert ids(second.search("zebra", where={"tags": ["old"]})) == [frame_id]
        memory.update(frame_id, tags=["new"], metadata={"page": 3})
        assert ids(second.search("zebra", where={"tags": ["old"]})) == []
        assert ids(second.search("zebra", where={"tags": ["new"], "metadata": {"page": {"gte": 3}}})) == [
            frame_id
        ]


@pytest.mark.parametrize("mode", ["hybrid", "text", "timeline"])
def test_a_read_session_keeps_its_state_while_another_handle_writes(location: str, mode: str) -> None:
    with open_memory(location, embedder=None) as memory, open_memory(location, embedder=None) as writer:
        writer.remember_many(f"zebra {place} of the plain" for place in range(5))
        with memory.session(mode="read"):
            before = memory.search("zebra plain", mode=mode)
            writer.remember_many(f"zebra zebra {place}" for place in range(20))
            writer.forget(before[0].frame.id)
            after = memory.search("zebra plain", mode=mode)
            assert [(hit.frame, hit.score) for hit in after] == [(hit.frame, hit.score) for hit in before]
        assert before[0].frame.id not in ids(memory.search("zebra plain", mode=mode, limit=50))
