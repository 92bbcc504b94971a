"""Pages of the file that are not what was written: always an error, never an answer."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import apsw
import pytest

from longmind import Corrupt, FrozenClock, Memory
from longmind.store import pages
from tests import raw
from tests.formats import make
from tests.store.opening import open_memory

SIZE = 4096
TEXTS = [f"note {number} " + "lorem ipsum dolor sit amet " * (number % 40) for number in range(300)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("pages") / "a.mind"
    with open_memory(path) as memory:
        memory.remember_many([{"text": text, "tags": ["some"]} for text in TEXTS])
        memory.remember("long " * 20_000)
        memory.erase(7)
    return path.read_bytes()


def is_sealed(page: bytes, number: int) -> bool:
    return crc32(page[:-4], number) == int.from_bytes(page[-4:], "little")


def all_sealed(path: Path) -> bool:
    data = path.read_bytes()
    return len(data) % SIZE == 0 and all(
        is_sealed(data[at : at + SIZE], at // SIZE + 1) for at in range(0, len(data), SIZE)
    )


def read_all(path: Path, *, read_only: bool = False) -> tuple[object, ...]:
    with open_memory(path, read_only=read_only) as memory:
        listed = tuple((frame.id, frame.text, frame.tags) for frame in memory.list(limit=5000))
        return listed, memory.search("lorem note", limit=20).hits, bool(memory.verify(deep=True))


def damaged(change: Callable[[bytearray, random.Random, int], None], data: bytes, seed: int) -> bytes:
    """One page changed: any but those that are free, which nobody reads."""
    rng = random.Random(seed)
    changed = bytearray(data)
    while bytes(changed) == data:
        number = rng.randrange(len(data) // SIZE)
        if any(data[number * SIZE : (number + 1) * SIZE - pages.RESERVED]):
            change(changed, rng, number * SIZE)
    return bytes(changed)


def flip(data: bytearray, rng: random.Random, at: int) -> None:
    data[at + rng.randrange(SIZE)] ^= 1 << rng.randrange(8)


def zero(data: bytearray, rng: random.Random, at: int) -> None:
    data[at : at + SIZE] = bytes(SIZE)


def zero_sector(data: bytearray, rng: random.Random, at: int) -> None:
    start = at + 512 * rng.randrange(8)
    data[start : start + 512] = bytes(512)


def swap(data: bytearray, rng: random.Random, at: int) -> None:
    other = SIZE * rng.randrange(len(data) // SIZE)
    data[at : at + SIZE], data[other : other + SIZE] = data[other : other + SIZE], data[at : at + SIZE]


def truncate(data: bytearray, rng: random.Random, at: int) -> None:
    del data[at + rng.randrange(SIZE) + 1 :]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("change", [flip, zero, zero_sector, swap, truncate])
def test_a_page_that_is_not_what_was_written_is_never_an_answer(
    kept: bytes, tmp_path: Path, change: Callable[[bytearray, random.Random, int], None], read_only: bool
) -> None:
    whole = tmp_path / "whole.mind"
    whole.write_bytes(kept)
    expected = read_all(whole, read_only=read_only)
    assert expected[-1] is True
    for seed in range(12):
        path = tmp_path / f"{seed}.mind"
        path.write_bytes(damaged(change, kept, seed))
        try:
            answers = read_all(path, read_only=read_only)
        except Corrupt:
            continue
        assert answers[:2] == expected[:2]
        assert answers[2] is False, f"{change.__name__} {seed}: verify noticed nothing"


def test_any_byte_of_the_header_that_changes_is_noticed(kept: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    for at in [*range(16, 24), 28, 40, 60, 92, 96, 100, 105]:
        data = bytearray(kept)
        data[at] ^= 0x5A
        path.write_bytes(data)
        with pytest.raises(Corrupt):
            read_all(path, read_only=True)


def test_a_page_in_the_place_of_another_says_which_it_was(kept: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    data = bytearray(kept)
    data[5 * SIZE : 6 * SIZE] = kept[8 * SIZE : 9 * SIZE]
    path.write_bytes(data)
    connection = raw.connect(path)
    with pytest.raises(apsw.IOError, match="page 6 holds what was written as page 9"):
        connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()


def test_a_row_changed_by_another_program_is_noticed(kept: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    path.write_bytes(kept)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE store_counter SET value = value + 1")
    connection.commit()
    connection.close()
    with pytest.raises(Corrupt, match="not what was written"), open_memory(path) as memory:
        memory.remember("more")


def test_damage_that_comes_while_the_store_is_open_is_noticed(kept: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    path.write_bytes(kept)
    script = f"f = open({str(path)!r}, 'r+b'); f.seek(4096); f.write(bytes({len(kept) - SIZE}))"
    with open_memory(path, read_only=True) as memory:
        subprocess.run([sys.executable, "-c", script], check=True)
        with pytest.raises(Corrupt):
            memory.list(limit=5000)


def test_every_page_is_sealed_whatever_wrote_it(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mind", tmp_path / "b.mind"
    with open_memory(path) as memory:
        for first in range(0, 300, 50):
            memory.remember_many(TEXTS[first : first + 50])
            memory.erase(first + 3)
        memory.forget(5)
        memory.remember("long " * 50_000)
        memory.erase(where={"ids": list(range(20, 200, 3))})
        memory.backup(copy)
        assert all_sealed(copy)
    assert all_sealed(path)
    with open_memory(path) as memory:
        memory.compact()
    assert all_sealed(path)
    assert read_all(copy) == read_all(path)


def test_a_backup_larger_than_the_cache_is_sealed(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mind", tmp_path / "b.mind"
    with open_memory(path) as memory:
        for number in range(12):
            memory.remember(f"{number} " + "sun rain wind hail " * 20_000)
        memory.backup(copy)
    assert all_sealed(path)
    assert all_sealed(copy)
    with open_memory(copy) as memory:
        assert memory.verify(deep=True)


@pytest.mark.parametrize("number", range(1, 9))
def test_a_file_of_an_older_format_gets_its_checksums_when_opened_for_writing(
    number: int, tmp_path: Path
) -> None:
    path = Path(shutil.copy(make.FOLDER / f"format_{number}.mind", tmp_path))
    assert not all_sealed(path)
    with open_memory(path, clock=FrozenClock(make.START + 100 * make.DAY)) as memory:
        assert memory.verify(deep=True)
        assert memory.verify().notes == ()
    assert all_sealed(path)


def test_a_file_without_checksums_yet_works_says_so_and_gets_them_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(make.FOLDER / "format_8.mind", tmp_path))
    clock = FrozenClock(make.START + 100 * make.DAY)
    from longmind.store.sqlite import SqliteEngine

    with monkeypatch.context() as killed:  # what a kill between the two steps leaves behind
        killed.setattr(SqliteEngine, "_seal_pages", lambda self: None)
        with open_memory(path, clock=clock) as memory:
            memory.remember("written without a checksum")
            report = memory.verify(deep=True)
            assert report
            assert "compact" in report.notes[0]
            copy = tmp_path / "copy.mind"
            memory.backup(copy)
    assert not all_sealed(path)
    with open_memory(copy, read_only=True) as memory:
        assert memory.verify(deep=True).notes
    assert not all_sealed(copy)
    with open_memory(path, clock=clock) as memory:
        assert not memory.verify().notes
    assert all_sealed(path)


def test_a_process_that_has_a_file_open_notices_that_another_sealed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(make.FOLDER / "format_8.mind", tmp_path))
    clock = FrozenClock(make.START + 100 * make.DAY)
    from longmind.store.sqlite import SqliteEngine

    with monkeypatch.context() as early:
        early.setattr(SqliteEngine, "_seal_pages", lambda self: None)
        memory = open_memory(path, clock=clock)
    with memory:
        memory.remember("before")
        script = f"from tests.store.opening import open_memory; open_memory({str(path)!r}).close()"
        subprocess.run([sys.executable, "-c", script], check=True)
        memory.remember_many(TEXTS)
        memory.flush()
        assert memory.verify(deep=True)
        assert not memory.verify().notes
    assert all_sealed(path)


def test_several_processes_write_and_read_sealed_pages(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    script = (
        "import sys; from tests.store.opening import open_memory\n"
        f"with open_memory({str(path)!r}) as memory:\n"
        "    for number in range(40):\n"
        "        own = memory.remember(f'{sys.argv[1]} {number} ' * 50).id\n"
        "        memory.list(limit=5)\n"
        "        if number % 10 == 9: memory.erase(own)\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", script, name]) for name in ("a", "b", "c")]
    assert [child.wait() for child in children] == [0, 0, 0]
    with open_memory(path) as memory:
        assert len(memory.list(limit=500)) == 108
        assert memory.verify(deep=True)
    assert all_sealed(path)


def test_the_gap_of_a_b_tree_page_is_cleared_and_other_pages_keep_every_byte() -> None:
    body = bytearray(b"\x77" * SIZE)
    body[0:8] = bytes([13, 0, 0, 0, 2]) + (3000).to_bytes(2, "big") + b"\0"
    stored = pages.sealed(bytes(body), 9)
    assert stored[:12] == body[:12]
    assert stored[12:3000] == bytes(2988)
    assert stored[3000:-8] == body[3000:-8]
    for first in (0, 1):
        overflow = bytes([first]) + b"\x0d" * (SIZE - 1)
        assert pages.sealed(overflow, 9)[:-8] == overflow[:-8]
    assert is_sealed(stored, 9)
    assert not is_sealed(stored, 10)


def test_a_store_in_memory_needs_no_checksums() -> None:
    with open_memory(":memory:") as memory:
        memory.remember("one")
        memory.erase(1)
        memory.compact()
        assert isinstance(memory, Memory)
        assert memory.verify(deep=True).notes == ()
