"""Checking and writing the links between records: attempts, fact updates, votes, archivals, revisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longmind.base.times import FOREVER
from longmind.experience.load import archivals
from longmind.experience.rows import (
    ArchiveRow,
    AttemptRow,
    FactUpdateRow,
    RecordRow,
    RevisionRow,
    VoteRow,
    VoterRow,
    insert,
    new_ids,
    select,
    select_among,
)
from longmind.experience.undone import in_force, make_room
from longmind.experience.validation import Validation
from longmind.experience.values import ROLES, Attempt, FactUpdate, Vote
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction

# Attempts


def attempt_problems(
    db: Connection, problem: RecordRow | None, attempt: RecordRow | None, role: str | None, errors: Validation
) -> None:
    """Everything that keeps the two from being linked; a missing end (None) was reported before."""
    if problem is not None and problem.kind != "problem":
        errors.add(f"{problem.record_id} is a {problem.kind}; attempts are made on a problem.")
    if attempt is not None and attempt.kind not in ROLES:
        errors.add(f"{attempt.record_id} is a {attempt.kind}; an attempt is one of {', '.join(ROLES)}.")
    elif attempt is not None and role is not None and role != attempt.kind:
        errors.add(f"{attempt.record_id} is a {attempt.kind}, and cannot be linked as {role}.")
    _seen_together(problem, attempt, errors)
    _not_archived(db, [problem, attempt], errors)


def attempt_rows(tx: Transaction, links: Iterable[tuple[str, str, str]]) -> tuple[Attempt, ...]:
    """Write the links that do not exist yet; return all of them."""
    attempts = []
    for problem, attempt, role in links:
        condition = "x.problem_id = ? AND x.attempt_id = ?"
        make_room(tx, AttemptRow, condition, (problem, attempt))
        rows = select(tx.db, AttemptRow, condition, (problem, attempt))
        if not rows:
            rows = [AttemptRow(problem, attempt, role, tx.now, tx.system)]
            insert(tx.db, rows)
        attempts.append(rows[0].value())
    return tuple(attempts)


# Facts


def update_problems(
    db: Connection,
    old: RecordRow | None,
    change: RecordRow | None,
    new: RecordRow | None,
    errors: Validation,
) -> None:
    """Everything that keeps the new fact from replacing the old."""
    for row, kind, role in ((old, "fact", "old"), (change, "change", "change"), (new, "fact", "new")):
        if row is not None and row.kind != kind:
            errors.add(f"{row.record_id} is a {row.kind}; as {role} it must be a {kind}.")
    for row in (change, new):
        if old is None or row is None or row.scope == "global":
            continue
        if old.scope == "global" or row.repo != old.repo:
            errors.add(
                f"{old.record_id} is seen from more places than {row.record_id}; "
                "who sees a fact must see what replaced it."
            )
    _not_archived(db, [old, change, new], errors)
    if old is None or new is None:
        return
    if old.record_id == new.record_id:
        errors.add(f"{old.record_id} cannot replace itself.")
    elif old.record_id in later_facts(db, new.record_id):
        errors.add(f"{old.record_id} came, in the end, from {new.record_id}: that would be a cycle.")


def later_facts(db: Connection, fact: str) -> set[str]:
    """Every fact that a fact was replaced by, through however many updates, at any time."""
    later: set[str] = set()
    frontier = [fact]
    while frontier:
        updates = select_among(db, FactUpdateRow, "old_fact_id", frontier)
        frontier = [row.new_fact_id for row in updates if row.new_fact_id not in later]
        later.update(frontier)
    return later


def update_row(tx: Transaction, old: str, change: str, new: str) -> FactUpdate:
    """Write the update, unless it exists."""
    condition = "x.old_fact_id = ? AND x.change_id = ? AND x.new_fact_id = ?"
    make_room(tx, FactUpdateRow, condition, (old, change, new))
    rows = select(tx.db, FactUpdateRow, condition, (old, change, new))
    if not rows:
        [update_id] = new_ids(tx, FactUpdateRow, 1)
        rows = [FactUpdateRow(update_id, old, change, new, tx.now, tx.system)]
        insert(tx.db, rows)
    return rows[0].value()


# Votes


def vote_problems(memory: RecordRow | None, problem: RecordRow | None, errors: Validation) -> None:
    if problem is not None and problem.kind != "problem":
        errors.add(f"{problem.record_id} is a {problem.kind}; a vote is given for a problem.")
    _seen_together(problem, memory, errors)


def vote_row(
    tx: Transaction, memory: str, problem: str, vote: float, rationale: str | None, *, voter: str
) -> Vote:
    [vote_id] = new_ids(tx, VoteRow, 1)
    row = VoteRow(vote_id, memory, problem, vote, rationale, tx.now, tx.system)
    insert(tx.db, [row])
    insert(tx.db, [VoterRow(vote_id, voter)])
    return row.value()


# Archivals and revisions


def archive_row(tx: Transaction, record_id: str, reason: str | None) -> None:
    """Take a record out of use; an archived one keeps its date and reason."""
    make_room(tx, ArchiveRow, "x.record_id = ?", (record_id,))
    if not select(tx.db, ArchiveRow, "x.record_id = ?", (record_id,)):
        insert(tx.db, [ArchiveRow(record_id, reason, tx.now, tx.system)])


def revision_problems(db: Connection, old: RecordRow, errors: Validation) -> None:
    for row in in_force(db, select(db, RevisionRow, "x.old_id = ?", (old.record_id,))):
        errors.add(f"{old.record_id} was already revised as {row.new_id}.")
    _not_archived(db, [old], errors)


def revision_row(tx: Transaction, old: RecordRow, new: str) -> None:
    """Put the new record in the place of the old one: its links are copied, and the old one is archived."""
    make_room(tx, RevisionRow, "x.old_id = ?", (old.record_id,))
    insert(tx.db, [RevisionRow(old.record_id, new, tx.now, tx.system)])
    links = select(tx.db, AttemptRow, "x.problem_id = ? OR x.attempt_id = ?", (old.record_id,) * 2)
    for link in in_force(tx.db, links):
        ends = [new if end == old.record_id else end for end in (link.problem_id, link.attempt_id)]
        attempt_rows(tx, [(ends[0], ends[1], link.role)])
    condition = "x.old_fact_id = ? OR x.change_id = ? OR x.new_fact_id = ?"
    for update in in_force(tx.db, select(tx.db, FactUpdateRow, condition, (old.record_id,) * 3)):
        ends = [
            new if end == old.record_id else end
            for end in (update.old_fact_id, update.change_id, update.new_fact_id)
        ]
        update_row(tx, *ends)
    archive_row(tx, old.record_id, f"revised as {new}")


def _seen_together(one: RecordRow | None, other: RecordRow | None, errors: Validation) -> None:
    if one is None or other is None or "global" in (one.scope, other.scope):
        return
    if one.repo != other.repo:
        errors.add(
            f"{one.record_id} and {other.record_id} belong to two repositories, or to two users of one; "
            "such records are not linked, unless one of them is global."
        )


def _not_archived(db: Connection, ends: Sequence[RecordRow | None], errors: Validation) -> None:
    ids = [row.record_id for row in ends if row is not None]
    for record_id in archivals(db, ids, system=FOREVER):
        errors.add(f"{record_id} is archived; nothing new is linked to it.")
