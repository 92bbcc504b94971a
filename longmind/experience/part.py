"""Experience as a part of the store: its rows are erased, verified and counted with the frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from longmind.experience import health
from longmind.experience.load import batched, select_among
from longmind.experience.rows import (
    ArchiveRow,
    EvidenceRow,
    FactUpdateRow,
    RecordEvidenceRow,
    RecordRow,
    insert,
)
from longmind.store.engine import Connection, Value
from longmind.store.parts import Part, Problem
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among

_ENDS: Final = (
    ("experience_vote", ("memory_id", "problem_id")),
    ("experience_attempt", ("problem_id", "attempt_id")),
    ("experience_fact_update", ("old_fact_id", "change_id", "new_fact_id")),
    ("experience_revision", ("old_id", "new_id")),
    ("experience_archive", ("record_id",)),
    ("experience_record_evidence", ("record_id",)),
    ("experience_record", ("record_id",)),
)
"""Columns that name a record; links before records, because of their foreign keys."""


class ExperiencePart(Part):
    """Follows the frames.

    Nothing is written when a frame is retired: records are read through their frames, and a fact whose
    successor was forgotten stays replaced.
    """

    name = "experience"

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        return _erase(tx, ids)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return health.verify(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return health.stats(snapshot)


def _erase(tx: Transaction, frames: Sequence[int]) -> dict[str, int]:
    """Remove every row about these frames; return counts by table."""
    db = tx.db
    erased = [row.record_id for row in select_among(db, RecordRow, "frame_id", frames)]
    evidence_ids = {row.evidence_id for row in select_among(db, RecordEvidenceRow, "record_id", erased)}
    counts: dict[str, int] = {}
    _archive_replaced(tx, set(erased))
    for table, columns in _ENDS:
        counts[table] = sum(_delete(db, table, column, erased) for column in columns)
    cited = [row.evidence_id for row in select_among(db, EvidenceRow, "frame_id", frames)]
    counts["experience_record_evidence"] += _delete(db, "experience_record_evidence", "evidence_id", cited)
    still_cited = {
        row.evidence_id for row in select_among(db, RecordEvidenceRow, "evidence_id", evidence_ids)
    }
    unused = sorted({*cited, *(evidence_ids - still_cited)})
    counts["experience_evidence"] = _delete(db, "experience_evidence", "evidence_id", unused)
    return {table: count for table, count in counts.items() if count}


def _archive_replaced(tx: Transaction, erased: set[str]) -> None:
    """A fact whose successor is erased does not hold again: it is archived, as of when it was replaced."""
    lost = [
        row
        for column in ("change_id", "new_fact_id")
        for row in select_among(tx.db, FactUpdateRow, column, erased)
        if row.old_fact_id not in erased
    ]
    since: dict[str, FactUpdateRow] = {}
    for row in sorted(lost, key=lambda row: row.recorded_at):
        since.setdefault(row.old_fact_id, row)
    earlier = {
        row.record_id: row
        for row in select_among(tx.db, ArchiveRow, "record_id", since)
        if row.recorded_at <= since[row.record_id].recorded_at
    }
    archived = [
        ArchiveRow(fact, "what replaced it was erased", row.created_at, row.recorded_at)
        for fact, row in since.items()
        if fact not in earlier
    ]
    _delete(tx.db, "experience_archive", "record_id", [row.record_id for row in archived])
    insert(tx.db, archived)


def _delete(db: Connection, table: str, column: str, values: Iterable[Value]) -> int:
    count = 0
    for batch in batched(values):
        clause = among(column, batch)
        count += db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
    return count
