"""What a write did: deterministic for the same input, except how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


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
    facts: int = 0
    skipped: tuple[Skip, ...] = ()
    truncated: tuple[str, ...] = ()
    """Names of the limits that were hit."""
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
        facts=sum(part.facts for part in parts),
        skipped=tuple(skip for part in parts for skip in part.skipped),
        truncated=tuple(sorted({name for part in parts for name in part.truncated})),
        warnings=tuple(sorted({text for part in parts for text in part.warnings})),
        cancelled=any(part.cancelled for part in parts),
        durations=durations,
    )
