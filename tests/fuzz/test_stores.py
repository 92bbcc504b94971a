"""Store files that somebody changed: opened, refused or found to be damaged, and never a crash."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from longmind import FrozenClock, Memory
from longmind.base.errors import LongmindError
from longmind.inspect.inspector import OPERATIONS, Inspector
from longmind.store.pages import sealed
from longmind.store.tables import checksum
from tests import raw
from tests.conftest import START
from tests.fuzz.mutations import deep_text, mutated, outcome, rounds, scalar
from tests.fuzz.worlds import fill

PAGE = 4096


def opened(path: Path) -> Memory:
    return Memory.open(path, clock=FrozenClock(START), embedder=None, create=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.mind"
    with Memory.open(path, clock=FrozenClock(START), embedder=None) as memory:
        fill(memory)
        memory.golden.add("Where does Ana live?", texts=["Porto"])
        memory.golden.run()
        memory.snapshots.create("first", note="before")
    return path


def _uses(memory: Memory) -> tuple[Callable[[], Any], ...]:
    return (
        lambda: memory.stats(),
        lambda: memory.search("trains"),
        lambda: memory.recall("Ana"),
        lambda: memory.facts.about("ana"),
        lambda: memory.memories.list(),
        lambda: memory.memories.config,
        lambda: memory.conversation("s1").add_turn("user", "I like tea."),
        lambda: memory.experience.brief("import", repo="shop"),
        lambda: memory.space("runtime").recall_context("release"),
        lambda: memory.space("runtime").remember_structured({"path": "x", "raw": "mail a@example.org"}),
        lambda: memory.spaces.list(),
        lambda: memory.recipes(),
        lambda: memory.audit(limit=5),
        lambda: memory.golden.run(),
        lambda: memory.snapshots.list(),
        lambda: memory.snapshots.diff("first"),
        lambda: memory.facts.history("ana"),
        lambda: memory.facts.resolve("ana"),
        lambda: memory.experience.list(repo="shop"),
        lambda: memory.memories.why(1),
        lambda: memory.media.duplicates(),
        lambda: memory.users(),
        lambda: memory.remember("one more", space="runtime"),
        lambda: memory.facts.end("ana", "lives_in"),
        lambda: memory.maintain(),
        lambda: memory.verify(),
        *(partial(_asked, memory, operation.name) for operation in OPERATIONS),
    )


PAGES: dict[str, dict[str, Any]] = {
    "inspect.history": {"subject": "ana"},
    "inspect.learned": {"frames": [1, 2, 3]},
    "inspect.dependents": {"fact": 1},
}
"""What questions of the Inspector need; the others need nothing."""


def _asked(memory: Memory, name: str) -> Any:
    operation, inputs = Inspector(memory).prepare(name, PAGES.get(name, {}))
    return operation(memory, **inputs)


def _used(path: Path) -> str:
    """What opening a file and using it ends in; anything but an answer or our own error fails the test."""
    try:
        memory = opened(path)
    except LongmindError as error:
        return error.code
    with memory:
        return ",".join(sorted({outcome(use) for use in _uses(memory)}))


def _resealed(path: Path, page: int, change: Callable[[bytes], bytes]) -> None:
    """Change a page, and make its checksum fit: whoever changes a file can compute it."""
    with path.open("r+b") as file:
        file.seek(page * PAGE)
        content = change(file.read(PAGE))
        file.seek(page * PAGE)
        file.write(sealed(content, page + 1))


@rounds(25, 1500)
def test_a_header_or_a_page_that_was_changed_is_refused_or_harmless(
    whole: Path, tmp_path: Path, count: int
) -> None:
    rng = random.Random(count)
    path = tmp_path / "s.mind"
    outcomes: Counter[str] = Counter()
    pages = whole.stat().st_size // PAGE
    for _ in range(count):
        shutil.copy(whole, path)
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        page = rng.choice([0, 0, 0, rng.randrange(pages)])
        most = 100 if page == 0 and rng.random() < 0.7 else PAGE

        def change(content: bytes) -> bytes:
            changed = bytearray(content)
            for _ in range(rng.choice([1, 1, 2, 8])):
                changed[rng.randrange(most)] = rng.randrange(256)  # noqa: B023
            return bytes(changed)

        _resealed(path, page, change)
        outcomes[_used(path)] += 1
    assert outcomes.total() == count  # every round ended in an answer or in an error of ours
    print(f"pages {count}: {dict(outcomes)}")


def _tables(connection: apsw.Connection) -> list[tuple[str, list[str]]]:
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return [
        (str(name), [row[1] for row in connection.execute(f"PRAGMA table_info({name})")])
        for (name,) in names.fetchall()
    ]


def _wrong_value(rng: random.Random, value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "[") and rng.random() < 0.8:
        if rng.random() < 0.1:
            return deep_text(rng)
        try:
            return json.dumps(mutated(rng, json.loads(value)))
        except ValueError:
            return "{"
    wrong = scalar(rng)
    if isinstance(wrong, str):
        return wrong.encode("utf-8", "replace").decode()
    if isinstance(wrong, int) and not -(2**63) <= wrong < 2**63:
        return 2**63 - 1
    return rng.choice([wrong, rng.randbytes(8)])


def _change_a_row(
    rng: random.Random, connection: apsw.Connection, tables: list[Any], favourites: list[str]
) -> None:
    """Change one row of some table; where the schema itself refuses the value, another one."""
    for _ in range(50):
        chosen = [item for item in tables if item[0] in favourites] if rng.random() < 0.7 else tables
        table, names = rng.choice(chosen)
        if rows := connection.execute(f"SELECT {', '.join(names)} FROM {table} LIMIT 50").fetchall():
            before = list(rng.choice(rows))
            after = _with_a_wrong_value(rng, table, names, before)
            if after != before and _has_updated(connection, table, names, before, after):
                return
    raise AssertionError("no row could be changed")


def _with_a_wrong_value(rng: random.Random, table: str, names: list[str], before: list[Any]) -> list[Any]:
    after = list(before)
    index = rng.randrange(len(names))
    after[index] = _wrong_value(rng, after[index])
    if "checksum" in names and rng.random() < 0.9:
        prefix = {"store_setting": (), "frame": (), "frame_tag": ("tag",), "frame_meta": ("meta",)}.get(
            table, (table,)
        )
        after[names.index("checksum")] = checksum(*prefix, *after[: names.index("checksum")])
    return after


def _has_updated(
    connection: apsw.Connection, table: str, names: list[str], before: list[Any], after: list[Any]
) -> bool:
    """By all values: tables without a row id are among those that matter most."""
    marks = ", ".join(f"{name} = ?" for name in names)
    same = " AND ".join(f"{name} IS ?" for name in names)
    done = connection.total_changes()
    try:
        connection.execute(f"UPDATE {table} SET {marks} WHERE {same}", (*after, *before))
    except (apsw.Error, TypeError, ValueError, OverflowError):
        return False
    return bool(connection.total_changes() > done)


FAVOURITES = [
    "store_setting",
    "space_record",
    "conversation_run",
    "space_object",
    "audit_entry",
    "frame_meta",
]


@rounds(25, 1500)
def test_rows_that_were_changed_with_a_fitting_checksum_break_nothing(
    whole: Path, tmp_path: Path, count: int
) -> None:
    rng = random.Random(count)
    path = tmp_path / "s.mind"
    outcomes: Counter[str] = Counter()
    for number in range(count):
        shutil.copy(whole, path)
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        connection = raw.connect(path)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 0)
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = _tables(connection)
        for _ in range(rng.choice([1, 1, 3])):
            _change_a_row(rng, connection, tables, FAVOURITES)
        connection.close()
        try:
            outcomes[_used(path)] += 1
        except BaseException as error:
            raise AssertionError(f"round {number} of {count}: {type(error).__name__}: {error}") from error
    print(f"rows {count}: {dict(outcomes)}")
    assert outcomes.total() == count


SCHEMAS = (
    "CREATE TRIGGER sly AFTER INSERT ON frame BEGIN DELETE FROM space_record; END",
    "CREATE TRIGGER sly INSTEAD OF SELECT ON frame BEGIN SELECT 1; END",
    "CREATE VIEW frame AS SELECT load_extension('/tmp/x.so')",
    "CREATE VIEW sly AS SELECT writefile('/tmp/longmind-sly', 'x')",
    "CREATE TABLE sly (a DEFAULT (load_extension('x')))",
    "CREATE VIRTUAL TABLE sly USING fts5(a)",
    "CREATE INDEX sly ON frame (randomblob(frame_id))",
    "nonsense",
    "",
)


@pytest.mark.parametrize("other", ["experience_attempt", "experience_fact_update"])
def test_a_table_that_shows_the_rows_of_another_is_damage(whole: Path, tmp_path: Path, other: str) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.mind"))
    connection = raw.connect(path)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = ?) "
        "WHERE name = 'conversation_version'",
        (other,),
    )
    connection.close()
    assert "corrupt" in _used(path)


def test_a_value_of_another_type_with_a_fitting_checksum_is_damage(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.mind"))
    connection = raw.connect(path)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    names = [str(row[1]) for row in connection.execute("PRAGMA table_info(fact_evidence)")]
    listed = ", ".join(name for name in names if name != "checksum")
    connection.execute("UPDATE fact_evidence SET confidence = '~'")
    for rowid, *values in connection.execute(f"SELECT rowid, {listed} FROM fact_evidence").fetchall():
        sealed_as = (checksum("fact_evidence", *values), rowid)
        connection.execute("UPDATE fact_evidence SET checksum = ? WHERE rowid = ?", sealed_as)
    connection.close()
    assert "corrupt" in _used(path)
    with opened(path) as memory:
        assert "type" in {problem.code for problem in memory.verify().problems}


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("fact", "object_kind", 99),
        ("space_object", "tags", "{"),
        ("space_object", "tags", "[[]]"),
        ("space_object", "metadata", "[" * 100_000),
        ("space_object", "metadata", "[1]"),
        ("space_audit", "detail", "none"),
        ("conversation_decision", "inputs", "[]"),
    ],
)
def test_a_column_that_cannot_be_read_under_a_fitting_checksum_is_damage_and_no_crash(
    whole: Path, tmp_path: Path, table: str, column: str, value: str | int
) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.mind"))
    connection = raw.connect(path)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    names = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
    assert names[-1] == "checksum"
    rows = connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
    assert rows
    for before in rows:
        after = list(before)
        after[names.index(column)] = value
        after[-1] = checksum(table, *after[:-1])
        assert _has_updated(connection, table, names, list(before), after)
    connection.close()
    assert "corrupt" in _used(path)


@rounds(25, 1500)
def test_a_schema_that_was_changed_is_found_or_harmless(whole: Path, tmp_path: Path, count: int) -> None:
    rng = random.Random(count)
    path = tmp_path / "s.mind"
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        shutil.copy(whole, path)
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        connection = raw.connect(path)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute("PRAGMA writable_schema = ON")
        names = [
            str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL")
        ]
        name, text = rng.choice(names), rng.choice(SCHEMAS)
        kind = rng.random()
        try:
            if kind < 0.3:
                connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text, name))
            elif kind < 0.5:
                connection.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))
            elif kind < 0.7:
                connection.execute(
                    "UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (rng.randrange(200), name)
                )
            elif kind < 0.85:
                connection.execute(
                    "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) "
                    "VALUES (?, 'sly', 'frame', 0, ?)",
                    (rng.choice(["trigger", "view", "table", "index"]), text),
                )
            else:
                connection.execute(f"PRAGMA user_version = {rng.choice([0, 1, 5, 99, 2**31 - 1])}")
        except apsw.Error:
            pass
        connection.close()
        outcomes[_used(path)] += 1
    print(f"schemas {count}: {dict(outcomes)}")
    assert not Path("/tmp/longmind-sly").exists()
