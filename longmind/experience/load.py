"""Loading records: rows joined with their frames, as of an instant and as visible from a repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from longmind.base.filters import View
from longmind.base.frame import Frame
from longmind.base.partitions import split_partition
from longmind.experience.rows import (
    ArchiveRow,
    EvidenceRow,
    RecordEvidenceRow,
    RecordRow,
    checked,
    columns,
    join,
    select_among,
)
from longmind.experience.undone import in_force
from longmind.experience.validation import Validation
from longmind.experience.values import Record
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import fetch
from longmind.store.lineage import lineage
from longmind.store.tables import batched
from longmind.store.visible import among, visible_by_id


def load(
    db: Connection,
    dialect: Dialect,
    view: View,
    ids: Iterable[str],
    *,
    evidence: bool = True,
) -> dict[str, Record]:
    """The records among `ids` that are visible from the view, by id."""
    records = _records(db, dialect, view, select_among(db, RecordRow, "record_id", ids), {})
    return {record.id: record for record in (with_evidence(db, view, records) if evidence else records)}


def load_by_frame(
    db: Connection, dialect: Dialect, view: View, frames: Mapping[int, Frame]
) -> dict[int, Record]:
    """The records of these visible frames, by frame and without evidence; other frames are left out."""
    rows = select_among(db, RecordRow, "frame_id", frames)
    return {record.frame_id: record for record in _records(db, dialect, view, rows, frames)}


def with_evidence(db: Connection, view: View, records: Sequence[Record]) -> list[Record]:
    """The same records with their evidence as of the view."""
    evidence = references_of(db, (record.id for record in records), system=view.as_of.system)
    return [
        replace(record, evidence=tuple(item.ref for item in evidence.get(record.id, ())))
        for record in records
    ]


def find_rows(db: Connection, view: View, ids: Iterable[str], errors: Validation) -> dict[str, RecordRow]:
    """Rows of visible records by id; each that is missing is an error."""
    record_ids = list(dict.fromkeys(ids))
    records: dict[str, RecordRow] = {}
    for batch in batched(record_ids):
        clause = among("x.record_id", batch) & visible_by_id(view)
        sql = (
            f"SELECT {columns(RecordRow, 'x')} FROM experience_record x "
            f"JOIN frame f ON f.frame_id = x.frame_id WHERE {clause.sql}"
        )
        for row in db.all(sql, clause.values):
            record = checked(RecordRow, row)
            records[record.record_id] = record
    for record_id in record_ids:
        if record_id not in records:
            errors.missing(f"There is no record {record_id} here.")
    return records


def archivals(db: Connection, ids: Iterable[str], *, system: int) -> dict[str, ArchiveRow]:
    """Which of the records were archived by then."""
    rows = select_among(db, ArchiveRow, "record_id", ids)
    return {row.record_id: row for row in in_force(db, rows, system=system)}


def references_of(db: Connection, ids: Iterable[str], *, system: int) -> dict[str, tuple[EvidenceRow, ...]]:
    """The evidence of each record by then, in the order in which it was attached."""
    evidence: dict[str, list[tuple[int, EvidenceRow]]] = defaultdict(list)
    pair = join((RecordEvidenceRow, "l"), (EvidenceRow, "e"))
    line = lineage(db, system)
    for batch in batched(dict.fromkeys(ids)):
        clause = among("l.record_id", batch)
        sql = (
            f"SELECT {pair.sql} FROM experience_record_evidence l "
            f"JOIN experience_evidence e ON e.evidence_id = l.evidence_id WHERE {clause.sql}"
        )
        for row in db.all(sql, clause.values):
            attached, reference = pair.read(row)
            if line.holds(attached.recorded_at):
                evidence[attached.record_id].append((attached.ordinal, reference))
    return {record_id: tuple(item[1] for item in sorted(items)) for record_id, items in evidence.items()}


def _records(
    db: Connection, dialect: Dialect, view: View, rows: Sequence[RecordRow], loaded: Mapping[int, Frame]
) -> list[Record]:
    """The visible records among the rows; frames that are loaded already are not read again."""
    missing = [row.frame_id for row in rows if row.frame_id not in loaded]
    frames = {**loaded, **{frame.id: frame for frame in fetch(db, dialect, missing, view)}}
    visible_rows = [row for row in rows if row.frame_id in frames]
    archived = archivals(db, (row.record_id for row in visible_rows), system=view.as_of.system)
    records = []
    for row in visible_rows:
        frame, archival = frames[row.frame_id], archived.get(row.record_id)
        records.append(
            Record(
                id=row.record_id,
                frame_id=row.frame_id,
                kind=row.kind,
                repo=split_partition(row.repo)[0],
                user=split_partition(row.repo)[1],
                scope=row.scope,
                text=frame.text,
                write_confidence=row.write_confidence,
                occurred_at=frame.occurred_at,
                created_at=row.created_at,
                recorded_at=row.recorded_at,
                archived_at=None if archival is None else archival.recorded_at,
                archive_reason=None if archival is None else archival.reason,
            )
        )
    return records
