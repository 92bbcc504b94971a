"""A memory to operate on, in a folder of its own, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory


@pytest.fixture
def memory(
    location: str, clock: FrozenClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    monkeypatch.chdir(tmp_path)
    with Memory.open(location, clock=clock, embedder="hash") as opened:
        yield opened
