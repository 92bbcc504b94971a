"""Rows that an upgrade moves to another table keep what they said, and get sound checksums."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import Corrupt, FrozenClock, Memory
from longmind.base.hashing import checksum
from longmind.store.engine import Connection
from longmind.store.migrations import join_ledgers
from longmind.store.sqlite import SqliteEngine
from tests.conftest import START
from tests.store.opening import open_memory

SPENT = [("app", "Acme", 3, 100, 10), ("app", "other", 1, 7, 0), ("team", "acme", 2, 9, 5)]
BY_PROVIDER = {
    "app": {
        "acme": {"calls": 3, "tokens": 100, "usd": 0.00001},
        "other": {"calls": 1, "tokens": 7, "usd": 0},
    },
    "team": {"acme": {"calls": 2, "tokens": 9, "usd": 0.000005}},
}


def spend(db: Connection, *, flaw: int = 0) -> None:
    rows = [(*row, checksum("space_spending", *row) + flaw) for row in SPENT]
    db.many("INSERT INTO space_spending VALUES (?, ?, ?, ?, ?, ?)", rows)


def old_file(path: Path, **options: int) -> Path:
    engine = SqliteEngine(
        str(path), clock=FrozenClock(START), read_only=False, create=True, durability="normal"
    )
    engine.migrate(to=9)
    with engine.write(timeout=5) as db:
        spend(db, **options)
    engine.close()
    return path


def check(memory: Memory) -> None:
    assert {name: memory.space(name).spent() for name in BY_PROVIDER} == BY_PROVIDER
    assert memory.memories.stats(space="app").spending["acme/unknown/answered"]["calls"] == 3
    report = memory.verify(deep=True)
    assert report, report.problems


def test_the_two_ledgers_of_a_file_become_one(tmp_path: Path) -> None:
    path = old_file(tmp_path / "old.mind")
    for _ in range(2):
        with open_memory(path) as memory:
            check(memory)


def test_the_two_ledgers_of_a_schema_become_one(new_location: Callable[[str], str]) -> None:
    with open_memory(new_location("postgresql")) as memory:
        with memory.store.write() as tx:
            db = tx.db
            db.run(
                "CREATE TABLE space_spending (space TEXT, provider TEXT, calls BIGINT, tokens BIGINT, "
                "micro_usd BIGINT, checksum BIGINT)"
            )
            spend(db)
            join_ledgers(db)
        check(memory)


def test_a_damaged_row_is_not_carried_over(tmp_path: Path) -> None:
    path = old_file(tmp_path / "old.mind", flaw=1)
    with pytest.raises(Corrupt, match="spent"):
        open_memory(path)
