"""Reading the graph of records: attempts on problems, chains of facts, current facts, histories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, TypeVar

from longmind.base.filters import View
from longmind.base.times import FOREVER, format_ms
from longmind.experience.load import load
from longmind.experience.rows import (
    AttemptRow,
    EvidenceRow,
    FactUpdateRow,
    RecordEvidenceRow,
    RevisionRow,
    VoteRow,
    join,
    number_of,
    select,
    select_among,
)
from longmind.experience.undone import in_force
from longmind.experience.values import Attempts, Event, FactChain, Record, Records, Tried
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import stored
from longmind.store.lineage import lineage
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both, visible_by_id

Linked = TypeVar("Linked", AttemptRow, FactUpdateRow, VoteRow, RevisionRow)

MOST_LINKED: Final = 5000
"""Facts of one chain that are read; a longer chain is marked as truncated."""


def attempts_on(
    db: Connection,
    dialect: Dialect,
    view: View,
    problems: Iterable[str],
    *,
    evidence: bool = True,
    newest: int = MOST_LINKED,
    keep: Container[str] = (),
) -> dict[str, list[Tried]]:
    """The visible attempts on each problem, in the order of linking.

    Of a problem with more than `newest` attempts, only the newest are read, and those to `keep`.
    """
    by_problem: dict[str, list[AttemptRow]] = defaultdict(list)
    for link in _recorded(db, select_among(db, AttemptRow, "problem_id", problems), view):
        by_problem[link.problem_id].append(link)
    for name, links in by_problem.items():
        links.sort(key=lambda link: (link.recorded_at, number_of(link.attempt_id)))
        older = [link for link in links[:-newest] if link.attempt_id in keep]
        by_problem[name] = [*older, *links[-newest:]]
    attempt_ids = [link.attempt_id for links in by_problem.values() for link in links]
    records = load(db, dialect, view, attempt_ids, evidence=evidence)
    return {
        name: [Tried(link.value(), records[link.attempt_id]) for link in links if link.attempt_id in records]
        for name, links in by_problem.items()
    }


def problems_of(db: Connection, view: View, attempts: Iterable[str]) -> dict[str, list[str]]:
    """The problems that each attempt was made on."""
    problem_ids: dict[str, list[str]] = defaultdict(list)
    for link in _recorded(db, select_among(db, AttemptRow, "attempt_id", attempts), view):
        problem_ids[link.attempt_id].append(link.problem_id)
    return problem_ids


def tried_on(db: Connection, dialect: Dialect, view: View, problem: Record, *, limit: int) -> Attempts:
    """The newest attempts on a problem, in the order of linking."""
    tried = attempts_on(db, dialect, view, [problem.id], newest=limit + 1).get(problem.id, [])
    return Attempts(problem, tuple(tried[-limit:]), len(tried) > limit)


def updates_from(db: Connection, view: View, facts: Iterable[str]) -> list[FactUpdateRow]:
    """The updates by which these facts were replaced, as of the view."""
    return _in_force(db, view, "old_fact_id", facts)


def updates_to(db: Connection, view: View, facts: Iterable[str]) -> list[FactUpdateRow]:
    """The updates that these facts came from, as of the view."""
    return _in_force(db, view, "new_fact_id", facts)


def updates_by(db: Connection, view: View, changes: Iterable[str]) -> list[FactUpdateRow]:
    """The updates that rest on these changes, as of the view."""
    return _in_force(db, view, "change_id", changes)


def fact_chain(db: Connection, dialect: Dialect, view: View, fact: Record) -> FactChain:
    """Everything connected with a fact by updates, in either direction."""
    updates: dict[str, FactUpdateRow] = {}
    seen = {fact.id}
    frontier = [fact.id]
    while frontier and len(seen) <= MOST_LINKED:
        rows = [*updates_from(db, view, frontier), *updates_to(db, view, frontier)]
        updates.update((row.update_id, row) for row in rows)
        reached = {end for row in rows for end in (row.old_fact_id, row.new_fact_id)}
        frontier = sorted(reached - seen)
        seen |= reached
    records = load(db, dialect, view, sorted(seen))
    ordered = _after_their_past(records, list(updates.values()))
    changes = load(db, dialect, view, (row.change_id for row in updates.values()))
    replaced = {row.old_fact_id for row in updates.values()}
    return FactChain(
        facts=tuple(ordered),
        updates=tuple(
            row.value() for row in sorted(updates.values(), key=lambda row: (row.recorded_at, row.update_id))
        ),
        changes=tuple(sorted(changes.values(), key=lambda record: record.frame_id)),
        current=tuple(record.id for record in ordered if record.id not in replaced and not record.archived),
        truncated=len(seen) > MOST_LINKED,
    )


def current_facts(db: Connection, dialect: Dialect, view: View, *, limit: int) -> Records:
    """Facts that hold as of the view: visible, in use, and not replaced."""
    conditions = [visible_by_id(view), not_archived(db, view), _not_replaced(db, view)]
    clause = both([Clause("r.kind = 'fact'"), *conditions])
    return listed(db, dialect, view, clause, limit=limit)


def current_among(db: Connection, view: View, facts: Iterable[Record]) -> set[str]:
    """Ids of those of the facts that are in use and not replaced."""
    candidates = list(facts)
    replaced = {row.old_fact_id for row in updates_from(db, view, (fact.id for fact in candidates))}
    return {fact.id for fact in candidates if not fact.archived and fact.id not in replaced}


def listed(db: Connection, dialect: Dialect, view: View, clause: Clause, *, limit: int) -> Records:
    """Records under a condition over `experience_record r` and `frame f`, oldest first."""
    sql = (
        "SELECT r.record_id FROM experience_record r JOIN frame f ON f.frame_id = r.frame_id "
        f"WHERE {clause.sql} ORDER BY r.frame_id LIMIT {limit + 1}"
    )
    ids = [str(row[0]) for row in db.all(sql, clause.values)]
    records = load(db, dialect, view, ids[:limit])
    return Records(tuple(records[name] for name in ids[:limit] if name in records), len(ids) > limit)


def history(db: Connection, dialect: Dialect, view: View, record: Record) -> tuple[Event, ...]:
    """Everything that happened to a record up to the view's instant, oldest first."""
    system = view.as_of.system
    events = [Event(record.recorded_at, "recorded", f"{record.kind}: {record.text}")]
    events += _evidence_events(db, record, system)
    links = select(db, AttemptRow, "x.problem_id = ? OR x.attempt_id = ?", (record.id,) * 2)
    for link in _recorded(db, links, view):
        other = link.attempt_id if link.problem_id == record.id else link.problem_id
        events.append(Event(link.recorded_at, "attempt", f"linked as {link.role}", (other,)))
    condition = "x.old_fact_id = ? OR x.change_id = ? OR x.new_fact_id = ?"
    for update in _recorded(db, select(db, FactUpdateRow, condition, (record.id,) * 3), view):
        text = f"{update.old_fact_id} was replaced by {update.new_fact_id} ({update.change_id})"
        ends = (update.old_fact_id, update.change_id, update.new_fact_id)
        others = tuple(end for end in ends if end != record.id)
        events.append(Event(update.recorded_at, "update", text, others))
    for vote in _recorded(
        db, select(db, VoteRow, "x.memory_id = ? OR x.problem_id = ?", (record.id,) * 2), view
    ):
        reason = f": {vote.rationale}" if vote.rationale else ""
        text = f"{vote.memory_id} got {vote.vote:+g} for {vote.problem_id}{reason}"
        other = vote.problem_id if vote.memory_id == record.id else vote.memory_id
        events.append(Event(vote.recorded_at, "vote", text, () if other == record.id else (other,)))
    for row in _recorded(db, select(db, RevisionRow, "x.old_id = ? OR x.new_id = ?", (record.id,) * 2), view):
        other = row.new_id if row.old_id == record.id else row.old_id
        events.append(Event(row.recorded_at, "revised", f"{row.old_id} as {row.new_id}", (other,)))
    if record.archived_at is not None:
        events.append(Event(record.archived_at, "archived", record.archive_reason or "no reason given"))
    frame = stored(db, [record.frame_id])[record.frame_id]
    if frame.retired_at is not None and frame.retired_at <= system:
        events.append(Event(frame.retired_at, "retired", f"since {format_ms(frame.retired_at)}"))
    linked = load(db, dialect, view, {name for event in events for name in event.others})
    shown = [event for event in events if all(name in linked for name in event.others)]
    return tuple(sorted(shown, key=lambda event: event.at))


