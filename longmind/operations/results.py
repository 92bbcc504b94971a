"""What operations answer where Python returns a value that has no fields of its own, or others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longmind.experience.values import Record, Utility


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
class MemorySettings:
    """The settings of conversation memory, by section."""

    settings: Mapping[str, Mapping[str, Any]]


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
    user: str | None = None


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
class Ordering:
    """How project spaces order what they recall, where a call does not say it."""

    backend: str
