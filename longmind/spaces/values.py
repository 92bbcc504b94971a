"""What a space holds and what its operations give back, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from longmind.base.results import Keyed, Listing
from longmind.base.times import format_ms

Relevance = Literal["high", "medium", "low"]
RELEVANCES: Final[tuple[Relevance, ...]] = ("high", "medium", "low")
ROLE: Final = "object"
"""The role of every frame that is an object of a space, by which search tells them from the rest."""
DEFAULT_KIND: Final = "custom"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an object that a caller named."""

    chunk_id: str
    text: str


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """One piece of project knowledge, as it stood at the `as_of` it was read with."""

    id: str
    path: str
    kind: str
    raw: str
    summary_micro: str
    summary_short: str
    summary_long: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    relevance: str
    pinned: bool
    chunks: tuple[Chunk, ...]
    created_at: int
    updated_at: int
    frame_id: int = field(compare=False)
    space: str = field(compare=False)
    user: str | None = field(default=None, compare=False)
    """Whose object it is; None for what all users of the space share."""

    def to_dict(self) -> dict[str, Any]:
        """The object as JSON writes it; `chunks` only where there are some."""
        fields: dict[str, Any] = {
            "id": self.id,
            "path": self.path,
            "kind": self.kind,
            "raw": self.raw,
            "summary_micro": self.summary_micro,
            "summary_short": self.summary_short,
            "summary_long": self.summary_long,
            "tags": list(self.tags),
            "metadata": dict(self.metadata),
            "relevance": self.relevance,
            "pinned": self.pinned,
            "created_at": format_ms(self.created_at),
            "updated_at": format_ms(self.updated_at),
        }
        if self.chunks:
            fields["chunks"] = [{"chunk_id": chunk.chunk_id, "text": chunk.text} for chunk in self.chunks]
        return fields


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one object: `linked` names others with the same hash at another path."""

    object: MemoryObject
    status: Literal["created", "updated", "unchanged"]
    linked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """A space in a list of spaces."""

    name: str
    objects: int
    pinned: int
    metadata: Mapping[str, Any]
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class GcReport:
    """What garbage collection took out of LATEST (archived) or removed for good (purged)."""

    space: str
    expired: tuple[str, ...]
    archived: int
    purged: int
    kept_pinned: int
    dry_run: bool
    ttl_days: float | None
    now: int


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit log."""

    id: int
    space: str
    action: str
    object_id: str | None
    detail: Mapping[str, Any]
    at: int
    user: str | None = None
    """Whose part of the space it concerns; None for what all share."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import brought in, and how far its origin was proven."""

    space: str
    objects: int
    verified: Literal["signature", "hash", "none"]
    redacted: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SpaceList(Listing[SpaceSummary]):
    """Spaces, by name."""

    spaces: tuple[SpaceSummary, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ObjectList(Listing[MemoryObject]):
    """Objects of a space, in the order of the call that returned them."""

    objects: tuple[MemoryObject, ...]


@dataclass(frozen=True, slots=True)
class SpaceLink:
    """A link between two objects, seen from one of them: the other end, as its own space shows it."""

    relation: str
    direction: Literal["outbound", "inbound"]
    space: str
    """The space of the other end."""
    object_id: str
    path: str
    kind: str
    summary_micro: str
    user: str | None = None
    """Whose object the other end is; None for what all users of its space share."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkList(Listing[SpaceLink]):
    """The links of an object, by relation, space and path."""

    links: tuple[SpaceLink, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AuditList(Listing[AuditEntry]):
    """What was done to a space, newest first."""

    entries: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Spending(Keyed[Mapping[str, float]]):
    """What language models cost a space, by provider."""

    providers: Mapping[str, Mapping[str, float]]
