"""What conversation memory gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from longmind.base.errors import InvalidInput
from longmind.base.frame import Frame
from longmind.base.partitions import partition_name
from longmind.base.results import Listing

LAYERS: Final = ("mid", "long")
STATUSES: Final = ("active", "archived", "deleted")
ROLES: Final = ("user", "assistant", "system", "tool")
"""Who may speak. Memories are made of the user's turns alone."""
PII: Final = "pii"
Action = Literal["created", "seen", "archived", "conflict", "suppressed", "past"]

MemoryId = Annotated[int, "The id of a memory."]
OneLayer = Annotated[str | None, "Only this layer."]
ExcludePersonal = Annotated[bool, "Leave out memories with personal data."]
Extract = Annotated[bool, "Read what a user's turn tells into memories."]


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One memory as it stood at the `as_of` it was read with."""

    id: int
    space: str
    layer: str
    status: str
    content: str
    created_at: int
    last_seen_at: int | None
    hits: int
    importance: int
    score: float
    scored_at: int
    """The `now` that the score was computed with."""
    tags: tuple[str, ...]
    frame_id: int
    slot: str | None = None
    subject: str | None = None
    value: str | None = None
    polarity: bool = True
    rule: str = ""
    user: str | None = None
    """Whose memory it is; None for the space's own."""

    @property
    def partition(self) -> str:
        """The name of the part of the space that it is in."""
        return partition_name(self.space, self.user)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What became of one thing that was found in a turn."""

    id: int | None
    content: str
    action: Action
    conflicts_with: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnReport:
    """A turn that was written, and the memories it touched. `extractor` says who read it, and if not, why."""

    turn_id: int
    extracted: tuple[Extracted, ...] = ()
    extractor: str = "none"
    warnings: tuple[str, ...] = ()
    created: bool = True
    """False: the turn was there already, by its idempotency key."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnReports(Listing[TurnReport]):
    """What became of several turns, in their order."""

    turns: tuple[TurnReport, ...]


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """The window's turns, the strongest mid-term memories, and the long-term ones that matter here."""

    short_term: tuple[Frame, ...]
    mid_term: tuple[MemoryItem, ...]
    long_term_hint: tuple[MemoryItem, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Found(Listing[MemoryItem]):
    """Memories that answer, best first; `notes` says how they were looked for."""

    items: tuple[MemoryItem, ...]
    notes: tuple[str, ...] = ()
    matches: tuple[float, ...] = ()
    """How well each of them answers, in the same order; their scores say how strong they are."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Something decided about a memory: when, by which computation, and from what."""

    action: str
    at: int
    recorded_at: int
    run: int | None
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Link:
    """Where a memory was said: the turn, the bytes of it, and the rule that found it."""

    turn_id: int
    reason: str
    rule: str
    start: int | None
    end: int | None
    recorded_at: int


@dataclass(frozen=True, slots=True)
class Why:
    """Everything that explains a memory."""

    memory: MemoryItem
    age_days: float
    terms: Mapping[str, float]
    """The weighted terms; they sum to the score."""
    weights: Mapping[str, float]
    rules: tuple[str, ...]
    links: tuple[Link, ...]
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did, or would do."""

    now: int
    dry_run: bool
    scored: int
    created: int
    """Memories made since the sweep before."""
    promoted: tuple[int, ...]
    archived: tuple[int, ...]
    deleted: tuple[int, ...]
    purged: int
    average_score: float
    average_age_days: float
    extraction: Mapping[str, Mapping[str, float]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class ConversationStats:
    """Counts and averages of a space."""

    space: str
    turns: int
    sessions: int
    by_layer: Mapping[str, int]
    by_status: Mapping[str, int]
    decisions: Mapping[str, int]
    average_score: float
    average_age_days: float | None
    extraction: Mapping[str, Mapping[str, float]]
    spending: Mapping[str, Mapping[str, float]]
    user: str | None = None
    """Whose part of the space was counted; None for the part that all share."""


def check_memory_id(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
        raise InvalidInput(f"{value!r} is not a memory id.", hint="Give a positive whole number.")
    return value
