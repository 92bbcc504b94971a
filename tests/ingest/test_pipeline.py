"""The staged pipeline: the same whatever the concurrency, within its limits, and whole documents only."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, IngestBudget, IngestReport, InvalidInput, Memory
from longmind.embed import EmbedderIdentity, Encoding, open_embedder
from longmind.ingest.source import Document, Source
from longmind.ingest.sources import Progress
from tests.conftest import ENGINES, START

FILES = 8
FACTS = 3
"""In each file: where a person lives and works, and the title."""


class Uneven:
    """The hash embedder, slower for some texts than for others, which says how many worked at once."""

    def __init__(self) -> None:
        self._inner = open_embedder("hash:64", cache=Path())
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    @property
    def supports_tokens(self) -> bool:
        return False

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(sum(map(len, texts)) % 7 / 1000)
        try:
            return self._inner.encode(texts, tokens=tokens)
        finally:
            with self._lock:
                self._now -= 1

    def close(self) -> None:
        self._inner.close()


class Slow:
    """Reads files ending in .slow, and says how many documents were ahead of what was committed."""

    name = "slow"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.begun = self.committed = self.most = 0

    def accepts(self, source: Source) -> bool:
        return source.uri.endswith(".slow")

    def read(self, data: bytes, source: Source) -> Document:
        with self._lock:
            self.begun += 1
            self.most = max(self.most, self.begun - self.committed)
        time.sleep(len(data) % 5 / 1000)
        return Document(uri=source.uri, title=source.name, text=data.decode())


PEOPLE = "Ana Alder/Ben Birch/Cleo Cedar/Dan Dogwood/Eva Elm/Finn Fir/Gil Ginkgo/Hana Hazel".split("/")
TOWNS = "Porto Lisbon Faro Braga Coimbra Evora Aveiro Leiria".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of very different sizes, some cut into chunks, each with facts of its own."""
    root = tmp_path_factory.mktemp("documents")
    rng = random.Random(3)
    for number in range(FILES):
        person, firm = PEOPLE[number], ("Acme", "Globex", "Initech")[number % 3]
        parts = [f"{person} lives in {TOWNS[number]}.", f"{person} works at {firm}."]
        parts += [
            " ".join(rng.choice(["harbour", "lantern", "copper", "meadow"]) for _ in range(60)) + "."
            for _ in range((1, 2, 16)[number % 3])
        ]
        (root / f"{number:02}.md").write_text(f"# About {number}\n\n" + "\n\n".join(parts))
    (root / "empty.md").write_text(" \n")
    (root / "picture.png").write_bytes(bytes(range(256)))
    return root


