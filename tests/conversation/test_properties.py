"""Any batching gives the same memories; a sweep is idempotent; a dry run predicts the run."""

from __future__ import annotations

from itertools import count, pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import FrozenClock, Memory
from longmind.conversation.memories import Memories

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
dated_turns = st.lists(
    st.tuples(st.sampled_from(SAYINGS), st.sampled_from([0, 1, 6, 9])), min_size=1, max_size=8
)
modest = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
few = settings(modest, max_examples=4)
fresh = count()
"""Each example has spaces of its own: making a store for each would take most of the time."""


def state(memories: Memories, space: str) -> list[tuple[Any, ...]]:
    """How everything stands, and why; memories are numbered by their order."""
    found = []
    for number, item in enumerate(memories.list(status=None, sort="id", limit=1000, space=space)):
        why = memories.why(item.id, space=space)
        decisions = [(decision.action, decision.at) for decision in why.decisions]
        links = [(link.reason, link.rule, link.start, link.end) for link in why.links]
        found.append((number, item.content, item.layer, item.status, item.hits, item.score, decisions, links))
    return found


@given(said=turns, cuts=st.sets(st.integers(1, 7)))
@modest
def test_any_batching_gives_the_same_memories(memories: Memories, said: list[str], cuts: set[int]) -> None:
    results = []
    for edges in (list(range(1, len(said))), sorted(cuts)):
        space = f"space-{next(fresh)}"
        talk = memories.conversation("s", space=space)
        bounds = [0, *(edge for edge in edges if edge < len(said)), len(said)]
        for first, last in pairwise(bounds):
            talk.add_turns([("user", text) for text in said[first:last]])
        results.append(state(memories, space))
    assert results[0] == results[1]


@given(
    said=dated_turns,
    later=st.sampled_from([0, 3, 8, 14, 31]),
    capacity=st.sampled_from([0, 1, 2, 500]),
    archive=st.booleans(),
)
@modest
def test_a_sweep_is_idempotent_and_a_dry_run_predicts_it(
    memory: Memory,
    memories: Memories,
    clock: FrozenClock,
    said: list[tuple[str, int]],
    later: int,
    capacity: int,
    archive: bool,
) -> None:
    space = f"space-{next(fresh)}"
    memories.configure({"mid.capacity": capacity, "mid.archive": archive, "mid.promote_hits": 2})
    talk = memories.conversation("s", space=space)
    for text, days in said:
        talk.add_turn("user", text)
        clock.advance(days=days)
    now = clock.advance(days=later)
    before = state(memories, space)
    predicted = memories.gc(now, dry_run=True, space=space)
    assert state(memories, space) == before
    done = memories.gc(now, space=space)
    for name in ("scored", "promoted", "archived", "deleted", "average_score", "average_age_days"):
        assert getattr(done, name) == getattr(predicted, name)
    after, revision = state(memories, space), memory.revision
    again = memories.gc(now, space=space)
    assert (again.promoted, again.archived, again.deleted) == ((), (), ())
    assert (state(memories, space), memory.revision) == (after, revision)


@given(said=dated_turns, capacity=st.sampled_from([0, 2, 500]))
@few
def test_reindexing_changes_nothing_that_is_read(
    memory: Memory, memories: Memories, clock: FrozenClock, said: list[tuple[str, int]], capacity: int
) -> None:
    space = f"space-{next(fresh)}"
    memories.configure({"mid.capacity": capacity, "mid.promote_hits": 2})
    for text, days in said:
        memories.conversation("s", space=space).add_turn("user", text)
        memories.gc(clock.advance(days=days), space=space)
    before = state(memories, space)
    listed = [item.id for item in memories.list(limit=1000, space=space)]
    memory.reindex()
    assert state(memories, space) == before
    assert [item.id for item in memories.list(limit=1000, space=space)] == listed
    assert memory.verify(deep=True)
