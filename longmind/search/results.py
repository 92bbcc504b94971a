"""The results of a search: frames in order, and the reasons for the order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from longmind.base.frame import Frame
from longmind.base.notebook import html_table, shortened
from longmind.base.results import Listing


@dataclass(frozen=True, slots=True)
class RankedFrame:
    """A frame from a lane that ranks without scores, with the reason."""

    id: int
    reason: str = ""
    weight: float | None = None
    """What rank 1 of its lane counts; the measured weight, if nobody chose one."""


@dataclass(frozen=True, slots=True)
class LaneRank:
    """A frame's rank in one lane, from 1, with the lane's own score if it has one."""

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
    """A frame that answers, with its score and where the score comes from."""

    frame: Frame
    score: float
    lanes: Mapping[str, LaneRank]
    steps: tuple[Step, ...] = ()
    confidence: float = 0.0
    """How sure it is that the frame bears on the question, from 0 to 1; means the same in every store."""
    superseded: int | None = None
    """The frame that says what holds now, where this one says what no longer does."""

    def __repr__(self) -> str:
        return f"<Hit {self.score:.3f} by {', '.join(self.lanes) or 'no lane'}: {self.frame!r}>"


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What a lane did in one search."""

    name: str
    ran: bool
    found: int = 0
    detail: str = ""
    """How it searched, or why it could not."""
    lacking: int = 0
    """Frames of the spaces asked for that the lane cannot find yet, because they have no vectors."""


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
    """True if only the beginning of the query was read."""
    notes: tuple[str, ...] = field(default=())
    known_from: float = 0.0
    """The confidence from which `recall` takes the best hit for an answer; lower where only words tell."""

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

    def __repr__(self) -> str:
        return f"<SearchResults for {shortened(self.query)}: {len(self.hits)} hits {list(self.hits)}>"

    def _repr_html_(self) -> str:
        rows = (
            (hit.frame.id, f"{hit.score:.3f}", f"{hit.confidence:.2f}", ", ".join(hit.lanes), hit.frame.text)
            for hit in self.hits
        )
        return html_table(("frame", "score", "confidence", "found by", "text"), rows)

    @property
    def missing(self) -> tuple[LaneReport, ...]:
        """The lanes that were asked for and could not run."""
        return tuple(lane for lane in self.lanes if not lane.ran)

    def explain(self) -> str:
        """As text for people: the question's type, the lanes, and the reasons of each hit."""
        lines = [f"{self.query_type} question ({self.query_reason}); {self.fusion} fusion"]
        for lane in self.lanes:
            state = f"{lane.found} frames" if lane.ran else "did not run"
            lines.append(f"  {lane.name}: {state}{'; ' + lane.detail if lane.detail else ''}")
        lines += [f"  note: {note}" for note in self.notes]
        for rank, hit in enumerate(self.hits, 1):
            line = f"{rank}. frame {hit.frame.id}  {hit.score:.4f}  confidence {hit.confidence:.2f}"
            if hit.superseded is not None:
                line += f"  superseded, see frame {hit.superseded}"
            lines.append(line)
            for name, lane_rank in hit.lanes.items():
                score = "" if lane_rank.score is None else f" ({lane_rank.score:.4f})"
                lines.append(f"     {name} rank {lane_rank.rank}{score}")
            for step in hit.steps:
                lines.append(
                    f"     {step.name} {step.amount:+.4f}{'  ' + step.reason if step.reason else ''}"
                )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class SearchResultsList(Listing[SearchResults]):
    """The results of several questions, in the order of the questions, all of one state of the store."""

    results: tuple[SearchResults, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The step at which a frame dropped out of a search, or the rank it has."""

    frame_id: int
    found: bool
    stage: str
    """'missing', 'instant', 'filter', 'not indexed', 'no lane', 'repeated', 'confidence', 'below limit' or
    'found'."""
    reason: str
    rank: int | None = None
    hit: Hit | None = None
