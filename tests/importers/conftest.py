"""Importers are tested without vectors: what they write is the same with and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longmind import FrozenClock, Memory


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock, embedder=None) as opened:
        yield opened


@pytest.fixture
def plain(tmp_path, clock: FrozenClock) -> Iterator[Memory]:
    """A file only, for what does not depend on the engine."""
    with Memory.open(tmp_path / "plain.mind", clock=clock, embedder=None) as opened:
        yield opened
