"""Keys, values and evidence are checked when they are made."""

from __future__ import annotations

import dataclasses
import math
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from typing import Any

import pytest

from longmind import InvalidInput
from longmind.facts.canonical import ObjectKind
from longmind.facts.results import FactsResult
from longmind.facts.values import (
    OPEN,
    Entity,
    Evidence,
    Fact,
    Predicate,
    Value,
    check_period,
    check_qualifiers,
    typed,
    untyped,
)


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [
        ("Porto", ObjectKind.TEXT, "Porto"),
        ("", ObjectKind.TEXT, ""),
        (5, ObjectKind.INT, 5),
        (Level.HIGH, ObjectKind.INT, 3),
        (-(2**63), ObjectKind.INT, -(2**63)),
        (1.5, ObjectKind.DOUBLE, 1.5),
        (True, ObjectKind.BOOL, 1),
        (False, ObjectKind.BOOL, 0),
        (b"\x00", ObjectKind.DATA, b"\x00"),
        (datetime(2024, 1, 1, tzinfo=UTC), ObjectKind.TIME, 1_704_067_200_000),
        (datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), ObjectKind.TIME, 1_704_067_200_000),
        (Entity("bob"), ObjectKind.ENTITY, "bob"),
    ],
)
def test_a_value_has_one_kind(value: Any, kind: ObjectKind, stored: Any) -> None:
    found = typed(value)
    assert (found.kind, found.stored) == (kind, stored)
    assert type(found.stored) is type(stored)
    assert untyped(*found) == value


def test_a_bool_is_never_an_int() -> None:
    assert typed(True).kind is ObjectKind.BOOL
    assert typed(1).kind is ObjectKind.INT


def test_minus_zero_is_zero() -> None:
    assert math.copysign(1, float(typed(-0.0).stored)) == 1


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        2**63,
        -(2**63) - 1,
        None,
        [1],
        {"a": 1},
        datetime(2024, 1, 1),  # noqa: DTZ001
        "a\0b",
        "\ud800",
        bytearray(b"x"),
        object(),
        1j,
    ],
)
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput):
        typed(value)


@pytest.mark.parametrize("key", ["", "   ", "a\0b", "x" * 401, 5, None, b"ana"])
def test_what_is_no_key_is_refused(key: Any) -> None:
    with pytest.raises(InvalidInput):
        Entity(key)
    with pytest.raises(InvalidInput):
        Predicate(key)


def test_a_key_is_trimmed_and_keeps_its_spelling() -> None:
    key = Entity("  Ana María ")
    assert (key, key.norm, repr(key)) == ("Ana María", "ana maria", "Entity('Ana María')")
    assert Entity(key) is key


@pytest.mark.parametrize(
    "given",
    [
        {"frame": 0},
        {"frame": True},
        {"frame": "1"},
        {"frame": 1, "start": 3},
        {"frame": 1, "start": 3, "end": 3},
        {"frame": 1, "start": -1, "end": 3},
        {"frame": 1, "start": 0.0, "end": 3},
        {"frame": 1, "confidence": 1.5},
        {"frame": 1, "confidence": math.nan},
        {"frame": 1, "extractor": ""},
        {"frame": 1, "chunk": -1},
        {"frame": 2**63},
    ],
)
def test_what_is_no_evidence_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Evidence(**given)


def test_evidence_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Evidence(1).frame = 2  # type: ignore[misc]


def test_facts_of_different_kinds_differ_even_where_python_calls_the_values_equal() -> None:
    whole = Fact(Entity("a"), Predicate("p"), 1, ObjectKind.INT)
    assert whole != Fact(Entity("a"), Predicate("p"), True, ObjectKind.BOOL)
    assert whole != Fact(Entity("a"), Predicate("p"), 1.0, ObjectKind.DOUBLE)


def test_qualifiers_are_sorted_and_a_key_may_stand_once() -> None:
    pairs: dict[str, Value] = {"Zeta": 1, "alpha": "x"}
    found = check_qualifiers(pairs)
    assert [key for key, _, _ in found] == ["alpha", "Zeta"]
    with pytest.raises(InvalidInput):
        check_qualifiers({"role": 1, "ROLE": 2})
    with pytest.raises(InvalidInput):
        check_qualifiers([("role", 1)])  # type: ignore[arg-type]


def test_a_period_must_end_after_it_begins() -> None:
    assert check_period(5, None) == (5, None)
    assert check_period(None, OPEN) == (None, OPEN)
    assert check_period(5, 6) == (5, 6)
    assert check_period(5, 2**63 - 1) == (5, OPEN)
    for end in (5, 4):
        with pytest.raises(InvalidInput):
            check_period(5, end)
    with pytest.raises(InvalidInput):
        check_period(datetime(2024, 1, 1), None)  # noqa: DTZ001


def test_a_listing_is_a_sequence_that_says_whether_it_was_cut() -> None:
    cut, whole = FactsResult((), truncated=True), FactsResult(())
    assert (len(cut), cut.truncated, whole.truncated, cut == whole) == (0, True, False, False)
