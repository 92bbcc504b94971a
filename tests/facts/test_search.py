"""Facts in search and contexts: the structured lane as a user meets it, on both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.conftest import START

DAY = 86_400_000


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock, embedder=None) as opened:
        for number in range(30):
            opened.remember(f"An ordinary note about topic {number} and the weather.")
        yield opened


def test_a_frame_is_found_because_of_a_fact(memory: Memory) -> None:
    lease = memory.remember("She signed the papers for the flat near the river.")
    assert lease.id not in [hit.frame.id for hit in memory.search("Ana Silva").hits]
    memory.facts.upsert_entity("ana", aliases=["Ana Silva"])
    memory.facts.record("ana", "lives_in", "Porto", evidence=[lease.id])
    hit = next(hit for hit in memory.search("Ana Silva", limit=5).hits if hit.frame.id == lease.id)
    assert "facts" in hit.lanes


def test_the_same_question_gives_the_same_answer_twice(memory: Memory) -> None:
    memory.remember("I live in Porto and I like soup.", speaker="Ana")
    memory.remember("I live in Lisbon.", speaker="Bob")
    as_of = AsOf.at(START + DAY)
    first, second = (memory.search("Where do Ana and Bob live?", as_of=as_of) for _ in range(2))
    assert [(hit.frame.id, hit.score, hit.lanes) for hit in first.hits] == [
        (hit.frame.id, hit.score, hit.lanes) for hit in second.hits
    ]
    assert any("facts" in hit.lanes for hit in first.hits)


def test_a_question_that_names_nothing_is_not_affected(memory: Memory) -> None:
    query = "topic 7 and the weather"
    before = [(hit.frame.id, hit.score) for hit in memory.search(query).hits]
    memory.facts.record("ana", "lives_in", "Porto", evidence=[1])
    assert [(hit.frame.id, hit.score) for hit in memory.search(query).hits] == before


def test_a_context_shows_what_is_known(memory: Memory) -> None:
    memory.remember("I live in Porto.", speaker="Ana")
    text = memory.recall("Where does Ana live?", budget=400).text
    assert "Ana lives in Porto" in text
