"""A clock that is set back does not file what is said next as the past: said later counts as later."""

from __future__ import annotations

from typing import Any

import pytest

from longmind import AsOf, FrozenClock, Memory
from longmind.operations.values import as_of as as_asked
from tests.conftest import START

STEPS = {"5 s": 5_000, "an hour": 3_600_000, "three years": 3 * 365 * 86_400_000}
DAY = 86_400_000

pytestmark = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())


def values(memory: Memory, predicate: str, subject: str = "user", **options: Any) -> list[str]:
    return [str(hit.fact.object) for hit in memory.facts.about(subject, predicate=predicate, **options)]


def history(memory: Memory, predicate: str, subject: str = "user") -> list[str]:
    """The values in order; a period that was cut is listed as it was and as it is."""
    hits = memory.facts.history(subject, predicate=predicate)
    return list(dict.fromkeys(str(hit.fact.object) for hit in hits))


def test_a_value_recorded_next_is_the_current_one(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.facts.define_predicate("lives_in", cardinality="one")
    memory.facts.record("user", "lives_in", "Rome", valid_from=START - 9 * 365 * DAY)
    memory.facts.record("user", "lives_in", "Porto")
    clock.advance(milliseconds=-step)
    memory.facts.record("user", "lives_in", "Lisbon")
    assert values(memory, "lives_in") == ["Lisbon"]
    assert values(memory, "lives_in", as_of=as_asked(memory, None)) == ["Lisbon"]
    assert history(memory, "lives_in") == ["Rome", "Porto", "Lisbon"]
    assert memory.verify(deep=True)


def test_a_value_recorded_again_is_unchanged(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.facts.define_predicate("speaks", cardinality="many")
    memory.facts.record("user", "speaks", "Greek")
    before = [(hit.valid_from, hit.valid_to) for hit in memory.facts.about("user")]
    clock.advance(milliseconds=-step)
    assert memory.facts.record("user", "speaks", "Greek").status == "unchanged"
    assert [(hit.valid_from, hit.valid_to) for hit in memory.facts.about("user")] == before


def test_a_value_dated_ahead_still_comes_later(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.facts.define_predicate("lives_in", cardinality="one")
    moves = START + 30 * DAY
    memory.facts.record("user", "lives_in", "Porto", valid_from=moves)
    clock.advance(milliseconds=-step)
    memory.facts.record("user", "lives_in", "Rome")
    assert values(memory, "lives_in", as_of=as_asked(memory, None)) == ["Rome"]
    assert values(memory, "lives_in") == ["Porto"]


def test_a_moment_that_was_named_is_taken_as_it_is(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.facts.define_predicate("lives_in", cardinality="one")
    memory.facts.record("user", "lives_in", "Porto")
    clock.advance(milliseconds=-step)
    memory.facts.record("user", "lives_in", "Rome", valid_from=START - 10 * 365 * DAY)
    memory.remember("I live in Oslo.", occurred_at=START - 9 * 365 * DAY)
    assert values(memory, "lives_in") == ["Porto"]


def test_a_text_remembered_next_says_what_is_so_now(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.remember("I live in Porto.")
    clock.advance(milliseconds=-step)
    memory.remember("I live in Lisbon.")
    assert values(memory, "lives_in") == ["Lisbon"]
    memory.remember("I live in Braga now.")
    assert values(memory, "lives_in") == ["Braga"]
    assert history(memory, "lives_in")[-1] == "Braga"


def test_what_is_said_to_be_over_is_over(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.remember("I work at Acme.")
    assert values(memory, "works_at") == ["Acme"]
    clock.advance(milliseconds=-step)
    memory.remember("I no longer work at Acme.")
    assert values(memory, "works_at") == []
    memory.remember("I work at Initech.")
    assert values(memory, "works_at") == ["Initech"]


def test_a_later_turn_is_believed(memory: Memory, clock: FrozenClock, step: int) -> None:
    talk = memory.conversation("s1")
    talk.add_turn("user", "I live in Porto.")
    clock.advance(milliseconds=-step)
    talk.add_turn("user", "I moved to Lisbon.")
    assert values(memory, "lives_in") == ["Lisbon"]
    assert [item.content for item in memory.memories.list()] == ["User moved to Lisbon"]


def test_a_memory_seen_again_is_no_older(memory: Memory, clock: FrozenClock, step: int) -> None:
    talk = memory.conversation("s1")
    [found] = talk.add_turn("user", "I love chess.").extracted
    clock.advance(milliseconds=-step)
    talk.add_turn("user", "I love chess!")
    seen = memory.memories.get(found.id)
    assert seen.last_seen_at == START
    assert seen.score > 0
    assert memory.memories.gc(clock.now()).deleted == ()
    assert memory.memories.get(found.id).status == "active"


def test_an_experience_fact_that_was_updated_stays_so(memory: Memory, clock: FrozenClock, step: int) -> None:
    experience = memory.experience
    old = experience.fact("The build takes ten minutes.", evidence="none")
    clock.advance(milliseconds=-step)
    change = experience.change("The cache was added.", evidence="none")
    new = experience.fact("The build takes two minutes.", evidence="none")
    experience.update_fact(old.id, change.id, new.id)
    assert [record.id for record in experience.current_facts()] == [new.id]
    assert [record.id for record in experience.current_facts(as_of=as_asked(memory, None))] == [new.id]


def test_an_object_changed_next_is_no_older(memory: Memory, clock: FrozenClock, step: int) -> None:
    space = memory.space("project")
    first = space.remember_structured({"path": "a/plan", "raw": "Ship on Friday."}).object
    clock.advance(milliseconds=-step)
    changed = space.remember_structured({"path": "a/plan", "raw": "Ship on Monday."}).object
    assert changed.updated_at >= first.updated_at
    assert changed.created_at == first.created_at
    assert space.pin("a/plan").updated_at >= changed.updated_at
    assert memory.spaces.gc("project", ttl_days=1, now=clock.now()).expired == ()


def test_system_time_and_the_lease_go_on(memory: Memory, clock: FrozenClock, step: int) -> None:
    memory.remember("before")
    known = memory.revision
    clock.advance(milliseconds=-step)
    with memory.session(mode="write", policy="fail"):
        later = memory.remember("after").id
    assert memory.revision > known
    assert [frame.text for frame in memory.list(as_of=AsOf(known, AsOf.LATEST.valid))] == ["before"]
    assert memory.get(later).recorded_at > known
