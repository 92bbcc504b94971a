"""Experience as a part of the store: its rows are erased, verified and counted with the frames."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from longmind.base.filters import View
from longmind.experience.rollback import differences
from longmind.experience.rows import (
    PREFIXES,
    TABLES,
    ArchiveRow,
    EvidenceRow,
    FactUpdateRow,
    RecordEvidenceRow,
    RecordRow,
    VoteRow,
    insert,
    number_of,
    select_among,
)
from longmind.experience.rows import verify as verify_rows
from longmind.store.engine import Connection, Value, scalar
from longmind.store.parts import Part, Problem
from longmind.store.rollback import Difference
from longmind.store.tables import batched
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

    def differences(self, db: Connection, before: View, after: View) -> Sequence[Difference]:
        return differences(db, before, after)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        return _erase(tx, ids)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return find_problems(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return count_rows(snapshot)


def _erase(tx: Transaction, frames: Sequence[int]) -> dict[str, int]:
    """Remove every row about these frames; return counts by table."""
    db = tx.db
    erased = [row.record_id for row in select_among(db, RecordRow, "frame_id", frames)]
    evidence_ids = {row.evidence_id for row in select_among(db, RecordEvidenceRow, "record_id", erased)}
    counts: dict[str, int] = {}
    _archive_replaced(tx, set(erased))
    votes = {
        row.vote_id
        for column in ("memory_id", "problem_id")
        for row in select_among(db, VoteRow, column, erased)
    }
    counts["experience_voter"] = _delete(db, "experience_voter", "vote_id", votes)
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
    for batch in batched(dict.fromkeys(values)):
        clause = among(column, batch)
        count += db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
    return count


_RULES: Final = (
    (
        "experience_record",
        "{0} does not agree with its frame",
        (
            "SELECT r.record_id FROM experience_record r LEFT JOIN frame f ON f.frame_id = r.frame_id "
            "WHERE f.frame_id IS NULL OR f.kind <> r.kind OR f.space <> r.repo "
            "OR (f.scope = 'global') <> (r.scope = 'global')"
        ),
    ),
    (
        "experience_attempt",
        "an attempt on {0} has ends of the wrong kind",
        (
            "SELECT l.problem_id FROM experience_attempt l "
            "LEFT JOIN experience_record p ON p.record_id = l.problem_id AND p.kind = 'problem' "
            "LEFT JOIN experience_record a ON a.record_id = l.attempt_id AND a.kind = l.role "
            "WHERE p.record_id IS NULL OR a.record_id IS NULL"
        ),
    ),
    (
        "experience_fact_update",
        "{0} has ends of the wrong kind",
        (
            "SELECT u.update_id FROM experience_fact_update u "
            "LEFT JOIN experience_record o ON o.record_id = u.old_fact_id AND o.kind = 'fact' "
            "LEFT JOIN experience_record c ON c.record_id = u.change_id AND c.kind = 'change' "
            "LEFT JOIN experience_record n ON n.record_id = u.new_fact_id AND n.kind = 'fact' "
            "WHERE o.record_id IS NULL OR c.record_id IS NULL OR n.record_id IS NULL"
        ),
    ),
    (
        "experience_vote",
        "{0} is not given for a problem",
        (
            "SELECT v.vote_id FROM experience_vote v "
            "LEFT JOIN experience_record p ON p.record_id = v.problem_id AND p.kind = 'problem' "
            "LEFT JOIN experience_record m ON m.record_id = v.memory_id "
            "WHERE p.record_id IS NULL OR m.record_id IS NULL"
        ),
    ),
    (
        "experience_record_evidence",
        "{0} has evidence that is not there",
        (
            "SELECT l.record_id FROM experience_record_evidence l "
            "LEFT JOIN experience_record r ON r.record_id = l.record_id "
            "LEFT JOIN experience_evidence e ON e.evidence_id = l.evidence_id AND e.repo = r.repo "
            "WHERE e.evidence_id IS NULL"
        ),
    ),
    (
        "experience_evidence",
        "{0} names a frame that is not there",
        (
            "SELECT e.evidence_id FROM experience_evidence e LEFT JOIN frame f ON f.frame_id = e.frame_id "
            "WHERE e.frame_id IS NOT NULL AND f.frame_id IS NULL"
        ),
    ),
)


def find_problems(snapshot: Snapshot, *, deep: bool) -> Iterator[Problem]:
    """What is wrong with the experience; without `deep`, only what a few queries can tell."""
    db = snapshot.db
    for table, text, sql in _RULES:
        for (name,) in db.all(f"{sql} LIMIT 20"):
            yield Problem(table, text.format(name))
    yield from _cycles(db)
    yield from _counters(db)
    yield from _times(db, snapshot.revision)
    if deep:
        for kind in TABLES:
            yield from verify_rows(db, kind)


def count_rows(snapshot: Snapshot) -> Mapping[str, int]:
    db = snapshot.db
    counts = {
        table.removeprefix("experience_"): scalar(db, f"SELECT count(*) FROM {table}")
        for table in TABLES.values()
    }
    kinds = db.all("SELECT kind, count(*) FROM experience_record GROUP BY kind ORDER BY kind")
    return {**counts, **{str(kind): int(count) for kind, count in kinds}}


def _cycles(db: Connection) -> Iterator[Problem]:
    """Remove facts without predecessors until none is left (Kahn); what remains is on or behind a cycle."""
    later: dict[str, list[str]] = defaultdict(list)
    predecessors: Counter[str] = Counter()
    for old, new in db.all("SELECT DISTINCT old_fact_id, new_fact_id FROM experience_fact_update"):
        later[old].append(new)
        predecessors[new] += 1
    ready = [fact for fact in later if predecessors[fact] == 0]
    while ready:
        for new in later.get(ready.pop(), ()):
            predecessors[new] -= 1
            if predecessors[new] == 0:
                ready.append(new)
    if any(predecessors.values()):
        fact = min(fact for fact, count in predecessors.items() if count)
        yield Problem("experience_fact_update", f"the updates of {fact} form a cycle")


def _counters(db: Connection) -> Iterator[Problem]:
    for kind in PREFIXES:
        table, column = TABLES[kind], kind._fields[0]
        last = db.one(f"SELECT {column} FROM {table} ORDER BY length({column}) DESC, {column} DESC LIMIT 1")
        counter = scalar(db, "SELECT value FROM store_counter WHERE name = ?", (table,))
        if last is not None and number_of(str(last[0])) > counter:
            yield Problem("counter", f"the counter of {table} is behind its rows")


def _times(db: Connection, revision: int) -> Iterator[Problem]:
    for kind, table in TABLES.items():
        if "recorded_at" not in kind._fields:
            continue
        latest = db.one(f"SELECT max(recorded_at) FROM {table}")
        if latest is not None and latest[0] is not None and latest[0] > revision:
            yield Problem("clock", f"the clock says {revision}, a row of {table} {latest[0]}")
