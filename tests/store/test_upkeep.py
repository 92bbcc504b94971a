"""Copies, compaction, flushing, the size guard, figures and checks: the life of a store between its reads."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from longmind import (
    Busy,
    Conflict,
    FrozenClock,
    InvalidInput,
    Memory,
    NotFound,
    OverBudget,
    Unsupported,
)
from tests.store.children import Child
from tests.store.opening import open_memory


def folder(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


# Backup


def test_a_backup_holds_everything_and_is_a_store(path: Path, tmp_path: Path, clock: FrozenClock) -> None:
    copy = tmp_path / "copy.mind"
    with open_memory(path, clock=clock) as memory:
        memory.remember_many(
            [{"text": f"t{number}", "tags": ["x"], "metadata": {"n": number}} for number in range(50)]
        )
        memory.supersede(1, 2)
        certificate = memory.erase(9)
        size = memory.backup(copy).bytes
        assert size == copy.stat().st_size
        expected = memory.list(limit=1000)
        revision = memory.revision
        memory.remember("after the backup")
    assert folder(copy) == ["copy.mind", "store"]
    with open_memory(copy, clock=clock) as memory:
        assert memory.list(limit=1000) == expected
        assert memory.revision == revision
        assert memory.verify(deep=True)
        assert memory.verify_erasure(certificate)
    assert folder(copy) == ["copy.mind", "store"]


def test_a_backup_can_be_made_from_memory_and_from_a_read_only_store(path: Path, tmp_path: Path) -> None:
    with open_memory(":memory:") as memory:
        memory.remember("only in memory")
        memory.backup(path)
    with open_memory(path, read_only=True) as memory:
        memory.backup(tmp_path / "second.mind")
    with open_memory(tmp_path / "second.mind") as memory:
        assert [frame.text for frame in memory.list()] == ["only in memory"]


def test_a_backup_while_others_write_is_one_state(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory, Child("mixed", str(path), "5", "0") as writer:
        writer.hear("ready")
        last = 0
        for number in range(6):
            writer.hear()
            copy = tmp_path / f"copy{number}.mind"
            memory.backup(copy)
            with open_memory(copy) as restored:
                report = restored.verify(deep=True)
                assert report, report.problems
                assert restored.revision >= last
                last = restored.revision
        writer.kill()


def test_a_backup_replaces_a_file_only_when_told(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.mind"
    copy.write_text("precious")
    with open_memory(path) as memory:
        memory.remember("new")
        with pytest.raises(Conflict):
            memory.backup(copy)
        assert copy.read_text() == "precious"
        memory.backup(copy, overwrite=True)
    with open_memory(copy) as memory:
        assert [frame.text for frame in memory.list()] == ["new"]
    assert folder(copy) == ["copy.mind", "store"]


def test_a_backup_onto_itself_is_refused(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("kept")
        link = tmp_path / "link.mind"
        link.symlink_to(path)
        hard = tmp_path / "hard.mind"
        os.link(path, hard)
        for target in (path, link, hard):
            with pytest.raises(InvalidInput, match="itself"):
                memory.backup(target, overwrite=True)
        memory.remember("and this")
        hard.unlink()
    with open_memory(path) as memory:
        assert len(memory.list()) == 2


def test_the_log_of_a_crashed_store_is_not_replayed_over_the_backup_that_replaces_it(
    path: Path, tmp_path: Path
) -> None:
    crashed = tmp_path / "crashed.mind"
    with Child("write", str(crashed)) as child:
        child.hear("ready")
        for number in range(30):
            child.tell(f"doomed {number}")
            child.hear("done")
        child.kill()
    assert (tmp_path / "crashed.mind-wal").exists()
    with open_memory(path) as memory:
        memory.remember("the backup")
        memory.backup(crashed, overwrite=True)
    with open_memory(crashed) as memory:
        assert [frame.text for frame in memory.list()] == ["the backup"]
        assert memory.verify(deep=True)


def test_a_store_in_use_is_not_replaced_by_a_backup(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.mind"
    with open_memory(path) as memory, Child("write", str(other)) as child:
        memory.remember("mine")
        child.hear("ready")
        child.tell("theirs")
        child.hear("done")
        with pytest.raises(Busy, match="in use"):
            memory.backup(other, overwrite=True)
        child.tell("still theirs")
        child.hear("done")
        child.end()
    with open_memory(other) as memory:
        assert len(memory.list()) == 2


def test_a_backup_to_nowhere_is_refused(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        with pytest.raises(NotFound):
            memory.backup(tmp_path / "none" / "copy.mind")
        with pytest.raises(InvalidInput):
            memory.backup(tmp_path)
        with pytest.raises(InvalidInput):
            memory.backup("")
    assert folder(tmp_path / "x") == ["store"]


def test_a_server_names_its_own_tool_for_backups(memory: Memory, tmp_path: Path) -> None:
    if memory.store.engine.dialect.name == "sqlite":
        pytest.skip("files are copied by us")
    with pytest.raises(Unsupported, match="pg_dump"):
        memory.backup(tmp_path / "copy")


def test_a_file_copied_after_close_is_a_store(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("moved")
    assert folder(path) == [path.name]
    moved = Path(shutil.copy(path, tmp_path / "moved.mind"))
    with open_memory(moved) as memory:
        assert [frame.text for frame in memory.list()] == ["moved"]


# Compact, flush, durability


def test_compacting_gives_space_back_and_changes_no_answer(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember_many(f"{number} " + "x" * 900 for number in range(2000))
        kept = memory.remember("kept").id
        memory.flush()
        before = path.stat().st_size
        memory.erase(where={"ids": range(1, 1900)})
        memory.compact()
        assert path.stat().st_size < before - 1_700_000
        assert memory.get(kept).text == "kept"
        assert memory.verify(deep=True)


def test_compacting_and_flushing_work_on_both_engines(memory: Memory) -> None:
    memory.remember("kept")
    memory.flush()
    memory.compact()
    memory.flush()
    assert [frame.text for frame in memory.list()] == ["kept"]


def test_after_a_flush_the_file_alone_holds_everything(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("flushed")
        memory.flush()
        with Child("write", str(path)) as child:  # copies made by another process do not touch our locks
            child.hear("ready")
            child.end()
        os.system(f"cp '{path}' '{tmp_path / 'copy.mind'}'")
    with open_memory(tmp_path / "copy.mind") as memory:
        assert [frame.text for frame in memory.list()] == ["flushed"]


def test_a_flush_says_so_when_a_reader_is_in_its_way(path: Path) -> None:
    with open_memory(path) as memory, open_memory(path, read_only=True) as reader:
        memory.remember("one")
        with reader.session(mode="read"):
            memory.remember("two")
            with pytest.raises(Busy, match="reader"):
                memory.flush()
        memory.flush()


@pytest.mark.parametrize("durability", ["normal", "full"])
def test_durability_is_a_setting_of_every_connection_that_writes(path: Path, durability: str) -> None:
    levels = {"normal": 1, "full": 2}
    with open_memory(path, durability=durability) as memory:
        for _ in range(2):
            with memory.store.engine.write(timeout=5) as db:
                assert db.one("PRAGMA synchronous") == (levels[durability],)
            memory.flush()
        with memory.store.engine.write(timeout=5) as db:
            assert db.one("PRAGMA journal_mode") == ("wal",)
            assert db.one("PRAGMA foreign_keys") == (1,)
            assert db.one("PRAGMA secure_delete") == (1,)


def test_full_durability_works_on_both_engines(location: str) -> None:
    with open_memory(location, durability="full") as memory:
        assert memory.remember("kept").created == 1
    with pytest.raises(InvalidInput, match="durability"):
        open_memory(location, durability="extreme")


def test_after_close_the_folder_holds_one_file(path: Path) -> None:
    for number in range(3):
        with open_memory(path) as memory:
            memory.remember(f"open {number}")
            memory.list()
            with memory.session(mode="write"):
                memory.remember(f"session {number}")
        assert folder(path) == [path.name]


def test_a_relative_path_stays_the_same_file_when_the_process_moves(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    with open_memory("a.mind") as memory:
        memory.remember("here")
        (path.parent / "elsewhere").mkdir()
        monkeypatch.chdir(path.parent / "elsewhere")
        readers = [memory.session(mode="read") for _ in range(3)]
        assert readers
        results: list[int] = []
        threads = [threading.Thread(target=lambda: results.append(len(memory.list()))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [1] * 4
        memory.backup("copy.mind")
        assert list(Path.cwd().iterdir()) == [Path.cwd() / "copy.mind"]


@pytest.mark.parametrize(
    "name", ["a b.mind", "ünï-漢.mind", "q?x=1&y#z%20.mind", "'\"; --.longmind", "-dash"]
)
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    with open_memory(tmp_path / name) as memory:
        memory.remember("kept")
        memory.list()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    with open_memory(tmp_path / name, read_only=True) as memory:
        assert len(memory.list()) == 1


def test_a_name_that_is_no_utf8_is_refused_before_a_file_is_made(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.mind")
    with pytest.raises(InvalidInput, match="valid path"):
        open_memory(name)
    assert list(tmp_path.iterdir()) == []


def test_a_link_and_its_target_are_one_store(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.mind"
    with open_memory(path) as memory:
        memory.remember("one")
        link.symlink_to(path)
        with open_memory(link) as linked:
            linked.remember("two")
            assert len(memory.list()) == len(linked.list()) == 2


# The size guard


def test_a_write_that_would_pass_the_limit_is_refused_and_nothing_is_lost(location: str) -> None:
    with open_memory(location) as memory:
        memory.remember("small")
        size = memory.stats().bytes
    with open_memory(location, max_bytes=size + 200_000) as memory:
        with pytest.raises(OverBudget, match=r"maintain\(\)"):
            memory.remember_many(os.urandom(5000).hex() for _ in range(100))
        assert [frame.text for frame in memory.list()] == ["small"]
        assert memory.verify(deep=True)
        memory.remember("another small one")
        memory.forget(1)
        memory.erase(1)
        assert [frame.text for frame in memory.list()] == ["another small one"]


def test_a_store_over_its_limit_can_still_be_read_forgotten_and_erased(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember_many(os.urandom(2000).hex() for _ in range(50))
    with open_memory(path, max_bytes=50_000) as memory:
        with pytest.raises(OverBudget):
            memory.remember_many(os.urandom(2000).hex() for _ in range(50))
        assert len(memory.list()) == 50
        memory.forget(1)
        memory.erase(where={"ids": range(2, 50)})
        memory.maintain()
        assert len(memory.list()) == 1


# Figures


def test_stats_count_what_is_there(memory: Memory, clock: FrozenClock) -> None:
    assert (memory.stats().frames, memory.stats().by_space, memory.stats().by_kind) == (0, {}, {})
    memory.remember_many(["a", "b", {"text": "c", "space": "other", "kind": "note"}])
    memory.forget(1)
    stats = memory.stats()
    assert (stats.frames, stats.live, stats.retired) == (3, 2, 1)
    assert stats.by_space == {"default": 1, "other": 1}
    assert stats.by_kind == {"note": 1, "text": 1}
    assert stats.revision == memory.revision
    assert stats.engine == memory.store.engine.dialect.name
    assert stats.format >= 1
    assert stats.bytes > 0
    assert isinstance(stats.parts, Mapping)


def test_the_location_shown_has_no_password(location: str) -> None:
    if "://" not in location:
        pytest.skip("files have none")
    with open_memory(location.replace("postgres@", "postgres:hush@", 1)) as memory:
        assert "hush" not in memory.stats().location


def test_the_id_of_a_store_is_its_own_and_stays(path: Path, tmp_path: Path) -> None:
    with open_memory(path) as memory:
        first = memory.store.id
        memory.backup(tmp_path / "copy.mind")
    with open_memory(path) as memory, open_memory(tmp_path / "other.mind") as other:
        assert memory.store.id == first
        assert len(first) == 32
        assert other.store.id != first
