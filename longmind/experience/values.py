"""The values of experience: records, the links between them, votes, and how callers name a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, overload

from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput
from longmind.base.results import Listing

Kind = Literal["problem", "solution", "failed_tactic", "fact", "preference", "change"]
Role = Literal["solution", "failed_tactic"]
Scope = Literal["repo", "global"]

KINDS: Final = ("problem", "solution", "failed_tactic", "fact", "preference", "change")
ROLES: Final = ("solution", "failed_tactic")
RECORD_SCOPES: Final = ("repo", "global")
NO_EVIDENCE: Final = "none"
"""Passed as `evidence=`: the caller says that there is none."""

MOST_BYTES: Final = 100_000
"""Of a record's text: a record is a statement; the material behind it belongs in the evidence."""

WHY: Final = "\nWhy it failed: "
"""Separates a failed tactic from its reason in the text of the record."""


@dataclass(frozen=True, slots=True)
class Record:
    """One piece of experience, as it stood at the `as_of` it was read with. Its text is the frame's."""

    id: str
    frame_id: int
    kind: str
    repo: str
    scope: str
    text: str
    write_confidence: float | None
    occurred_at: int
    created_at: int
    recorded_at: int
    evidence: tuple[str, ...] = ()
    archived_at: int | None = None
    """On the system axis; None while it is in use."""
    archive_reason: str | None = None
    user: str | None = None
    """Whose record it is; None for the repository's own."""

    @property
    def archived(self) -> bool:
        return self.archived_at is not None

    @property
    def tactic(self) -> str:
        """The text without the reason why it failed."""
        return self._parts()[0]

    @property
    def why(self) -> str | None:
        """Why a failed tactic failed, where that was said."""
        return self._parts()[1]

    def _parts(self) -> tuple[str, str | None]:
        before, marker, after = self.text.rpartition(WHY)
        return (before, after) if marker and self.kind == "failed_tactic" else (self.text, None)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of a write. A dry run has a `record` too, with the id it would have got."""

    record: Record
    created: bool
    """False: the idempotency key names a record that existed already."""
    attempts: tuple[Attempt, ...] = ()
    planned: bool = False
    """True: a dry run; nothing was written."""
    warnings: tuple[str, ...] = ()
    """What failed (an embedder, say); the record was written all the same."""

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def repo(self) -> str:
        return self.record.repo

    @property
    def user(self) -> str | None:
        return self.record.user


@dataclass(frozen=True, slots=True)
class Attempt:
    """A problem, and what was tried on it."""

    problem: str
    attempt: str
    role: str
    created_at: int
    recorded_at: int


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt with the record that says what was tried."""

    link: Attempt
    record: Record


@dataclass(frozen=True, slots=True)
class Attempts(Sequence[Tried]):
    """What was tried on a problem, in the order of linking."""

    problem: Record
    tried: tuple[Tried, ...]
    truncated: bool = False

    @overload
    def __getitem__(self, index: int) -> Tried: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Tried, ...]: ...

    def __getitem__(self, index: int | slice) -> Tried | tuple[Tried, ...]:
        return self.tried[index]

    def __len__(self) -> int:
        return len(self.tried)

    def __iter__(self) -> Iterator[Tried]:
        return iter(self.tried)

    @property
    def solutions(self) -> tuple[Record, ...]:
        """What worked, as far as it is in use."""
        return self._of("solution")

    @property
    def failed(self) -> tuple[Record, ...]:
        """What did not work, as far as it is in use."""
        return self._of("failed_tactic")

    def _of(self, role: str) -> tuple[Record, ...]:
        return tuple(
            item.record for item in self.tried if item.link.role == role and not item.record.archived
        )


@dataclass(frozen=True, slots=True)
class FactUpdate:
    """An old fact and a change that made a new fact."""

    id: str
    old: str
    change: str
    new: str
    created_at: int
    recorded_at: int


@dataclass(frozen=True, slots=True)
class FactChain:
    """Every fact connected with one by updates; chains branch and merge."""

    facts: tuple[Record, ...]
    """Each after the facts it replaced."""
    updates: tuple[FactUpdate, ...]
    changes: tuple[Record, ...]
    current: tuple[str, ...]
    """Ids of the facts that hold now."""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Vote:
    """One observation: how useful a record was for a problem, from -1 to 1."""

    id: str
    memory: str
    problem: str
    vote: float
    rationale: str | None
    created_at: int
    recorded_at: int


@dataclass(frozen=True, slots=True)
class Utility:
    """The utility of a record by its votes; `value` is the mean, shrunk towards 0 while there are few."""

    memory: str
    observations: int
    mean: float
    value: float


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a record, or was said about it."""

    at: int
    """On the system axis."""
    what: str
    """'recorded', 'evidence', 'attempt', 'update', 'vote', 'revised', 'archived' or 'retired'."""
    detail: str
    others: tuple[str, ...] = ()
    """Ids of the other records it concerns."""


@dataclass(frozen=True, slots=True, eq=False)
class EventList(Listing[Event]):
    """What happened to a record, oldest first."""

    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, eq=False)
class VoteList(Listing[Vote]):
    """Votes, oldest first."""

    votes: tuple[Vote, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Records(Listing[Record]):
    """Records in order; `truncated` says that there were more than asked for."""

    records: tuple[Record, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RecordsMade(Listing[Recorded]):
    """What became of several records, in their order."""

    recorded: tuple[Recorded, ...]


RecordLike = str | Record | Recorded
"""A record, by its id or as a value."""


def id_of(record: RecordLike, name: str) -> str:
    """The id that a caller means."""
    if isinstance(record, Record | Recorded):
        return record.id
    if not isinstance(record, str) or not record.strip():
        raise InvalidInput(f"{name} must be a record or its id, not {record!r}.")
    return check_label(record, name)


GivenRecord = Annotated[RecordLike, "A record, such as exp_12."]
GivenProblem = Annotated[RecordLike, "The problem."]
Repo = Annotated[str | None, "The repository; the memory's own space if it is not given."]
Confidence = Annotated[float | None, "How sure you are, from 0 to 1."]
Lanes = Annotated[Iterable[str] | None, "Only these ways of finding: text, vector, facts."]
RecordKinds = Annotated[
    str | Iterable[str], "Only problem, solution, failed_tactic, fact, preference or change."
]
Archived = Annotated[bool, "Also what is out of use."]