def state(memory: Memory) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that was made of the sources: frames, facts, evidence, short forms, vectors."""
    tables = {
        "frames": "SELECT frame_id, kind, uri, title, parent_id, start_byte, end_byte, ordinal, occurred_at, "
        "retired_at, content_hash FROM frame ORDER BY frame_id",
        "facts": "SELECT * FROM fact ORDER BY 1",
        "evidence": "SELECT * FROM fact_evidence ORDER BY 1, 2",
        "short": "SELECT frame_id, gist, micro FROM surrogate ORDER BY frame_id",
        "vectors": "SELECT frame_id, data FROM frame_vector ORDER BY frame_id",
        "sources": "SELECT space, uri, size, options, sha256, frame_id FROM ingest_source ORDER BY uri",
    }
    with memory.store.read() as snapshot:
        return {
            name: [tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in rows]
            for name, rows in ((name, snapshot.db.all(sql)) for name, sql in tables.items())
        }


@pytest.mark.parametrize("engine", ENGINES)
def test_store_and_report_are_the_same_whatever_the_concurrency(
    folder: Path, new_location: Callable[[str], str], engine: str
) -> None:
    seen: list[tuple[IngestReport, Any]] = []
    for in_flight, embedding, extraction, pending in ((1, 1, 1, 1), (6, 3, 2, 2**20)):
        budget = IngestBudget(
            max_in_flight=in_flight,
            embedding_parallelism=embedding,
            extraction_parallelism=extraction,
            max_pending_bytes=pending,
        )
        embedder = Uneven()
        with Memory.open(new_location(engine), embedder=embedder, clock=FrozenClock(START)) as memory:
            report = memory.ingest(folder, budget=budget)
            seen.append((report, state(memory)))
            assert memory.verify(deep=True)
        assert embedder.most <= embedding
    assert seen[0] == seen[1]
    report = seen[0][0]
    assert (report.created, report.facts) == (FILES, FACTS * FILES)
    assert report.embedded == len(seen[0][1]["vectors"]) > FILES
    assert [skip.code for skip in report.skipped] == ["empty", "damaged"]
    assert set(report.durations) == {"walk", "plan", "prepare", "embed", "commit"}


@pytest.mark.parametrize(
    ("limits", "most"),
    [({"max_in_flight": 3}, 3), ({"max_in_flight": 1}, 1), ({"max_in_flight": 6, "max_pending_bytes": 1}, 1)],
)
def test_no_more_is_prepared_ahead_than_is_allowed(tmp_path: Path, limits: dict[str, int], most: int) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.slow").write_text(f"Document {number}. " * (number % 7 + 1))
    reader = Slow()

    def committed(step: Progress) -> None:
        reader.committed = step.done

    with Memory.open(":memory:", embedder=None) as memory:
        memory.readers.register(reader)
        report = memory.ingest(tmp_path, budget=IngestBudget(**limits), progress=committed)
    assert report.created == 30
    assert reader.most <= most


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("after", [1, 5, 11])
def test_cancelled_anywhere_only_whole_documents_of_the_beginning_are_there(
    folder: Path, new_location: Callable[[str], str], engine: str, after: int
) -> None:
    calls = iter(range(10_000))
    with Memory.open(new_location(engine), embedder="hash:64", clock=FrozenClock(START)) as memory:
        report = memory.ingest(folder, cancelled=lambda: next(calls) >= after)
        assert report.cancelled
        assert report.retired == 0
        found = state(memory)
        assert memory.verify(deep=True)
    with Memory.open(":memory:", embedder="hash:64", clock=FrozenClock(START)) as memory:
        memory.ingest(folder)
        whole = state(memory)
    documents = [frame for frame in found["frames"] if frame[4] is None]
    assert [frame[2] for frame in documents] == [frame[2] for frame in whole["frames"] if frame[4] is None][
        : len(documents)
    ]
    assert (report.created, report.chunks) == (len(documents), len(found["frames"]) - len(documents))
    assert len(documents) < FILES
    # One commit has everything of a document or nothing of it.
    assert found["frames"] == whole["frames"][: len(found["frames"])]
    assert found["facts"] == whole["facts"][: FACTS * len(documents)]
    assert found["vectors"] == whole["vectors"][: len(found["vectors"])]
    assert [row[1] for row in found["sources"]] == [row[2] for row in documents]


LIMITS = {
    "max_documents": {"max_documents": 3},
    "max_total_bytes": {"max_total_bytes": 7000},
    "max_chunks": {"max_chunks": 4},
    "max_embeddings": {"max_embeddings": 4},
    "max_embedding_seconds": {"max_embedding_seconds": 1e-9},
    "max_seconds": {"max_seconds": 1e-9},
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_that_is_hit_is_named_and_a_run_without_it_goes_on_to_the_same_store(
    folder: Path, location: str, name: str
) -> None:
    with Memory.open(location, embedder="hash:64", clock=FrozenClock(START)) as memory:
        report = memory.ingest(folder, budget=IngestBudget(**LIMITS[name]))  # type: ignore[arg-type]
        assert report.truncated == (name,)
        assert memory.verify(deep=True)
        again = memory.ingest(folder)
        assert again.truncated == ()
        memory.maintain()
        assert {frame[2] for frame in state(memory)["frames"]} == {
            (folder / f"{number:02}.md").as_uri() for number in range(FILES)
        }
        frames = state(memory)["frames"]
        current = [frame for frame in frames if frame[9] is None]
        assert len(state(memory)["vectors"]) >= len([frame for frame in current if frame[4] is not None])
        assert memory.verify(deep=True)
    with Memory.open(":memory:", embedder="hash:64", clock=FrozenClock(START)) as other:
        other.ingest(folder)
        hashes = sorted(frame[10] for frame in state(other)["frames"])
    assert sorted(frame[10] for frame in current) == hashes


def test_limits_count_exactly(folder: Path) -> None:
    def run(**limits: int) -> IngestReport:
        with Memory.open(":memory:", embedder="hash:64") as memory:
            return memory.ingest(folder, budget=IngestBudget(**limits))  # type: ignore[arg-type]

    assert run(max_documents=3).created == 3
    assert run(max_documents=FILES).truncated == ()
    assert run(max_chunks=4).chunks == 4
    few = run(max_embeddings=6)
    assert few.embedded <= 6
    assert few.created == FILES
    assert run(max_embedding_seconds=10**6).truncated == ()


def test_more_facts_than_a_chunk_may_have_are_cut_and_said(memory: Memory) -> None:
    few = memory.remember("Ana lives in Porto. Ana works at Initech.")
    assert (few.facts, few.truncated) == (2, ())
    many = " ".join(f"Person{number} lives in Town{number}." for number in range(50))
    report = memory.remember(many)
    assert report.truncated == ("extraction_limits",)
    assert report.facts == 32
    assert memory.remember(many).facts == 0, "nothing is read twice"


def test_the_report_of_the_same_input_is_the_same(folder: Path) -> None:
    reports = []
    for _ in range(2):
        with Memory.open(":memory:", embedder="hash:64", clock=FrozenClock(START)) as memory:
            reports.append((memory.ingest(folder), memory.ingest(folder), memory.remember("One more.")))
    assert reports[0] == reports[1]
    second = reports[0][1]
    assert (second.created, second.unchanged, second.embedded, second.facts) == (0, FILES, 0, 0)
    assert second.ids == reports[0][0].ids


@pytest.mark.parametrize("name", list(IngestBudget.__dataclass_fields__))
@pytest.mark.parametrize("value", [0, -1, True, "many"])
def test_a_limit_that_is_none_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=name):
        IngestBudget(**{name: value})


def test_what_raises_while_it_is_read_ends_the_run_with_what_was_before_it(tmp_path: Path) -> None:
    """A reader that breaks its contract is a bug of its own; the store stays whole."""

    class Broken(Slow):
        name = "broken"

        def read(self, data: bytes, source: Source) -> Document:
            if source.name == "03.slow":
                raise ZeroDivisionError
            return super().read(data, source)

    for number in range(6):
        (tmp_path / f"{number:02}.slow").write_text(f"Document {number}.")
    with Memory.open(":memory:", embedder=None) as memory:
        memory.readers.register(Broken())
        with pytest.raises(ZeroDivisionError):
            memory.ingest(tmp_path)
        assert [frame.text for frame in memory.list().frames] == [f"Document {n}." for n in range(3)]
        assert memory.verify(deep=True)
