"""What a killed backup or export leaves behind: gone at the next open, backup or export in that folder."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import Memory
from longmind.base.partial import is_partial, partial_file, put_in_place, remove_strays
from longmind.store.transfer import write_lines

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

DAY = 24 * 3600


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "agent.mind"
    with quiet(path) as memory:
        memory.remember_many([f"Note {number}: " + "words " * 400 for number in range(200)])
    return path


def quiet(path: Path) -> Memory:
    return Memory.open(path, embedder=None, extractor=None)


def strays(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if is_partial(path.name))


def kill_while_writing(store: Path, call: str) -> list[Path]:
    """Repeat a call in another process until a kill catches it with an unfinished file."""
    code = (
        "import sys; from longmind import Memory\n"
        "memory = Memory.open(sys.argv[1], embedder=None, extractor=None)\n"
        f"while True: memory.{call}"
    )
    for _ in range(50):
        process = subprocess.Popen([sys.executable, "-c", code, str(store)])
        while not strays(store.parent) and process.poll() is None:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        if left := strays(store.parent):
            return left
    raise AssertionError("no kill left a file behind")


CALLS = {
    "backup": "backup(sys.argv[1] + '.copy', overwrite=True)",
    "export": "export(sys.argv[1] + '.jsonl', overwrite=True)",
}


@pytest.mark.parametrize(
    ("killed", "later"), [("backup", "open"), ("backup", "export"), ("export", "open"), ("export", "backup")]
)
def test_what_a_kill_left_is_gone_after_the_next_call(killed: str, later: str, store: Path) -> None:
    for path in kill_while_writing(store, CALLS[killed]):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with Memory.open(store, embedder=None, read_only=True):
        assert strays(store.parent)  # a reader removes nothing
    with quiet(store) as memory:
        if later == "backup":
            memory.backup(store.with_name("second.mind"))
        elif later == "export":
            memory.export(store.with_name("second.jsonl"))
        assert strays(store.parent) == []
        assert memory.verify().problems == ()


def test_a_backup_elsewhere_cleans_that_folder(store: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "backups"
    elsewhere.mkdir()
    dead = unfinished(elsewhere / "agent.mind", pid=dead_pid())
    log = dead.with_name(dead.name + "-journal")
    log.write_bytes(b"what SQLite left beside it")
    with quiet(store) as memory:
        assert dead.exists()  # opening cleans the folder of the store, and no other
        memory.backup(elsewhere / "agent.mind")
    assert [path.name for path in elsewhere.iterdir()] == ["agent.mind"]


def unfinished(target: Path, *, pid: int, machine: str | None = None) -> Path:
    """A file as another process would have named it."""
    with partial_file(target) as mine:
        name = mine.name.replace(f"-{os.getpid()}-", f"-{pid}-")
        if machine is not None:
            name = name.replace(name.split("longmind-")[-1][:8], machine)
    path = target.with_name(name)
    path.write_text("half of it")
    return path


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_the_file_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    living = unfinished(tmp_path / "a.jsonl", pid=os.getppid())
    with partial_file(tmp_path / "b.jsonl") as own:
        remove_strays(tmp_path)
        assert own.exists()
    remove_strays(tmp_path)
    assert living.exists()


def test_a_number_that_a_new_process_has_got_is_doubted_after_a_day(tmp_path: Path) -> None:
    reused = unfinished(tmp_path / "a.jsonl", pid=os.getppid())
    age(reused, DAY + 60)
    remove_strays(tmp_path)
    assert not reused.exists()


def test_a_restart_under_the_same_number_removes_what_its_predecessor_left(tmp_path: Path) -> None:
    left = unfinished(tmp_path / "a.jsonl", pid=os.getpid())
    remove_strays(tmp_path)
    assert not left.exists()


def test_the_file_of_another_machine_is_left_for_a_day(tmp_path: Path) -> None:
    other = unfinished(tmp_path / "a.jsonl", pid=dead_pid(), machine="0123abcd")
    remove_strays(tmp_path)
    assert other.exists()
    age(other, DAY + 60)
    remove_strays(tmp_path)
    assert not other.exists()


SIMILAR = [
    ".agent.mind.123.partial",
    "agent.jsonl.123.part",
    "notes.mind-0123abcd-999999-0123abcd.partial",
    ".notes.mind-0123abcd-999999-0123abcd.partial.txt",
    ".notes.mind-draft-999999-0123abcd.partial",
    "download.partial",
]


@pytest.mark.parametrize("name", SIMILAR)
def test_a_file_of_the_user_that_looks_similar_is_left_alone(name: str, store: Path) -> None:
    mine = store.with_name(name)
    mine.write_text("mine")
    age(mine, 30 * DAY)
    with quiet(store) as memory:
        memory.backup(store.with_name("copy.mind"))
        memory.export(store.with_name("copy.jsonl"))
    assert mine.read_text() == "mine"


def test_a_link_or_folder_of_that_name_is_left_alone(tmp_path: Path) -> None:
    name = unfinished(tmp_path / "a.jsonl", pid=dead_pid()).name
    (tmp_path / name).unlink()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / name).symlink_to(tmp_path / "mine.txt")
    folder = tmp_path / name.replace("a.jsonl", "b.jsonl")
    folder.mkdir()
    remove_strays(tmp_path)
    assert (tmp_path / name).is_symlink()
    assert folder.is_dir()


def test_a_new_file_is_private_and_a_replaced_one_keeps_its_permissions(store: Path) -> None:
    copy, shared = store.with_name("copy.mind"), store.with_name("shared.jsonl")
    shared.write_text("")
    shared.chmod(0o664)
    with quiet(store) as memory:
        memory.backup(copy)
        memory.export(shared, overwrite=True)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(shared.stat().st_mode) == 0o664


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        yield "half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_lines(tmp_path / "a.jsonl", lines(), overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("é" * 120 + ".jsonl")
    with partial_file(target) as partial:
        partial.write_text("whole")
        put_in_place(partial, target)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["whole"]
