"""Search agrees with a plain walk over all frames: every filter, every instant, every lane, both engines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import ALL, AsOf, FrozenClock, Memory
from longmind.base.filters import EVERYTHING, Where
from longmind.base.times import FOREVER
from longmind.embed.hash import HashEmbedder
from tests.conftest import START
from tests.search import reference
from tests.search.reference import Known
from tests.search.world import CONDITIONS, Ask, World, acts, asks, days, histories
from tests.vectors.opening import open_memory

DIMENSIONS = 16
EMBEDDER = HashEmbedder(DIMENSIONS)
EVERY = 1000

thoroughly = partial(
    settings,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def build(location: str, history: list[Any], *, embedder: str | None = f"hash:{DIMENSIONS}") -> World:
    clock = FrozenClock(START)
    world = World(open_memory(location, clock=clock, embedder=embedder), clock)
    world.tell(history)
    return world


def visible(world: World, ask: Ask) -> dict[int, Known]:
    where, as_of = Where.of(ask.where), world.as_of(ask)
    return {
        key: frame
        for key, frame in world.known.items()
        if reference.sees(frame, space=ask.space, as_of=as_of, where=where)
    }


def corpus(world: World, ask: Ask) -> list[Known]:
    """The frames whose words count: those of the spaces asked for at the system time asked for."""
    as_of = AsOf(system=world.as_of(ask).system, valid=FOREVER)
    return [
        frame
        for frame in world.known.values()
        if reference.sees(frame, space=ask.space, as_of=as_of, where=EVERYTHING)
    ]


def lane(world: World, ask: Ask, name: str) -> dict[int, tuple[int, float]]:
    """What a lane found, each with its place and score; the answer holds nothing else."""
    results = world.memory.search(
        ask.query, space=ask.space, where=ask.where, as_of=world.as_of(ask), mode=name, limit=EVERY
    )
    assert {hit.frame.id for hit in results} <= visible(world, ask).keys()
    found = {
        hit.frame.id: (hit.lanes[name].rank, hit.lanes[name].score or 0.0)
        for hit in results
        if name in hit.lanes
    }
    assert sorted(rank for rank, _ in found.values()) == list(range(1, len(found) + 1))
    return found


def assert_ranked(
    found: dict[int, tuple[int, float]], scores: dict[int, float], known: dict[int, Known]
) -> None:
    """The same frames with the same scores, in the order of those scores, ties as documented."""
    assert found.keys() == scores.keys()
    for frame_id, (_, score) in found.items():
        assert score == pytest.approx(scores[frame_id], rel=1e-5, abs=1e-6)
    exactly = {frame_id: score for frame_id, (_, score) in found.items()}
    assert sorted(found, key=lambda frame_id: found[frame_id][0]) == reference.ranked(exactly, known)


def check_text(world: World, ask: Ask) -> None:
    scores = reference.bm25(ask.query, corpus(world, ask))
    seen = visible(world, ask)
    assert_ranked(lane(world, ask, "text"), {key: scores[key] for key in scores if key in seen}, world.known)


def check_timeline(world: World, ask: Ask) -> None:
    found = lane(world, ask, "timeline")
    assert sorted(found, key=found.__getitem__) == reference.newest(visible(world, ask).values())


def check_vectors(world: World, ask: Ask) -> None:
    scores = {}
    if ask.query.strip():
        [asked] = EMBEDDER.encode([ask.query])
        for key, frame in visible(world, ask).items():
            if not frame.has_chunks:
                [said] = EMBEDDER.encode([in_context(frame)])
                stored = said.vectors.astype(np.float16).astype(np.float32)
                scores[key] = float((stored @ asked.vectors[0]).max())
    assert_ranked(lane(world, ask, "vector"), scores, world.known)


def in_context(frame: Known) -> str:
    text = frame.text
    if frame.speaker and not text.startswith(frame.speaker):
        text = f"{frame.speaker}: {text}"
    if frame.title and not text.startswith(frame.title):
        text = f"{frame.title}\n{text}"
    return text


def check_hybrid(world: World, ask: Ask) -> list[int]:
    results = world.memory.search(
        ask.query, space=ask.space, where=ask.where, as_of=world.as_of(ask), limit=EVERY
    )
    ids = [hit.frame.id for hit in results]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= visible(world, ask).keys()
    return ids


@thoroughly(max_examples=60)
@given(history=histories, questions=st.lists(asks, min_size=1, max_size=6))
def test_every_lane_equals_a_walk_over_all_frames(history: list[Any], questions: list[Ask]) -> None:
    world = build(":memory:", history)
    with world.memory:
        for ask in questions:
            check_text(world, ask)
            check_timeline(world, ask)
            check_vectors(world, ask)
            check_hybrid(world, ask)


@thoroughly(max_examples=8)
@given(history=st.lists(acts, min_size=8, max_size=14), system=st.integers(0, 14), valid=days)
def test_every_condition_at_every_kind_of_instant(history: list[Any], system: int, valid: int) -> None:
    world = build(":memory:", history)
    with world.memory:
        for condition in CONDITIONS:
            for instant in ((None, None), (system, None), (None, valid), (system, valid)):
                check_timeline(world, Ask("", ALL, condition, *instant))


@pytest.mark.soak
@thoroughly(max_examples=2000)
@given(history=histories, questions=st.lists(asks, min_size=1, max_size=6))
def test_every_lane_equals_a_walk_over_all_frames_on_many_more_stores(
    history: list[Any], questions: list[Ask]
) -> None:
    world = build(":memory:", history)
    with world.memory:
        for ask in questions:
            check_text(world, ask)
            check_timeline(world, ask)
            check_vectors(world, ask)
            check_hybrid(world, ask)


@thoroughly(max_examples=8)
@given(history=histories, questions=st.lists(asks, min_size=2, max_size=5))
def test_on_postgresql_words_and_times_equal_a_walk_too(
    new_location: Callable[[str], str], history: list[Any], questions: list[Ask]
) -> None:
    world = build(new_location("postgresql"), history, embedder=None)
    with world.memory:
        for ask in questions:
            check_text(world, ask)
            check_timeline(world, ask)
            check_hybrid(world, ask)


@thoroughly(max_examples=8)
@given(history=histories, questions=st.lists(asks, min_size=2, max_size=5))
def test_both_engines_answer_alike(
    new_location: Callable[[str], str],
    working_pgvector: str,
    history: list[Any],
    questions: list[Ask],
) -> None:
    embedded, served = build(":memory:", history), build(new_location("postgresql"), history)
    with embedded.memory, served.memory:
        assert embedded.known.keys() == served.known.keys()
        for ask in questions:
            check_vectors(served, ask)
            assert check_hybrid(embedded, ask) == check_hybrid(served, ask)


def test_nothing_hidden_comes_in_beside_a_turn_that_was_found(vector_location: str) -> None:
    """Turns bring the turns beside them; what is forgotten, superseded, erased or elsewhere stays out."""
    with open_memory(vector_location, clock=FrozenClock(START)) as memory:

        def say(text: str, **fields: Any) -> int:
            turn = {"session": "s", "role": "user", "space": "mine", **fields}
            return memory.remember(text, **turn).id

        told = [say(f"the {word} speaks", occurred_at=START + place) for place, word in enumerate("abcdefgh")]
        other = say("beside", space="theirs", occurred_at=START + 2)
        shared = say("shared by all", space="theirs", scope="global", occurred_at=START + 3)
        memory.forget(told[1], space="mine")
        memory.supersede(told[3], told[4], space="mine")
        memory.erase(told[5], space="mine")
        for mode in ("hybrid", "text", "vector", "timeline"):
            for fusion in ("score", "rrf"):
                hits = memory.search("the c speaks", space="mine", mode=mode, fusion=fusion, limit=50)
                found = {hit.frame.id for hit in hits}
                assert found.isdisjoint({told[1], told[3], told[5], other}), (mode, fusion)
                assert found <= {*told, shared}
        narrow = memory.search("the c speaks", space="mine", where={"ids": [told[2]]})
        assert [hit.frame.id for hit in narrow] == [told[2]]
        assert [hit.frame.id for hit in memory.search("beside", space="theirs", limit=1)] == [other]


def test_all_spaces_are_read_only_when_asked_for(memory_of_two: Memory) -> None:
    memory = memory_of_two
    assert {hit.frame.space for hit in memory.search("zebra", space=ALL)} == {"a", "b"}
    assert {hit.frame.space for hit in memory.search("zebra", space=("a", "b"))} == {"a", "b"}
    assert {hit.frame.space for hit in memory.search("zebra", space="a")} == {"a"}
    assert not memory.search("zebra")


@pytest.fixture
def memory_of_two(location: str) -> Any:
    with open_memory(location, embedder=None) as memory:
        memory.remember("zebra", space="a")
        memory.remember("zebra", space="b")
        yield memory
