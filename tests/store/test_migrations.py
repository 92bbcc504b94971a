"""Formats: upgraded step by step, once, and only by those who may; never guessed at."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from longmind import AsOf, Corrupt, FrozenClock, Unsupported
from longmind.store.engine import Connection
from longmind.store.migrations import migrations, pending
from longmind.store.sqlite import SqliteEngine
from longmind.store.store import Store
from tests.formats import make
from tests.store.opening import open_memory

FORMATS = Path(make.__file__).parent
KEPT = sorted(FORMATS.glob("format_*.mind"), key=lambda path: int(path.stem.removeprefix("format_")))
START = 1_700_000_000_000


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.stem)
def test_a_kept_file_upgrades_and_answers_the_same(kept: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(kept, tmp_path))
    expected = json.loads(kept.with_suffix(".json").read_text("utf-8"))
    before = expected.pop("revision")  # an upgrade may count as a change
    with open_memory(path, clock=FrozenClock(START)) as memory:
        assert answers(memory.store) == expected
        revision = memory.revision
        assert revision >= before
        assert memory.stats().format == len(migrations("sqlite"))
        report = memory.verify(deep=True)
        assert not [problem for problem in report.problems if not problem.derived], report.problems
        memory.reindex()
        report = memory.verify(deep=True)
        assert report, report.problems
        assert answers(memory.store) == expected
        added = memory.remember("written after the upgrade").id
        assert memory.get(added).recorded_at > revision
        assert memory.remember("Keyed.", kind="note", idempotency_key="key-1").unchanged == 1
    with open_memory(path, read_only=True) as memory:
        assert memory.get(added).text == "written after the upgrade"
        assert memory.get(1, as_of=AsOf(system=START + 1000, valid=AsOf.LATEST.valid)).text
        assert memory.verify(deep=True)


def answers(store: Store) -> dict[str, Any]:
    return {name: said for name, said in make.answers(store).items() if name != "revision"}


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.stem)
def test_a_kept_file_is_what_its_maker_makes(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows, that is: the bytes may differ with another SQLite."""
    monkeypatch.setattr(make, "FOLDER", tmp_path)
    made = make.make(int(kept.stem.removeprefix("format_")))
    assert contents(made) == contents(Path(shutil.copy(kept, tmp_path / "kept.mind")))
    assert made.with_suffix(".json").read_text("utf-8") == kept.with_suffix(".json").read_text("utf-8")


def contents(path: Path) -> dict[str, Any]:
    connection = apsw.Connection(str(path))
    tables = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    found: dict[str, Any] = {
        "schema": tables,
        "version": connection.execute("PRAGMA user_version").fetchall(),
    }
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1").fetchall()
    for (name,) in names:
        found[str(name)] = connection.execute(f"SELECT * FROM {name}").fetchall()
    connection.close()
    return found


def test_every_released_format_is_kept() -> None:
    assert [path.stem for path in KEPT] == [f"format_{number}" for number in range(1, len(KEPT) + 1)]
    assert KEPT


def test_a_kept_file_of_the_newest_format_is_read_as_it_is(tmp_path: Path) -> None:
    path = Path(shutil.copy(FORMATS / f"format_{len(migrations('sqlite'))}.mind", tmp_path))
    before = path.read_bytes()
    with open_memory(path, read_only=True, clock=FrozenClock(START)) as memory:
        assert make.answers(memory.store) == json.loads((FORMATS / f"{path.stem}.json").read_text("utf-8"))
        report = memory.verify(deep=True)
        assert not [problem for problem in report.problems if not problem.derived], report.problems
        assert not [note for note in report.notes if "checksums" in note]
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_file_that_is_one_step_behind_is_upgraded_and_nothing_else_changes(tmp_path: Path) -> None:
    path = tmp_path / "old.mind"
    latest = len(migrations("sqlite"))
    for step in range(1, latest + 1):
        engine = SqliteEngine(
            str(path), clock=FrozenClock(START), read_only=False, create=True, durability="normal"
        )
        engine.migrate(to=step)
        assert engine.format() == step
        engine.migrate(to=step)  # twice is once
        with engine.read() as db:
            assert db.all("SELECT number FROM migration ORDER BY 1") == [(n,) for n in range(1, step + 1)]
        assert not engine.check(deep=True).problems
        engine.close()
    with open_memory(path) as memory:
        assert memory.verify(deep=True)


