"""Erasing with the frames: records, their links, votes and evidence; what they replaced stays replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from longmind.experience.rows import (
    ArchiveRow,
    EvidenceRow,
    FactUpdateRow,
    RecordEvidenceRow,
    RecordRow,
    insert,
    select_among,
)
from longmind.store.engine import Connection, Value
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
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
"""Where a record may be named, links before the records they hang on."""


def erase(tx: Transaction, frames: Sequence[int]) -> dict[str, int]:
    """Remove every row that says something of these frames; return counts by table."""
    db = tx.db
    doomed = [row.record_id for row in select_among(db, RecordRow, "frame_id", frames)]
    loose = {row.evidence_id for row in select_among(db, RecordEvidenceRow, "record_id", doomed)}
    counts: dict[str, int] = {}
    _keep_replaced(tx, set(doomed))
    for table, columns in _ENDS:
        counts[table] = sum(_delete(db, table, column, doomed) for column in columns)
    cited = [row.evidence_id for row in select_among(db, EvidenceRow, "frame_id", frames)]
    counts["experience_record_evidence"] += _delete(db, "experience_record_evidence", "evidence_id", cited)
    held = {row.evidence_id for row in select_among(db, RecordEvidenceRow, "evidence_id", loose)}
    unused = sorted({*cited, *(loose - held)})
    counts["experience_evidence"] = _delete(db, "experience_evidence", "evidence_id", unused)
    return {table: count for table, count in counts.items() if count}


def _keep_replaced(tx: Transaction, doomed: set[str]) -> None:
    """A fact whose successor is erased does not come back: it is archived, as of when it was replaced."""
    lost = [
        row
        for column in ("change_id", "new_fact_id")
        for row in select_among(tx.db, FactUpdateRow, column, doomed)
        if row.old_fact_id not in doomed
    ]
    since: dict[str, FactUpdateRow] = {}
    for row in sorted(lost, key=lambda row: row.recorded_at):
        since.setdefault(row.old_fact_id, row)
    earlier = {
        row.record_id: row
        for row in select_among(tx.db, ArchiveRow, "record_id", since)
        if row.recorded_at <= since[row.record_id].recorded_at
    }
    wanted = [
        ArchiveRow(fact, "what replaced it was erased", row.created_at, row.recorded_at)
        for fact, row in since.items()
        if fact not in earlier
    ]
    _delete(tx.db, "experience_archive", "record_id", [row.record_id for row in wanted])
    insert(tx.db, wanted)


def _delete(db: Connection, table: str, column: str, values: Iterable[Value]) -> int:
    count = 0
    for batch in batched(dict.fromkeys(values)):
        clause = among(column, batch)
        count += db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
    return count
