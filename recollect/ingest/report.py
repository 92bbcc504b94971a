"""What a write did: deterministic for the same input, except how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Ids and counts of one `remember` or `ingest`."""

    ids: tuple[int, ...]
    """One frame per thing remembered, in the order given, whether new or already there."""
    created: int = 0
    updated: int = 0
    """Already there; got tags or metadata that it lacked."""
    unchanged: int = 0
    """Already there, exactly so."""
    chunks: int = 0
    superseded: int = 0
    warnings: tuple[str, ...] = ()
    """What could not be done (an embedder that failed); the frames were written all the same."""
    durations: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def id(self) -> int:
        """The frame, where one thing was remembered."""
        if len(self.ids) != 1:
            raise ValueError(f"The report covers {len(self.ids)} frames; use .ids.")
        return self.ids[0]
