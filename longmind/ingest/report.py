"""What a write did: deterministic for the same input, except how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from longmind.facts.extraction import Extraction
from longmind.store.drafts import Draft
from longmind.store.parts import Failed
from longmind.store.write import Prepared, Put

VECTORS: Final = "vectors"
_FACTS: Final = "facts"
ECHO: Final = "echo"
"""The code of what was nothing but recalled text."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A source that was passed over, with a stable code."""

    uri: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Ids and counts of one `remember` or `ingest`."""

    ids: tuple[int, ...] = ()
    """One frame per thing remembered, in the order given, whether new or already there."""
    created: int = 0
    updated: int = 0
    """Already there; got tags or metadata that it lacked."""
    unchanged: int = 0
    """Already there, exactly so."""
    chunks: int = 0
    superseded: int = 0
    """Documents that changed since they were last read."""
    retired: int = 0
    """Documents whose file is gone."""
    embedded: int = 0
    """Frames and chunks that got vectors."""
    cache_hits: int = 0
    """Those of them whose text had been embedded before, so that nothing was computed."""
    facts: int = 0
    """Facts that new frames and chunks told the ledger: new ones, and longer periods of known ones."""
    evidence: int = 0
    """Pieces of evidence that were recorded for facts."""
    entities: int = 0
    """People, places and things that the ledger did not know before."""
    reasserted: int = 0
    """Facts that a text which was there already says again, after something else was held."""
    skipped: tuple[Skip, ...] = ()
    """What was passed over, and why: a file that cannot be read, or a document that a limit left out, under
    the name of the limit."""
    truncated: tuple[str, ...] = ()
    """Names of the limits that were hit: those of the budget, and `extraction_limits`."""
    warnings: tuple[str, ...] = ()
    """What could not be done (an embedder that failed); the frames were written all the same."""
    cancelled: bool = False
    durations: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def id(self) -> int:
        """The frame, where one thing was remembered."""
        if len(self.ids) != 1:
            raise ValueError(f"The report covers {len(self.ids)} frames; use .ids.")
        return self.ids[0]

    @property
    def documents(self) -> int:
        return self.created + self.updated + self.unchanged


def merged(reports: Iterable[IngestReport]) -> IngestReport:
    """Several reports as one."""
    parts = list(reports)
    durations: dict[str, float] = {}
    for part in parts:
        for name, seconds in part.durations.items():
            durations[name] = durations.get(name, 0.0) + seconds
    return IngestReport(
        ids=tuple(frame_id for part in parts for frame_id in part.ids),
        created=sum(part.created for part in parts),
        updated=sum(part.updated for part in parts),
        unchanged=sum(part.unchanged for part in parts),
        chunks=sum(part.chunks for part in parts),
        superseded=sum(part.superseded for part in parts),
        retired=sum(part.retired for part in parts),
        embedded=sum(part.embedded for part in parts),
        cache_hits=sum(part.cache_hits for part in parts),
        facts=sum(part.facts for part in parts),
        evidence=sum(part.evidence for part in parts),
        entities=sum(part.entities for part in parts),
        reasserted=sum(part.reasserted for part in parts),
        skipped=tuple(skip for part in parts for skip in part.skipped),
        truncated=tuple(sorted({name for part in parts for name in part.truncated})),
        warnings=tuple(sorted({text for part in parts for text in part.warnings})),
        cancelled=any(part.cancelled for part in parts),
        durations=durations,
    )


def report_of(
    drafts: Sequence[Draft], results: Sequence[Put], prepared: Prepared, counts: Mapping[str, int]
) -> IngestReport:
    """What was written, what of the things prepared for it was used, and what the parts derived from it."""
    statuses = [result.status for result in results]
    return replace(
        derived_report(_used(drafts, statuses, prepared), counts),
        ids=tuple(result.id for result in results),
        created=statuses.count("created"),
        updated=statuses.count("updated"),
        unchanged=statuses.count("unchanged"),
        chunks=sum(len(result.chunks) for result in results),
        reasserted=sum(result.reasserted for result in results),
    )


def _used(drafts: Sequence[Draft], statuses: Sequence[str], prepared: Prepared) -> Prepared:
    """What was prepared for drafts that are new."""
    if statuses.count("created") == len(statuses):
        return prepared
    used: dict[str, list[object]] = {name: [] for name in prepared}
    position = 0
    for draft, status in zip(drafts, statuses, strict=True):
        end = position + 1 + len(draft.chunks)
        if status == "created":
            for name, items in prepared.items():
                used[name] += items[position:end]
        position = end
    return used


def derived_report(used: Prepared, counts: Mapping[str, int]) -> IngestReport:
    """What was made of frames that were written."""
    extractions = [item for item in used.get(_FACTS, ()) if isinstance(item, Extraction)]
    failed = {
        f"{name}: {item.reason}" for name, items in used.items() for item in items if isinstance(item, Failed)
    }
    return IngestReport(
        embedded=embedded(used.get(VECTORS, ())),
        cache_hits=sum(bool(getattr(item, "cached", False)) for item in used.get(VECTORS, ())),
        facts=counts.get("facts", 0),
        evidence=counts.get("evidence", 0),
        entities=counts.get("entities", 0),
        truncated=("extraction_limits",) if any(item.left_out for item in extractions) else (),
        warnings=tuple(sorted(failed)),
    )


def embedded(items: Iterable[object]) -> int:
    """How many of the vector lane's items are vectors."""
    return sum(item is not None and not isinstance(item, Failed) for item in items)
