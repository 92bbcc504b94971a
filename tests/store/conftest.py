"""The store's own tests open memories without an embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory
from tests.store.opening import open_memory


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with open_memory(location, clock=clock) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file may be made, alone in its folder."""
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "a.mind"
