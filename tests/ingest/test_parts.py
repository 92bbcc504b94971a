"""A very large document: committed in parts that nobody sees until the last, or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import AsOf, FrozenClock, IngestBudget, Memory, NotFound
from longmind.base.times import FOREVER
from longmind.ingest import parts, prepare
from longmind.testing import HashEmbedder
from tests.conftest import START
from tests.ingest.large import CHUNKS, LARGE, MARKER, URI, Watched, large_text


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "IN_PARTS", LARGE)
    monkeypatch.setattr(parts, "_SLICES", 1)


def seen(memory: Memory, **options: Any) -> dict[str, Any]:
    """What every kind of read shows."""
    stats = memory.stats()
    return {
        "list": len(list(memory.list(limit=1000, **options))),
        "search": [hit.frame.text for hit in memory.search(MARKER, limit=5, **options)],
        "words": [hit.frame.text for hit in memory.search(f'"{MARKER}"', limit=5, lanes=["text"], **options)],
        "timeline": len(memory.timeline(limit=10, **options)),
        "facts": sorted(
            str(hit.fact.object)
            for who in ("Berta Larch", "Clara Maple")
            for hit in memory.facts.about(who, **options)
        ),
        "stats": (stats.frames, stats.live, dict(stats.by_space), dict(stats.by_kind)),
        "recalled": MARKER in memory.recall(MARKER, **options).text,
    }


NOTHING = {"list": 0, "search": [], "words": [], "timeline": 0, "facts": [], "recalled": False} | {
    "stats": (0, 0, {}, {})
}


def test_a_large_document_is_nowhere_until_it_is_whole(location: str) -> None:
    clock = FrozenClock(START)
    others: list[Memory] = []
    revisions: list[int] = []

    def watch(count: int) -> None:
        """In the middle of it: another handle reads, and writes."""
        if not others or count < 60 or revisions:
            return
        other = others[0]
        assert seen(other) == NOTHING
        with pytest.raises(NotFound):
            other.get(1)
        with pytest.raises(NotFound):
            other.erase(1)
        assert other.maintain().done == {}  # the writer is alive
        assert other.verify(deep=True).problems == ()
        other.remember("Somebody else was here.")
        revisions.append(other.revision)

    with (
        Memory.open(location, clock=clock, embedder=Watched(watch)) as memory,
        Memory.open(location, clock=clock, embedder=HashEmbedder(16)) as other,
    ):
        others.append(other)
        report = memory.ingest(text=large_text(), uri=URI, tags=["big"], **CHUNKS)
        assert revisions, "nobody looked while it was being written"
        assert report.created == 1
        assert report.chunks > LARGE
        assert report.embedded == report.chunks
        assert report.facts >= 4
        for handle in (memory, other):
            assert seen(handle)["facts"] == ["Acme", "Braga", "Faro", "Initech"]
            assert len(seen(handle)["search"]) == 5
            assert handle.stats().frames == report.chunks + 2
            assert handle.get(report.id).tags == ("big",)
            before = seen(handle, as_of=AsOf(system=revisions[0], valid=FOREVER))
            assert before["list"] == 1  # what the other one wrote
            assert before["facts"] == before["words"] == []
        assert memory.verify(deep=True).problems == ()
        again = memory.ingest(text=large_text(), uri=URI, tags=["big"], **CHUNKS)
        assert (again.created, again.unchanged) == (0, 1)


def test_what_a_killed_writer_left_is_seen_by_nobody_and_removed(location: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.ingest.large", location]
    killed = subprocess.run(command, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with Memory.open(location, clock=FrozenClock(START), embedder=HashEmbedder(16)) as memory:
        with memory.store.read() as snapshot:
            assert snapshot.db.one("SELECT count(*) FROM frame")[0] > 60  # type: ignore[index]
        assert seen(memory) == NOTHING
        memory.snapshots.create("before")
        memory.remember("A note.")
        memory.snapshots.restore("before")
        assert memory.maintain().done["abandoned"]["frame"] > 60
        with memory.store.read() as snapshot:
            for table in ("frame", "frame_text", "frame_vector", "text_doc"):
                left = snapshot.db.one(f"SELECT count(*) FROM {table}")[0]  # type: ignore[index]
                assert left <= 1, table  # the note
        if "postgresql" not in location:
            files = [path for path in tmp_path.iterdir() if path.is_file()]
            assert files
            assert not [path for path in files if MARKER.encode() in path.read_bytes()]
        report = memory.ingest(text=large_text(), uri=URI, **CHUNKS)
        assert report.created == 1
        assert memory.verify(deep=True).problems == ()


def test_one_that_is_cancelled_leaves_nothing_and_one_that_runs_late_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "store.mind"
    stop = is_slow = False

    def watch(count: int) -> None:
        nonlocal stop
        stop = count > 60
        if is_slow:
            time.sleep(1.6)

    with Memory.open(path, embedder=Watched(watch)) as memory:
        report = memory.ingest(text=large_text(), uri=URI, cancelled=lambda: stop, **CHUNKS)
        assert report.cancelled
        assert report.created == 0
        assert seen(memory) == NOTHING
        with memory.store.read() as snapshot:
            assert snapshot.db.one("SELECT count(*) FROM frame")[0] == 0  # type: ignore[index]

        limited = memory.ingest(
            text=large_text(),
            uri=URI,
            budget=IngestBudget(max_chunks=LARGE + 50, max_embeddings=70),
            **CHUNKS,
        )
        assert limited.chunks == LARGE + 50
        assert limited.embedded == 70
        assert set(limited.truncated) == {"max_chunks", "max_embeddings"}
        is_slow = True
        late = memory.ingest(
            text=large_text() + "\n\nMore.", uri=URI, budget=IngestBudget(max_seconds=1.5), **CHUNKS
        )
        assert late.truncated == ("max_seconds",)
        is_slow = False
        whole = memory.ingest(text=large_text() + "\n\nMore.", uri=URI, **CHUNKS)
        assert 0 < late.chunks < whole.chunks
        assert whole.superseded == 1
        assert memory.verify(deep=True).problems == ()


def test_a_writer_that_was_overtaken_gives_way(tmp_path: Path) -> None:
    path = tmp_path / "store.mind"
    others: list[Memory] = []
    quicker: list[int] = []

    def watch(count: int) -> None:
        if others and count > 60 and not quicker:
            quicker.append(0)
            quicker.append(others[0].ingest(text=large_text(), uri=URI, **CHUNKS).id)

    with (
        Memory.open(path, embedder=Watched(watch)) as memory,
        Memory.open(path, embedder=HashEmbedder(16)) as other,
    ):
        others.append(other)
        report = memory.ingest(text=large_text(), uri=URI, **CHUNKS)
        assert report.ids == (quicker[1],)
        assert (report.created, report.unchanged, report.chunks) == (0, 1, 0)
        assert memory.stats().by_kind["document"] == 1
        assert memory.verify(deep=True).problems == ()


def test_a_person_is_not_given_what_is_still_being_written(
    new_location: Callable[[str], str], tmp_path: Path
) -> None:
    location = new_location("sqlite")
    lines: list[str] = []
    others: list[Memory] = []

    def watch(count: int) -> None:
        if others and count > 60 and not lines:
            target = tmp_path / "ana.jsonl"
            others[0].export(target, user="ana")
            lines.extend(target.read_text("utf-8").splitlines())

    with (
        Memory.open(location, embedder=Watched(watch)) as memory,
        Memory.open(location, embedder=HashEmbedder(16)) as other,
    ):
        memory.remember("Mine.", user="ana")
        others.append(other)
        memory.ingest(text=large_text(), uri=URI, user="ana", **CHUNKS)
    assert lines
    assert not [line for line in lines if MARKER in line]
    assert sum(line.startswith('{"frame":') for line in lines) == 1
