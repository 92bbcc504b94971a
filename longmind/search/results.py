"""What a search gives back: frames in order, and the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from longmind.base.frame import Frame


@dataclass(frozen=True, slots=True)
class LaneRank:
    """Where a lane put a frame: from 1, with the lane's own score if it has one."""

    rank: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was added to a score, and why."""

    name: str
    amount: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A frame that answers, with how it got its place."""

    frame: Frame
    score: float
    lanes: Mapping[str, LaneRank]
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What a lane did in one search."""

    name: str
    ran: bool
    found: int = 0
    detail: str = ""
    """How it looked, or why it could not."""


@dataclass(frozen=True, slots=True)
class SearchResults(Sequence[Hit]):
    """Hits, best first. `lanes` says which lanes ran, and which could not and why."""

    hits: tuple[Hit, ...]
    query: str
    query_type: str
    query_reason: str
    lanes: tuple[LaneReport, ...]
    fusion: str
    revision: int
    truncated: bool = False
    """True: of the query only the beginning was looked at."""
    notes: tuple[str, ...] = field(default=())

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def missing(self) -> tuple[LaneReport, ...]:
        """The lanes that were wanted and could not run."""
        return tuple(lane for lane in self.lanes if not lane.ran)

    def explain(self) -> str:
        """For people: the question, the lanes, and each hit's reasons."""
        lines = [f"{self.query_type} question ({self.query_reason}); {self.fusion} fusion"]
        for lane in self.lanes:
            state = f"{lane.found} frames" if lane.ran else "did not run"
            lines.append(f"  {lane.name}: {state}{'; ' + lane.detail if lane.detail else ''}")
        lines += [f"  note: {note}" for note in self.notes]
        for place, hit in enumerate(self.hits, 1):
            lines.append(f"{place}. frame {hit.frame.id}  {hit.score:.4f}")
            for name, found in hit.lanes.items():
                score = "" if found.score is None else f" ({found.score:.4f})"
                lines.append(f"     {name} rank {found.rank}{score}")
            for step in hit.steps:
                lines.append(
                    f"     {step.name} {step.amount:+.4f}{'  ' + step.reason if step.reason else ''}"
                )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where a named frame was lost, or the place it has."""

    frame_id: int
    found: bool
    stage: str
    """'missing', 'space', 'instant', 'filter', 'not indexed', 'no lane', 'below limit' or 'found'."""
    reason: str
    rank: int | None = None
    hit: Hit | None = None
