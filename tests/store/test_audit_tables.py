"""Tamper evidence: a row that is altered, deleted or forged is found in every canonical table."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from longmind import ALL, FrozenClock, LongmindError, Memory
from longmind.base.filters import View
from longmind.store import audit_log, erasure
from longmind.store.accounting import Accounts, added_up
from longmind.store.changes import TABLES
from longmind.store.drafts import draft
from longmind.store.write import put
from tests.conftest import ENGINES
from tests.faults.worlds import START, fill, open_world
from tests.store.tampering import a_row, altered, behind, found, same

_numbers = itertools.count(1)


@pytest.fixture(scope="module", params=ENGINES)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store with something in nearly every table, and a user."""
    folder: Path = tmp_path_factory.mktemp("world")
    location = str(folder / "a.mind")
    if request.param == "postgresql":
        name = f"audit{os.getpid()}_{next(_numbers)}"
        location = f"{request.getfixturevalue('postgres_url')}&store={name}"
    clock = FrozenClock(START)
    with open_world(location, clock) as memory:  # type: ignore[arg-type]
        fill(memory, clock, folder)
        with memory.store.write() as tx:
            text = draft("I live in Porto.", space="default")
            put(tx, [replace(text, space="work@ana")], parts=memory.store.parts)
        assert found(memory) == []
        yield memory


def found_in(memory: Memory, table: str) -> list[str]:
    """What `verify` would say of one table."""
    with memory.store.read() as snapshot:
        _, actual = added_up(snapshot.db, memory.store.engine.dialect, [table])
        return list(Accounts.read(audit_log.read_head(snapshot.db).accounts).differences(actual, [table]))


def test_rows_altered_with_a_fitting_checksum_or_deleted_or_forged_are_found(world: Memory) -> None:
    changed, forged = set(), set()
    for table in TABLES:
        have = a_row(world, table)
        if have is None:
            continue
        names, row = have
        assignments = ", ".join(f"{name} = ?" for name in names)
        listed, marks = ", ".join(names), ", ".join("?" * len(names))
        for other in altered(table, names, row) if table != "frame_text" else ():
            try:
                with behind(world) as db:
                    statement = f"UPDATE {table} SET {assignments} WHERE {same(names)}"
                    assert db.run(statement, (*other, *row)) == 1
            except LongmindError:
                continue  # a constraint of the server; another column will do
            assert found_in(world, table) == [
                f"rows of {table} were changed by something other than this library"
            ]
            with behind(world) as db:
                db.run(f"UPDATE {table} SET {assignments} WHERE {same(names)}", (*row, *other))
            changed.add(table)
            break
        with behind(world) as db:
            assert db.run(f"DELETE FROM {table} WHERE {same(names)}", row) == 1
        [missing] = found_in(world, table)
        assert missing.startswith(f"{table} has ")
        with behind(world) as db:
            db.run(f"INSERT INTO {table} ({listed}) VALUES ({marks})", row)
        assert found_in(world, table) == []  # the same row again
        for other in altered(table, names, row):
            try:
                with behind(world) as db:
                    db.run(f"INSERT INTO {table} ({listed}) VALUES ({marks})", other)
            except LongmindError:
                continue
            [surplus] = found_in(world, table)
            assert surplus.startswith(f"{table} has ")
            with behind(world) as db:
                db.run(f"DELETE FROM {table} WHERE {same(names)}", other)
            forged.add(table)
            break
    assert len(changed) > 30, sorted(set(TABLES) - changed)
    assert len(forged) > 15, sorted(set(TABLES) - forged)  # others have two unique keys
    assert found(world) == []


def test_erasing_everything_leaves_a_log_that_holds_and_names_nobody(world: Memory) -> None:
    with world.store.read() as snapshot:
        assert set(audit_log.user_names(snapshot.db).values()) == {"ana"}
    with world.store.read() as snapshot:
        ids = [row[0] for row in snapshot.db.all("SELECT frame_id FROM frame WHERE start_byte IS NULL")]
    erasure.erase(world.store, ids, view=View(ALL, user=ALL))
    assert found(world) == []
    with world.store.read() as snapshot:
        assert audit_log.user_names(snapshot.db) == {}
        rows = snapshot.db.all("SELECT actor, action, spaces, changes, detail FROM audit_entry")
    assert "ana" not in {
        word for row in rows for text in row for word in str(text).replace('"', "@").split("@")
    }
    erased = world.audit(space=ALL, user="(erased)")
    assert [entry.spaces for entry in erased] == [("work",)] * len(erased)
    assert erased
