"""Who moves the log into the file, and backups that are put back over a log."""

from __future__ import annotations

import gc
import random
import shutil
import struct
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from longmind import Busy, Conflict, Corrupt, FrozenClock, InvalidInput, Memory, NotFound
from longmind.store import log, pages
from longmind.store.log import AHEAD, WHOLE
from longmind.store.sqlite import SqliteEngine
from tests.faults.test_log import bytes_of, folder, killed, state_of, texts_in, wal
from tests.store.children import Child
from tests.store.opening import key_option, open_memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "memory.mind"


def test_the_file_itself_says_whether_its_log_may_be_ahead(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("one")
        assert state_of(path) != WHOLE
        memory.flush()
        assert state_of(path) == WHOLE
        memory.remember("two")
        memory.remember("three")
        assert state_of(path) != WHOLE
    assert state_of(path) == WHOLE
    with open_memory(path) as memory:
        before = path.read_bytes()
        assert len(memory.list()) == 3
    assert path.read_bytes() == before


def test_a_reader_in_the_way_only_delays_the_mark(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("one")
    with open_memory(path) as memory, open_memory(path, read_only=True) as other:
        with other.session(mode="read"):
            other.stats()
            memory.remember("two")
            memory.remember("three")
            assert state_of(path) == WHOLE
        memory.remember("four")
        assert state_of(path) != WHOLE
        memory.remember("five")
        memory.store.engine._main.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)  # type: ignore[attr-defined]
        assert state_of(path) == AHEAD
    assert folder(path) == [path.name]
    assert state_of(path) == WHOLE


def test_a_memory_that_was_dropped_leaves_its_log_and_nothing_is_lost(path: Path) -> None:
    memory: Memory | None = open_memory(path)
    assert memory is not None
    memory.remember("dropped")
    del memory
    gc.collect()
    assert wal(path).exists()
    assert texts_in(path) == ["dropped"]
    assert folder(path) == [path.name]


def test_the_last_of_several_handles_takes_the_log_away(path: Path) -> None:
    with ExitStack() as stack:
        handles = [open_memory(path, read_only=number == 2) for number in range(3) if number < 2]
        handles[0].remember("zero")
        handles.append(open_memory(path, read_only=True))
        handles[1].remember("one")
        stack.callback(lambda: None)
        for place in (0, 1):
            handles[place].close()
            assert wal(path).exists()
        assert len(handles[2].list()) == 2
        handles[2].close()
    assert folder(path) == [path.name]
    assert texts_in(path) == ["zero", "one"]


@pytest.mark.parametrize("durability", ["normal", "full"])
def test_every_way_to_end_leaves_a_store_that_opens(path: Path, durability: str) -> None:
    expected = []
    for act in ("flush", "compact", "erase", "maintain", "backup", "reindex"):
        with open_memory(path, durability=durability) as memory:
            memory.remember(f"before {act}")
            if act == "erase":
                memory.erase(memory.remember("secret").id)
            elif act == "backup":
                memory.backup(path.parent.parent / "copy", overwrite=True)
            else:
                getattr(memory, act)()
            shutil.copytree(path.parent, path.parent.parent / f"killed-{act}")
        expected.append(f"before {act}")
        assert texts_in(path.parent.parent / f"killed-{act}" / path.name) == expected
    assert texts_in(path.parent.parent / "copy") == expected[:-1]


def check_play(path: Path, seed: int, steps: int) -> None:
    """Up to three processes start, write, close and are killed in random order; then all is there."""
    rng = random.Random(seed)
    expected: set[str] = set()
    number = 0
    with ExitStack() as stack:
        children: list[Child] = []
        for step in range(steps):
            act = rng.choice(("start", "write", "write", "end", "kill", "look"))
            if act == "start" and len(children) < 3:
                children.append(stack.enter_context(Child("write", str(path))))
                if rng.random() < 0.7:
                    children[-1].hear("ready")
                else:
                    children[-1].kill()
                    children.pop()
            elif act == "write" and children:
                child = rng.choice(children)
                for _ in range(rng.randint(1, 4)):
                    number += 1
                    child.tell(f"text {number}")
                    child.hear("done")
                    expected.add(f"text {number}")
            elif act in ("end", "kill") and children:
                child = children.pop(rng.randrange(len(children)))
                child.end() if act == "end" else child.kill()
            elif act == "look":
                with open_memory(path, read_only=rng.random() < 0.5 and bool(expected)) as memory:
                    assert {frame.text for frame in memory.list(limit=1000)} == expected, (seed, step)
        for child in children:
            child.kill()
    assert set(texts_in(path)) == expected, seed
    assert folder(path) == [path.name]


@pytest.mark.parametrize("seed", range(4))
def test_processes_that_come_and_go_never_raise_a_false_alarm(path: Path, seed: int) -> None:
    check_play(path, seed, 30)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 200))
