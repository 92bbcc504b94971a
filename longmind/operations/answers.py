"""What operations answer where the interface in Python gives a bare sequence or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longmind.base.frame import Frame
    from longmind.conversation.values import TurnReport
    from longmind.experience.values import Event, Record, Utility, Vote
    from longmind.experience.values import Recorded as RecordMade
    from longmind.facts.results import Change, Edge, EntityMatch
    from longmind.facts.values import Evidence, FactHit
    from longmind.spaces.values import AuditEntry, MemoryObject, SpaceSummary
    from longmind.store.erasure import ErasureCertificate


@dataclass(frozen=True, slots=True)
class FrameList:
    """Frames in an order that the operation says."""

    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The frames that are retired now."""

    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Names of something."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Certificates:
    """Certificates of erasures."""

    certificates: tuple[ErasureCertificate, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of what."""

    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """A value without a shape of its own."""

    value: Mapping[str, Any]


# Facts


@dataclass(frozen=True, slots=True)
class FactList:
    """Facts with their periods and evidence; `truncated` says that there were more."""

    facts: tuple[FactHit, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class FactsBySubject:
    """What is so of each subject, under the names that were given."""

    subjects: Mapping[str, FactList]


@dataclass(frozen=True, slots=True)
class ChangeList:
    """What changed, the oldest change first."""

    changes: tuple[Change, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Facts that link entities, the nearest first."""

    edges: tuple[Edge, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class EvidenceList:
    """What speaks for a fact, surest and newest first."""

    evidence: tuple[Evidence, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class EntityMatches:
    """Entities that a name may mean, best first."""

    matches: tuple[EntityMatch, ...]


@dataclass(frozen=True, slots=True)
class EntityKnown:
    """An entity that is there now."""

    key: str


@dataclass(frozen=True, slots=True)
class PredicateKnown:
    """A predicate, and how it was declared."""

    key: str
    cardinality: str
    exact: bool


@dataclass(frozen=True, slots=True)
class Added:
    """How many of the things given were new."""

    added: int


# Conversation


@dataclass(frozen=True, slots=True)
class TurnReports:
    """What became of several turns, in their order."""

    turns: tuple[TurnReport, ...]


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The settings of conversation memory, by section."""

    settings: Mapping[str, Mapping[str, Any]]


# Experience


@dataclass(frozen=True, slots=True)
class RecordsMade:
    """What became of several records, in their order."""

    recorded: tuple[RecordMade, ...]


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record that answers, by which lanes it was found, and what its votes come to if it has any."""

    record: Record
    score: float
    lanes: tuple[str, ...]
    utility: Utility | None


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """Records that answer, best first; `notes` says what could not run."""

    hits: tuple[FoundRecord, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventList:
    """What happened to a record, oldest first."""

    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class VoteList:
    """Votes, oldest first."""

    votes: tuple[Vote, ...]


# Project spaces


@dataclass(frozen=True, slots=True)
class SpaceList:
    """Spaces, by name."""

    spaces: tuple[SpaceSummary, ...]


@dataclass(frozen=True, slots=True)
class ObjectList:
    """Objects of a space, in an order that the operation says."""

    objects: tuple[MemoryObject, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One object in a bundle; `metadata` is empty where none was asked for."""

    id: str
    path: str
    kind: str
    summary_micro: str
    summary_short: str
    summary_long: str
    relevance: str
    pinned: bool
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    updated_at: str


@dataclass(frozen=True, slots=True)
class RawText:
    """The whole text of an object in a bundle."""

    path: str
    raw: str
    kind: str


@dataclass(frozen=True, slots=True)
class ContextBundle:
    """What a space knows of a topic, in the shape that bundles have; `raw` is empty if none was asked for."""

    space: str
    topic: str
    generated_at: str | None
    global_summary: str
    sections: tuple[Section, ...]
    raw: tuple[RawText, ...]
    limit: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ActionContext:
    """Text to put before an action, its tokens, and the ids of objects that did not fit."""

    text: str
    total_tokens: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpacePolicy:
    """All rules of a space."""

    space: str
    policy: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpaceText:
    """A space as the text of its file."""

    space: str
    text: str


@dataclass(frozen=True, slots=True)
class AuditList:
    """What was done to a space, newest first."""

    entries: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True)
class Spending:
    """What language models cost a space, by provider."""

    providers: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Ordering:
    """How project spaces order what they recall, where a call does not say it."""

    backend: str
