"""What the Inspector's own reads answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longmind.facts.chart import Panel
from longmind.facts.values import FactHit, Value
from longmind.store.tasks import Task


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are of something."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class SpaceCount:
    """One space or one user's part of it, and how many frames it has."""

    space: str
    user: str | None
    count: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What happened in one stretch of time, which begins at `at`."""

    at: int
    counts: Mapping[str, int]
    """Frames by kind."""


@dataclass(frozen=True, slots=True)
class Axes:
    """Where the two time axes of a view begin and end; None where there is nothing."""

    system_from: int | None
    system_to: int | None
    valid_from: int | None
    valid_to: int | None
    now: int
    """The clock's reading: later than everything known, and where valid time stands unless it is moved."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What a view holds, at a glance."""

    frames: int
    chunks: int
    retired: int
    kinds: tuple[Count, ...]
    places: tuple[SpaceCount, ...]
    activity: tuple[Activity, ...]
    step: int
    """The length of a stretch of `activity`, in milliseconds."""
    recorded_today: int
    """Frames that were recorded in the 24 hours before now."""
    retired_today: int
    entities: int
    facts: int
    learned_today: int
    """Periods of facts that were learned in the 24 hours before now."""
    ended_today: int
    quarantined: int
    memories: tuple[Count, ...]
    """Memories in use by layer, and those put away."""
    axes: Axes
    revision: int


@dataclass(frozen=True, slots=True)
class FrameRow:
    """A frame in a list: its beginning, not all of it."""

    id: int
    kind: str
    space: str
    user: str | None
    session: str | None
    role: str | None
    speaker: str | None
    title: str | None
    text: str
    size: int
    """Characters of the whole text."""
    occurred_at: int
    recorded_at: int
    retired_at: int | None


@dataclass(frozen=True, slots=True)
class FramePage:
    """Frames, newest first; `before` asks for the next page, and is None at the end."""

    frames: tuple[FrameRow, ...]
    before: int | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A conversation: how long it is, when it took place, and how it begins."""

    session: str
    space: str
    user: str | None
    turns: int
    first: int
    last: int
    frame: int
    """The first of it."""
    opening: str = ""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Conversations, the one with the latest turn first; `offset` asks for the next page."""

    sessions: tuple[SessionRow, ...]
    offset: int | None


@dataclass(frozen=True, slots=True)
class LearnedFact:
    """A fact that a frame speaks for, and the bytes that say so."""

    frame: int
    start: int | None
    end: int | None
    fact_id: int
    subject: str
    predicate: str
    object: Value
    state: str
    """held; ended, where it is no longer so; quarantined or rejected, where it is not believed."""


@dataclass(frozen=True, slots=True)
class LearnedMemory:
    """A memory that was made of a turn, or seen again in it."""

    frame: int
    start: int | None
    end: int | None
    memory_id: int
    content: str
    layer: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned from some frames."""

    facts: tuple[LearnedFact, ...]
    memories: tuple[LearnedMemory, ...]


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity in a list."""

    key: str
    kind: str
    facts: int
    """Values that are held now."""
    periods: int
    """All periods ever recorded of it."""
    changed_at: int
    space: str
    user: str | None


@dataclass(frozen=True, slots=True)
class EntityPage:
    """Entities, the best known first; `offset` asks for the next page, and is None at the end."""

    entities: tuple[EntityRow, ...]
    offset: int | None
    total: int


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An entity of a graph, with its kind where that is known; or a plain value that a fact leads to."""

    name: str
    kind: str | None
    entity: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """The facts of a view as edges, and how many each predicate has in all."""

    nodes: tuple[GraphNode, ...]
    predicates: tuple[Count, ...]
    edges: tuple[tuple[int, int, int], ...]
    """Subject, predicate and object, each by its position in the lists above. There may be thousands."""
    truncated: bool


@dataclass(frozen=True, slots=True)
class History:
    """The periods of a subject, and the picture of each predicate."""

    facts: tuple[FactHit, ...]
    panels: tuple[Panel, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Dependent:
    """A fact that was derived from another."""

    fact_id: int
    subject: str
    predicate: str
    object: Value
    held: bool


@dataclass(frozen=True, slots=True)
class Dependents:
    """Facts that rest on one fact."""

    facts: tuple[Dependent, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two entities that may be the same, and why."""

    first: str
    second: str
    reason: str
    score: float


@dataclass(frozen=True, slots=True)
class Likenesses:
    """Suggestions for a merge, the likeliest first."""

    pairs: tuple[Likeness, ...]


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """A store as a whole: how large it is, and its spaces with their frames in use."""

    bytes: int
    format: int
    live: int
    retired: int
    spaces: tuple[Count, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class PartCounts:
    """How much each part of a store holds, by the names of the parts."""

    parts: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class TaskList:
    """Long work on a store: what is under way, and the last of each kind that ended."""

    tasks: tuple[Task, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class Spending:
    """What was paid for a model on behalf of a space."""

    space: str
    provider: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class SpendingReport:
    """What language models cost, by space and model."""

    rows: tuple[Spending, ...]
