"""What changed between two states reads like a log, with evidence."""

from __future__ import annotations

from itertools import pairwise

import pytest

from longmind import AsOf, InvalidInput
from longmind.base.times import FOREVER
from tests.conftest import START
from tests.facts.conftest import World

DAY = 86_400_000


def scripted(world: World) -> dict[str, int]:
    """A story of a few days; the system time after each of its steps."""
    world.facts.define_predicate("lives_in", cardinality="one")
    world.facts.define_predicate("works_at", cardinality="one")
    marks = {"start": world.store.revision()}

    def day(name: str) -> None:
        marks[name] = world.store.revision()
        world.clock.advance(days=1)

    said = world.remember("Ana lives in Porto and works at Acme. She likes soup.")
    for predicate, value in (("lives_in", "Porto"), ("works_at", "Acme"), ("likes", "soup")):
        world.facts.record("ana", predicate, value, valid_from=START - 100 * DAY, evidence=[said])
    day("first")
    moved = world.remember("Ana moved to Lisbon.")
    world.facts.record("ana", "lives_in", "Lisbon", valid_from=world.clock.now(), evidence=[moved])
    day("moved")
    world.facts.record("ana", "likes", "rice", valid_from=START)
    world.facts.retract("ana", "likes", "soup", reason="a mistake")
    day("tastes")
    world.facts.retract("ana", "works_at", valid_to=START + 2 * DAY)
    day("left")
    return marks


def test_a_change_log_says_what_began_ended_and_changed(quiet: World) -> None:
    marks = scripted(quiet)
    log = quiet.facts.diff(AsOf(marks["first"], FOREVER))
    assert [(change.kind, str(change.fact), change.reason) for change in log] == [
        ("changed", "ana lives_in Lisbon", None),
        ("began", "ana likes rice", None),
        ("ended", "ana likes soup", "a mistake"),
        ("ended", "ana works_at Acme", "retracted"),
    ]
    assert str(log).splitlines() == [
        "2023-11-15T22:13:20.001Z changed: ana lives_in Porto -> Lisbon [frame 2]",
        "2023-11-16T22:13:20Z began: ana likes rice",
        "2023-11-16T22:13:20.001Z ended: ana likes soup [a mistake] [frame 1]",
        "2023-11-17T22:13:20Z ended: ana works_at Acme [retracted] [frame 1]",
    ]
    moved = log[0]
    assert moved.before is not None
    assert moved.after is not None
    assert (moved.before.fact.object, moved.after.fact.object) == ("Porto", "Lisbon")
    assert [item.frame for item in moved.before.evidence] == [1]
    assert [item.frame for item in moved.after.evidence] == [2]
    assert not log.truncated


def test_between_the_same_state_nothing_changed(quiet: World) -> None:
    marks = scripted(quiet)
    for mark in marks.values():
        assert len(quiet.facts.diff(AsOf(mark, FOREVER), AsOf(mark, FOREVER))) == 0


def test_changes_add_up(quiet: World) -> None:
    """Applying each step's log to the state before it gives the state after it."""
    marks = list(scripted(quiet).values())

    def state(system: int) -> set[int]:
        return {hit.fact_id for hit in quiet.facts.about("ana", as_of=AsOf(system, FOREVER))}

    for before, after in pairwise(marks):
        log = quiet.facts.diff(AsOf(before, FOREVER), AsOf(after, FOREVER))
        gone = {change.before.fact_id for change in log if change.before is not None}
        came = {change.after.fact_id for change in log if change.after is not None}
        assert (state(before) - gone) | came == state(after)


def test_the_world_changes_without_the_store_learning_anything(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0, valid_to=10)
    quiet.facts.record("ana", "lives_in", "Faro", valid_from=10, valid_to=20)
    known = quiet.store.revision()
    log = quiet.facts.diff(AsOf(known, 5), AsOf(known, 15))
    assert [(change.kind, change.axis, change.at) for change in log] == [("changed", "valid", 10)]
    log = quiet.facts.diff(AsOf(known, 15), AsOf(known, 25))
    assert [(change.kind, change.axis, change.at) for change in log] == [("ended", "valid", 20)]


def test_a_period_that_got_an_end_is_revised(quiet: World) -> None:
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0)
    before = quiet.store.revision()
    quiet.facts.retract("ana", "lives_in", valid_to=100)
    [change] = quiet.facts.diff(AsOf(before, 50), AsOf(quiet.store.revision(), 50))
    assert change.before is not None
    assert change.after is not None
    assert (change.kind, change.before.valid_to, change.after.valid_to) == ("revised", None, 100)


def test_a_log_can_be_narrowed_and_says_when_it_was_cut(quiet: World) -> None:
    marks = scripted(quiet)
    start = AsOf(marks["start"], FOREVER)
    quiet.facts.record("bob", "likes", "tea")
    assert {change.fact.predicate for change in quiet.facts.diff(start, predicate="likes")} == {"likes"}
    assert [str(change.fact) for change in quiet.facts.diff(start, subject="bob")] == ["bob likes tea"]
    assert len(quiet.facts.diff(start, subject="nobody")) == 0
    assert quiet.facts.diff(start, limit=1).truncated


def test_an_instant_stands_for_both_axes_and_time_runs_forward(quiet: World) -> None:
    scripted(quiet)
    assert len(quiet.facts.diff(START - DAY, START + 10 * DAY)) > 0
    with pytest.raises(InvalidInput):
        quiet.facts.diff(START + DAY, START)


def test_a_change_is_dated_by_when_it_was_first_known_and_last_held(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0)
    before = AsOf(quiet.store.revision(), 50)
    quiet.clock.advance(days=1)
    quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=40)
    learned = quiet.store.revision()
    quiet.clock.advance(days=1)
    quiet.facts.retract("ana", "lives_in", "Lisbon", valid_to=90)
    [change] = quiet.facts.diff(before, AsOf(quiet.store.revision(), 50))
    assert (change.kind, change.at, str(change.fact)) == ("changed", learned, "ana lives_in Lisbon")
    middle = AsOf(learned, 50)
    quiet.clock.advance(days=1)
    quiet.facts.retract("ana", "lives_in", "Lisbon", reason="never so")
    [change] = quiet.facts.diff(middle)
    assert (change.kind, change.at) == ("changed", quiet.store.revision())
    assert str(change.fact) == "ana lives_in Porto"
    quiet.facts.retract("ana", "lives_in", reason="never so")
    [change] = quiet.facts.diff(middle)
    assert (change.kind, change.at, change.reason) == ("ended", quiet.store.revision() - 1, "never so")


def test_what_was_retracted_and_said_again_began_again(quiet: World) -> None:
    quiet.facts.record("ana", "likes", "soup", valid_from=0)
    quiet.facts.retract("ana", "likes")
    before = AsOf(quiet.store.revision(), FOREVER)
    quiet.clock.advance(days=1)
    quiet.facts.record("ana", "likes", "soup", valid_from=0)
    [change] = quiet.facts.diff(before)
    assert (change.kind, change.axis, change.at) == ("began", "system", quiet.store.revision())
