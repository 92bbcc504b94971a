"""Any batching gives the same memories; a sweep is idempotent; a dry run predicts the run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import FrozenClock, Memory
from recollect.conversation.memories import Memories
from tests.conftest import ENGINES, START
from tests.conversation.conftest import attach

SAYINGS = (
    "I like tea",
    "I love tea!",
    "I no longer like tea",
    "I hate tea",
    "I live in Porto",
    "I live in Lisbon, Portugal",
    "I moved to Lisbon",
    "My name is Ana",
    "My sister is Eva",
    "My sister is Ida. I like tea. I don't like tea anymore",
    "My email is ana@example.com and I play chess",
    "Is it raining?",
)
turns = st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=8)
modest = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NewLocation = Callable[[str], str]


def state(memories: Memories) -> list[tuple[Any, ...]]:
    found = []
    for item in memories.list(status=None, sort="id", limit=1000):
        why = memories.why(item.id)
        decisions = [(decision.action, decision.at) for decision in why.decisions]
        links = [(link.reason, link.rule, link.start, link.end) for link in why.links]
        found.append(
            (item.id, item.content, item.layer, item.status, item.hits, item.score, decisions, links)
        )
    return found


@pytest.mark.parametrize("engine", ENGINES)
@given(said=turns, cuts=st.sets(st.integers(1, 7)))
@modest
def test_any_batching_gives_the_same_memories(
    engine: str, new_location: NewLocation, said: list[str], cuts: set[int]
) -> None:
    results = []
    for edges in (list(range(1, len(said))), sorted(cuts)):
        with Memory.open(new_location(engine), clock=FrozenClock(START), embedder=None) as memory:
            memories = attach(memory)
            talk = memories.conversation("s")
            bounds = [0, *(edge for edge in edges if edge < len(said)), len(said)]
            for first, last in pairwise(bounds):
                talk.add_turns([("user", text) for text in said[first:last]])
            results.append(state(memories))
    assert results[0] == results[1]


@pytest.mark.parametrize("engine", ENGINES)
@given(
    said=st.lists(st.tuples(st.sampled_from(SAYINGS), st.sampled_from([0, 1, 6, 9])), min_size=1, max_size=8),
    later=st.sampled_from([0, 3, 8, 14, 31]),
    capacity=st.sampled_from([0, 1, 2, 500]),
    archive=st.booleans(),
)
@modest
def test_a_sweep_is_idempotent_and_a_dry_run_predicts_it(
    engine: str,
    new_location: NewLocation,
    said: list[tuple[str, int]],
    later: int,
    capacity: int,
    archive: bool,
) -> None:
    clock = FrozenClock(START)
    with Memory.open(new_location(engine), clock=clock, embedder=None) as memory:
        memories = attach(memory)
        memories.configure({"mid.capacity": capacity, "mid.archive": archive, "mid.promote_hits": 2})
        talk = memories.conversation("s")
        for text, days in said:
            talk.add_turn("user", text)
            clock.advance(days=days)
        now = clock.advance(days=later)
        before = state(memories)
        predicted = memories.gc(now, dry_run=True)
        assert state(memories) == before
        done = memories.gc(now)
        for name in ("scored", "promoted", "archived", "deleted", "average_score", "average_age_days"):
            assert getattr(done, name) == getattr(predicted, name)
        after, revision = state(memories), memory.revision
        again = memories.gc(now)
        assert (again.promoted, again.archived, again.deleted) == ((), (), ())
        assert (state(memories), memory.revision) == (after, revision)
        listed = [item.id for item in memories.list(limit=1000)]
        memory.reindex()
        assert state(memories) == after
        assert [item.id for item in memories.list(limit=1000)] == listed
        assert memory.verify(deep=True)
