"""A process killed at any one write to the file itself: the next open finishes what the log holds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from longmind import Memory
from longmind.store import recovery

FORMATS = Path(__file__).parents[1] / "formats"
CHILD = """
import os, signal, sys
from longmind import Memory
from longmind.store import recovery
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


GROWING = CHILD.replace(
    'memory.remember("written by the child")',
    'memory.remember_many([f"Child {number}: " + "word " * 200 for number in range(300)])',
)


def test_a_page_that_sqlite_never_writes_does_not_make_a_log_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond 1 GiB, the page with the byte that SQLite locks is a hole; here it is moved nearer."""
    path = tmp_path / "grown.mind"
    with Memory.open(path, embedder=None) as memory:
        memory.remember_many([f"Before {number}: " + "text " * 200 for number in range(300)])
    done = subprocess.run([sys.executable, "-c", GROWING, str(path), "60"], check=False)
    assert done.returncode == -9
    size, moved, _ = recovery._pages_of_log(f"{path}-wal")
    hole = next(number for number in range(2, path.stat().st_size // size) if number not in moved)
    with path.open("r+b") as file:
        file.seek((hole - 1) * size)
        file.write(bytes(size))
    assert not recovery._is_interrupted_move(str(path))
    monkeypatch.setattr(recovery, "_LOCK_BYTE", (hole - 1) * size)
    assert recovery._is_interrupted_move(str(path))


LARGE = CHILD.replace("with Memory.open", "FILL = '''{fill}'''\nwith Memory.open").replace(
    'memory.remember("written by the child")',
    "with memory.store.write() as tx:\n        tx.db.run(FILL, (100, 100, 12 << 20))",
)
FILL = (
    "INSERT INTO segment_block (segment, kind, first_id, last_id, revision, checksum, data) "
    "VALUES ('filler', 'filler', ?, ?, 0, x'00', zeroblob(?))"
)


@pytest.mark.soak
@pytest.mark.parametrize("kill_at", [1, 2, 500, 3000])
def test_a_store_beyond_one_gibibyte_killed_while_its_log_is_moved_opens(
    tmp_path: Path, kill_at: int
) -> None:
    path = tmp_path / "large.mind"
    with Memory.open(path, embedder=None) as memory:
        memory.remember("Kept.")
        for number in range(1, 36):
            with memory.store.write() as tx:
                tx.db.run(FILL, (number, number, 31 << 20))
    assert path.stat().st_size > 1 << 30
    code = LARGE.replace("{fill}", FILL)
    done = subprocess.run([sys.executable, "-c", code, str(path), str(kill_at)], check=False)
    assert done.returncode == -9
    with Memory.open(path, embedder=None) as memory:
        assert [frame.text for frame in memory.list(limit=10)] == ["Kept."]
        with memory.store.read() as snapshot:
            filled = snapshot.db.one("SELECT length(data) FROM segment_block WHERE first_id = 100")
    assert filled == (12 << 20,)
    path.unlink()  # more than what is kept of other tests together
