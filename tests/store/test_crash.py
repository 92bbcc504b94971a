"""A writer is killed at any moment: what it acknowledged is there, the rest is there whole or not at all."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import AsOf, Memory, NotFound
from longmind.store import frames
from tests.store.children import Child
from tests.store.opening import open_memory


class Expected:
    """What must be there after a crash, told by the lines of the writers."""

    def __init__(self) -> None:
        self.live: dict[int, str] = {}
        self.retired: dict[int, str] = {}
        self.erased: dict[int, str] = {}

    def follow(self, lines: list[dict[str, Any]], memory: Memory) -> None:
        for line in lines:
            if line["event"] == "done":
                self._settle(line)
        if lines and lines[-1]["event"] == "begin":
            self._decide(lines[-1], memory)

    def _settle(self, line: dict[str, Any]) -> None:
        if line["act"] == "write":
            self.live.update(zip(line["ids"], line["texts"], strict=True))
            return
        for frame_id in line["ids"]:
            target = self.erased if line["act"] == "erase" else self.retired
            target[frame_id] = self.live.pop(frame_id)

    def _decide(self, line: dict[str, Any], memory: Memory) -> None:
        """The act that was under way: done or not done, nothing between."""
        if line["act"] == "write":
            wanted = set(line["texts"])
            found = {frame.id: frame.text for frame in newest(memory, len(wanted)) if frame.text in wanted}
            assert set(found.values()) in (set(), wanted), "half a batch was written"
            self.live.update(found)
        else:
            with memory.store.read() as snapshot:
                rows = frames.stored(snapshot.db, line["ids"])
            for frame_id in line["ids"]:
                if frame_id not in rows:
                    self.live.pop(frame_id)  # its bytes need not be gone: no certificate was given
                elif rows[frame_id].retired_at is not None:
                    self.retired[frame_id] = self.live.pop(frame_id)

    def check(self, memory: Memory) -> None:
        listed: dict[int, str] = {}
        cursor = None
        while True:
            page = memory.list(limit=5000, cursor=cursor)
            listed.update((frame.id, frame.text) for frame in page)
            cursor = page.cursor
            if cursor is None:
                break
        assert listed == self.live
        for frame_id, text in list(self.retired.items())[-20:]:
            with memory.store.read() as snapshot:
                row = frames.stored(snapshot.db, [frame_id])[frame_id]
            assert row.retired_at is not None
            before = AsOf(system=row.retired_at - 1, valid=AsOf.LATEST.valid)
            assert memory.get(frame_id, as_of=before).text == text
        for frame_id in list(self.erased)[-20:]:
            with pytest.raises(NotFound):
                memory.get(frame_id, as_of=AsOf(system=memory.revision, valid=AsOf.LATEST.valid))
        report = memory.verify(deep=True)
        assert report, report.problems


def newest(memory: Memory, count: int) -> list[Any]:
    with memory.store.read() as snapshot:
        row = snapshot.db.one("SELECT coalesce(max(frame_id), 0) FROM frame")
    assert row is not None
    return list(memory.list(where={"ids": range(max(1, row[0] - count), row[0] + 1)}, limit=5000))


def check_kills(location: str, kills: int, after: Callable[[Expected], None]) -> None:
    rng = random.Random(20240607)
    expected = Expected()
    for serial in range(kills):
        with Child("mixed", location, str(rng.random()), str(serial)) as child:
            lines: list[dict[str, Any]] = []
            if rng.random() < 0.8:
                child.hear("ready")
                lines = [child.hear() for _ in range(rng.randint(0, 40))]
            time.sleep(rng.uniform(0, 0.03))
            child.kill()
            lines += child.rest()
        with open_memory(location) as memory:
            expected.follow(lines, memory)
            expected.check(memory)
        after(expected)
    assert expected.live
    assert expected.retired or expected.erased


def check_kills_on_a_file(path: Path, kills: int) -> None:
    def one_clean_file(expected: Expected) -> None:
        assert [entry.name for entry in path.parent.iterdir()] == [path.name]
        raw = path.read_bytes()
        for text in expected.erased.values():
            assert text.split()[-1].encode() not in raw

    check_kills(str(path), kills, one_clean_file)


def test_nothing_acknowledged_is_lost_when_writers_of_a_file_are_killed(tmp_path: Path) -> None:
    check_kills_on_a_file(tmp_path / "killed.mind", 20)


def test_nothing_acknowledged_is_lost_when_writers_of_a_server_are_killed(
    new_location: Callable[[str], str],
) -> None:
    check_kills(new_location("postgresql"), 6, lambda expected: None)


@pytest.mark.soak
def test_nothing_is_lost_in_two_hundred_kills(tmp_path: Path) -> None:
    check_kills_on_a_file(tmp_path / "killed.mind", 200)


@pytest.mark.soak
def test_nothing_is_lost_in_sixty_kills_on_a_server(new_location: Callable[[str], str]) -> None:
    check_kills(new_location("postgresql"), 60, lambda expected: None)
