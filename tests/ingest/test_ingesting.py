"""The staged pipeline and folders: the same whatever the concurrency, whole documents only, resumable."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind import IngestBudget, InvalidInput, Memory
from longmind.ingest.report import IngestReport
from longmind.ingest.sources import Progress


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "deep").mkdir(parents=True)
    for number in range(12):
        body = "\n\n".join(
            f"Paragraph {place} of file {number} speaks of gadget{number}." * 6 for place in range(20)
        )
        (root / f"file{number:02}.md").write_text(f"# Title {number}\n\n{body}\n")
    (root / "deep" / "code.py").write_text("def answer():\n    return 42\n")
    (root / "empty.txt").write_text("")
    (root / "picture.bin").write_bytes(bytes(range(256)) * 8)
    return root


@pytest.fixture
def store(location: str) -> Iterator[Memory]:
    with Memory.open(location, embedder="hash") as memory:
        yield memory


def content(memory: Memory) -> list[tuple[str, int, str]]:
    frames = list(_all(memory))
    return sorted((frame.uri or "", frame.start or -1, frame.text) for frame in frames)


def _all(memory: Memory) -> Iterator:
    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT frame_id FROM frame WHERE retired_at IS NULL")
    for (frame_id,) in rows:
        yield memory.get(frame_id)


def test_the_result_does_not_depend_on_concurrency(folder: Path) -> None:
    seen: list[tuple[IngestReport, list]] = []
    for in_flight, embedding, extraction in ((1, 1, 1), (4, 2, 2), (8, 8, 8)):
        budget = IngestBudget(
            max_in_flight=in_flight, embedding_parallelism=embedding, extraction_parallelism=extraction
        )
        with Memory.open(":memory:", embedder="hash") as memory:
            seen.append((memory.ingest(folder, budget=budget), content(memory)))
    assert all(item == seen[0] for item in seen[1:])
    assert seen[0][0].created == 13
    assert [skip.code for skip in seen[0][0].skipped] == ["empty", "binary"]


def test_chunks_are_slices_of_their_document_and_cover_it(store: Memory, folder: Path) -> None:
    store.ingest(folder)
    documents = {frame.id: frame for frame in _all(store) if frame.start is None}
    covered: dict[int, list[tuple[int, int]]] = {}
    for frame in _all(store):
        if frame.start is not None:
            raw = documents[frame.parent].text.encode()
            assert raw[frame.start : frame.end].decode() == frame.text
            covered.setdefault(frame.parent, []).append((frame.start, frame.end))
    assert covered
    for parent, ranges in covered.items():
        raw = bytearray(documents[parent].text.encode())
        for start, end in ranges:
            raw[start:end] = b" " * (end - start)
        assert not raw.strip()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4000))
def test_any_text_is_cut_at_whole_characters(text: str) -> None:
    with Memory.open(":memory:", embedder=None, extractor=None) as memory:
        report = (
            memory.ingest(text=text, chunk_tokens=20, chunk_overlap=4) if text.strip() else IngestReport()
        )
        for frame in _all(memory) if report.ids else ():
            if frame.start is not None:
                whole = memory.get(frame.parent).text.encode()
                assert whole[frame.start : frame.end].decode() == frame.text


def test_a_second_run_changes_nothing(store: Memory, folder: Path) -> None:
    first = store.ingest(folder)
    revision = store.revision
    again = store.ingest(folder)
    assert (again.created, again.unchanged) == (0, first.created)
    assert store.revision == revision


def test_changed_files_supersede_and_gone_files_retire(store: Memory, folder: Path) -> None:
    store.ingest(folder)
    [old] = [frame for frame in _all(store) if frame.uri.endswith("file03.md") and frame.start is None]
    (folder / "file03.md").write_text("# Title 3\n\nNow about zebras.\n")
    (folder / "file04.md").unlink()
    report = store.ingest(folder)
    assert (report.created, report.superseded, report.retired) == (1, 1, 1)
    assert [hit.frame.uri.rsplit("/", 1)[1] for hit in store.search("zebras", mode="text")] == ["file03.md"]
    assert not any("gadget4 " in frame.text or frame.uri.endswith("file04.md") for frame in _all(store))
    with store.store.read() as snapshot:
        row = snapshot.db.one("SELECT superseded_by FROM frame WHERE frame_id = ?", (old.id,))
    assert row is not None
    assert row[0] in report.ids


def test_cancelling_leaves_whole_documents_and_the_next_run_goes_on(store: Memory, folder: Path) -> None:
    calls = iter(range(1000))
    report = store.ingest(folder, cancelled=lambda: next(calls) > 9)
    assert report.cancelled
    assert 0 < report.created < 13
    for frame in _all(store):
        if frame.start is None and len(frame.text) > 3000:
            assert any(other.parent == frame.id for other in _all(store))
    store.ingest(folder)
    with Memory.open(":memory:", embedder="hash") as other:
        other.ingest(folder)
        assert content(store) == content(other)


def test_a_killed_ingest_is_resumed_to_the_same_store(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "killed.mind"
    code = (
        "import sys; from longmind import Memory\n"
        f"memory = Memory.open({str(path)!r}, embedder='hash')\n"
        f"memory.ingest({str(folder)!r}, progress=lambda step: print(step.done, flush=True))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"0\n"  # before the first file
        child.stdout.readline()
        time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    with Memory.open(path, embedder="hash") as memory, Memory.open(":memory:", embedder="hash") as other:
        memory.ingest(folder)
        other.ingest(folder)
        assert content(memory) == content(other)
        assert memory.verify(deep=True)


def test_progress_counts_from_before_the_first_file(tmp_path: Path) -> None:
    for name, size in (("a", 10), ("b", 200), ("c", 30)):
        (tmp_path / f"{name}.txt").write_text(name * size)
    steps: list[Progress] = []
    with Memory.open(":memory:", embedder=None) as memory:
        memory.ingest(tmp_path, progress=steps.append)
        assert [(step.done, step.total, step.bytes_done, step.bytes_total) for step in steps] == [
            (0, 3, 0, 240), (1, 3, 10, 240), (2, 3, 210, 240), (3, 3, 240, 240),
        ]  # fmt: skip
        assert [step.uri.rpartition("/")[2] for step in steps] == ["", "a.txt", "b.txt", "c.txt"]
        (tmp_path / "b.txt").write_text("changed")
        steps.clear()
        memory.ingest(tmp_path, progress=steps.append)
        # What is unchanged is done at once, and is no part of what the rest is estimated by.
        assert [(step.done, step.total, step.bytes_done, step.bytes_total) for step in steps] == [
            (2, 3, 0, 7), (3, 3, 7, 7),
        ]  # fmt: skip


def test_every_limit_is_reported(folder: Path) -> None:
    limits = {
        "max_documents": IngestBudget(max_documents=3),
        "max_total_bytes": IngestBudget(max_total_bytes=9000),
        "max_chunks": IngestBudget(max_chunks=5),
        "max_embeddings": IngestBudget(max_embeddings=4),
        "max_seconds": IngestBudget(max_seconds=1e-9),
    }
    for name, budget in limits.items():
        with Memory.open(":memory:", embedder="hash") as memory:
            report = memory.ingest(folder, budget=budget)
            assert name in report.truncated
            assert memory.verify(deep=True)
    with pytest.raises(InvalidInput):
        IngestBudget(max_chunks=0)


def test_two_spaces_read_the_same_folder_apart(store: Memory, folder: Path) -> None:
    store.ingest(folder, space="one")
    report = store.ingest(folder, space="two")
    assert report.created == 13
    (folder / "file00.md").unlink()
    assert store.ingest(folder, space="one").retired == 1
    assert store.search("gadget0", space="two", mode="text")


def test_watching_follows_changes(folder: Path) -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        stopped: list[bool] = []
        reports = memory.watch(folder, stop=lambda: bool(stopped))
        assert next(reports).created == 13
        (folder / "fresh.md").write_text("Something quite new about walruses.")
        assert next(reports).created == 1
        stopped.append(True)
        reports.close()
        assert memory.search("walruses", mode="text")


def test_a_long_text_that_is_remembered_is_found_by_its_parts(store: Memory) -> None:
    text = "\n\n".join(
        f"Part {number} is about topic{number} and nothing else at all." for number in range(600)
    )
    report = store.remember(text)
    assert report.chunks > 10
    hit = store.search("topic417", mode="text")[0]
    assert "topic417" in hit.frame.text
    assert hit.frame.parent == report.id
