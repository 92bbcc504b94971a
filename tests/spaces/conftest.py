"""A registry of spaces over a memory without an embedder, on both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longmind import FrozenClock, Memory
from longmind.spaces.registry import Spaces


def spaces_of(memory: Memory, **options: object) -> Spaces:
    return Spaces(memory.store, memory._search, **options)  # type: ignore[arg-type]


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock, embedder=None) as opened:
        yield opened


@pytest.fixture
def spaces(memory: Memory) -> Spaces:
    return spaces_of(memory)
