"""What becomes of facts when the frames they rest on go: retracted with a reason, or erased with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from longmind.base.filters import View
from longmind.facts.canonical import encode_value
from longmind.facts.hits import RawHit, select_spans
from longmind.facts.rows import (
    TABLES,
    AliasRow,
    Columns,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    PremiseRow,
    SpanRow,
    batched,
    delete_among,
    select,
    select_among,
    stored_object,
    update,
)
from longmind.facts.values import Typed
from longmind.facts.write import close_spans
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

_LIVE = "FROM fact_evidence v2 JOIN frame f ON f.frame_id = v2.frame_id WHERE f.retired_at IS NULL AND"
_ANY = "FROM fact_evidence v2 WHERE"


def retire(tx: Transaction, frame_ids: Sequence[int], *, reason: str) -> int:
    """Close the spans that rested on these retired frames alone, and were not recorded by hand."""
    resting = [row for row in _resting_on(tx.db, frame_ids) if row.system_to is None]
    unsupported = _without(tx.db, resting, _LIVE)
    if unsupported:
        close_spans(tx, [(row, f"evidence {reason}") for row in unsupported])
    names = select_among(tx.db, AliasRow, "frame_id", frame_ids, also=Clause("x.until IS NULL"))
    if names:
        unseen = [row.alias_id for row in names if row.since == tx.system]
        ended = [row._replace(until=tx.system) for row in names if row.since < tx.system]
        delete_among(tx.db, AliasRow, "alias_id", unseen)
        update(tx.db, ended, ("until",), key=("alias_id",))
    return len(unsupported)


def erase(tx: Transaction, frame_ids: Sequence[int]) -> dict[str, int]:
    """Remove the evidence in these frames, and what was derived from nothing else, names included.

    A span with other evidence loses this one; if none of the rest is live, it is closed.
    """
    counts: Counter[str] = Counter()
    resting = _resting_on(tx.db, frame_ids)
    counts["fact_evidence"] += delete_among(tx.db, EvidenceRow, "frame_id", frame_ids)
    counts["fact_alias"] += delete_among(tx.db, AliasRow, "frame_id", frame_ids)
    orphans = _without(tx.db, resting, _ANY)
    gone = {row.span_id for row in orphans}
    rest = [row for row in resting if row.span_id not in gone and row.system_to is None]
    unsupported = _without(tx.db, rest, _LIVE)
    if unsupported:
        close_spans(tx, [(row, "evidence erased") for row in unsupported])
    _remove_spans(tx.db, orphans, counts)
    _sweep(tx.db, counts)
    return dict(counts)


def erase_facts(tx: Transaction, fact_ids: Iterable[int]) -> dict[str, int]:
    """Remove facts with all their spans, whoever recorded them. What they superseded stays closed."""
    counts: Counter[str] = Counter()
    _remove_spans(tx.db, select_among(tx.db, SpanRow, "fact_id", fact_ids), counts)
    _sweep(tx.db, counts)
    return dict(counts)


def erase_space(tx: Transaction, space: str) -> dict[str, int]:
    """Remove a space's whole ledger, and what was recorded from it for all; inside an erase transaction."""
    counts: Counter[str] = Counter()
    _remove_spans(tx.db, select(tx.db, SpanRow, Clause("x.space = ?", (space,))), counts)
    counts["fact_alias"] += tx.db.run(
        "DELETE FROM fact_alias WHERE entity_id IN (SELECT entity_id FROM fact_entity WHERE ledger = ?)",
        (space,),
    )
    for kind in (PredicateRow, EntityRow):
        counts[TABLES[kind]] += tx.db.run(f"DELETE FROM {TABLES[kind]} WHERE ledger = ?", (space,))
    _sweep(tx.db, counts)
    return dict(counts)


def facts_of(
    db: Connection, ledger: str, subject: str, *, predicate: str | None, value: Typed | None
) -> set[int]:
    """Ids of the facts of one subject, with any qualifiers, in any period."""
    clause = Clause("e.ledger = ? AND e.key_norm = ?", (ledger, subject))
    if predicate is not None:
        clause = clause & Clause("p.key_norm = ?", (predicate,))
    raw = select_spans(db, View((ledger,)), clause, limit=2**31, flags=False)
    return {hit.fact.fact_id for hit in raw if value is None or _same_value(hit, value)}


def _same_value(hit: RawHit, value: Typed) -> bool:
    exact = bool(hit.predicate.exact)
    here = encode_value(hit.fact.object_kind, stored_object(hit.fact, hit.object), exact=exact)
    return here == encode_value(*value, exact=exact)


