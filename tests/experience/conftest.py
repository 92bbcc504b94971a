"""Experience on both engines, found by words alone: what an embedder adds is tested where one is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.experience.interface import Experience
from longmind.experience.rows import TABLES

REPO = "app"


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, space=REPO, clock=clock, embedder=None) as opened:
        yield opened


@pytest.fixture
def experience(memory: Memory) -> Experience:
    return memory.experience


def dump(memory: Memory) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of experience, and every frame: what a refused write must leave as it was."""
    with memory.store.read() as snapshot:
        tables = [*TABLES.values(), "frame", "frame_text", "frame_key", "store_counter", "store_clock"]
        return {table: sorted(map(repr, snapshot.db.all(f"SELECT * FROM {table}"))) for table in tables}  # type: ignore[misc]
