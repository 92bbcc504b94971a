"""What `verify` checks of the experience: checksums, links without ends, and rules between rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from longmind.experience.rows import PREFIXES, TABLES, number_of
from longmind.experience.rows import verify as verify_rows
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Problem
from longmind.store.transaction import Snapshot

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


def verify(snapshot: Snapshot, *, deep: bool) -> Iterator[Problem]:
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


def stats(snapshot: Snapshot) -> Mapping[str, int]:
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
    for table in TABLES.values():
        latest = db.one(f"SELECT max(recorded_at) FROM {table}")
        if latest is not None and latest[0] is not None and latest[0] > revision:
            yield Problem("clock", f"the clock says {revision}, a row of {table} {latest[0]}")
