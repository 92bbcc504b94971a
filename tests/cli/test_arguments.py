"""Options that open a memory: what is typed, and what the environment says."""

from __future__ import annotations

from pathlib import Path

import pytest

from longmind import InvalidInput
from longmind.cli.arguments import byte_count, reading, writing
from longmind.store.follower import MEMORY_LIMIT


@pytest.mark.parametrize(
    ("text", "count"),
    [("1000", 1000), ("256MB", MEMORY_LIMIT), ("64 m", 64 << 20), ("1GiB", 1 << 30), ("20kb", 20 << 10)],
)
def test_a_size_is_bytes_or_a_number_with_a_unit(text: str, count: int) -> None:
    assert byte_count(text) == count


@pytest.mark.parametrize("text", ["", "much", "-1", "1.5GB", "1TB", "MB"])
def test_anything_else_is_not_a_size(text: str) -> None:
    with pytest.raises(InvalidInput, match="not a number of bytes"):
        byte_count(text)


def test_the_limit_comes_from_the_command_line_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(tmp_path / "a.mind")
    monkeypatch.delenv("LONGMIND_MEMORY_LIMIT", raising=False)
    with writing(store) as memory:
        assert memory.store.mirrors.limit == MEMORY_LIMIT
    monkeypatch.setenv("LONGMIND_MEMORY_LIMIT", "64MB")
    with reading(store) as memory:
        assert memory.store.mirrors.limit == 64 << 20
    with reading(store, memory_limit="1000000") as memory:
        assert memory.store.mirrors.limit == 1_000_000
    monkeypatch.setenv("LONGMIND_MEMORY_LIMIT", "0")
    with pytest.raises(InvalidInput, match="memory_limit"), writing(store):
        pass


def test_a_limit_that_is_not_one_creates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGMIND_MEMORY_LIMIT", "plenty")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput), writing(None):
        pass
    assert not list(tmp_path.iterdir())
