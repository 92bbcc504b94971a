"""Storing what a book has planned: new facts, spans, evidence and premises, and the ends of old spans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from longmind.facts.canonical import fact_hash, span_key_hash
from longmind.facts.plan import LedgerPlan, LiveSpan
from longmind.facts.results import Recorded, Retracted
from longmind.facts.rows import (
    EvidenceRow,
    FactRow,
    PremiseRow,
    SpanRow,
    delete_among,
    insert,
    select_among,
    update,
)
from longmind.facts.statements import Operation
from longmind.facts.values import Entity, Evidence, Predicate, Typed
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction


def write(
    tx: Transaction,
    operations: Sequence[Operation],
    *,
    ledger: str,
    space: str,
    max_evidence: int | None = None,
) -> tuple[list[Recorded | Retracted], int]:
    """Apply statements in order; return what became of each, and how much evidence was over the limit."""
    plan = LedgerPlan(tx, ledger=ledger, space=space, max_evidence=max_evidence)
    results = plan.apply(operations)
    return results, store(plan)


_SETTLED: Final = (
    "SELECT 1 FROM fact c "
    "JOIN fact_entity e ON e.entity_id = c.subject_entity_id AND e.kind <> '' "
    "JOIN fact_predicate p ON p.predicate_id = c.predicate_id AND p.exact = 0 "
    "JOIN fact_span s ON s.fact_id = c.fact_id AND s.system_to IS NULL AND s.valid_to IS NULL "
    "WHERE c.fact_hash = ? AND c.ledger = ? AND s.valid_from <= ? "
    "AND (SELECT count(*) FROM fact_evidence v WHERE v.span_id = s.span_id) >= ? "
    "AND NOT EXISTS (SELECT 1 FROM fact d JOIN fact_span r ON r.fact_id = d.fact_id "
    "WHERE d.subject_entity_id = c.subject_entity_id AND d.predicate_id = c.predicate_id "
    "AND d.fact_id <> c.fact_id AND r.system_to IS NULL AND (r.valid_to IS NULL OR r.valid_to >= ?))"
)


def is_settled(
    db: Connection,
    subject: Entity,
    predicate: Predicate,
    value: Typed,
    *,
    ledger: str,
    at: int,
    max_evidence: int,
) -> bool:
    """Whether claiming this at an instant would write nothing: it holds, alone, on all it may rest on."""
    hashed = fact_hash(subject.norm, predicate.norm, value.kind, value.stored)
    return db.one(_SETTLED, (hashed, ledger, at, max_evidence, at)) is not None


def store(plan: LedgerPlan) -> int:
    """Write the book's outcome; return how many pieces of evidence its limit left out."""
    tx, fresh = plan.tx, plan.fresh()
    sources = {row.span_id: row for span in fresh for row in span.inherits}
    sources.update({span_id: span.row for span_id, span in plan.kept.items() if span.row is not None})
    evidence = _evidence_of(tx.db, sources)
    premises = _premises_of(tx.db, sources.values())
    close_spans(tx, plan.closed)
    _insert_spans(plan, fresh)
    _mark_by_hand(plan)
    _insert_premises(plan, fresh, premises)
    return _insert_evidence(plan, fresh, evidence)


def close_spans(tx: Transaction, closed: Iterable[tuple[SpanRow, str]]) -> list[SpanRow]:
    """End spans now; one that this very transaction opened was never visible, and goes."""
    ended, unseen = [], []
    for row, reason in closed:
        if row.system_from == tx.system:
            unseen.append(row)
        else:
            ended.append(row._replace(system_to=tx.system, reason=reason))
    update(tx.db, ended, ("system_to", "reason"), key=("span_id",))
    if unseen:
        remove_spans(tx.db, [row.span_id for row in unseen])
        _drop_empty_facts(tx.db, {row.fact_id for row in unseen})
    return ended


def remove_spans(db: Connection, span_ids: Sequence[int]) -> None:
    delete_among(db, EvidenceRow, "span_id", span_ids)
    delete_among(db, PremiseRow, "span_id", span_ids)
    delete_among(db, SpanRow, "span_id", span_ids)


def evidence_rows(
    tx: Transaction, items: Iterable[tuple[int | None, int | None, Evidence]]
) -> list[EvidenceRow]:
    """New rows for (span, fact, evidence), one of the first two given."""
    pieces = list(items)
    if not pieces:
        return []
    first = tx.allocate("fact_evidence", len(pieces))
    return [
        EvidenceRow(
            first + offset,
            span_id,
            fact_id,
            item.frame,
            item.chunk,
            item.start,
            item.end,
            item.extractor,
            item.version,
            item.confidence,
            tx.now if item.asserted_at is None else item.asserted_at,
            tx.system,
            tx.now,
        )
        for offset, (span_id, fact_id, item) in enumerate(pieces)
    ]


