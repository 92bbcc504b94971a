"""Limits of one ingest: how much is read, how much is prepared at once, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.store.parts import DerivedLimits

CHUNK_TOKENS: Final = 400
"""About two windows of the default embedder, which takes 256 word pieces at a time."""
CHUNK_OVERLAP: Final = 40
"""A tenth: a sentence or two, so that what is said across a cut is found in one of the chunks."""


@dataclass(frozen=True, slots=True)
class IngestBudget:
    """None means no limit. Where one is hit, the report says so; nothing is half-written."""

    max_total_bytes: int | None = None
    """Of text, over all documents; the document that would pass it and those after it are left out."""
    max_documents: int | None = None
    max_chunks: int | None = None
    """Over all documents; the document that would pass it is cut after its last chunk that fits."""
    max_embeddings: int | None = None
    """Documents past it are written without vectors, which `maintain` fills in."""
    max_embedding_seconds: float | None = None
    embedding_parallelism: int = 1
    """Documents embedded at once; the embedder may use several threads for each."""
    extraction_parallelism: int = 2
    max_in_flight: int = 4
    """Documents prepared ahead of the one being committed."""
    max_pending_bytes: int = 64 * 2**20
    """Text of the documents that are prepared and not yet committed."""
    max_seconds: float | None = None
    """The deadline: no new document is begun after it. One that is being prepared is cut after the chunks
    that are ready, and continued by the next run."""
    max_facts_per_chunk: int | None = None
    """None leaves these three to the extractor's own limits: 32 facts, 32 entities, and 16 pieces of evidence
    for what whole frames say by being there."""
    max_entities_per_chunk: int | None = None
    max_evidence_per_fact: int | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
                raise InvalidInput(f"{item.name} must be a number above 0, or None.")

    @property
    def derived(self) -> DerivedLimits:
        """What of it the parts keep to."""
        return DerivedLimits(
            self.max_facts_per_chunk, self.max_entities_per_chunk, self.max_evidence_per_fact
        )


UNLIMITED = IngestBudget()
