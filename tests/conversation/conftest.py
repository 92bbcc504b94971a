"""Conversation memory over a Memory, on both engines; without embedding, which has tests of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.conversation.memories import Memories


def attach(memory: Memory, **options: Any) -> Memories:
    """The memories of an open Memory."""
    return Memories(memory.store, memory._search, memory.default_space, **options)


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock, embedder=None) as opened:
        yield opened


@pytest.fixture
def memories(memory: Memory) -> Memories:
    return attach(memory)
