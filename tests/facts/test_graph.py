"""Walking along facts, within budgets."""

from __future__ import annotations

from typing import Any

import pytest

from longmind import AsOf, InvalidInput
from longmind.facts.values import Assertion, Entity
from tests.facts.conftest import World


@pytest.fixture
def people(quiet: World) -> World:
    quiet.facts.record_many(
        [
            Assertion("ana", "knows", Entity("bob"), 10),
            Assertion("ana", "knows", Entity("Carla"), 20),
            Assertion("ana", "employs", Entity("dan"), 30),
            Assertion("bob", "knows", Entity("eve"), 10),
            Assertion("eve", "knows", Entity("ana"), 10),
            Assertion("ana", "likes", "soup", 10),
            Assertion("carla", "married_to", Entity("dan"), 10, 50),
        ]
    )
    return quiet


def edges(world: World, of: str = "ana", **given: object) -> list[tuple[str, str, str, int]]:
    found = world.facts.neighbors(of, **given)  # type: ignore[arg-type]
    return [(edge.direction, str(edge.predicate), str(edge.neighbor), edge.depth) for edge in found]


def test_edges_come_by_predicate_and_neighbor(people: World) -> None:
    assert edges(people, direction="out") == [
        ("out", "employs", "dan", 1),
        ("out", "knows", "bob", 1),
        ("out", "knows", "Carla", 1),
    ]
    assert edges(people, direction="in") == [("in", "knows", "eve", 1)]
    assert edges(people) == [
        ("out", "employs", "dan", 1),
        ("out", "knows", "bob", 1),
        ("out", "knows", "Carla", 1),
        ("in", "knows", "eve", 1),
    ]


def test_a_walk_goes_as_deep_as_it_may_and_crosses_each_fact_once(people: World) -> None:
    assert edges(people, direction="out", depth=3, predicates="knows") == [
        ("out", "knows", "bob", 1),
        ("out", "knows", "Carla", 1),
        ("out", "knows", "eve", 2),
        ("out", "knows", "ana", 3),
    ]
    past = AsOf(AsOf.LATEST.system, 40)
    assert ("out", "married_to", "dan", 2) in edges(people, depth=2, as_of=past)
    assert all(edge[1] != "married_to" for edge in edges(people, depth=2))


def test_the_same_walk_from_an_alias(people: World) -> None:
    people.facts.add_alias("ana", "Ana Silva")
    assert edges(people, "ana silva") == edges(people)
    assert edges(people, "nobody") == []


def test_budgets_cut_and_say_so(people: World) -> None:
    cut = people.facts.neighbors("ana", limit=2)
    assert ([str(edge.neighbor) for edge in cut], cut.truncated) == (["dan", "bob"], True)
    few = people.facts.neighbors("ana", depth=3, max_edges=2)
    assert (len(few), few.truncated) == (2, True)
    assert not people.facts.neighbors("ana", depth=3).truncated
    wrong: list[dict[str, Any]] = [{"depth": 0}, {"limit": 0}, {"max_edges": -1}, {"direction": "up"}]
    for given in wrong:
        with pytest.raises(InvalidInput):
            people.facts.neighbors("ana", **given)


def test_edges_newest_first_among_equals(quiet: World) -> None:
    for start in (10, 30, 20):
        quiet.facts.record("ana", "met", Entity("bob"), valid_from=start, qualifiers={"at": start})
    found = quiet.facts.neighbors("ana")
    assert [edge.valid_from for edge in found] == [30, 20, 10]
