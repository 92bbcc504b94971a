"""Tests that run inside the environment of one framework; see environments.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "agent.mind", embedder=None) as opened:
        yield opened