def forget_entity(db: Connection, ledger: str, norm: str) -> dict[str, int]:
    """Remove an entity and its names, if no fact mentions it any more."""
    unused = f"ledger = ? AND key_norm = ? AND NOT EXISTS ({_MENTIONED})"
    rows = db.all(f"SELECT entity_id FROM fact_entity WHERE {unused}", (ledger, norm))
    ids = [int(row[0]) for row in rows]
    aliases = delete_among(db, AliasRow, "entity_id", ids)
    return {"fact_alias": aliases, "fact_entity": delete_among(db, EntityRow, "entity_id", ids)}


def _resting_on(db: Connection, frame_ids: Sequence[int]) -> list[SpanRow]:
    """Spans not recorded by hand that these frames speak for, open or closed."""
    columns = Columns((SpanRow, "s"))
    spans: dict[int, SpanRow] = {}
    for batch in batched(sorted(set(frame_ids))):
        clause = among("v.frame_id", batch)
        for column in ("span_id", "fact_id"):
            sql = (
                f"SELECT {columns.sql} FROM fact_evidence v JOIN fact_span s ON s.{column} = v.{column} "
                f"WHERE s.by_hand = 0 AND {clause.sql}"
            )
            for row in db.all(sql, clause.values):
                [span] = columns.read(row)
                spans[span.span_id] = span
    return [spans[span_id] for span_id in sorted(spans)]


def _without(db: Connection, spans: Sequence[SpanRow], support: str) -> list[SpanRow]:
    """Those of the spans that have no such support, on themselves or on their fact."""
    supported: set[int] = set()
    for batch in batched([row.span_id for row in spans]):
        clause = among("s.span_id", batch)
        for column in ("span_id", "fact_id"):
            sql = (
                f"SELECT s.span_id FROM fact_span s WHERE {clause.sql} "
                f"AND EXISTS (SELECT 1 {support} v2.{column} = s.{column})"
            )
            supported.update(int(row[0]) for row in db.all(sql, clause.values))
    return [row for row in spans if row.span_id not in supported]


def _remove_spans(db: Connection, spans: Sequence[SpanRow], counts: Counter[str]) -> None:
    ids = {row.span_id for row in spans}
    counts["fact_evidence"] += delete_among(db, EvidenceRow, "span_id", ids)
    counts["fact_premise"] += delete_among(db, PremiseRow, "span_id", ids)
    counts["fact_span"] += delete_among(db, SpanRow, "span_id", ids)
    touched = {row.fact_id for row in spans}
    empty = touched - {row.fact_id for row in select_among(db, SpanRow, "fact_id", touched)}
    # What was derived from an erased fact keeps a mark that it was.
    derived = select_among(db, PremiseRow, "premise_fact_id", empty)
    marks = [row._replace(premise_fact_id=None) for row in derived]
    update(db, marks, ("premise_fact_id",), key=("span_id", "ordinal"))
    counts["fact_evidence"] += delete_among(db, EvidenceRow, "fact_id", empty)
    counts["fact"] += delete_among(db, FactRow, "fact_id", empty)


_MENTIONED = (
    "SELECT 1 FROM fact c WHERE c.subject_entity_id = fact_entity.entity_id "
    "UNION ALL SELECT 1 FROM fact c WHERE c.object_entity_id = fact_entity.entity_id"
)


def _sweep(db: Connection, counts: Counter[str]) -> None:
    """Remove names that were only ever read from frames, and that nothing mentions any more."""
    unused = db.all(
        f"SELECT entity_id FROM fact_entity WHERE by_hand = 0 AND NOT EXISTS ({_MENTIONED}) "
        "AND NOT EXISTS (SELECT 1 FROM fact_alias a WHERE a.entity_id = fact_entity.entity_id "
        "AND a.frame_id IS NOT NULL)"
    )
    ids = [int(row[0]) for row in unused]
    counts["fact_alias"] += delete_among(db, AliasRow, "entity_id", ids)
    counts["fact_entity"] += delete_among(db, EntityRow, "entity_id", ids)
    counts["fact_predicate"] += db.run(
        "DELETE FROM fact_predicate WHERE declared = 0 "
        "AND NOT EXISTS (SELECT 1 FROM fact c WHERE c.predicate_id = fact_predicate.predicate_id)"
    )


def counted(*parts: Mapping[str, int]) -> dict[str, int]:
    """Counts by table, added up, without the zeros."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return {table: count for table, count in sorted(total.items()) if count}
