"""What a turn has to read does not grow with what was said and is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.store.sqlite_transactions import SqliteConnection


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows statements have returned, one number each."""
    counts: list[int] = []
    ask = SqliteConnection.all

    def counting(self: SqliteConnection, sql: str, values: Any = ()) -> Any:
        rows = ask(self, sql, values)
        counts.append(len(rows))
        return rows

    monkeypatch.setattr(SqliteConnection, "all", counting)
    return counts


def test_a_move_reads_no_more_after_many_homes(tmp_path: Path, rows_read: list[int]) -> None:
    with Memory.open(str(tmp_path / "homes.mind"), embedder=None) as memory:
        talk = memory.conversation("talk")
        read = []
        for number in range(40):
            rows_read.clear()
            talk.add_turn("user", f"I live in Town{number} now.")
            read.append(sum(rows_read))
        [home] = memory.facts.about("user", predicate="lives_in")
        assert str(home.fact.object) == "Town39"
        [kept] = memory.memories.list(limit=10)
        assert "Town39" in kept.content
    # Of each home that is over one narrow row is looked at: its memory, which may come back.
    assert read[39] - read[9] < 2 * 30