def test_a_read_only_open_never_migrates(tmp_path: Path) -> None:
    path = Path(shutil.copy(KEPT[0], tmp_path))
    if len(migrations("sqlite")) == 1:
        pytest.skip("there is nothing to migrate to")
    before = path.read_bytes()
    with pytest.raises(Unsupported, match="read-only"):
        open_memory(path, read_only=True)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_read_only_open_of_an_older_schema_never_migrates(new_location: Callable[[str], str]) -> None:
    location = new_location("postgresql")
    latest = len(migrations("postgres"))
    with open_memory(location) as memory, memory.store.engine.write(timeout=5) as db:
        db.run("DELETE FROM migration WHERE number = ?", (latest,))
    with pytest.raises(Unsupported, match="read-only"):
        open_memory(location, read_only=True)


def test_opening_again_runs_no_migration_again(location: str, clock: FrozenClock) -> None:
    def ledger() -> list[Any]:
        with open_memory(location, clock=clock) as memory, memory.store.read() as snapshot:
            return snapshot.db.all("SELECT number, name, sha256, applied_at FROM migration ORDER BY number")

    first = ledger()
    clock.advance(days=1)
    assert ledger() == first
    assert [row[0] for row in first] == list(range(1, len(first) + 1))
    assert {row[3] for row in first} == {START}


def tamper(location: str, change: Callable[[Connection], object]) -> None:
    with open_memory(location) as memory, memory.store.engine.write(timeout=5) as db:
        change(db)


def test_a_migration_other_than_ours_is_refused(location: str) -> None:
    tamper(location, lambda rows: rows.run("UPDATE migration SET sha256 = 'other' WHERE number = 1"))
    with pytest.raises(Corrupt, match="Migration 1"):
        open_memory(location)


def test_a_gap_in_the_migrations_is_refused(location: str) -> None:
    tamper(location, lambda rows: rows.run("DELETE FROM migration WHERE number = 1"))
    with pytest.raises(Corrupt, match="format"):
        open_memory(location)


def test_a_newer_format_is_refused(location: str) -> None:
    number = max(len(migrations("sqlite")), len(migrations("postgres"))) + 1
    tamper(location, lambda rows: rows.run("INSERT INTO migration VALUES (?, 'future', 'x', 1)", (number,)))
    with pytest.raises(Unsupported, match="Upgrade Longmind"):
        open_memory(location)
    with pytest.raises(Unsupported, match="Upgrade Longmind"):
        open_memory(location, read_only=True)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = Path(shutil.copy(KEPT[0], tmp_path))
    if len(migrations("sqlite")) == 1:
        pytest.skip("there is nothing to migrate to")
    # A table of the name that the next migration makes stands in its way.
    name = next(
        line.split()[2]
        for line in migrations("sqlite")[1].sql.splitlines()
        if line.startswith("CREATE TABLE")
    )
    connection = apsw.Connection(str(path))
    connection.execute(f"CREATE TABLE {name.strip('(')} (obstacle)")
    connection.close()
    before = contents(path)
    with pytest.raises(Corrupt):
        open_memory(path)
    assert contents(path) == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_the_migrations_of_both_engines_tell_the_same_story() -> None:
    names = [[(step.number, step.name) for step in migrations(engine)] for engine in ("sqlite", "postgres")]
    assert names[0] == names[1]


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_what_is_pending_follows_from_what_was_seen(engine: str) -> None:
    known = migrations(engine)
    seen = {step.number: step.sha256 for step in known}
    assert pending(engine, {}, declared=0, location="x") == list(known)
    assert pending(engine, seen, declared=len(known), location="x") == []
    for declared, said in (
        (len(known) + 1, seen),
        (len(known), {**seen, len(known) + 1: "x"}),
    ):
        with pytest.raises(Unsupported):
            pending(engine, said, declared=declared, location="x")
    for declared, said in (
        (0, seen),
        (len(known), {}),
        (len(known), {**seen, 1: "other"}),
        (1, {0: "x"}),
    ):
        with pytest.raises(Corrupt):
            pending(engine, said, declared=declared, location="x")
