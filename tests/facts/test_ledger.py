"""Recording, replacing and retracting: the named cases of bitemporal supersession, on both engines."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from longmind import AsOf, Conflict, InvalidInput, NotFound
from longmind.facts.canonical import ObjectKind
from longmind.facts.results import Retracted
from longmind.facts.values import OPEN, Assertion, Entity
from tests.facts.conftest import World
from tests.facts.moments import DAY, FOREVER, T0, T1, T2, valid_at, values

# One value at a time


def test_a_new_value_supersedes_the_old_from_when_it_begins(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    before = home.store.revision()
    result = home.facts.record("ana", "lives_in", "Lisbon", valid_from=T1)
    assert result.status == "recorded"
    assert len(result.superseded) == 1
    assert values(home) == ["Lisbon"]
    assert values(home, valid_at(T1 - 1)) == ["Porto"]
    assert values(home, AsOf(system=before, valid=FOREVER)) == ["Porto"]
    assert values(home, AsOf(system=before, valid=T2)) == ["Porto"]
    assert values(home, valid_at(T0 - 1)) == []


def test_a_late_arriving_earlier_value_fills_only_its_own_past(home: World) -> None:
    home.facts.record("ana", "lives_in", "Lisbon", valid_from=T2)
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    assert values(home) == ["Lisbon"]
    assert values(home, valid_at(T2 - 1)) == ["Porto"]
    assert values(home, valid_at(T2)) == ["Lisbon"]


def test_a_correction_of_a_past_period_leaves_what_is_around_it(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    before = home.store.revision()
    home.facts.record("ana", "lives_in", "Faro", valid_from=T1, valid_to=T2)
    expected = [(T1 - 1, "Porto"), (T1, "Faro"), (T2 - 1, "Faro"), (T2, "Porto"), (FOREVER, "Porto")]
    assert [(moment, values(home, valid_at(moment))) for moment, _ in expected] == [
        (moment, [city]) for moment, city in expected
    ]
    assert values(home, AsOf(system=before, valid=T1)) == ["Porto"]


def test_two_disjoint_periods_of_one_value(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0, valid_to=T1)
    home.facts.record("ana", "lives_in", "Porto", valid_from=T2)
    home.facts.record("ana", "lives_in", "Lisbon", valid_from=T1, valid_to=T2)
    assert [values(home, valid_at(moment)) for moment in (T0, T1, T2, FOREVER)] == [
        ["Porto"],
        ["Lisbon"],
        ["Porto"],
        ["Porto"],
    ]
    history = home.facts.history("ana", "lives_in")
    assert [(hit.valid_from, hit.valid_to) for hit in history if hit.fact.object == "Porto"] == [
        (T0, T1),
        (T2, None),
    ]
    assert len({hit.fact_id for hit in history}) == 2


def test_the_same_value_recorded_again_is_asserted_again_and_changes_no_period(home: World) -> None:
    first = home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    again = home.facts.record("Ana", "Lives_in", " porto".strip(), valid_from=T1)
    assert (again.fact_id, again.status, again.superseded) == (first.fact_id, "unchanged", ())
    assert len(home.facts.history("ana")) == 1
    home.facts.record("ana", "lives_in", "Faro", valid_from=T1 - DAY)
    assert values(home) == ["Porto"]
    assert values(home, valid_at(T1 - 1)) == ["Faro"]


def test_touching_periods_of_one_value_become_one(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0, valid_to=T1)
    result = home.facts.record("ana", "lives_in", "Porto", valid_from=T1, valid_to=T2)
    assert result.status == "extended"
    [hit] = home.facts.about("ana", as_of=valid_at(T1))
    assert (hit.valid_from, hit.valid_to) == (T0, T2)


def test_an_open_end_can_be_forced(home: World) -> None:
    home.facts.record("ana", "lives_in", "Lisbon", valid_from=T2)
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0, valid_to=OPEN)
    assert values(home) == ["Porto"]
    assert values(home, valid_at(T2)) == ["Porto"]


def test_replace_makes_room_even_among_many_values(quiet: World) -> None:
    for tag in ("red", "green"):
        quiet.facts.record("ana", "wears", tag, valid_from=T0)
    result = quiet.facts.replace("ana", "wears", "blue", valid_from=T1)
    assert len(result.superseded) == 2
    assert values(quiet, predicate="wears") == ["blue"]
    assert values(quiet, valid_at(T1 - 1), predicate="wears") == ["green", "red"]


def test_many_values_stand_side_by_side(quiet: World) -> None:
    for dish in ("soup", "rice", "soup"):
        quiet.facts.record("ana", "likes", dish, valid_from=T0)
    assert values(quiet, predicate="likes") == ["rice", "soup"]


def test_boundary_instants_are_half_open_on_both_axes(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0, valid_to=T1)
    [hit] = home.facts.about("ana", as_of=valid_at(T0))
    known = hit.system_from
    home.clock.advance(days=1)
    home.facts.retract("ana", "lives_in")
    closed = home.store.revision()
    assert values(home, AsOf(known, T0)) == ["Porto"]
    assert values(home, AsOf(known - 1, T0)) == []
    assert values(home, AsOf(known, T1 - 1)) == ["Porto"]
    assert values(home, AsOf(known, T1)) == []
    assert values(home, AsOf(closed - 1, T0)) == ["Porto"]
    assert values(home, AsOf(closed, T0)) == []


def test_valid_time_begins_with_the_clock_unless_it_is_given(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto")
    [hit] = home.facts.about("ana")
    assert hit.valid_from == home.clock.now()
    assert hit.is_open_ended


def test_system_time_goes_on_when_the_clock_goes_back(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    before = home.store.revision()
    home.clock.advance(days=-30)
    home.facts.record("ana", "lives_in", "Lisbon", valid_from=T1)
    [hit] = home.facts.about("ana")
    assert hit.system_from == before + 1
    assert values(home, AsOf(before, FOREVER)) == ["Porto"]


# One transaction


def test_statements_of_one_transaction_apply_in_order_and_leave_no_trace_of_steps(home: World) -> None:
    report = home.facts.record_many(
        [
            Assertion("ana", "lives_in", "Faro", valid_from=T0),
            Assertion("ana", "lives_in", "Porto", valid_from=T0),
            {"subject": "ana", "predicate": "lives_in", "value": "Lisbon", "valid_from": T1},
        ]
    )
    assert (report.recorded, report.superseded, len(report)) == (3, 2, 3)
    history = home.facts.history("ana")
    assert [(hit.fact.object, hit.valid_from, hit.valid_to, hit.system_to) for hit in history] == [
        ("Porto", T0, T1, None),
        ("Lisbon", T1, None, None),
    ]
    assert home.rows("SELECT count(*) FROM fact_assertion") == [(3,)]


def test_a_span_opened_and_superseded_in_one_transaction_is_replaced_not_closed(home: World) -> None:
    from longmind.facts.validate import claim
    from longmind.facts.write import write

    with home.store.write() as tx:
        for city in ("Porto", "Lisbon"):
            item = claim(Assertion("ana", "lives_in", city, valid_from=T0), now=tx.system)
            write(tx, [item], ledger="default", space="default")
    assert [(hit.fact.object, hit.system_to) for hit in home.facts.history("ana")] == [("Lisbon", None)]
    assert home.rows("SELECT count(*) FROM fact_span") == [(1,)]


def test_a_batch_with_a_mistake_writes_nothing(home: World) -> None:
    revision = home.store.revision()
    good = Assertion("ana", "lives_in", "Porto")
    wrong: list[Any] = [
        {"subject": "ana", "predicate": "lives_in"},
        {"subject": "ana", "predicate": "lives_in", "value": "x", "since": 3},
        {"subject": "ana", "predicate": "lives_in", "value": None},
        Assertion("ana", "lives_in", "x", evidence=[99]),
        Assertion("ana", "lives_in", "x", valid_from=T1, valid_to=T0),
        Assertion("ana", "lives_in", "x", valid_to=home.clock.now()),
        "ana lives in Porto",
    ]
    for item in wrong:
        with pytest.raises((InvalidInput, NotFound)):
            home.facts.record_many([good, item])
    assert home.store.revision() == revision
    assert home.rows("SELECT count(*) FROM fact_entity") == [(0,)]


# Retracting


def test_a_retracted_fact_stays_visible_as_of_before(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    before = home.store.revision()
    home.clock.advance(days=1)
    result = home.facts.retract("ana", "lives_in", "Porto", reason="another Ana")
    assert (result.spans, bool(result)) == (1, True)
    assert values(home) == []
    assert values(home, AsOf(before, FOREVER)) == ["Porto"]
    [hit] = home.facts.history("ana")
    assert (hit.system_to, hit.reason) == (home.store.revision(), "another Ana")


def test_retracting_twice_changes_nothing(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    home.facts.retract("ana", "lives_in")
    revision = home.store.revision()
    again = home.facts.retract("ana", "lives_in")
    assert (again, bool(again), home.store.revision()) == (Retracted((), 0), False, revision)
    assert not home.facts.retract("nobody", "lives_in")
    assert not home.facts.retract("ana", "nothing_known")


def test_an_end_in_valid_time_keeps_what_was_before(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    home.facts.retract("ana", "lives_in", "Porto", valid_to=T2)
    assert values(home) == []
    assert values(home, valid_at(T2 - 1)) == ["Porto"]
    assert values(home, valid_at(T2)) == []
    assert not home.facts.retract("ana", "lives_in", "Porto", valid_to=T2)


@pytest.mark.parametrize("end", [T0, T0 - 1])
def test_an_end_at_or_before_the_start_is_refused(home: World, end: int) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    with pytest.raises(InvalidInput, match="began"):
        home.facts.retract("ana", "lives_in", "Porto", valid_to=end)
    assert values(home) == ["Porto"]


def test_a_hit_retracts_just_its_own_period(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0, valid_to=T1)
    home.facts.record("ana", "lives_in", "Porto", valid_from=T2)
    [past] = home.facts.about("ana", as_of=valid_at(T0))
    assert home.facts.retract(past).spans == 1
    assert values(home) == ["Porto"]
    assert values(home, valid_at(T0)) == []
    assert not home.facts.retract(past)


def test_a_retracted_value_can_be_recorded_again(home: World) -> None:
    first = home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    home.facts.retract("ana", "lives_in")
    again = home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    assert (again.fact_id, again.status) == (first.fact_id, "recorded")
    assert values(home) == ["Porto"]
    assert len(home.facts.history("ana")) == 2


# Unrelated statements


def test_unrelated_facts_never_retire_each_other(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    home.facts.record("bob", "lives_in", "Lisbon", valid_from=T0)
    home.facts.record("ana", "works_in", "Lisbon", valid_from=T0)
    home.facts.record("ana", "lives_in", "Faro", valid_from=T0, qualifiers={"season": "summer"})
    home.facts.record("ana", "lives_in", "Braga", valid_from=T0, space="other")
    home.facts.record("ana", "lives_in", "Madrid", valid_from=T0, qualifiers={"season": "winter"})
    home.facts.retract("bob", "lives_in")
    assert values(home) == ["Faro", "Madrid", "Porto"]
    assert values(home, predicate="works_in") == ["Lisbon"]
    assert [hit.fact.object for hit in home.facts.about("ana", space="other")] == ["Braga"]


def test_qualifiers_are_part_of_the_statement(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0, qualifiers={"season": "summer"})
    home.facts.record("ana", "lives_in", "Faro", valid_from=T1, qualifiers={"Season": "Summer"})
    [hit] = home.facts.about("ana")
    assert (hit.fact.object, dict(hit.fact.qualifiers)) == ("Faro", {"Season": "Summer"})
    assert not home.facts.retract("ana", "lives_in")
    assert home.facts.retract("ana", "lives_in", qualifiers={"season": "SUMMER"})


# Values and names


@pytest.mark.parametrize(
    "value",
    [
        "São Paulo",
        "",
        0,
        -(2**63),
        2**63 - 1,
        0.1,
        -1e300,
        True,
        False,
        b"",
        b"\x00\xff",
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
        Entity("Bob"),
    ],
)
def test_every_kind_of_value_comes_back_as_it_was_given(quiet: World, value: Any) -> None:
    quiet.facts.record("ana", "has", value, qualifiers={"as": value})
    [hit] = quiet.facts.about("ana")
    assert hit.fact.object == value
    assert type(hit.fact.object) is type(value)
    assert hit.fact.qualifiers == (("as", value),)
    assert quiet.facts.retract("ana", "has", value, qualifiers={"as": value})


def test_one_and_true_are_different_values(quiet: World) -> None:
    for value in (1, True, 1.0, "1"):
        quiet.facts.record("ana", "has", value)
    kinds = [hit.fact.kind for hit in quiet.facts.about("ana")]
    assert kinds == [ObjectKind.TEXT, ObjectKind.INT, ObjectKind.DOUBLE, ObjectKind.BOOL]


def test_exact_predicates_tell_texts_apart_by_case(quiet: World) -> None:
    quiet.facts.define_predicate("token", exact=True)
    for value in ("abc", "ABC", "abc"):
        quiet.facts.record("ana", "token", value)
        quiet.facts.record("ana", "name", value)
    assert values(quiet, predicate="token") == ["ABC", "abc"]
    assert values(quiet, predicate="name") == ["abc"]


def test_the_text_stored_is_the_one_given(quiet: World) -> None:
    quiet.facts.record("Ana María", "Lives_In", "São Paulo")
    [hit] = quiet.facts.about("ana maria")
    assert (hit.fact.subject, hit.fact.predicate, hit.fact.object) == ("Ana María", "Lives_In", "São Paulo")


# Predicates


def test_defining_a_predicate_twice_is_the_same_as_once(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    revision = quiet.store.revision()
    quiet.facts.define_predicate("LIVES_IN", cardinality="one")
    assert quiet.store.revision() == revision


def test_a_predicate_with_several_values_cannot_become_single_valued(quiet: World) -> None:
    quiet.facts.record("ana", "orders", "soup")
    quiet.facts.record("ana", "orders", "rice")
    with pytest.raises(Conflict, match="ana"):
        quiet.facts.define_predicate("orders", cardinality="one")
    quiet.facts.retract("ana", "orders", "rice")
    quiet.facts.define_predicate("orders", cardinality="one")
    quiet.facts.record("ana", "orders", "tea")
    assert values(quiet, predicate="orders") == ["tea"]


def test_the_cardinality_of_a_built_in_predicate_is_fixed(quiet: World) -> None:
    for key, wrong in (("lives_in", "many"), ("likes", "one"), ("favourite_food_now", "many")):
        with pytest.raises(InvalidInput, match="built-in"):
            quiet.facts.define_predicate(key, cardinality=wrong)
    assert quiet.facts.define_predicate("lives_in") == "lives_in"
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.record("ana", "lives_in", "Faro", valid_from=T1)
    assert values(quiet) == ["Faro"]


def test_whether_texts_are_exact_is_settled_by_the_first_fact(quiet: World) -> None:
    quiet.facts.record("ana", "token", "abc")
    with pytest.raises(Conflict):
        quiet.facts.define_predicate("token", exact=True)


def test_a_space_takes_over_what_is_declared_globally(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one", scope="global")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=T1)
    assert values(quiet) == ["Lisbon"]


# Misuse


@pytest.mark.parametrize(
    "given",
    [
        {"subject": ""},
        {"predicate": " "},
        {"value": None},
        {"value": float("nan")},
        {"valid_from": "yesterday"},
        {"valid_from": datetime(2024, 1, 1)},  # noqa: DTZ001
        {"evidence": 3},
        {"evidence": ["x"]},
        {"evidence": [True]},
        {"qualifiers": {"": 1}},
        {"derived_from": ["x"]},
        {"derived_from": 3},
        {"space": "No Dots."},
        {"scope": "everywhere"},
    ],
)
def test_misuse_fails_early(quiet: World, given: dict[str, Any]) -> None:
    call: dict[str, Any] = {"subject": "ana", "predicate": "lives_in", "value": "Porto", **given}
    with pytest.raises(InvalidInput):
        quiet.facts.record(**call)
    assert quiet.rows("SELECT count(*) FROM fact_entity") == [(0,)]


def test_retract_needs_a_predicate_or_a_hit(quiet: World) -> None:
    with pytest.raises(InvalidInput):
        quiet.facts.retract("ana")
    quiet.facts.record("ana", "likes", "soup")
    [hit] = quiet.facts.about("ana")
    with pytest.raises(InvalidInput):
        quiet.facts.retract(hit, "likes")
