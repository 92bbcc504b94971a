"""A foreign, stale, damaged or missing log is refused: every acknowledged write is there, or an error."""

from __future__ import annotations

import gc
import logging
import random
import shutil
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw
import pytest

from longmind import Busy, Conflict, Corrupt, FrozenClock, InvalidInput, Memory, NotFound
from longmind.store import log, pages, recovery
from longmind.store.log import AHEAD, WHOLE, read_alone
from longmind.store.sqlite import SqliteEngine
from tests.store.children import Child
from tests.store.opening import key_option, open_memory

WRITES = 40


def killed(path: Path, name: str, count: int = WRITES) -> list[str]:
    """A store whose writer was killed after it acknowledged these texts; most of them are only in its log."""
    texts = [f"{name} wrote {number}" for number in range(count)]
    with Child("write", str(path)) as child:
        child.hear("ready")
        for text in texts:
            child.tell(text)
            child.hear("done")
        child.kill()
    assert wal(path).stat().st_size > 100_000
    return texts


def wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def shm(path: Path) -> Path:
    return path.with_name(path.name + "-shm")


def texts_in(path: Path, **options: object) -> list[str]:
    with open_memory(path, **options) as memory:
        assert memory.verify(deep=True)
        return [frame.text for frame in memory.list(limit=10_000)]


