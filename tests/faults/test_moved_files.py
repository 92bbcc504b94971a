"""The file of an open store deleted, moved or replaced: refused at once, and nothing acknowledged is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from longmind import Memory, Unavailable
from tests.store.opening import open_memory

TEXTS = [f"Acknowledged number {number}." for number in range(5)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "inner"
    made.mkdir()
    return made


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    with open_memory(folder / "a.mind") as opened:
        opened.remember_many(TEXTS)
        yield opened


def texts(path: Path) -> list[str]:
    with open_memory(path, create=False) as opened:
        return sorted(frame.text for frame in opened.list(limit=100))


def delete(path: Path) -> None:
    path.unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("elsewhere.mind"))


def replace_by_another(path: Path) -> None:
    other = path.with_name("other.mind")
    with open_memory(other) as opened:
        opened.remember("Of another store.")
    other.replace(path)


def replace_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy.mind")
    shutil.copyfile(path, copy)
    copy.replace(path)


def delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def delete_log(path: Path) -> None:
    path.with_name(path.name + "-wal").unlink()


def replace_log(path: Path) -> None:
    copy = path.with_name("log")
    shutil.copyfile(path.with_name(path.name + "-wal"), copy)
    copy.replace(path.with_name(path.name + "-wal"))


def delete_index_of_log(path: Path) -> None:
    path.with_name(path.name + "-shm").unlink()


@pytest.mark.parametrize(
    "change",
    [
        delete,
        rename,
        replace_by_another,
        replace_by_a_copy,
        delete_folder,
        delete_log,
        replace_log,
        delete_index_of_log,
    ],
)
def test_neither_writes_nor_reads_go_on_when_the_files_changed(
    memory: Memory, folder: Path, change: Callable[[Path], None]
) -> None:
    change(folder / "a.mind")
    for call in (
        lambda: memory.remember("Into nothing."),
        lambda: memory.get(1),
        lambda: memory.search("acknowledged"),
        memory.flush,
        memory.compact,
    ):
        with pytest.raises(Unavailable, match=r"deleted|replaced"):
            call()
    memory.close()


def test_what_a_deleted_log_held_is_in_the_file_after_the_refusal(memory: Memory, folder: Path) -> None:
    path = folder / "a.mind"
    delete_log(path)
    with pytest.raises(Unavailable, match="log"):
        memory.remember("Refused.")
    copy = folder / "copy.mind"
    shutil.copyfile(path, copy)  # as if the process were killed now
    assert texts(copy) == TEXTS
    memory.close()
    assert texts(path) == TEXTS


def test_a_store_that_is_moved_while_open_has_everything_after_close(memory: Memory, folder: Path) -> None:
    rename(folder / "a.mind")
    with pytest.raises(Unavailable):
        memory.remember("Refused.")
    memory.close()
    assert texts(folder / "elsewhere.mind") == TEXTS


def test_closing_leaves_the_log_of_the_store_that_took_the_place(memory: Memory, folder: Path) -> None:
    path = folder / "a.mind"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").rename(folder / f"old{suffix}")
    with open_memory(path) as successor:
        successor.remember("Of the successor.")
        with pytest.raises(Unavailable):
            memory.remember("Refused.")
        memory.close()
        assert Path(f"{path}-wal").exists()
        assert Path(f"{path}-shm").exists()
        successor.remember("Of the successor too.")
    assert texts(path) == ["Of the successor too.", "Of the successor."]


def test_a_link_that_leads_elsewhere_is_noticed(folder: Path) -> None:
    link = folder / "link.mind"
    for name in ("first", "second"):
        open_memory(folder / f"{name}.mind").close()
    link.symlink_to(folder / "first.mind")
    with open_memory(link) as memory:
        memory.remember("Before.")
        link.unlink()
        link.symlink_to(folder / "second.mind")
        with pytest.raises(Unavailable, match="replaced"):
            memory.remember("Refused.")
    assert texts(folder / "first.mind") == ["Before."]
    assert texts(folder / "second.mind") == []


def test_a_file_that_is_put_back_goes_on(memory: Memory, folder: Path) -> None:
    path = folder / "a.mind"
    path.rename(folder / "aside")
    with pytest.raises(Unavailable):
        memory.remember("Refused.")
    (folder / "aside").rename(path)
    memory.remember("Accepted.")
    memory.close()
    assert texts(path) == sorted(["Accepted.", *TEXTS])
