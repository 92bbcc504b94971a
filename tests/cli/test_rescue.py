"""`longmind restore` and `longmind recover`: what they do, and what they say when something is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from longmind import Memory
from tests.cli.conftest import Longmind

KILLED = (
    "import os\nfrom longmind import Memory\nmemory = Memory.open('killed.mind', embedder=None)\n"
    "memory.remember('One.')\nmemory.remember('Two.')\nos.kill(os.getpid(), 9)"
)


@pytest.fixture
def backup(folder: Path) -> Path:
    with Memory.open(folder / "agent.mind", embedder=None) as memory:
        memory.remember("One.")
        memory.backup(folder / "backup.mind")
    return folder / "backup.mind"


def damaged(backup: Path) -> bytes:
    raw = bytearray(backup.read_bytes())
    raw[raw.index(b"One.")] ^= 1  # in what was stored: a bit of an unused part can be mended
    return bytes(raw)


def test_a_restored_backup_is_told_with_what_was_there_before(longmind: Longmind, backup: Path):
    people = longmind("restore", "backup.mind", "agent.mind", "--overwrite")
    program = longmind("restore", "backup.mind", "agent.mind", "--overwrite", "--deep", "--json")

    assert (people.code, people.err) == (0, "")
    assert "What was there before is now" in people.out
    assert program.json["kept"].endswith("agent.mind.before-restore-2")
    assert program.json["bytes"] == (backup.parent / "agent.mind").stat().st_size


def test_what_is_no_sound_backup_is_refused_and_named(longmind: Longmind, backup: Path, folder: Path):
    (folder / "damaged.mind").write_bytes(damaged(backup))
    (folder / "cut.mind").write_bytes(backup.read_bytes()[:100_000])
    (folder / "text.txt").write_text("My notes. " * 500)
    (folder / "empty.mind").touch()
    other = apsw.Connection(str(folder / "other.db"))
    other.execute("CREATE TABLE a (b)")
    other.close()

    for name, code, error, message in (
        ("nowhere.mind", 3, "not_found", "There is no backup at"),
        ("damaged.mind", 10, "corrupt", "is damaged: page"),
        ("cut.mind", 10, "corrupt", "is damaged"),
        ("text.txt", 10, "corrupt", "is not a Longmind file"),
        ("empty.mind", 9, "unsupported", "is empty"),
        ("other.db", 9, "unsupported", "another application"),
    ):
        done = longmind("restore", name, "new.mind", "--json")
        assert (done.code, done.error["code"]) == (code, error), name
        assert message in done.error["message"]
        assert name in done.error["message"]
        assert ".." not in done.error["message"]
        assert done.error["hint"]
        # That is what the user has just typed.
        assert "longmind restore BACKUP TO" not in done.error["hint"]
    assert not (folder / "new.mind").exists()


def test_a_store_that_exists_or_is_in_use_is_not_replaced(longmind: Longmind, backup: Path, folder: Path):
    store = folder / "agent.mind"
    before = store.read_bytes()
    exists = longmind("restore", "backup.mind", "agent.mind")
    assert (exists.code, store.read_bytes()) == (4, before)
    assert "--overwrite" in exists.err
    with Memory.open(store, embedder=None) as memory:
        in_use = longmind("restore", "backup.mind", "agent.mind", "--overwrite", "--json")
        assert (in_use.code, in_use.error["code"]) == (5, "busy")
        memory.remember("Two.")
        assert memory.stats().live == 2
    assert [path.name for path in folder.iterdir() if "before-restore" in path.name] == []


def test_recover_goes_on_with_what_is_left_and_says_whether_it_had_to(longmind: Longmind, folder: Path):
    subprocess.run([sys.executable, "-c", KILLED], cwd=folder)
    (folder / "copy.mind").write_bytes((folder / "killed.mind").read_bytes())

    refused = longmind("stats", "--store", "copy.mind")
    lossy = longmind("recover", "copy.mind", "--json")
    again = longmind("recover", "copy.mind")
    whole = longmind("recover", "killed.mind", "--json")

    assert refused.code == 10
    assert "longmind recover" in refused.err
    assert (lossy.code, lossy.json["recovered"]) == (0, True)
    assert "nothing had to be recovered" in again.out
    assert (whole.json["recovered"], whole.json["frames"]) == (False, 2)


def test_recover_refuses_what_it_cannot_mend(longmind: Longmind, backup: Path, folder: Path):
    (folder / "damaged.mind").write_bytes(damaged(backup))
    (folder / "text.txt").write_text("My notes. " * 500)
    (folder / "empty.mind").touch()

    for name, code, error in (
        ("nowhere.mind", 3, "not_found"),
        ("damaged.mind", 10, "corrupt"),
        ("text.txt", 10, "corrupt"),
        ("empty.mind", 10, "corrupt"),
        (":memory:", 2, "invalid_input"),
        ("postgresql://localhost/x", 2, "invalid_input"),
    ):
        done = longmind("recover", name, "--json")
        assert (done.code, done.error["code"]) == (code, error), name
        assert done.error["hint"]
    assert (folder / "empty.mind").stat().st_size == 0
