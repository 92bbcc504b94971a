"""Experience on both engines, found by words alone: what an embedder adds is tested where one is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect import FrozenClock, Memory
from recollect.experience.interface import Experience
from recollect.experience.part import ExperiencePart
from recollect.experience.rows import TABLES

REPO = "app"


def _wire() -> None:
    """Give every Memory its experience, where Memory does not do so itself."""
    with Memory.open(":memory:", embedder=None) as probe:
        if hasattr(probe, "experience"):
            return
    original: Callable[..., None] = Memory.__init__

    def init(self: Any, *given: Any, **named: Any) -> None:
        original(self, *given, **named)
        self.store.parts.append(ExperiencePart())
        self.experience = Experience(self.store, self._search, repo=self.default_space)

    setattr(Memory, "__init__", init)  # noqa: B010


_wire()


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, space=REPO, clock=clock, embedder=None) as opened:
        yield opened


@pytest.fixture
def experience(memory: Any) -> Experience:
    found: Experience = memory.experience
    return found


def dump(memory: Memory) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of experience, and every frame: what a refused write must leave as it was."""
    with memory.store.read() as snapshot:
        tables = [*TABLES.values(), "frame", "frame_text", "frame_key", "store_counter", "store_clock"]
        return {table: sorted(map(repr, snapshot.rows.all(f"SELECT * FROM {table}"))) for table in tables}  # type: ignore[misc]