def _evidence_events(db: Connection, record: Record, system: int) -> list[Event]:
    pair = join((RecordEvidenceRow, "l"), (EvidenceRow, "e"))
    recorded = lineage(db, system).clause("l.recorded_at")
    sql = (
        f"SELECT {pair.sql} "
        "FROM experience_record_evidence l JOIN experience_evidence e ON e.evidence_id = l.evidence_id "
        f"WHERE l.record_id = ? AND {recorded.sql}"
    )
    attached = []
    for row in db.all(sql, (record.id, *recorded.values)):
        link, evidence = pair.read(row)
        attached.append((link.recorded_at, link.ordinal, evidence.ref))
    return [Event(at, "evidence", ref) for at, _, ref in sorted(attached)]


def _recorded(db: Connection, links: Sequence[Linked], view: View) -> list[Linked]:
    """Links that had been recorded by the view's instant."""
    return in_force(db, links, system=view.as_of.system)


def _in_force(db: Connection, view: View, column: str, ids: Iterable[str]) -> list[FactUpdateRow]:
    """Updates that were recorded by the view's instant, and whose change had happened by then."""
    updates = _recorded(db, select_among(db, FactUpdateRow, column, ids), view)
    if view.as_of.valid == FOREVER or not updates:
        return updates
    occurred_at: dict[str, int] = {}
    for batch in batched(dict.fromkeys(row.change_id for row in updates)):
        clause = among("r.record_id", batch)
        sql = (
            "SELECT r.record_id, f.occurred_at FROM experience_record r "
            f"JOIN frame f ON f.frame_id = r.frame_id WHERE {clause.sql}"
        )
        occurred_at.update((str(name), int(moment)) for name, moment in db.all(sql, clause.values))
    return [row for row in updates if occurred_at[row.change_id] <= view.as_of.valid]


