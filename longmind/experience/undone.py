"""Rows of experience that a restored snapshot undid: they stay for who looks back, and do not count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from longmind.base.times import FOREVER
from longmind.experience.rows import (
    ArchiveRow,
    AttemptRow,
    FactUpdateRow,
    RecordEvidenceRow,
    RevisionRow,
    VoteRow,
    delete,
    select,
)
from longmind.store.engine import Connection, Value
from longmind.store.erasure import OPEN_GATE
from longmind.store.lineage import lineage
from longmind.store.transaction import Transaction

Added = TypeVar("Added", ArchiveRow, AttemptRow, FactUpdateRow, RecordEvidenceRow, RevisionRow, VoteRow)


def in_force(db: Connection, rows: Iterable[Added], *, system: int = FOREVER) -> list[Added]:
    """Rows that were there at a system time, and had not been undone."""
    listed = list(rows)
    if not listed:
        return []
    line = lineage(db, system)
    return [row for row in listed if line.holds(row.recorded_at)]


def make_room(tx: Transaction, kind: type[Added], condition: str, values: Sequence[Value]) -> None:
    """Take away rows that were undone, where the same is to be written again: a table holds it once."""
    line = lineage(tx.db, FOREVER)
    if line.is_whole:
        return
    gone = [row for row in select(tx.db, kind, condition, values) if not line.holds(row.recorded_at)]
    if gone:
        tx.db.run(OPEN_GATE)
        delete(tx.db, gone)
        tx.db.run("DELETE FROM store_erasing")