def test_processes_never_raise_a_false_alarm_in_long_runs(path: Path, seed: int) -> None:
    check_play(path, seed, 120)


@pytest.mark.parametrize("seed", range(3))
def test_a_process_killed_while_it_closes_leaves_a_store_that_opens(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    expected = []
    for number in range(8):
        with Child("write", str(path)) as child:
            child.hear("ready")
            child.tell(f"text {number}")
            child.hear("done")
            expected.append(f"text {number}")
            child.tell("")  # an empty line ends it, by closing
            for _ in range(rng.randrange(40_000)):
                pass
            child.kill()
        with open_memory(path) as memory:
            assert [frame.text for frame in memory.list()] == expected


# Restoring


def test_restoring_puts_a_backup_in_the_place_of_a_killed_store_and_keeps_it(
    path: Path, tmp_path: Path
) -> None:
    with open_memory(path) as memory:
        memory.remember("in the backup")
        memory.backup(tmp_path / "backup.mind")
    texts = killed(path, "a")
    with pytest.raises(Conflict, match="exists"):
        Memory.restore(tmp_path / "backup.mind", path, **key_option())
    restored = Memory.restore(tmp_path / "backup.mind", path, overwrite=True, deep=True, **key_option())
    assert restored.kept == f"{path}.before-restore"
    assert restored.bytes == path.stat().st_size
    assert texts_in(path) == ["in the backup"]
    assert texts_in(Path(restored.kept)) == ["in the backup", *texts]
    again = Memory.restore(tmp_path / "backup.mind", path, overwrite=True, **key_option())
    assert again.kept == f"{path}.before-restore-2"
    assert folder(path) == [
        path.name,
        *(path.name + s for s in (".before-restore", ".before-restore-2")),
    ]


@pytest.mark.parametrize("there", ["nothing", "a log", "empty", "garbage", "one byte", "damaged"])
def test_restoring_works_whatever_is_there(path: Path, tmp_path: Path, there: str) -> None:
    with open_memory(tmp_path / "backup.mind") as memory:
        memory.remember("kept")
    if there in ("damaged", "a log"):
        killed(path, "a")
        if there == "damaged":
            raw = bytearray(path.read_bytes())
            raw[:100] = bytes(100)
            path.write_bytes(raw)
        else:
            path.unlink()
    elif there != "nothing":
        path.write_bytes({"empty": b"", "garbage": b"no database " * 999, "one byte": b"x"}[there])
    before = bytes_of(path)
    restored = Memory.restore(tmp_path / "backup.mind", path, overwrite=True, **key_option())
    assert texts_in(path) == ["kept"]
    if before:
        assert restored.kept is not None
        assert [raw for _, raw in sorted(bytes_of(Path(restored.kept)).items())] == [
            raw for _, raw in sorted(before.items())
        ]


def test_restoring_refuses_a_target_in_use_here_or_elsewhere(path: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.mind"
    with open_memory(path) as memory:
        memory.backup(backup)
        memory.remember("newer")
        with pytest.raises(Busy, match="in use"):
            Memory.restore(backup, path, overwrite=True, **key_option())
        memory.remember("newest")
    with Child("write", str(path)) as child:
        child.hear("ready")
        with pytest.raises(Busy, match="in use"):
            Memory.restore(backup, path, overwrite=True, **key_option())
        child.tell("theirs")
        child.hear("done")
        child.end()
    assert texts_in(path) == ["newer", "newest", "theirs"]
    assert folder(path) == [path.name]


def test_restoring_refuses_what_is_not_a_sound_backup(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("mine")
    before = path.read_bytes()
    backup = tmp_path / "backup.mind"
    with open_memory(backup) as memory:
        memory.remember_many(f"text {number}" for number in range(200))
        row = struct.pack(">H", 7)
    damaged = bytearray(backup.read_bytes())
    damaged[8192 * 2 : 8192 * 2 + 600] = row * 300
    (tmp_path / "damaged").write_bytes(damaged)
    (tmp_path / "text").write_text("not a store" * 100)
    for wrong, error in (
        (tmp_path / "damaged", Corrupt),
        (tmp_path / "text", Corrupt),
        (tmp_path / "nowhere", NotFound),
        (path, InvalidInput),
        ("postgresql://localhost/x", InvalidInput),
    ):
        with pytest.raises(error):
            Memory.restore(wrong, path, overwrite=True, deep=True, **key_option())
    assert path.read_bytes() == before
    assert folder(path) == [path.name]


def test_a_backup_of_an_earlier_format_is_restored_as_it_is(path: Path, tmp_path: Path) -> None:
    engine = SqliteEngine(
        str(tmp_path / "old"), clock=FrozenClock(1), read_only=False, create=True, durability="normal"
    )
    engine.migrate(to=8)
    engine.close()
    Memory.restore(tmp_path / "old", path, **key_option())
    with open_memory(path) as memory:
        memory.remember("migrated")
    assert texts_in(path) == ["migrated"]


def test_a_store_of_an_earlier_format_killed_in_its_migration_opens(tmp_path: Path) -> None:
    for number in range(6):
        path = tmp_path / f"{number}.mind"
        shutil.copy(Path(__file__).parent.parent / "formats" / "format_8.mind", path)
        with Child("write", str(path)) as child:
            if number % 2:
                child.hear("ready")
            child.kill()
        with open_memory(path) as memory:
            assert memory.list()
            assert memory.verify(deep=False)


def half_moved(path: Path, copy: Path, moved: int) -> None:
    """A copy that is all in its log, with the first pages of it in the file."""
    source = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    target = pages.connect(str(copy), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    target.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    target.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").fetchall()
    with target.backup("main", source, "main") as backup:
        backup.step()
    log.write_state(target, log.read_state(target)._replace(state=log.UNTOLD, boot=log.boot_id()))
    size = target.pragma("page_size")
    for connection in (source, target):
        pages.close(connection)
    content = wal(copy).read_bytes()
    logged = {
        struct.unpack_from(">I", content, start)[0]: content[start + 24 : start + 24 + size]
        for start in range(32, len(content), 24 + size)
    }
    with copy.open("r+b") as file:
        for number in range(1, moved + 1):
            file.seek((number - 1) * size)
            file.write(pages.sealed(logged[number], number))


@pytest.mark.parametrize("moved", [1, 2, 7, 40])
def test_a_kill_in_the_first_checkpoint_of_a_new_file_loses_nothing(
    path: Path, tmp_path: Path, moved: int
) -> None:
    """Pages are moved in the order of their numbers, so that the file alone is not a database meanwhile."""
    with open_memory(path) as memory:
        memory.remember_many([f"Number {number}" for number in range(50)])
    copy = tmp_path / "copy.mind"
    half_moved(path, copy, moved)
    assert len(texts_in(copy)) == 50


def test_the_log_of_another_store_is_not_replayed_into_half_of_a_new_file(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember_many([f"Number {number}" for number in range(50)])
    copy, other = tmp_path / "copy.mind", tmp_path / "other.mind"
    half_moved(path, copy, 40)
    with open_memory(tmp_path / "second.mind") as memory:
        memory.remember_many([f"Other words {number}" for number in range(80)])
    half_moved(tmp_path / "second.mind", other, 1)
    shutil.copy(wal(other), wal(copy))
    with pytest.raises(Corrupt, match="belongs to another file"):
        open_memory(copy)
