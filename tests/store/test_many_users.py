"""What a write costs does not depend on how many users the store has, nor on how many a batch is for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.store.sqlite_transactions import SqliteConnection


def _statements(memory: Memory, users: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many statements one batch takes that has a note for each of so many users."""
    count = 0
    with monkeypatch.context() as patch:
        for name in ("one", "all", "run", "many"):
            original = getattr(SqliteConnection, name)

            def counted(self: Any, *arguments: Any, original: Any = original, **options: Any) -> Any:
                nonlocal count
                count += 1
                return original(self, *arguments, **options)

            patch.setattr(SqliteConnection, name, counted)
        memory.remember_many(
            [{"text": f"note {n} of {users}", "user": f"user-{users}-{n}"} for n in range(users)]
        )
    return count


def test_a_batch_for_many_users_takes_as_many_statements_as_one_for_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path / "users.mind", embedder=None) as memory:
        few, many = _statements(memory, 20, monkeypatch), _statements(memory, 200, monkeypatch)
        assert many <= few + 5
        assert memory.verify(deep=True)


def test_a_write_finds_its_user_in_the_log_without_reading_the_others(memory: Memory) -> None:
    if memory.store.engine.dialect.name != "sqlite":
        pytest.skip("the plan of a small table on the server says nothing about a large one")
    with memory.store.read() as snapshot:
        plan = snapshot.db.all(
            "EXPLAIN QUERY PLAN SELECT name, digest FROM audit_user WHERE name IN (?)", ("a",)
        )
    assert all("SEARCH" in str(row[3]) for row in plan), plan


def test_the_name_of_a_user_stays_in_the_log_until_the_last_note_in_any_space_is_erased(
    memory: Memory,
) -> None:
    def names() -> set[str]:
        with memory.store.read() as snapshot:
            return {str(row[0]) for row in snapshot.db.all("SELECT name FROM audit_user")}

    first = memory.remember("Ana likes tea.", user="ana").ids[0]
    second = memory.remember("Ana likes trains.", user="ana").ids[0]
    elsewhere = memory.remember("Ana works here.", space="work", user="ana").ids[0]
    memory.remember("Ben likes coffee.", user="ben")
    for frame, space, left in ((first, None, True), (second, None, True), (elsewhere, "work", False)):
        memory.erase(frame, space=space, user="ana")
        assert ("ana" in names()) is left
    assert "ben" in names()
    assert memory.verify(deep=True)
