"""What the ledger answers: listings that say when they were cut, edges, matches, changes, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from longmind.base.results import Keyed, Listing
from longmind.base.times import format_ms
from longmind.facts.trust import Trust
from longmind.facts.values import (
    Entity,
    Evidence,
    Fact,
    FactHit,
    Predicate,
    Recorded,
    Scope,
    Value,
    cited,
    shown,
)


@dataclass(frozen=True, slots=True, eq=False)
class FactsResult(Listing[FactHit]):
    """Facts with their periods and evidence, in a fixed order; `truncated` says that there were more."""

    facts: tuple[FactHit, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FactsBySubject(Keyed[FactsResult]):
    """What is so of each subject, under the names that were given."""

    subjects: Mapping[str, FactsResult]


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceResult(Listing[Evidence]):
    """Evidence, surest and newest first."""

    evidence: tuple[Evidence, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact that links two entities, seen from the one that the walk came from."""

    fact_id: int
    predicate: Predicate
    direction: Literal["out", "in"]
    origin: Entity
    neighbor: Entity
    depth: int
    valid_from: int
    valid_to: int | None
    scope: Scope


@dataclass(frozen=True, slots=True, eq=False)
class EdgesResult(Listing[Edge]):
    """Edges by depth, then in the ledger's fixed order."""

    edges: tuple[Edge, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity that a name may mean; exact matches have score 1."""

    key: Entity
    kind: str
    alias: str
    score: float
    exact: bool
    space: str | None
    """None: the entity belongs to the global ledger."""
    user: str | None = None
    """Whose part of the space it belongs to; None for what all share."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityMatches(Listing[EntityMatch]):
    """Entities that a name may mean, best first."""

    matches: tuple[EntityMatch, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the change log between two states."""

    kind: Literal["began", "ended", "changed", "revised"]
    """`changed`: another value took its place. `revised`: the same value, with another period."""
    before: FactHit | None
    after: FactHit | None
    at: int
    """When: on the system axis if the store learned it in between, else on the valid axis."""
    axis: Literal["system", "valid"]
    reason: str | None = None

    @property
    def fact(self) -> Fact:
        """What it is about: the newer side."""
        hit = self.after or self.before
        assert hit is not None
        return hit.fact

    def __str__(self) -> str:
        fact = self.fact
        line = f"{format_ms(self.at)} {self.kind}: "
        if self.kind == "changed" and self.before is not None:
            old = shown(self.before.fact.object)
            return f"{line}{fact.subject} {fact.predicate} {old} -> {shown(fact.object)}{self._cited()}"
        because = f" [{self.reason}]" if self.reason else ""
        return f"{line}{fact}{because}{self._cited()}"

    def _cited(self) -> str:
        hit = self.after or self.before
        return cited(hit.evidence) if hit is not None else ""


@dataclass(frozen=True, slots=True, eq=False)
class Changes(Listing[Change]):
    """A change log, oldest change first."""

    changes: tuple[Change, ...]
    truncated: bool = False

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes))


@dataclass(frozen=True, slots=True)
class RecordReport:
    """What became of several assertions, in their order."""

    results: tuple[Recorded, ...]

    @property
    def recorded(self) -> int:
        return sum(result.status == "recorded" for result in self.results)

    @property
    def extended(self) -> int:
        return sum(result.status == "extended" for result in self.results)

    @property
    def unchanged(self) -> int:
        return sum(result.status == "unchanged" for result in self.results)

    @property
    def quarantined(self) -> int:
        return sum(result.status == "quarantined" for result in self.results)

    @property
    def superseded(self) -> int:
        return sum(len(result.superseded) for result in self.results)

    def __len__(self) -> int:
        return len(self.results)


@dataclass(frozen=True, slots=True)
class Retracted:
    """What a retraction closed; falsy if there was nothing to close."""

    fact_ids: tuple[int, ...]
    spans: int

    def __bool__(self) -> bool:
        return self.spans > 0


@dataclass(frozen=True, slots=True)
class Stated:
    """One assertion as it was made, with its lineage."""

    id: int
    subject: Entity
    predicate: Predicate
    object: Value | None
    """None: every value of the predicate was meant."""
    fact_id: int | None
    action: str
    polarity: bool
    valid_from: int | None
    """None: at all times."""
    valid_to: int | None
    said_at: int
    """Its place on the system axis."""
    channel: str
    speaker: str | None
    user: str | None
    trust: Trust
    by_hand: bool
    state: str
    """live; retired, once its evidence is gone; quarantined or rejected, where it is not believed."""
    evidence: tuple[Evidence, ...] = ()
    derived_from: tuple[int, ...] = ()
    reason: str | None = None
    space: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class StatedResult(Listing[Stated]):
    """Assertions in the order in which they were made."""

    assertions: tuple[Stated, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided about an assertion in quarantine."""

    id: int
    confirmed: bool
    changed: bool


@dataclass(frozen=True, slots=True)
class AmbiguousName:
    """A name that may mean several entities, which are therefore kept apart."""

    name: str
    keys: tuple[Entity, ...]
    is_key: bool
    """True: the name is itself the key of one of them, and an alias of another."""


@dataclass(frozen=True, slots=True, eq=False)
class AmbiguousNames(Listing[AmbiguousName]):
    """Names that may mean several entities."""

    names: tuple[AmbiguousName, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Removed:
    """How many were removed."""

    removed: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Two entities that are held to be one, or no longer are."""

    key: Entity
    """The one that stands for both."""
    other: Entity
    changed: bool
    """False: they already were, or were not."""


@dataclass(frozen=True, slots=True)
class FactErasure:
    """What was removed for good, by table; `scrubbed` says that the stored bytes are gone too."""

    counts: Mapping[str, int]
    scrubbed: bool
