"""Which files are a store's, and that opening others never touches its locks."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from longmind import Memory
from longmind.base import store_files
from longmind.base.errors import Busy
from longmind.base.store_files import (
    StoreFile,
    belongs_to_store,
    claim,
    in_family,
    is_open_here,
    open_user_file,
    read_user_file,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="locks and links of POSIX")


@pytest.mark.parametrize(
    "name",
    ["a.mind", "a.recollect", "A.MIND", "a.recollect-wal", "a.mind-shm", "a.mind-journal", "a b.mind"],
)
def test_names_of_stores(name: str) -> None:
    assert in_family(name)


@pytest.mark.parametrize(
    "name", [".longmind", ".mind", "mind", "a.mind.md", "a.mind.txt", "my-journal", "a.db", "a.mindful"]
)
def test_names_of_other_files(name: str) -> None:
    assert not in_family(name)


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"plain\n")
    assert read_user_file(path) == b"plain\n"
    with pytest.raises(FileNotFoundError):
        read_user_file(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        read_user_file(tmp_path)


@posix
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"through a pipe",))
    writer.start()
    assert read_user_file(pipe) == b"through a pipe"
    writer.join()


def test_several_handles_count_until_the_last_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    first, second = Memory.open(path, embedder=None), Memory.open(path, embedder=None)
    first.close()
    first.close()
    assert is_open_here(path)
    second.close()
    assert not is_open_here(path)
    assert belongs_to_store(path)  # by its header


def test_a_store_that_could_not_be_opened_is_not_taken_for_open(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("This is no store. " * 100)
    with pytest.raises(OSError, match="not a Longmind file"):
        Memory.open(path, embedder=None)
    assert not is_open_here(path)
    assert read_user_file(path).startswith(b"This is no store.")


@posix
def test_a_store_is_known_by_any_name_it_gets_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with Memory.open("notes.db", embedder=None) as memory:
        memory.remember("There is a log now.")
        (tmp_path / "hard.md").hardlink_to("notes.db")
        (tmp_path / "soft.md").symlink_to("notes.db")
        (tmp_path / "index.md").hardlink_to("notes.db-shm")
        monkeypatch.chdir(tmp_path / "elsewhere")
        for name in ("hard.md", "soft.md", "index.md", "notes.db-wal", "notes.db"):
            with pytest.raises(StoreFile, match="longmind copy"):
                read_user_file(tmp_path / name)
        (tmp_path / "notes.db").rename(tmp_path / "moved.md")
        assert is_open_here(tmp_path / "moved.md")


@posix
def test_a_file_swapped_for_the_store_after_the_check_is_not_closed(tmp_path: Path) -> None:
    """The descriptor stays open: closing it would drop the locks."""
    with Memory.open(tmp_path / "notes.db", embedder=None):
        descriptor = os.open(tmp_path / "notes.db", os.O_RDONLY)  # what an open would get after the swap
        with pytest.raises(StoreFile):
            store_files._checked(descriptor, "swapped.txt")
        assert os.fstat(descriptor).st_ino == (tmp_path / "notes.db").stat().st_ino
    assert descriptor in store_files._never_closed.values()


def test_a_store_waits_for_whoever_reads_its_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"")
    opened = threading.Event()

    def open_store() -> None:
        with Memory.open(path, embedder=None):
            opened.set()

    thread = threading.Thread(target=open_store)
    with open_user_file(path):
        thread.start()
        assert not opened.wait(0.3)
        with pytest.raises(StoreFile):  # announced, so nobody else begins to read it
            read_user_file(path)
    thread.join()
    assert opened.is_set()


def test_a_store_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_files, "_PATIENCE", 0.05)
    path = tmp_path / "notes.txt"
    path.write_bytes(b"")
    with open_user_file(path), pytest.raises(Busy):
        claim(path)
    assert not is_open_here(path)
    assert read_user_file(path) == b""


@posix
def test_a_database_of_the_program_itself_keeps_its_locks(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    own = sqlite3.connect(path, isolation_level=None)
    kept = len(store_files._never_closed)
    try:
        own.execute("CREATE TABLE t (x)")
        own.execute("BEGIN IMMEDIATE")
        with Memory.open(":memory:", embedder=None) as memory:
            memory.ingest(tmp_path)
            memory.ingest(tmp_path)
            with pytest.raises(StoreFile):
                memory.export(path, overwrite=True)
        assert len(store_files._never_closed) <= kept + 1  # not one more each time
        code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
        other = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
        assert "locked" in other.stderr
    finally:
        own.close()


@posix
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_read_files_and_still_knows_the_store(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"plain")
    held, release = threading.Event(), threading.Event()

    def hold_the_lock() -> None:
        with store_files._changed:
            held.set()
            release.wait(20)

    with Memory.open(tmp_path / "notes.db", embedder=None):
        thread = threading.Thread(target=hold_the_lock)
        thread.start()
        held.wait(20)
        child = os.fork()
        if child == 0:
            fine = read_user_file(tmp_path / "notes.txt") == b"plain" and is_open_here(tmp_path / "notes.db")
            os._exit(0 if fine else 1)
        release.set()
        thread.join()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
