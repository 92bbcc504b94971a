"""The store's own tests open memories without an embedder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longmind import FrozenClock, Memory
from tests.store.opening import open_memory


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with open_memory(location, clock=clock) as opened:
        yield opened