def folder(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def bytes_of(path: Path) -> dict[str, bytes]:
    return {name.name: name.read_bytes() for name in (path, wal(path)) if name.exists()}


@contextmanager
def refused(path: Path, match: str) -> Iterator[None]:
    """Every way to open says so, again and again, and changes nothing."""
    before = bytes_of(path)
    for read_only in (False, True, False):
        with pytest.raises(Corrupt, match=match) as caught:
            open_memory(path, read_only=read_only)
        assert caught.value.hint
        assert "longmind restore BACKUP TO" in caught.value.hint
    assert bytes_of(path).items() >= before.items()
    yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "memory.mind"


# Foreign and stale logs


def test_a_killed_store_opens_with_everything_it_acknowledged(path: Path) -> None:
    texts = killed(path, "a")
    assert texts_in(path) == texts
    assert folder(path) == [path.name]


def test_a_backup_copied_over_a_killed_store_is_refused_with_the_old_log(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("before the backup")
        memory.backup(tmp_path / "backup.mind")
    killed(path, "a")
    shutil.copy(tmp_path / "backup.mind", path)
    with refused(path, "belongs to another file"):
        assert path.read_bytes() == (tmp_path / "backup.mind").read_bytes()
    wal(path).unlink()
    shm(path).unlink()
    assert texts_in(path) == ["before the backup"]


def test_a_backup_copied_over_a_store_killed_at_its_first_write_is_refused(
    path: Path, tmp_path: Path
) -> None:
    with open_memory(path) as memory:
        memory.remember("kept")
        memory.backup(tmp_path / "backup.mind")
    killed(path, "a", 12)
    shutil.copy(tmp_path / "backup.mind", path)
    with refused(path, "belongs to another file"):
        pass


def test_an_older_plain_copy_is_refused_with_a_newer_log(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("oldest")
    shutil.copy(path, tmp_path / "old")
    with open_memory(path) as memory:
        memory.remember("newer")
    killed(path, "a")
    shutil.copy(tmp_path / "old", path)
    with refused(path, "belongs to another file"):
        pass


def test_a_copy_of_the_state_on_which_the_log_builds_is_complete(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("first")
        # The copy is of the generation before the one that is in the log at the end.
        memory.store.engine._main.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)  # type: ignore[attr-defined]
        shutil.copy(path, tmp_path / "base")
        memory.remember("second")
        shutil.copytree(path.parent, tmp_path / "both")
    both = tmp_path / "both" / path.name
    shutil.copy(tmp_path / "base", both)
    assert texts_in(both) == ["first", "second"]


def test_the_logs_of_two_stores_swapped_are_both_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / path.name
    texts = killed(path, "a"), killed(other, "b", WRITES + 9)
    side = wal(path).read_bytes(), wal(other).read_bytes()
    wal(path).write_bytes(side[1])
    wal(other).write_bytes(side[0])
    for store in (path, other):
        with refused(store, "belongs to another file|damaged"):
            pass
    for remains in (shm(path), shm(other)):
        remains.unlink()
    for store in (path, other):
        with refused(store, "belongs to another file"):
            pass
    wal(path).write_bytes(side[0])
    wal(other).write_bytes(side[1])
    assert (texts_in(path), texts_in(other)) == texts


def test_the_log_of_another_application_is_refused(path: Path, tmp_path: Path) -> None:
    texts = killed(path, "a")
    original = wal(path).read_bytes()
    foreign = apsw.Connection(str(tmp_path / "foreign.db"))
    foreign.execute("PRAGMA journal_mode = WAL").fetchall()
    foreign.execute("CREATE TABLE t(x); INSERT INTO t VALUES (randomblob(200000))")
    shutil.copy(tmp_path / "foreign.db-wal", wal(path))
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(Corrupt):
        open_memory(path)
    assert path.read_bytes() == before
    wal(path).write_bytes(original)
    assert texts_in(path) == texts


def test_a_log_without_its_file_begins_no_new_store(path: Path, tmp_path: Path) -> None:
    texts = killed(path, "a")
    path.rename(tmp_path / "aside")
    before = wal(path).read_bytes()
    for _ in range(2):
        with pytest.raises(Corrupt, match="missing or empty"):
            open_memory(path)
    path.write_bytes(b"")
    with pytest.raises(Corrupt, match="missing or empty"):
        open_memory(path)
    assert wal(path).read_bytes() == before
    (tmp_path / "aside").replace(path)
    assert texts_in(path) == texts


# Missing and damaged logs


@pytest.mark.parametrize("with_index", [True, False])
def test_a_file_without_its_log_is_refused_until_that_is_accepted(path: Path, with_index: bool) -> None:
    texts = killed(path, "a")
    wal(path).unlink()
    if not with_index:
        shm(path).unlink()
    with refused(path, "missing or empty|damaged"):
        pass
    with open_memory(path, accept_lost_log=True) as memory:
        left = [frame.text for frame in memory.list(limit=1000)]
        assert left == texts[: len(left)]
        assert memory.verify(deep=True)
        memory.remember("goes on")
    assert texts_in(path) == [*left, "goes on"]


def test_a_copy_of_a_store_in_use_without_its_log_is_refused(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.mind"
    with open_memory(path) as memory:
        memory.remember("one")
        memory.remember("two")
        shutil.copy(path, copy)
        with refused(copy, "missing or empty"):
            pass
    shutil.copy(path, copy)
    assert texts_in(copy) == ["one", "two"]


@pytest.mark.parametrize("with_index", [True, False])
def test_a_byte_flipped_in_the_log_is_refused_wherever_it_is(path: Path, with_index: bool) -> None:
    texts = killed(path, "a")
    if not with_index:
        shm(path).unlink()
    raw = wal(path).read_bytes()
    rng = random.Random(7)
    index = shm(path).read_bytes() if with_index else b""
    frames = (len(raw) - 32) // 4120
    for place in (8, 30, 32 + 20, *(rng.randrange(32, len(raw) - 4120) for _ in range(12))):
        broken = bytearray(raw)
        broken[place] ^= 0x10
        wal(path).write_bytes(broken)
        with pytest.raises(Corrupt, match=r"damaged|belongs to another"):
            open_memory(path)
        with pytest.raises(Corrupt, match=r"damaged|belongs to another"):
            open_memory(path)
        assert wal(path).read_bytes() == broken
        if with_index:
            assert shm(path).read_bytes() == index
    wal(path).write_bytes(raw)
    assert frames > 20
    assert texts_in(path) == texts


def test_a_log_that_was_cut_is_refused(path: Path) -> None:
    texts = killed(path, "a")
    raw = wal(path).read_bytes()
    for size in (0, 20, 32, 5000, len(raw) // 2, len(raw) - 4120, len(raw) - 1):
        wal(path).write_bytes(raw[:size])
        for _ in range(2):
            with pytest.raises(Corrupt, match=r"damaged|missing or empty"):
                open_memory(path)
    wal(path).write_bytes(raw)
    assert texts_in(path) == texts


def test_a_damaged_log_can_be_read_up_to_the_damage_when_that_is_accepted(path: Path) -> None:
    texts = killed(path, "a")
    raw = bytearray(wal(path).read_bytes())
    raw[len(raw) // 2] ^= 1
    wal(path).write_bytes(raw)
    with open_memory(path, accept_lost_log=True) as memory:
        left = [frame.text for frame in memory.list(limit=1000)]
        assert 0 < len(left) < len(texts)
        assert left == texts[: len(left)]
        assert memory.verify(deep=True)
    assert texts_in(path) == left


def test_after_the_machine_stopped_a_torn_log_is_used_as_far_as_it_goes(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    texts = killed(path, "a")
    raw = bytearray(wal(path).read_bytes())
    raw[len(raw) // 2] ^= 1
    wal(path).write_bytes(raw)
    for module in (log, recovery):
        monkeypatch.setattr(module, "boot_id", lambda: "another boot")
    with caplog.at_level(logging.WARNING):
        left = texts_in(path)
    assert 0 < len(left) < len(texts)
    assert left == texts[: len(left)]
    assert "machine stopped" in caplog.text


def undo_a_large_write(memory: Memory) -> None:
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run("CREATE TABLE large (x)")
        tx.db.many("INSERT INTO large VALUES (?)", [(b"x" * 100_000,) for _ in range(200)])
        _ = 1 / 0  # the cache is 4 MB: most of it is in the log already


def test_what_an_undone_transaction_left_in_the_log_is_no_damage(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("first")
        with pytest.raises(ZeroDivisionError):
            undo_a_large_write(memory)
        memory.remember("second")
        shutil.copytree(path.parent, path.parent.parent / "copied")
    copied = path.parent.parent / "copied" / path.name
    assert wal(copied).stat().st_size > 10_000_000
    shm(copied).unlink()
    assert texts_in(copied) == ["first", "second"]


# Who closes, and how


def state_of(path: Path) -> int:
    return read_alone(str(path)).state


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
