"""The share of experience in comparing a snapshot: records, and what was added to them.

Going back needs nothing here. Records follow their frames, and links and votes that were added since the
snapshot no longer count (`undone.py`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from longmind.base.filters import View
from longmind.store.engine import Connection
from longmind.store.lineage import lineage
from longmind.store.rollback import Difference, short
from longmind.store.visible import at_instant, differing

_ENDS: Final = {
    "experience_archive": ("archive", "record_id"),
    "experience_vote": ("vote", "memory_id"),
    "experience_attempt": ("attempt", "problem_id"),
    "experience_fact_update": ("update", "old_fact_id"),
    "experience_revision": ("revision", "old_id"),
    "experience_record_evidence": ("evidence", "record_id"),
}


def differences(db: Connection, before: View, after: View) -> list[Difference]:
    """Records that one of two states has, and those to which something was added."""
    then, later = at_instant(before), at_instant(after)
    clause = differing(then, later)
    sql = (
        f"SELECT r.record_id, r.kind, r.repo, CASE WHEN {then.sql} THEN 1 ELSE 0 END, t.text, r.frame_id "
        "FROM experience_record r JOIN frame f ON f.frame_id = r.frame_id "
        f"JOIN frame_text t ON t.frame_id = r.frame_id WHERE {clause.sql} ORDER BY r.frame_id"
    )
    records = [
        Difference("record", "removed" if was else "added", f"{kind} {name}", repo, short(text), (frame,))
        for name, kind, repo, was, text, frame in db.all(sql, (*then.values, *clause.values))
    ]
    listed = {item.name.split()[-1] for item in records}
    for name, changes in sorted(_added(db, before, after).items()):
        if name in listed:
            continue
        row = db.one("SELECT kind, repo FROM experience_record WHERE record_id = ?", (name,))
        if row is not None:
            text = ", ".join(sorted(changes))
            records.append(Difference("record", "changed", f"{row[0]} {name}", row[1], text))
    return records


def _added(db: Connection, before: View, after: View) -> dict[str, set[str]]:
    """By record, what was added to it or no longer counts."""
    first, second = lineage(db, before.as_of.system), lineage(db, after.as_of.system)
    changed: dict[str, set[str]] = defaultdict(set)
    for table, (word, column) in _ENDS.items():
        clause = differing(first.clause("x.recorded_at"), second.clause("x.recorded_at"))
        sql = f"SELECT DISTINCT x.{column} FROM {table} x WHERE {clause.sql}"
        for (name,) in db.all(sql, clause.values):
            changed[str(name)].add(word)
    return changed
