"""The tables: made by a migration, guarded by constraints, closed to change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from longmind import AsOf, Conflict, FrozenClock
from longmind.base.filters import EVERYTHING, View
from longmind.base.store_files import APPLICATION_ID
from longmind.facts.ledger import Ledger
from longmind.facts.part import FactsPart
from longmind.store import frames
from longmind.store.scan import columns
from longmind.store.store import open_store
from longmind.store.upkeep import verify
from tests.facts.conftest import World

TABLES = "fact_entity fact_alias fact_predicate fact fact_span fact_evidence fact_premise".split()
FORMAT = 3


@pytest.mark.parametrize("old", range(1, FORMAT))
def test_an_older_format_is_upgraded_and_answers_the_same(
    tmp_path: Path, clock: FrozenClock, old: int
) -> None:
    path = tmp_path / "old.mind"
    shutil.copy(Path(__file__).parents[1] / "formats" / f"format_{old}.mind", path)
    view = View(("default",))

    def listed(opened: Any) -> list[Any]:
        with opened.read() as snapshot:
            return frames.timeline(snapshot.db, opened.engine.dialect, view, EVERYTHING, limit=10)

    with closing(open_store(str(path), clock=clock, parts=[FactsPart()])) as store:
        before = listed(store)
    for _ in range(2):
        store = open_store(str(path), clock=clock, parts=[FactsPart()])
        assert store.engine.format() >= FORMAT
        assert listed(store) == before
        facts = Ledger(store, "default")
        facts.record("ana", "likes", "soup", evidence=[before[0].id], valid_from=0)
        assert len(facts.history("ana")) == 1
        assert verify(store, deep=True).problems == ()
        store.close()


def test_the_file_says_what_it_is(tmp_path: Path, new_world: Callable[..., World]) -> None:
    world = new_world(str(tmp_path / "a.mind"))
    assert world.rows("PRAGMA application_id") == [(APPLICATION_ID,)]
    assert world.rows("PRAGMA user_version")[0][0] >= FORMAT
    assert world.rows("PRAGMA foreign_keys") == [(1,)]


def test_facts_survive_closing_and_nothing_lies_beside_the_file(
    tmp_path: Path, clock: FrozenClock, new_world: Callable[..., World]
) -> None:
    path = tmp_path / "a.mind"
    world = new_world(str(path))
    frame = world.remember("Ana lives in Porto.", speaker="Ana")
    world.facts.record("ana", "likes", "soup", evidence=[frame], qualifiers={"how": b"\x00"})
    found = world.facts.about("ana"), world.facts.history("ana")
    world.store.close()
    assert [item.name for item in tmp_path.iterdir()] == ["a.mind"]
    again = new_world(str(path))
    assert (again.facts.about("ana"), again.facts.history("ana")) == found


def _fact(**given: Any) -> dict[str, Any]:
    return {
        "fact_id": 77,
        "ledger": "default",
        "subject_entity_id": 1,
        "predicate_id": 1,
        "object_kind": 1,
        "object_text": "x",
        "fact_hash": b"\x01" * 32,
        "created_at": 1,
        "checksum": 1,
        **given,
    }


def _span(**given: Any) -> dict[str, Any]:
    return {
        "span_id": 77,
        "fact_id": 1,
        "space": "default",
        "valid_from": 5,
        "system_from": 5,
        "by_hand": 1,
        "derived": 0,
        "span_key_hash": b"\x02" * 32,
        "created_at": 1,
        "checksum": 1,
        **given,
    }


def _evidence(**given: Any) -> dict[str, Any]:
    return {
        "evidence_id": 77,
        "assertion_id": 1,
        "frame_id": 1,
        "extractor": "x",
        "extractor_version": "1",
        "asserted_at": 1,
        "recorded_at": 1,
        "created_at": 1,
        "checksum": 1,
        **given,
    }


def insert(world: World, table: str, row: dict[str, Any]) -> None:
    with world.store.write() as tx:
        # Every column, as all inserts of the library do: the audit log counts them.
        whole = dict.fromkeys(columns(tx.db, world.store.engine.dialect, table)) | row
        marks = ", ".join("?" * len(whole))
        tx.db.run(f"INSERT INTO {table} ({', '.join(whole)}) VALUES ({marks})", list(whole.values()))


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("fact", _fact(object_kind=2)),
        ("fact", _fact(object_kind=0)),
        ("fact", _fact(object_kind=8, object_text=None)),
        ("fact", _fact(object_int=3)),
        ("fact", _fact(object_text=None)),
        ("fact", _fact(object_kind=4, object_text=None, object_bool=2)),
        ("fact", _fact(object_kind=7, object_text=None, object_entity_id=999)),
        ("fact", _fact(subject_entity_id=999)),
        ("fact", _fact(predicate_id=999)),
        ("fact", _fact(fact_hash=b"short")),
        ("fact", _fact(qualifiers_hash=b"short", qualifiers="[]")),
        ("fact_span", _span(valid_to=5)),
        ("fact_span", _span(valid_to=4)),
        ("fact_span", _span(system_to=5)),
        ("fact_span", _span(fact_id=999)),
        ("fact_span", _span(span_key_hash=b"short")),
        ("fact_evidence", _evidence(assertion_id=None)),
        ("fact_evidence", _evidence(fact_id=1)),
        ("fact_evidence", _evidence(assertion_id=999)),
        ("fact_evidence", _evidence(frame_id=999)),
        ("fact_evidence", _evidence(start_byte=3)),
        ("fact_evidence", _evidence(start_byte=3, end_byte=3)),
    ],
)
def test_constraints_hold(quiet: World, table: str, row: dict[str, Any]) -> None:
    frame = quiet.remember("Ana likes soup.")
    quiet.facts.record("ana", "likes", "soup", evidence=[frame])
    with pytest.raises(Conflict):
        insert(quiet, table, row)
    for name, good in (("fact", _fact()), ("fact_span", _span()), ("fact_evidence", _evidence())):
        if name == table:
            insert(quiet, name, good)


def test_hashes_are_unique_per_ledger(quiet: World) -> None:
    quiet.facts.record("ana", "likes", "soup")
    [(known,)] = quiet.rows("SELECT fact_hash FROM fact")
    with pytest.raises(Conflict):
        insert(quiet, "fact", _fact(fact_hash=bytes(known)))
    insert(quiet, "fact", _fact(fact_hash=bytes(known), ledger="other"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE fact SET object_text = 'rice'",
        "DELETE FROM fact",
        "UPDATE fact_span SET valid_from = 1",
        "UPDATE fact_span SET system_from = 1",
        "DELETE FROM fact_span",
        "UPDATE fact_evidence SET frame_id = frame_id",
        "DELETE FROM fact_evidence",
        "UPDATE fact_span SET reason = 'x' WHERE system_to IS NOT NULL",
    ],
)
def test_history_is_closed_to_change(quiet: World, statement: str) -> None:
    frame = quiet.remember("Ana likes soup.")
    quiet.facts.record("ana", "likes", "soup", evidence=[frame])
    quiet.facts.retract("ana", "likes")
    quiet.facts.record("ana", "likes", "rice")

    def change() -> None:
        with quiet.store.write() as tx:
            assert tx.system
            tx.db.run(statement)

    with pytest.raises(Conflict):
        change()
    assert len(quiet.facts.history("ana")) == 2


def test_every_table_is_there_on_both_engines(quiet: World) -> None:
    for table in TABLES:
        assert quiet.rows(f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_read_as_of_latest_never_writes(quiet: World) -> None:
    quiet.facts.record("ana", "likes", "soup")
    revision = quiet.store.revision()
    quiet.facts.about("ana", as_of=AsOf.LATEST)
    quiet.facts.resolve("anna", near=True)
    assert quiet.store.revision() == revision
