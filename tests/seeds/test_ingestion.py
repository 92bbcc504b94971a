"""Ingestion: budgets that bound the work, and a report that counts what was done."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from longmind import IngestBudget, Memory
from longmind.embed import EmbedderIdentity, Encoding, open_embedder
from longmind.facts.extraction import Extraction, ReferenceExtractor, Source


class CountingEmbedder:
    """The hash embedder; it says how many texts it was given, and may take its time."""

    def __init__(self, *, pause: float = 0.0) -> None:
        self._inner = open_embedder("hash:64", cache=Path())
        self._pause = pause
        self.texts = 0

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    @property
    def supports_tokens(self) -> bool:
        return False

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        self.texts += len(texts)
        time.sleep(self._pause)
        return self._inner.encode(texts, tokens=tokens)

    def close(self) -> None:
        self._inner.close()


class CountingExtractor(ReferenceExtractor):
    """The reference extractor; it says how many texts it read."""

    texts = 0

    def extract(self, source: Source) -> Extraction:
        self.texts += not source.cut
        return super().extract(source)


def book(paragraphs: int) -> str:
    return "\n\n".join(
        f"Paragraph {number} of the harbour book tells of lantern {number} and of the copper roof."
        for number in range(paragraphs)
    )


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


def test_max_chunks_bounds_what_is_embedded_and_extracted(location: str, embedder: CountingEmbedder) -> None:
    extractor = CountingExtractor()
    with Memory.open(location, embedder=embedder, extractor=extractor) as memory:
        report = memory.ingest(
            text=book(400), uri="book", chunk_tokens=32, chunk_overlap=0, budget=IngestBudget(max_chunks=5)
        )
        assert (report.chunks, report.truncated) == (5, ("max_chunks",))
        assert (embedder.texts, extractor.texts) == (5, 5)


def test_max_embeddings_bounds_what_is_embedded(location: str, embedder: CountingEmbedder) -> None:
    with Memory.open(location, embedder=embedder) as memory:
        report = memory.ingest(
            text=book(200),
            uri="book",
            chunk_tokens=32,
            chunk_overlap=0,
            budget=IngestBudget(max_embeddings=7),
        )
        assert report.chunks > 70
        assert (report.embedded, embedder.texts, report.truncated) == (7, 7, ("max_embeddings",))
        memory.maintain()
        assert memory.stats().parts["vectors"]["missing"] == 0


def test_the_deadline_holds_inside_a_document(location: str) -> None:
    slow = CountingEmbedder(pause=0.2)
    with Memory.open(location, embedder=slow) as memory:
        options = {"uri": "book", "chunk_tokens": 32, "chunk_overlap": 0}
        report = memory.ingest(text=book(400), budget=IngestBudget(max_seconds=0.1), **options)  # type: ignore[arg-type]
        assert report.truncated == ("max_seconds",)
        assert 0 < report.chunks < 100 <= len(book(400).split("\n\n"))
        assert slow.texts == report.embedded == report.chunks
        rest = memory.ingest(text=book(400), **options)  # type: ignore[arg-type]
        assert (rest.created, rest.truncated) == (1, ()), "the next run completes it"
        assert memory.search("lantern 399", lanes=("text",)).hits[0].frame.text.find("lantern 399") >= 0


def test_facts_entities_and_evidence_have_budgets(location: str) -> None:
    people = ["Ana Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood"]
    text = " ".join(f"{name} lives in Porto. {name} works at Globex." for name in people)
    budget = IngestBudget(max_facts_per_chunk=3)
    with Memory.open(location, embedder=None) as memory:
        report = memory.ingest(text=text, budget=budget)
        assert (report.facts, report.truncated) == (3, ("extraction_limits",))
        few = IngestBudget(max_evidence_per_fact=2)
        reports = [
            memory.ingest(text=f"Ana Alder lives in Porto. Note {number}.", uri=f"note:{number}", budget=few)
            for number in range(5)
        ]
        [home] = memory.facts.about("Ana Alder", predicate="lives_in", evidence=50)
        assert len(home.evidence) == 2, "one of the first text, one more, and no third"
        assert reports[-1].truncated == ("max_evidence_per_fact",)
        none = memory.ingest(
            text="Eva Elm lives in Braga.", uri="eva", budget=IngestBudget(max_entities_per_chunk=1)
        )
        assert none.truncated == ("extraction_limits",)


def test_the_report_counts_evidence_entities_cache_hits_and_recorded_facts(
    location: str, embedder: CountingEmbedder
) -> None:
    with Memory.open(location, embedder=embedder) as memory:
        first = memory.remember("Ana Alder lives in Porto. Ben Birch lives in Porto.")
        assert (first.facts, first.evidence, first.entities) == (2, 2, 3)
        assert (first.embedded, first.cache_hits) == (1, 0)
        again = memory.remember("Ana Alder lives in Porto. Ben Birch lives in Porto.", session="other")
        assert (again.embedded, again.cache_hits) == (1, 1)
        # What it says was known: it is evidence, and nothing new; the session is.
        assert (again.facts, again.entities) == (1, 1)
        assert again.evidence == 3


def test_dropped_documents_are_named(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.md").write_text(f"Document {number}.")
    with Memory.open(location, embedder=None) as memory:
        report = memory.ingest(folder, budget=IngestBudget(max_documents=2))
        assert report.truncated == ("max_documents",)
        expected = [((folder / f"{number}.md").as_uri(), "max_documents") for number in (2, 3)]
        assert [(skip.uri, skip.code) for skip in report.skipped] == expected
        rest = memory.ingest(folder)
        assert (rest.created, rest.unchanged, rest.skipped) == (2, 2, ())
