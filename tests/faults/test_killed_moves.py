"""A process killed at any one write to the file itself: the next open finishes what the log holds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from longmind import Memory

FORMATS = Path(__file__).parents[1] / "formats"
CHILD = """
import os, signal, sys
from longmind import Memory
from longmind.store import pages

left = int(sys.argv[2])
write = pages._PageFile.xWrite

def killed(self, data, offset):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, data, offset)

pages._PageFile.xWrite = killed
with Memory.open(sys.argv[1], embedder=None) as memory:
    memory.remember("written by the child")
print(left)
"""


def run_child(path: Path, kill_at: int) -> int | None:
    """How many writes were left when it ended; None if it was killed."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), str(kill_at)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, -9), done.stderr
    return int(done.stdout) if done.returncode == 0 else None


def check_killed_at_writes(tmp_path: Path, old: Path | None, every: int) -> None:
    untouched = tmp_path / "untouched.mind"
    if old is not None:
        shutil.copy(old, untouched)
    with Memory.open(untouched, embedder=None) as memory:
        before = {frame.text for frame in memory.list(limit=1000)}
    writes = 10_000 - (run_child(_begun(tmp_path / "counted.mind", old), 10_000) or 0)
    assert writes > 3
    for kill_at in range(1, writes + 1, every):
        path = _begun(tmp_path / f"{kill_at}.mind", old)
        assert run_child(path, kill_at) is None
        with Memory.open(path, embedder=None) as memory:
            assert memory.verify(deep=True)
            texts = {frame.text for frame in memory.list(limit=1000)}
            assert texts - {"written by the child"} == before, kill_at


def _begun(path: Path, old: Path | None) -> Path:
    if old is not None:
        shutil.copy(old, path)
    return path


@pytest.mark.parametrize("number", [5, 10])  # without checksums of pages, and with them
def test_an_upgrade_killed_at_some_writes_is_finished_by_the_next_open(tmp_path: Path, number: int) -> None:
    check_killed_at_writes(tmp_path, FORMATS / f"format_{number}.mind", every=23)


def test_a_new_file_killed_at_some_writes_is_opened(tmp_path: Path) -> None:
    check_killed_at_writes(tmp_path, None, every=29)


@pytest.mark.soak
@pytest.mark.parametrize("number", [1, 3, 8, 9, 10])
def test_an_upgrade_killed_at_any_write_is_finished_by_the_next_open(tmp_path: Path, number: int) -> None:
    check_killed_at_writes(tmp_path, FORMATS / f"format_{number}.mind", every=1)
