"""The tables of experience as rows: their columns, their checksums, and how they are read and written."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from longmind.experience.values import Attempt, FactUpdate, Vote
from longmind.store.tables import Tables
from longmind.store.transaction import Transaction


class EvidenceRow(NamedTuple):
    evidence_id: str
    repo: str
    kind: str
    ref: str
    frame_id: int | None
    created_at: int
    recorded_at: int


class RecordEvidenceRow(NamedTuple):
    record_id: str
    evidence_id: str
    ordinal: int
    created_at: int
    recorded_at: int


class RecordRow(NamedTuple):
    record_id: str
    frame_id: int
    repo: str
    scope: str
    kind: str
    write_confidence: float | None
    without_evidence: int
    created_at: int
    recorded_at: int


class AttemptRow(NamedTuple):
    problem_id: str
    attempt_id: str
    role: str
    created_at: int
    recorded_at: int

    def value(self) -> Attempt:
        return Attempt(self.problem_id, self.attempt_id, self.role, self.created_at, self.recorded_at)


class FactUpdateRow(NamedTuple):
    update_id: str
    old_fact_id: str
    change_id: str
    new_fact_id: str
    created_at: int
    recorded_at: int

    def value(self) -> FactUpdate:
        return FactUpdate(*self)


class VoteRow(NamedTuple):
    vote_id: str
    memory_id: str
    problem_id: str
    vote: float
    rationale: str | None
    created_at: int
    recorded_at: int

    def value(self) -> Vote:
        return Vote(*self)


class VoterRow(NamedTuple):
    vote_id: str
    voter: str


class ArchiveRow(NamedTuple):
    record_id: str
    reason: str | None
    created_at: int
    recorded_at: int


class RevisionRow(NamedTuple):
    old_id: str
    new_id: str
    created_at: int
    recorded_at: int


TABLES: Final[dict[type[Any], str]] = {
    EvidenceRow: "experience_evidence",
    RecordEvidenceRow: "experience_record_evidence",
    RecordRow: "experience_record",
    AttemptRow: "experience_attempt",
    FactUpdateRow: "experience_fact_update",
    VoteRow: "experience_vote",
    VoterRow: "experience_voter",
    ArchiveRow: "experience_archive",
    RevisionRow: "experience_revision",
}
"""Evidence first: a trigger refuses a record whose evidence is not there yet."""

KEYS: Final[dict[type[Any], int]] = {RecordEvidenceRow: 2, AttemptRow: 2}
"""How many of the first columns name a row, where it is more than one."""

PREFIXES: Final[dict[type[Any], str]] = {
    RecordRow: "exp",
    FactUpdateRow: "upd",
    VoteRow: "vote",
    EvidenceRow: "ev",
}
"""How ids begin; a number from the store's own counter follows, never given out twice."""


_SEALED: Final = Tables(TABLES, keys=KEYS)
checked, columns, join, insert = _SEALED.checked, _SEALED.columns, _SEALED.join, _SEALED.insert
select, select_among, verify = _SEALED.select, _SEALED.select_among, _SEALED.verify
delete = _SEALED.delete


def new_ids(tx: Transaction, kind: type[Any], count: int) -> list[str]:
    """Ids for new rows: short, in the order of writing, the same for the same writes."""
    first = tx.allocate(TABLES[kind], count) if count else 0
    return [f"{PREFIXES[kind]}_{number}" for number in range(first, first + count)]


def number_of(name: str) -> int:
    """The number in an id, which follows the order of writing; 0 for an id of another form."""
    number = name.rpartition("_")[2]
    return int(number) if number.isascii() and number.isdigit() else 0
