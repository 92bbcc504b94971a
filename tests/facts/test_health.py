"""Verify finds damage in the ledger; stats count it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from longmind.facts.values import Entity
from longmind.store.engine import Row, Value
from longmind.store.sqlite_transactions import SqliteConnection
from longmind.store.upkeep import stats, verify
from tests.facts.conftest import World


@pytest.fixture
def filled(tmp_path: Path, new_world: Callable[..., World]) -> World:
    world = new_world(str(tmp_path / "a.mind"))
    world.facts.define_predicate("lives_in", cardinality="one")
    frame = world.remember("Where Ana is at home.")
    premise = world.facts.record("ana", "lives_in", "Porto", valid_from=0, evidence=[frame])
    world.facts.record("ana", "knows", Entity("bob"), qualifiers={"since": 3}, derived_from=[premise.fact_id])
    return world


def test_a_whole_ledger_has_no_problem(world: World) -> None:
    world.remember("My name is Ana and I live in Porto. I work at Acme.", role="user", session="s1")
    world.facts.record("user", "knows", Entity("bob"), qualifiers={"since": 3})
    world.facts.retract("user", "knows")
    assert verify(world.store, deep=True).problems == ()


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("UPDATE fact_entity SET key = 'Eve' WHERE key_norm = 'ana'", "fact_entity"),
        ("UPDATE fact_alias SET alias_norm = 'eve' WHERE alias_norm = 'ana'", "fact_alias"),
        ("UPDATE fact_predicate SET cardinality = 'many'", "fact_predicate"),
        ("UPDATE fact SET created_at = created_at + 1", "fact"),
        ("UPDATE fact_span SET by_hand = 1 - by_hand", "fact_span"),
        ("UPDATE fact_evidence SET confidence = 1", "fact_evidence"),
        ("UPDATE fact_premise SET premise_fact_id = NULL", "fact_premise"),
        ("UPDATE store_counter SET value = 0 WHERE name = 'fact_span'", "counter"),
    ],
)
def test_a_changed_row_is_found(filled: World, damage: str, code: str) -> None:
    with filled.store.engine.write(timeout=1) as db:
        for trigger in ("fact_is_immutable", "fact_span_is_immutable", "fact_evidence_is_immutable"):
            db.run(f"DROP TRIGGER {trigger}")
        db.run(damage)
    assert code in {problem.code for problem in verify(filled.store, deep=True).problems}


def test_a_lost_span_is_found(filled: World) -> None:
    with filled.store.engine.write(timeout=1) as db:
        db.run("INSERT INTO store_erasing VALUES (1)")
        db.run("DELETE FROM fact_span WHERE fact_id = (SELECT max(fact_id) FROM fact)")
        db.run("DELETE FROM store_erasing")
    assert "fact" in {problem.code for problem in verify(filled.store, deep=True).problems}


def test_two_values_of_what_holds_one_are_found(filled: World) -> None:
    second = filled.facts.record("ana", "lived_in", "Faro", valid_from=0)
    with filled.store.engine.write(timeout=1) as db:
        db.run("DROP TRIGGER fact_is_immutable")
        predicate = "(SELECT predicate_id FROM fact_predicate WHERE key = 'lives_in')"
        db.run(f"UPDATE fact SET predicate_id = {predicate} WHERE fact_id = ?", (second.fact_id,))
    problems = [problem.detail for problem in verify(filled.store).problems]
    assert "ana has two values of lives_in at the same time" in problems


def test_a_check_asks_no_more_of_many_predicates(
    tmp_path: Path, new_world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = new_world(str(tmp_path / "a.mind"))
    asked: list[str] = []
    original = SqliteConnection.one

    def one(self: SqliteConnection, sql: str, values: Sequence[Value] = ()) -> Row | None:
        asked.append(sql)
        return original(self, sql, values)

    monkeypatch.setattr(SqliteConnection, "one", one)
    counts = []
    for number in range(40):
        world.facts.define_predicate(f"trait_{number}", cardinality="one")
        world.facts.record("ana", f"trait_{number}", "so")
        if number in (0, 39):
            asked.clear()
            assert verify(world.store).problems == ()
            counts.append(len(asked))
    assert 0 < counts[0] == counts[1]


def test_stats_count_the_ledger(filled: World) -> None:
    found = stats(filled.store).parts["facts"]
    assert (found["facts"], found["predicates"], found["open_spans"]) == (2, 2, 2)
    filled.facts.retract("ana", "knows", qualifiers={"since": 3})
    found = stats(filled.store).parts["facts"]
    assert (found["open_spans"], found["spans"]) == (1, 2)
