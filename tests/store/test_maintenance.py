"""Maintenance within a budget, the checks of parts, and reads that never write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from longmind import (
    ALL,
    Forbidden,
    FrozenClock,
    InvalidInput,
    MaintenancePolicy,
    Memory,
)
from longmind.store.parts import Budget, Part, Problem
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from tests.store.opening import open_memory

# Maintenance and parts


class Recorder(Part):
    """A part that notes what it is told, and can be asked to complain."""

    name = "recorder"

    def __init__(self) -> None:
        self.budgets: list[tuple[int | None, float | None]] = []
        self.rebuilt = 0

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        self.budgets.append((budget.frames, budget.seconds))
        budget.spend(3)
        return {"mended": 3}

    def rebuild(self, store: Store) -> int:
        self.rebuilt += 1
        return 7

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return [Problem("stale", "one entry is stale", derived=True)] if deep else []

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return {"entries": 5}


def test_parts_are_maintained_within_the_budget_checked_counted_and_rebuilt(memory: Memory) -> None:
    part = Recorder()
    memory.store.parts.insert(0, part)
    report = memory.maintain(MaintenancePolicy(max_frames=10, max_seconds=9.0, compact_above=None))
    assert part.budgets == [(10, 9.0)]
    assert report.done["recorder"] == {"mended": 3}
    assert not report.compacted
    assert not report.exhausted
    assert memory.maintain(MaintenancePolicy(max_frames=2)).exhausted
    assert memory.stats().parts["recorder"] == {"entries": 5}
    assert memory.reindex()["recorder"] == 7
    assert part.rebuilt == 1
    found = memory.verify(deep=True)
    assert not found
    assert [problem.code for problem in found.problems] == ["stale"]
    assert all(problem.derived for problem in found.problems)
    assert memory.verify()


def test_maintenance_compacts_a_file_that_is_mostly_empty(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember_many("x" * 3000 + str(number) for number in range(300))
        with memory.store.engine.write(timeout=5) as db:  # free pages without the rebuild that erase does
            db.run("CREATE TABLE ballast (x)")
            db.many("INSERT INTO ballast VALUES (?)", [("y" * 3000,) for _ in range(400)])
        with memory.store.engine.write(timeout=5) as db:
            db.run("DROP TABLE ballast")
        never = memory.maintain(MaintenancePolicy(compact_above=None))
        assert not never.compacted
        report = memory.maintain(MaintenancePolicy(compact_above=0.2))
        assert report.compacted
        assert report.bytes_after < report.bytes_before
        again = memory.maintain(MaintenancePolicy(compact_above=0.2))
        assert not again.compacted
        assert memory.verify(deep=True)


def test_the_hooks_maintain_when_told_and_never_by_themselves(location: str) -> None:
    with open_memory(location, on_open=MaintenancePolicy(), after_remember=MaintenancePolicy()) as memory:
        part = Recorder()
        memory.store.parts.append(part)
        memory.remember("one")
        assert len(part.budgets) == 1
        memory.list()
        memory.timeline()
        assert len(part.budgets) == 1
    with open_memory(location) as memory:
        part = Recorder()
        memory.store.parts.append(part)
        memory.remember("two")
        assert part.budgets == []


def test_verify_of_a_sound_store_is_clean_both_ways(memory: Memory) -> None:
    memory.remember_many(
        [{"text": f"t{number}", "tags": ["x"], "metadata": {"n": number}} for number in range(30)]
    )
    memory.update(3, tags=[])
    memory.forget(4)
    memory.supersede(5, 6)
    memory.erase(7)
    quick, deep = memory.verify(), memory.verify(deep=True)
    assert quick.problems == deep.problems == ()
    assert (quick.deep, deep.deep) == (False, True)
    assert deep.frames == 29


# Reads never write


def test_reading_changes_no_byte(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember_many([{"text": f"t{number}", "tags": ["x"]} for number in range(30)])
    before = path.read_bytes()
    with open_memory(path) as memory:
        for _ in range(3):
            memory.list()
            memory.timeline()
            memory.get(1)
            memory.stats()
            memory.verify(deep=True)
            assert memory.revision
    assert path.read_bytes() == before


def test_the_same_read_gives_the_same_frames_whatever_the_clock_says(
    location: str, clock: FrozenClock
) -> None:
    with open_memory(location, clock=clock) as memory:
        memory.remember_many(["a", "b"])
        first = memory.list(space=ALL), memory.timeline()
        clock.advance(days=400)
        assert (memory.list(space=ALL), memory.timeline()) == first


def test_a_store_in_memory_cannot_be_read_only() -> None:
    with pytest.raises(InvalidInput):
        open_memory(":memory:", read_only=True)


def test_writing_to_a_read_only_server_is_forbidden(location: str) -> None:
    open_memory(location).close()
    with open_memory(location, read_only=True) as memory:
        with pytest.raises(Forbidden):
            memory.remember("no")
        with pytest.raises(Forbidden), memory.session(mode="write"):
            raise AssertionError
