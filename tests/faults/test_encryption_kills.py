"""SIGKILL on encrypted stores: no readable byte is left anywhere, and a key changes wholly or not at all."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest

from longmind import Memory
from longmind.base.store_files import is_encrypted_header
from tests.faults.encrypting import MARKER
from tests.store.children import Child
from tests.store.encrypted import KEY, OTHER_KEY, needs_cipher
from tests.store.opening import open_memory

pytestmark = needs_cipher

KEYS = {"": "", "old": KEY.hex(), "new": OTHER_KEY.hex()}
ACTS = {"encrypt": ("", "new"), "rekey": ("old", "new"), "decrypt": ("old", "")}
"""Which key a store has before and after."""


def with_marker(folder: Path) -> list[str]:
    return [
        file.name for file in folder.rglob("*") if file.is_file() and MARKER.encode() in file.read_bytes()
    ]


def kill_while_marking(path: Path, key: str, rows: int, rng: random.Random) -> None:
    with Child("mark_every_column", str(path), key) as child:
        ready = child.hear("ready")
        assert ready["columns"] > 100, "every table has columns of text"
        for _ in range(rows):
            child.hear("done")
        time.sleep(rng.uniform(0, 0.02))
        child.kill()


def test_no_text_of_any_column_is_found_in_any_file_of_a_killed_writer(tmp_path: Path) -> None:
    rng = random.Random(5)
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        kill_while_marking(folder / "a.mind", KEYS["old"], 2 + 9 * number, rng)
        assert {"a.mind", "a.mind-wal", "a.mind-shm"} <= {file.name for file in folder.iterdir()}
        assert (folder / "a.mind-wal").stat().st_size > 4096
        assert with_marker(folder) == []


def test_the_same_search_finds_the_text_of_a_plain_store(tmp_path: Path) -> None:
    kill_while_marking(tmp_path / "a.mind", "", 3, random.Random(6))
    assert "a.mind-wal" in with_marker(tmp_path)


def test_no_text_is_found_beside_a_backup_an_export_or_a_rekey_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path, key=KEY) as memory:
        memory.remember_many([f"{MARKER} {number} " + "words " * 100 for number in range(300)])
        memory.backup(tmp_path / "backup.mind")
        memory.export(tmp_path / "a.export", encrypt=True)
        memory.compact()
    calls = _calls(path, "rekey", tmp_path / "count")
    for share in (0.2, 0.5, 0.8, 0.95):
        _kill(path, "rekey", int(calls * share))
        assert with_marker(tmp_path) == []


def _calls(path: Path, act: str, folder: Path) -> int:
    """How many calls the change makes, counted on a copy."""
    folder.mkdir()
    shutil.copy(path, folder / "a.mind")
    before, after = (KEYS[name] for name in ACTS[act])
    with Child("change_key", str(folder / "a.mind"), act, before, after, "0") as child:
        child.hear("ready")
        calls: int = child.hear("done")["calls"]
        child.end()
    shutil.rmtree(folder)
    return calls


def _kill(path: Path, act: str, point: int) -> bool:
    """Whether it was killed, and not done before."""
    before, after = (KEYS[name] for name in ACTS[act])
    with Child("change_key", str(path), act, before, after, str(point)) as child:
        child.hear("ready")
        return not [line for line in child.rest() if line["event"] == "done"]


def _state(path: Path) -> str:
    """The key that opens the store and shows all of it; only one does."""
    states = []
    for name, key in KEYS.items():
        is_plain = not is_encrypted_header(path.read_bytes()[:100])
        if is_plain != (name == ""):
            continue
        try:
            with open_memory(path, create=False, **({"key": key} if key else {})) as memory:
                assert memory.verify(deep=True)
                assert len(memory.list(limit=1000)) == 40
        except PermissionError:
            continue
        states.append(name)
    (state,) = states
    return state


def check_killed_changes(folder: Path, act: str, points: int, seed: int) -> None:
    before, after = ACTS[act]
    original = folder / "original" / "a.mind"
    original.parent.mkdir()
    with open_memory(original, **({"key": KEYS[before]} if before else {})) as memory:
        memory.remember_many([f"{MARKER} {number} " + "words " * 30 for number in range(40)])
    calls = _calls(original, act, folder / "count")
    rng = random.Random(seed)
    # Spread over all of it, and closer where the copy takes the place of the store: near the end.
    chosen = {1 + calls * number // points for number in range(points)}
    chosen |= {rng.randint(int(calls * 0.9), calls) for _ in range(points // 2)}
    seen = set()
    for point in sorted(chosen):
        work = folder / "work"
        work.mkdir()
        path = Path(shutil.copy(original, work / "a.mind"))
        was_killed = _kill(path, act, point)
        state = _state(path)
        assert state in (before, after), f"killed at call {point} of {calls}"
        seen.add(state)
        if state == before:
            old, new = KEYS[before], KEYS[after]
            if act == "rekey":
                Memory.rekey(path, key=old, new_key=new)
            else:
                getattr(Memory, act)(path, key=old or new)
        assert _state(path) == after
        assert [file.name for file in work.iterdir()] == ["a.mind"], f"killed: {was_killed}, at {point}"
        assert bool(with_marker(work)) == (after == "")
        shutil.rmtree(work)
    assert before in seen


@pytest.mark.parametrize("act", ACTS)
def test_a_change_of_key_killed_at_any_moment_leaves_the_old_store_or_the_new_one(
    tmp_path: Path, act: str
) -> None:
    check_killed_changes(tmp_path, act, 8, 1)


@pytest.mark.soak
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_kills_of_a_change_of_key_leave_the_old_store_or_the_new_one(
    tmp_path: Path, act: str, seed: int
) -> None:
    check_killed_changes(tmp_path, act, 200, seed)
