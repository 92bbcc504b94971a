"""Names in memory only ever spare a query: what is found is what the store says."""

from __future__ import annotations

import pytest

from longmind.base.filters import EVERYTHING, View
from longmind.facts.lane import candidates
from longmind.facts.names import NameIndex
from longmind.facts.values import Evidence
from longmind.store.follower import Mirrors
from tests.facts.conftest import World

HOME = View(("default",))
QUESTIONS = ("Where does Ana live?", "Where does Bo live?", "Who is nobody?", "")


def tell(world: World, name: str) -> int:
    frame = world.remember(f"A note about {name} and nobody else.")
    world.facts.record(name, "lives_in", "Porto", evidence=[Evidence(frame, 0, 6)], valid_from=0)
    return frame


def check(world: World, names: NameIndex) -> list[list[int]]:
    with world.store.read() as snapshot:
        found = [candidates(snapshot, query, HOME, EVERYTHING, names=names) for query in QUESTIONS]
        assert found == [candidates(snapshot, query, HOME, EVERYTHING) for query in QUESTIONS]
    return [[hit.frame_id for hit in hits] for hits in found]


@pytest.mark.parametrize("limit", [1, 300, 100_000])
def test_what_is_found_is_the_same_with_names_in_memory(quiet: World, limit: int) -> None:
    names = NameIndex(Mirrors(limit))
    assert check(quiet, names) == [[], [], [], []]
    ana = tell(quiet, "ana")
    assert check(quiet, names) == [[ana], [], [], []]
    bo = tell(quiet, "bo")
    assert check(quiet, names) == [[ana], [bo], [], []]
    quiet.erase(ana)
    assert check(quiet, names) == [[], [bo], [], []]
    again = tell(quiet, "ana")
    assert check(quiet, names) == [[again], [bo], [], []]


def test_who_asks_once_reads_only_what_is_asked_for(quiet: World) -> None:
    tell(quiet, "ana")
    names = NameIndex(Mirrors())
    asked = ["ana", "nobody"]
    with quiet.store.read() as snapshot:
        assert names.among(asked, snapshot) == asked
        assert names.among(asked, snapshot) == asked
    with quiet.store.read() as snapshot:
        assert names.among(asked, snapshot) == ["ana"]
