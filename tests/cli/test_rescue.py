"""`recollect restore` and `recollect recover`: what they do, and what they say when something is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from recollect import Memory
from tests.cli.conftest import Recollect

KILLED = (
    "import os\nfrom recollect import Memory\nmemory = Memory.open('killed.recollect', embedder=None)\n"
    "memory.remember('One.')\nmemory.remember('Two.')\nos.kill(os.getpid(), 9)"
)


@pytest.fixture
def backup(folder: Path) -> Path:
    with Memory.open(folder / "agent.recollect", embedder=None) as memory:
        memory.remember("One.")
        memory.backup(folder / "backup.recollect")
    return folder / "backup.recollect"


def damaged(backup: Path) -> bytes:
    raw = bytearray(backup.read_bytes())
    raw[len(raw) // 3] ^= 1
    return bytes(raw)


def test_a_restored_backup_is_told_with_what_was_there_before(recollect: Recollect, backup: Path):
    people = recollect("restore", "backup.recollect", "agent.recollect", "--overwrite")
    program = recollect("restore", "backup.recollect", "agent.recollect", "--overwrite", "--deep", "--json")

    assert (people.code, people.err) == (0, "")
    assert "What was there before is now" in people.out
    assert program.json["kept"].endswith("agent.recollect.before-restore-2")
    assert program.json["bytes"] == (backup.parent / "agent.recollect").stat().st_size


def test_what_is_no_sound_backup_is_refused_and_named(recollect: Recollect, backup: Path, folder: Path):
    (folder / "damaged.recollect").write_bytes(damaged(backup))
    (folder / "cut.recollect").write_bytes(backup.read_bytes()[:100_000])
    (folder / "text.txt").write_text("My notes. " * 500)
    (folder / "empty.recollect").touch()
    other = apsw.Connection(str(folder / "other.db"))
    other.execute("CREATE TABLE a (b)")
    other.close()

    for name, code, error, message in (
        ("nowhere.recollect", 3, "not_found", "There is no backup at"),
        ("damaged.recollect", 10, "corrupt", "is damaged: page"),
        ("cut.recollect", 10, "corrupt", "is damaged"),
        ("text.txt", 10, "corrupt", "is not a Recollect file"),
        ("empty.recollect", 9, "unsupported", "is empty"),
        ("other.db", 9, "unsupported", "another application"),
    ):
        done = recollect("restore", name, "new.recollect", "--json")
        assert (done.code, done.error["code"]) == (code, error), name
        assert message in done.error["message"]
        assert name in done.error["message"]
        assert ".." not in done.error["message"]
        assert done.error["hint"]
        # That is what the user has just typed.
        assert "recollect restore BACKUP TO" not in done.error["hint"]
    assert not (folder / "new.recollect").exists()


def test_a_store_that_exists_or_is_in_use_is_not_replaced(recollect: Recollect, backup: Path, folder: Path):
    store = folder / "agent.recollect"
    before = store.read_bytes()
    exists = recollect("restore", "backup.recollect", "agent.recollect")
    assert (exists.code, store.read_bytes()) == (4, before)
    assert "--overwrite" in exists.err
    with Memory.open(store, embedder=None) as memory:
        in_use = recollect("restore", "backup.recollect", "agent.recollect", "--overwrite", "--json")
        assert (in_use.code, in_use.error["code"]) == (5, "busy")
        memory.remember("Two.")
        assert memory.stats().live == 2
    assert [path.name for path in folder.iterdir() if "before-restore" in path.name] == []


def test_recover_goes_on_with_what_is_left_and_says_whether_it_had_to(recollect: Recollect, folder: Path):
    subprocess.run([sys.executable, "-c", KILLED], cwd=folder)
    (folder / "copy.recollect").write_bytes((folder / "killed.recollect").read_bytes())

    refused = recollect("stats", "--store", "copy.recollect")
    lossy = recollect("recover", "copy.recollect", "--json")
    again = recollect("recover", "copy.recollect")
    whole = recollect("recover", "killed.recollect", "--json")

    assert refused.code == 10
    assert "recollect recover" in refused.err
    assert (lossy.code, lossy.json["recovered"]) == (0, True)
    assert "nothing had to be recovered" in again.out
    assert (whole.json["recovered"], whole.json["frames"]) == (False, 2)


def test_recover_refuses_what_it_cannot_mend(recollect: Recollect, backup: Path, folder: Path):
    (folder / "damaged.recollect").write_bytes(damaged(backup))
    (folder / "text.txt").write_text("My notes. " * 500)
    (folder / "empty.recollect").touch()

    for name, code, error in (
        ("nowhere.recollect", 3, "not_found"),
        ("damaged.recollect", 10, "corrupt"),
        ("text.txt", 10, "corrupt"),
        ("empty.recollect", 10, "corrupt"),
        (":memory:", 2, "invalid_input"),
        ("postgresql://localhost/x", 2, "invalid_input"),
    ):
        done = recollect("recover", name, "--json")
        assert (done.code, done.error["code"]) == (code, error), name
        assert done.error["hint"]
    assert (folder / "empty.recollect").stat().st_size == 0
