"""No read goes through a whole table: what a question costs depends on what it asks for, not on the store.

SQLite chooses how it reads when it plans a statement. Every statement of the reads and writes below is
planned once more here, and none of its steps may be the scan of a table that grows with the store.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from longmind import Memory
from longmind.store.engine import Row, Value
from longmind.store.sqlite_transactions import SqliteConnection

SMALL = {
    "erasure_pending",
    "fact_same",  # one for each time that somebody merged two entities
    "store_counter",
    "store_lease",
    "store_setting",
}
"""Tables with a few rows in any store."""

LOOKS = re.compile(r"SELECT (?:1|\w+) FROM \w+(?: WHERE until IS NULL| ORDER BY \w+_id DESC)? LIMIT \d+$")
"""Whether there is anything at all, or the last few rows: the scan ends there."""

ONCE = {
    # Words in which a piece of a word is looked for; asked by a question that finds nothing, and kept.
    "SELECT DISTINCT term FROM text_posting",
    # Whether all names fit into memory.
    "SELECT count(*) FROM fact_alias",
}
"""What a process asks once, or after many writes."""

_NAMED = re.compile(r"(?:FROM|JOIN) (\w+)(?: (?!WHERE|ON|JOIN|CROSS|LEFT|ORDER|LIMIT)(\w+))?")


class Planner:
    """Plans every statement once more, and keeps those that scan a table, each with the tables."""

    def __init__(self) -> None:
        self.scans: dict[str, list[str]] = {}
        self._planned: set[str] = set()

    def begin(self) -> None:
        self.scans.clear()
        self._planned.clear()

    def plan(self, connection: SqliteConnection, sql: str, values: Sequence[Value]) -> None:
        kind = re.sub(r"\?(?:, \?)+", "?", sql)
        if kind in self._planned or not sql.startswith("SELECT") or LOOKS.match(sql):
            return
        self._planned.add(kind)
        # A step names a table by its alias; what it names so may also be a SELECT inside this one.
        tables = {alias or table: table for table, alias in _NAMED.findall(sql)}
        steps = [str(row[3]) for row in connection.connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
        scanned = [tables.get(step.split()[1]) for step in steps if step.startswith("SCAN")]
        large = [table for table in scanned if table is not None and table not in SMALL]
        if large:
            self.scans[sql] = large


@pytest.fixture
def planner(monkeypatch: pytest.MonkeyPatch) -> Planner:
    planner = Planner()
    read_all, read_one = SqliteConnection.all, SqliteConnection.one

    def planned_all(self: SqliteConnection, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        planner.plan(self, sql, values)
        return read_all(self, sql, values)

    def planned_one(self: SqliteConnection, sql: str, values: Sequence[Value] = ()) -> Row | None:
        planner.plan(self, sql, values)
        return read_one(self, sql, values)

    monkeypatch.setattr(SqliteConnection, "all", planned_all)
    monkeypatch.setattr(SqliteConnection, "one", planned_one)
    return planner


def fill(memory: Memory) -> None:
    memory.remember("Ana moved to Rome.", tags=["news"])
    memory.remember("Bo works at Klarna.", user="bo")
    memory.remember("The kettle is on loan until tomorrow.", ttl="1d")
    memory.add(
        [
            {"role": "user", "content": "I live in Paris and my wife is Ana."},
            {"role": "assistant", "content": "Noted."},
        ],
        user="bo",
        session="first",
    )
    for text in ("I left Klarna.", "I work at Spotify now.", "My dog is 3.", "I no longer live in Paris."):
        memory.conversation("second", user="bo").add_turn("user", text)


def ask(memory: Memory) -> None:
    for user in (None, "bo"):
        memory.search("where does Ana live", user=user)
        memory.search("Where do I work now?", user=user)
        memory.search("Klarna", user=user, where={"tags": ["news"]})
        memory.recall("Where do I work?", budget=300, user=user)
        memory.facts.about("user", user=user)
        memory.facts.about("Ana", user=user)
        memory.list(limit=3, user=user)


def test_reads_go_through_no_table(tmp_path: Path, planner: Planner) -> None:
    with Memory.open(tmp_path / "plans.mind", embedder="hash") as memory:
        fill(memory)
        planner.begin()
        ask(memory)
    with Memory.open(tmp_path / "plans.mind", embedder="hash") as memory:
        planner.begin()
        ask(memory)
        ask(memory)
    assert {sql: tables for sql, tables in planner.scans.items() if sql not in ONCE} == {}


def test_writes_go_through_no_table(tmp_path: Path, planner: Planner) -> None:
    with Memory.open(tmp_path / "plans.mind", embedder="hash") as memory:
        fill(memory)
        planner.begin()
        fill(memory)
    assert {sql: tables for sql, tables in planner.scans.items() if sql not in ONCE} == {}


def test_an_erase_looks_at_no_facts_but_those_of_the_frame(tmp_path: Path, planner: Planner) -> None:
    with Memory.open(tmp_path / "plans.mind", embedder="hash") as memory:
        fill(memory)
        frame = memory.remember("Cleo works at Nordlys.").id
        planner.begin()
        memory.erase(frame)
    facts = {table for tables in planner.scans.values() for table in tables if table.startswith("fact")}
    assert facts == set()
