"""The share of facts in going back to a snapshot: what was said since counts no longer, nothing is removed.

Assertions stay as they were said. Those made after the snapshot lapse from now on, those that lapsed since
count again, and names, mergers and decisions of then hold again. What is held follows from that, by the same
rule as ever.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from longmind.base.filters import View
from longmind.facts import expiry, merging
from longmind.facts.hits import HISTORY_ORDER, RawHit, as_fact, known, select_spans
from longmind.facts.load import Loader
from longmind.facts.removal import refresh, store_again
from longmind.facts.rows import (
    AliasRow,
    AssertionRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    LapseRow,
    RulingRow,
    SameRow,
    SpanRow,
    SupportRow,
    close,
    insert,
    select,
    select_among,
)
from longmind.facts.spans import remove_spans
from longmind.facts.statements import Resolver
from longmind.store.engine import Connection
from longmind.store.frames import stored
from longmind.store.rollback import REASON, Difference, Rollback, short
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, both, differing

_MOST: Final = 2**31
_BEGUN: Final = "x.until IS NULL AND x.since > ?"
_ENDED: Final = "x.since <= ? AND x.until > ?"
Statement = tuple[int, int]
"""A subject and a predicate, by their numbers."""


# What differs


def differences(db: Connection, before: View, after: View) -> list[Difference]:
    """Periods of facts that are held in one of two states only."""
    then = both([known(before.as_of), expiry.lasting(before)])
    later = both([known(after.as_of), expiry.lasting(after)])
    raw = select_spans(db, after, differing(then, later), order=HISTORY_ORDER, limit=_MOST, flags=False)
    by_key: dict[tuple[object, ...], Difference] = {}
    for hit in raw:
        was = _was_known(hit.span, before.as_of.system)
        item = Difference("fact", "removed" if was else "added", _name(hit), hit.span.space)
        key = (hit.fact.fact_id, hit.span.valid_from, hit.span.valid_to)
        if key in by_key and by_key[key].change != item.change:  # held again as it was, in another row
            del by_key[key]
        else:
            by_key[key] = item
    return list(by_key.values())


def _was_known(span: SpanRow, system: int) -> bool:
    return span.system_from <= system and (span.system_to is None or span.system_to > system)


def _name(hit: RawHit) -> str:
    fact = as_fact(hit)
    value = str(fact.object) if not isinstance(fact.object, bytes) else f"{len(fact.object)} bytes"
    return short(f"{fact.subject} {fact.predicate} {value}")


# Going back


def roll_back(tx: Transaction, rollback: Rollback) -> dict[str, int]:
    """Hold what was held at an earlier system time, and nothing else."""
    to = rollback.to
    statements = _of_spans(tx.db, to) | _merged(tx, to)
    anew = _resting_on_later(tx.db, to) | _resting_on_fewer(tx.db, to)
    changed = [*_lapse(tx, to), *_decide(tx, to)]
    statements |= {(row.subject_entity_id, row.predicate_id) for row in changed}
    _rename(tx, to)
    open_before = {row.span_id for row in select(tx.db, SpanRow, "x.system_to IS NULL")}
    for ledger, pairs in _by_ledger(tx.db, statements).items():
        loaded = Loader(Resolver(tx, ledger))
        states = loaded.load_statements(pairs)
        facts = {row.fact_id for state in states for row in state.stored}
        store_again(tx, loaded, states, said=facts, reason=REASON, anew=anew)
    _rest_as_then(tx, to)
    open_now = {row.span_id for row in select(tx.db, SpanRow, "x.system_to IS NULL")}
    return {"facts ended": len(open_before - open_now), "facts held again": len(open_now - open_before)}


def _of_spans(db: Connection, to: int) -> set[Statement]:
    """The statements of which a period began or ended since."""
    spans = select(db, SpanRow, "x.system_from > ? OR x.system_to > ?", (to, to))
    facts = select_among(db, FactRow, "fact_id", {span.fact_id for span in spans})
    return {(fact.subject_entity_id, fact.predicate_id) for fact in facts}


def _resting_on_later(db: Connection, to: int) -> set[int]:
    """Open spans from before that also rest on something said since: each is opened anew, without that."""
    condition = (
        "x.system_to IS NULL AND x.system_from <= ? AND EXISTS (SELECT 1 FROM fact_support u "
        "JOIN fact_assertion a ON a.assertion_id = u.assertion_id "
        "WHERE u.span_id = x.span_id AND a.system_from > ?)"
    )
    return {row.span_id for row in select(db, SpanRow, condition, (to, to))}


def _resting_on_fewer(db: Connection, to: int) -> set[int]:
    """Open spans that rested on more then, before the store went back to a state without it."""
    condition = (
        "x.system_to IS NULL AND x.system_from > ? AND EXISTS (SELECT 1 FROM fact_span y "
        "JOIN fact_support u ON u.span_id = y.span_id WHERE y.fact_id = x.fact_id "
        "AND y.valid_from = x.valid_from AND y.valid_to IS NOT DISTINCT FROM x.valid_to "
        "AND y.system_from <= ? AND (y.system_to IS NULL OR y.system_to > ?) AND NOT EXISTS "
        "(SELECT 1 FROM fact_support w WHERE w.span_id = x.span_id AND w.assertion_id = u.assertion_id))"
    )
    return {row.span_id for row in select(db, SpanRow, condition, (to, to, to))}


def _rest_as_then(tx: Transaction, to: int) -> None:
    """Let the periods that hold again rest on what they rested on then, as far as it still counts.

    Which assertions speak for a period depends on the order in which it came about, and that is over.
    """
    fresh = select(tx.db, SpanRow, "x.system_from = ?", (tx.system,))
    known_then = "x.system_from <= ? AND (x.system_to IS NULL OR x.system_to > ?)"
    facts = {row.fact_id for row in fresh}
    then = {_period(row): row for row in select_among(
        tx.db, SpanRow, "fact_id", facts, also=Clause(known_then, (to, to)))}  # fmt: skip
    pairs = [(row, then[_period(row)]) for row in fresh if _period(row) in then]
    resting: dict[int, set[int]] = defaultdict(set)
    for support in select_among(
        tx.db, SupportRow, "span_id", {row.span_id for pair in pairs for row in pair}
    ):
        resting[support.span_id].add(support.assertion_id)
    assertions = {
        row.assertion_id: row
        for row in select_among(tx.db, AssertionRow, "assertion_id", set().union(*resting.values()))
        if row.system_from <= to
    }
    for row, old in pairs:
        shared_support = resting[row.span_id] & resting[old.span_id] & assertions.keys()
        if not shared_support or shared_support == resting[row.span_id]:
            continue
        remove_spans(tx.db, [row.span_id])
        by_hand, derived = (
            max(getattr(assertions[number], name) for number in shared_support)
            for name in ("by_hand", "derived")
        )
        insert(tx.db, [row._replace(by_hand=by_hand, derived=derived, space=old.space)])
        insert(tx.db, [SupportRow(row.span_id, number) for number in sorted(shared_support)])


def _period(span: SpanRow) -> tuple[int, int, int | None]:
    return span.fact_id, span.valid_from, span.valid_to


def _lapse(tx: Transaction, to: int) -> list[AssertionRow]:
    """Let what was said since lapse, and what lapsed since count again; return what that concerns."""
    db = tx.db
    lapsed = {row.assertion_id: row for row in select(db, LapseRow, "x.until IS NULL")}
    later = select(db, AssertionRow, "x.system_from > ? AND x.system_from < ?", (to, tx.system))
    fresh = [LapseRow(row.assertion_id, tx.system, None, REASON) for row in later]
    # What has expired stays away, whichever state the store goes back to.
    since = [row for row in lapsed.values() if row.since > to and row.reason != expiry.REASON]
    before = select_among(db, AssertionRow, "assertion_id", [row.assertion_id for row in since])
    counting = {row.assertion_id for row in before if row.system_from <= to}
    close(tx, [row for row in since if row.assertion_id in counting])
    fresh += [row._replace(since=tx.system, until=None) for row in select(db, LapseRow, _ENDED, (to, to))]
    insert(db, [row for row in fresh if row.assertion_id not in lapsed])
    touched = {row.assertion_id for row in fresh} | counting
    return select_among(db, AssertionRow, "assertion_id", touched)


def _decide(tx: Transaction, to: int) -> list[AssertionRow]:
    """Let the decisions of then on what is in quarantine hold again."""
    touched = _dated_back(tx, RulingRow, to, "fact_ruling")
    return select_among(tx.db, AssertionRow, "assertion_id", {row.assertion_id for row in touched})


def _merged(tx: Transaction, to: int) -> set[Statement]:
    """Let the same entities be one as then; return the statements about them."""
    rows = [*select(tx.db, SameRow, _BEGUN, (to,)), *select(tx.db, SameRow, _ENDED, (to, to))]
    if not rows:
        return set()
    entities = sorted({number for row in rows for number in (row.entity_id, row.into_id)})
    before = merging.statements_about(tx, entities)
    _dated_back(tx, SameRow, to, "fact_same")
    return before | merging.statements_about(tx, entities)


def _rename(tx: Transaction, to: int) -> None:
    """Let the names of then be known again, less those read from frames that are not there."""
    returning = select(tx.db, AliasRow, _ENDED, (to, to))
    frames = stored(tx.db, [row.frame_id for row in returning if row.frame_id is not None])
    live = {number for number, row in frames.items() if row.retired_at is None}
    _dated_back(tx, AliasRow, to, "fact_alias", keep=lambda row: row.frame_id is None or row.frame_id in live)


def _dated_back(
    tx: Transaction, kind: type[Any], to: int, counter: str, keep: Any = lambda row: True
) -> list[Any]:
    """End dated rows that began since, and write those that ended since once more, under new numbers."""
    begun = select(tx.db, kind, _BEGUN, (to,))
    returning = [row for row in select(tx.db, kind, _ENDED, (to, to)) if keep(row)]
    close(tx, begun)
    first = tx.allocate(counter, len(returning)) if returning else 0
    key = kind._fields[0]
    insert(
        tx.db,
        [
            row._replace(**{key: number}, since=tx.system, until=None)
            for number, row in enumerate(returning, first)
        ],
    )
    return [*begun, *returning]


def cite_instead(tx: Transaction, old: int, new: int, *, at: int) -> None:
    """What was read from a frame by a system time rests on another frame with the same words."""
    pieces = [row for row in select_among(tx.db, EvidenceRow, "frame_id", [old]) if row.recorded_at <= at]
    in_force = Clause("x.since <= ? AND (x.until IS NULL OR x.until > ?)", (at, at))
    names = select_among(tx.db, AliasRow, "frame_id", [old], also=in_force)
    numbers = tx.allocate_all({"fact_evidence": len(pieces), "fact_alias": len(names)})
    insert(
        tx.db,
        [
            row._replace(evidence_id=number, frame_id=new, recorded_at=tx.system)
            for number, row in enumerate(sorted(pieces), numbers.get("fact_evidence", 0))
        ],
    )
    insert(
        tx.db,
        [
            row._replace(alias_id=number, frame_id=new, since=tx.system, until=None)
            for number, row in enumerate(sorted(names), numbers.get("fact_alias", 0))
        ],
    )
    assertion_ids = {row.assertion_id for row in pieces} - {None}
    fact_ids = {row.fact_id for row in pieces} - {None}
    resting = select_among(tx.db, AssertionRow, "assertion_id", assertion_ids)
    resting += select_among(tx.db, AssertionRow, "fact_id", fact_ids)
    refresh(tx, resting, reason=REASON)


def _by_ledger(db: Connection, statements: Iterable[Statement]) -> dict[str, list[Statement]]:
    """The statements by the ledger that they are in."""
    ordered: Sequence[Statement] = sorted(set(statements))
    subjects = {subject for subject, _ in ordered}
    ledgers = {row.entity_id: row.ledger for row in select_among(db, EntityRow, "entity_id", subjects)}
    grouped: dict[str, list[Statement]] = defaultdict(list)
    for subject, predicate in ordered:
        grouped[ledgers[subject]].append((subject, predicate))
    return grouped