def _insert_spans(plan: LedgerPlan, fresh: Sequence[LiveSpan]) -> None:
    if not fresh:
        return
    tx = plan.tx
    needed = {span.fact_id for span in fresh} & plan.names.new_facts
    insert(tx.db, [fact for fact in plan.names.facts.values() if fact.fact_id in needed])
    first = tx.allocate("fact_span", len(fresh))
    for span_id, span in enumerate(fresh, first):
        derived = span.premises or (span.inherits and any(row.derived for row in span.inherits))
        span.row = SpanRow(
            span_id,
            span.fact_id,
            plan.space,
            span.start,
            span.end,
            tx.system,
            None,
            int(span.by_hand),
            1 if derived else 0,
            None,
            span_key_hash(span.fact_id, span.start, span.end, tx.system),
            tx.now,
        )
    insert(tx.db, [span.row for span in fresh])


def _mark_by_hand(plan: LedgerPlan) -> None:
    changed = [
        span.row._replace(by_hand=1)
        for span in plan.kept.values()
        if span.row is not None and span.by_hand and not span.row.by_hand
    ]
    if changed:
        assert plan.tx.system
        update(plan.tx.db, changed, ("by_hand",), key=("span_id",))


def _insert_evidence(
    plan: LedgerPlan, fresh: Sequence[LiveSpan], stored: Mapping[int, Sequence[EvidenceRow]]
) -> int:
    items: list[tuple[int | None, int | None, Evidence]] = []
    left_out = 0
    for span in [*fresh, *plan.kept.values()]:
        assert span.row is not None
        if not (span.evidence or span.inherits):
            continue
        is_new = span.row.span_id not in stored
        inherited = [row for source in span.inherits for row in stored[source.span_id]]
        places = {row.place() for row in (inherited if is_new else stored[span.row.span_id])}
        new: dict[tuple[object, ...], Evidence] = {}
        if is_new:
            new.update((row.place(), row.value()) for row in inherited)
        for item in span.evidence:
            if item.place in places or item.place in new:
                continue
            if plan.max_evidence is not None and len(places) + len(new) >= plan.max_evidence:
                left_out += 1
                continue
            new[item.place] = item
        items += [(span.row.span_id, None, item) for item in new.values()]
    insert(plan.tx.db, evidence_rows(plan.tx, items))
    return left_out


def _insert_premises(
    plan: LedgerPlan, fresh: Sequence[LiveSpan], stored: Mapping[int, Sequence[int | None]]
) -> None:
    rows = []
    for span in fresh:
        assert span.row is not None
        if not (span.premises or span.inherits):
            continue
        inherited = [premise for source in span.inherits for premise in stored.get(source.span_id, ())]
        for ordinal, premise in enumerate(dict.fromkeys([*inherited, *span.premises])):
            rows.append(PremiseRow(span.row.span_id, ordinal, premise))
    insert(plan.tx.db, rows)


def _evidence_of(db: Connection, span_ids: Iterable[int]) -> dict[int, list[EvidenceRow]]:
    rows_by_span: dict[int, list[EvidenceRow]] = {span_id: [] for span_id in span_ids}
    for row in sorted(select_among(db, EvidenceRow, "span_id", rows_by_span)):
        assert row.span_id is not None
        rows_by_span[row.span_id].append(row)
    return rows_by_span


def _premises_of(db: Connection, spans: Iterable[SpanRow]) -> dict[int, list[int | None]]:
    premises_by_span: dict[int, list[int | None]] = defaultdict(list)
    derived = [span.span_id for span in spans if span.derived]
    for row in sorted(select_among(db, PremiseRow, "span_id", derived), key=lambda item: item[:2]):
        premises_by_span[row.span_id].append(row.premise_fact_id)
    return premises_by_span


def _drop_empty_facts(db: Connection, fact_ids: Iterable[int]) -> None:
    """Facts that lost their only span before anyone could see it."""
    left = {row.fact_id for row in select_among(db, SpanRow, "fact_id", fact_ids)}
    empty = set(fact_ids) - left
    delete_among(db, EvidenceRow, "fact_id", empty)
    delete_among(db, FactRow, "fact_id", empty)
