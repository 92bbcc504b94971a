"""A foreign, stale, damaged or missing log is refused: every acknowledged write is there, or an error."""

from __future__ import annotations

import logging
import random
import shutil
from pathlib import Path

import apsw
import pytest

from longmind import Corrupt, Memory
from longmind.store import log, recovery
from longmind.store.log import read_alone
from tests.store.children import Child
from tests.store.opening import open_memory

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


def refused(path: Path, match: str) -> bool:
    """Every way to open says so, again and again, and changes nothing."""
    before = bytes_of(path)
    for read_only in (False, True, False):
        with pytest.raises(Corrupt, match=match) as caught:
            open_memory(path, read_only=read_only)
        assert caught.value.hint
        assert "longmind restore BACKUP TO" in caught.value.hint
    return bytes_of(path).items() >= before.items()


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
    assert refused(path, "belongs to another file")
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
    assert refused(path, "belongs to another file")


def test_an_older_plain_copy_is_refused_with_a_newer_log(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("oldest")
    shutil.copy(path, tmp_path / "old")
    with open_memory(path) as memory:
        memory.remember("newer")
    killed(path, "a")
    shutil.copy(tmp_path / "old", path)
    assert refused(path, "belongs to another file")


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
        assert refused(store, "belongs to another file|damaged")
    for remains in (shm(path), shm(other)):
        remains.unlink()
    for store in (path, other):
        assert refused(store, "belongs to another file")
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
    assert refused(path, "missing or empty|damaged")
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
        assert refused(copy, "missing or empty")
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
        tx.db.many("INSERT INTO large VALUES (?)", [(b"x" * 100_000,) for _ in range(400)])
        _ = 1 / 0  # the cache is 16 MB: most of it is in the log already


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
