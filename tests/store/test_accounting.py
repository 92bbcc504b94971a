"""Rows that go missing are noticed: every canonical table adds up to what was written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from longmind import ALL, Conflict, Corrupt, FrozenClock, Memory
from longmind.store import pages
from longmind.store.changes import TABLES
from longmind.store.sqlite_changes import SqliteChanges
from longmind.store.tables import CANONICAL
from tests.faults.worlds import START, fill, open_world
from tests.store.opening import open_memory

FORMATS = Path(__file__).parents[1] / "formats"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store with something in nearly every table."""
    path = tmp_path_factory.mktemp("world") / "a.mind"
    clock = FrozenClock(START)
    with open_world(path, clock) as memory:
        fill(memory, clock, path.parent)
        assert memory.verify(deep=True).problems == ()
    return path.read_bytes()


def behind_our_back(path: Path, *statements: str) -> None:
    """As by a program that seals pages and knows no triggers; the schema is left as it was."""
    connection = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    connection.execute("PRAGMA foreign_keys = OFF")
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    with connection:
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, definition in triggers:
            connection.execute(str(definition))
    connection.close()


def details(memory: Memory) -> str:
    return "; ".join(
        problem.detail for problem in memory.verify(deep=True).problems if problem.code == "rows"
    )


def test_every_canonical_table_but_the_clock_has_an_account_and_ends_with_its_checksum(
    world: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "copy.mind"
    path.write_bytes(world)
    connection = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    assert set(TABLES) == set(CANONICAL) - {"store_clock", "audit_entry"}
    for table in set(TABLES) - {"frame_text", "ingest_source"}:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        assert columns[-1] == ("checksum",), table
    connection.close()


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_goes_missing_is_noticed(world: bytes, tmp_path: Path, table: str) -> None:
    path = tmp_path / "copy.mind"
    path.write_bytes(world)
    connection = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    [(count,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    [(first,)] = connection.execute("SELECT name FROM pragma_table_info(?) LIMIT 1", (table,)).fetchall()
    connection.close()
    if not count:
        pytest.skip("nothing was written to it")
    chosen = f"(SELECT {first} FROM {table} LIMIT 1)"
    if table == "store_setting":  # those that speak of the file itself are not counted
        chosen = "'store_id'"
    behind_our_back(path, f"DELETE FROM {table} WHERE {first} = {chosen}")
    try:
        with open_world(path) as memory:
            noticed = details(memory)
    except Corrupt as error:
        noticed = str(error)
    assert table in noticed


def test_a_table_emptied_by_another_program_is_noticed_on_opening(world: bytes, tmp_path: Path) -> None:
    path = tmp_path / "copy.mind"
    path.write_bytes(world)
    behind_our_back(path, "DELETE FROM fact_span")
    with pytest.raises(Corrupt, match="fact_span"):
        open_world(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE store_clock SET audit_rows = replace(audit_rows, '\"frame\":[', '\"frame\":[1')",
        "UPDATE store_clock SET audit_rows = '{}'",
        "UPDATE store_clock SET audit_total = zeroblob(128)",
    ],
)
def test_an_account_that_is_gone_or_changed_is_noticed_on_opening(
    world: bytes, tmp_path: Path, change: str
) -> None:
    path = tmp_path / "copy.mind"
    path.write_bytes(world)
    behind_our_back(path, change)
    with pytest.raises(Corrupt, match="end of the audit log"):
        open_world(path)


def test_a_forged_row_with_a_sound_checksum_is_noticed(world: bytes, tmp_path: Path) -> None:
    """A row that was there once, with the checksum it had then."""
    path = tmp_path / "copy.mind"
    path.write_bytes(world)
    connection = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    [row] = connection.execute("SELECT * FROM frame_key LIMIT 1").fetchall()
    connection.close()
    with open_world(path) as memory:
        memory.erase(int(str(row[2])), space=ALL)
        assert memory.verify(deep=True)
    values = ", ".join(repr(value) for value in row)
    behind_our_back(path, f"INSERT INTO frame_key VALUES ({values})")
    with open_world(path) as memory:
        assert "frame_key" in details(memory)


def test_accounts_stay_right_through_writes_that_fail_half_way(tmp_path: Path) -> None:
    with open_memory(tmp_path / "a.mind") as memory:
        memory.remember_many([f"note {number}" for number in range(20)])
        with memory.store.write() as tx:
            tx.db.run("INSERT INTO frame_key VALUES ('default', 'z', 1, 5)")
            with pytest.raises(Conflict):  # the third row has the key of the first
                tx.db.run(
                    "INSERT INTO frame_key VALUES ('default', 'a', 1, 1), ('default', 'b', 1, 2), "
                    "('default', 'z', 1, 3)"
                )
        assert details(memory) == ""
        with suppress(ZeroDivisionError), memory.store.write() as tx:
            tx.db.run("INSERT INTO frame_key VALUES ('default', 'y', 1, 7)")
            raise ZeroDivisionError
        memory.remember("one more")
        assert details(memory) == ""


def test_accounts_stay_right_through_many_rows_at_once(tmp_path: Path) -> None:
    insert = "INSERT INTO frame_key (space, name, frame_id, checksum) VALUES (?, ?, ?, ?)"

    def keys(first: int, count: int) -> list[tuple[str, str, int, int]]:
        return [("default", f"key {number}", 1, number) for number in range(first, first + count)]

    def rows(memory: Memory) -> int:
        with memory.store.read() as snapshot:
            return len(snapshot.db.all("SELECT 1 FROM frame_key"))

    with open_memory(tmp_path / "a.mind") as memory:
        memory.remember_many([{"text": f"note {number}", "tags": ["a"]} for number in range(100)])
        assert details(memory) == ""
        with memory.store.write() as tx:
            tx.db.many(insert, keys(0, 50))
            with pytest.raises(Conflict):  # twenty rows are written before the one that is there already
                tx.db.many(insert, [*keys(100, 20), *keys(0, 50)])
        assert rows(memory) == 70
        assert details(memory) == ""
        with suppress(ZeroDivisionError), memory.store.write() as tx:
            tx.db.many(insert, keys(200, 50))
            raise ZeroDivisionError
        with memory.store.write() as tx:  # columns in another order, some of them left to the engine
            tx.db.many(
                "INSERT INTO frame_key (name, space, checksum, frame_id) VALUES (?, ?, ?, ?)",
                [(name, space, seal, frame_id) for space, name, frame_id, seal in keys(300, 50)],
            )
        assert rows(memory) == 120
        assert details(memory) == ""


def test_accounts_stay_right_when_an_interrupt_comes_while_rows_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = "INSERT INTO frame_key (space, name, frame_id, checksum) VALUES (?, ?, ?, ?)"
    keys = [("default", f"key {number}", 1, number) for number in range(50)]

    def interrupted(changes: SqliteChanges) -> None:
        raise KeyboardInterrupt

    with open_memory(tmp_path / "a.mind") as memory:
        memory.remember_many([f"note {number}" for number in range(50)])
        with memory.store.write() as tx:
            monkeypatch.setattr(SqliteChanges, "_follow", interrupted)
            with pytest.raises(KeyboardInterrupt):
                tx.db.many(insert, keys)  # and the caller goes on all the same
            monkeypatch.undo()
            tx.db.run(insert, ("default", "one more", 1, 5))
        assert details(memory) == ""
        memory.remember("another", idempotency_key="b")
        memory.erase(2)
        assert details(memory) == ""
        entries = memory.audit(limit=100)
        with memory.store.write() as tx, pytest.raises(Conflict):  # fails at its first row
            tx.db.many(insert, keys)
        assert memory.audit(limit=100) == entries


@pytest.mark.parametrize("kept", sorted(FORMATS.glob("format_*.mind")), ids=lambda path: path.stem)
def test_a_file_of_an_older_format_gets_its_accounts_when_it_is_opened(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    path.write_bytes(kept.read_bytes())
    with open_memory(path) as memory:
        assert details(memory) == ""
        memory.remember("after the migration")
        assert details(memory) == ""


def test_two_writers_of_one_file_keep_one_account(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as one, open_memory(path) as other:
        for number in range(10):
            one.remember(f"one {number}", tags=["a"])
            other.remember(f"other {number}", tags=["b"])
        other.forget(1)
        one.erase(2)
        assert details(one) == details(other) == ""


def test_imports_copies_and_backups_add_up(world: bytes, tmp_path: Path) -> None:
    path = tmp_path / "copy.mind"
    path.write_bytes(world)
    with open_world(path) as memory:
        memory.backup(tmp_path / "backup.mind")
        memory.copy(tmp_path / "copied.mind")
        memory.export(tmp_path / "all.jsonl")
        memory.compact()
        memory.reindex()
        assert details(memory) == ""
    with open_world(tmp_path / "imported.mind") as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert details(memory) == ""
    for name in ("backup", "copied"):
        with open_world(tmp_path / f"{name}.mind") as memory:
            assert details(memory) == ""