def not_archived(db: Connection, view: View) -> Clause:
    """Records `r` that were in use at the view's instant."""
    recorded = lineage(db, view.as_of.system).clause("a.recorded_at")
    sql = f"SELECT 1 FROM experience_archive a WHERE a.record_id = r.record_id AND {recorded.sql}"
    return Clause(f"NOT EXISTS ({sql})", recorded.values)


def _not_replaced(db: Connection, view: View) -> Clause:
    recorded = lineage(db, view.as_of.system).clause("u.recorded_at")
    return Clause(
        "NOT EXISTS (SELECT 1 FROM experience_fact_update u "
        "JOIN experience_record c ON c.record_id = u.change_id JOIN frame cf ON cf.frame_id = c.frame_id "
        f"WHERE u.old_fact_id = r.record_id AND {recorded.sql} AND cf.occurred_at <= ?)",
        (*recorded.values, view.as_of.valid),
    )


def _after_their_past(records: Mapping[str, Record], updates: Sequence[FactUpdateRow]) -> list[Record]:
    """A topological order: each fact after those it replaced; of several that may follow, the oldest."""
    pairs = {(row.old_fact_id, row.new_fact_id) for row in updates}
    later: dict[str, list[str]] = defaultdict(list)
    predecessors = dict.fromkeys(records, 0)
    for old, new in pairs:
        if old in records and new in records:
            later[old].append(new)
            predecessors[new] += 1
    ready = [(records[name].frame_id, name) for name, count in predecessors.items() if count == 0]
    heapify(ready)
    ordered: list[Record] = []
    while ready:
        _, name = heappop(ready)
        ordered.append(records[name])
        for new in later[name]:
            predecessors[new] -= 1
            if predecessors[new] == 0:
                heappush(ready, (records[new].frame_id, new))
    return ordered
