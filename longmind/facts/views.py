"""Reading the ledger: what is so, what was ever said, and the evidence; in fixed orders, within limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import View
from longmind.base.times import FOREVER
from longmind.facts import identity
from longmind.facts.expiry import lasting
from longmind.facts.hits import (
    HISTORY_ORDER,
    hits,
    of_predicates,
    ranked_evidence,
    seen,
    select_spans,
    select_spans_each,
    trusted,
)
from longmind.facts.resolve import one_key, one_key_each
from longmind.facts.results import EvidenceResult, FactsResult
from longmind.facts.rows import GLOBAL, EntityRow, ledgers, select
from longmind.facts.values import Entity, FactHit, Predicate
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both

EVIDENCE_EACH: Final = 8
"""Pieces of evidence that a hit carries unless told otherwise."""


def about(
    db: Connection,
    view: View,
    subject: Entity,
    *,
    predicates: Sequence[Predicate] = (),
    limit: int,
    evidence: int = EVIDENCE_EACH,
    shadowed: bool = False,
    min_trust: int | None = None,
) -> FactsResult:
    """What is so of a subject, named by its key or else by an alias."""
    entities = _entities(db, view, subject.norm)
    if not entities:
        other = one_key(db, view, subject)
        entities = {} if other is None else _entities(db, view, other)
    if not entities:
        return FactsResult(())
    # A value can only stand in front of another where a nearer and a farther ledger know the subject.
    shadows = len(set(entities.values())) > 1 and (GLOBAL in entities.values() or isinstance(view.user, str))
    condition = both(
        [
            among("e.entity_id", sorted(entities)),
            _of_predicates(predicates, entities.values()),
            seen(view, shadowed=shadowed or not shadows),
            trusted(min_trust),
        ]
    )
    raw = select_spans(db, view, condition, limit=limit + 1, flags=shadows, shadowed=shadows and shadowed)
    return FactsResult(tuple(hits(db, view, raw[:limit], evidence=evidence)), truncated=len(raw) > limit)


def _entities(db: Connection, view: View, norm: str) -> dict[int, str]:
    """The view's entities with this canonical key, and the ledger of each."""
    clause = Clause("x.key_norm = ?", (norm,)) & ledgers(view, "x.ledger")
    rows = select(db, EntityRow, clause.sql, clause.values)
    whole = identity.standing_for(db, view.as_of, rows)
    return {item.entity_id: item.ledger for item in (whole.get(row.entity_id, row) for row in rows)}


def entities_named(db: Connection, view: View, subject: Entity) -> list[int]:
    """The entities that a key, or else an alias, means, with those that are merged into them."""
    entities = _entities(db, view, subject.norm)
    if not entities:
        other = one_key(db, view, subject)
        entities = {} if other is None else _entities(db, view, other)
    return sorted(identity.members(db, view.as_of, entities))


def about_each(
    db: Connection,
    view: View,
    subjects: Sequence[Entity],
    *,
    predicates: Sequence[Predicate] = (),
    limit: int,
    evidence: int = EVIDENCE_EACH,
) -> dict[str, FactsResult]:
    """`about` for many subjects at once, by the name each was asked for."""
    keys = one_key_each(db, view, subjects)
    norms = sorted({norm for norm in keys.values() if norm is not None})
    condition = both([ledgers(view, "e.ledger"), of_predicates(predicates), seen(view)])
    raw_hits = []
    for batch in batched(norms):
        raw_hits += select_spans_each(db, view, among("e.key_norm", batch) & condition, limit=limit + 1)
    within_limit = [hit for hit in raw_hits if hit.place <= limit]
    ready: dict[str, list[FactHit]] = {norm: [] for norm in norms}
    for raw, hit in zip(within_limit, hits(db, view, within_limit, evidence=evidence), strict=True):
        ready[raw.subject.key_norm].append(hit)
    cut = {hit.subject.key_norm for hit in raw_hits if hit.place > limit}
    return {
        str(name): FactsResult(() if norm is None else tuple(ready[norm]), truncated=norm in cut)
        for name, norm in keys.items()
    }


def _of_predicates(predicates: Sequence[Predicate], ledger_names: Iterable[str]) -> Clause:
    """The same as `of_predicates`, by numbers: of somebody's thousands of facts only these are looked at."""
    if not predicates:
        return Clause("1 = 1")
    norms = sorted({predicate.norm for predicate in predicates})
    rows = among("q.ledger", sorted(set(ledger_names))) & among("q.key_norm", norms)
    return Clause(
        f"c.predicate_id IN (SELECT q.predicate_id FROM fact_predicate q WHERE {rows.sql})", rows.values
    )


def history(
    db: Connection,
    view: View,
    subject: Entity,
    *,
    predicates: Sequence[Predicate] = (),
    limit: int,
    evidence: int = EVIDENCE_EACH,
) -> FactsResult:
    """Every span the store had recorded at the view's system time, by predicate and in the order recorded."""
    conditions = [ledgers(view, "c.ledger"), _recorded(view)]
    key = one_key(db, view, subject)
    raw = []
    if key is not None:
        entities = _entities(db, view, key)
        ids = identity.members(db, view.as_of, entities)
        named = _of_predicates(predicates, entities.values())
        clause = both([among("e.entity_id", sorted(ids)), named, *conditions])
        raw = select_spans(db, view, clause, order=HISTORY_ORDER, limit=limit + 1)
    listed = hits(db, view, raw[:limit], evidence=evidence)
    return FactsResult(tuple(listed), truncated=len(raw) > limit)


def get(db: Connection, view: View, fact_id: int, *, evidence: int = EVIDENCE_EACH) -> FactHit:
    """The span of a fact that holds at the view's instant, or else the last one recorded before."""
    _check_id(fact_id)
    clause = _fact(view, fact_id)
    order = "CASE WHEN s.system_to IS NULL THEN 0 ELSE 1 END, s.system_from DESC, s.valid_from DESC"
    raw = select_spans(db, view, clause, order=order, limit=1)
    if not raw:
        raise NotFound(f"There is no fact {fact_id} here.", hint="It may be in another space, or erased.")
    return hits(db, view, raw, evidence=evidence)[0]


def evidence_for(db: Connection, view: View, fact: FactHit | int, *, limit: int) -> EvidenceResult:
    """What speaks for a hit's span, or for any span of a fact that the store knew at the view's time."""
    fact_id = fact.fact_id if isinstance(fact, FactHit) else fact
    _check_id(fact_id)
    clause = _fact(view, fact_id)
    if isinstance(fact, FactHit):
        clause = clause & Clause("s.span_id = ?", (fact.span_id,))
    raw = select_spans(db, view, clause, order=HISTORY_ORDER, limit=100_000)
    if not raw:
        raise NotFound(f"There is no fact {fact_id} here.", hint="It may be in another space, or erased.")
    rows = ranked_evidence(db, view, raw, limit=limit + 1)
    return EvidenceResult(tuple(row.value() for row in rows[:limit]), truncated=len(rows) > limit)


def _check_id(fact_id: object) -> None:
    if isinstance(fact_id, bool) or not isinstance(fact_id, int) or not 0 < fact_id < 2**63:
        raise InvalidInput(f"{fact_id!r} is not the id of a fact.", hint="Give a positive whole number.")


def _fact(view: View, fact_id: int) -> Clause:
    return both([Clause("c.fact_id = ?", (fact_id,)), ledgers(view, "c.ledger"), _recorded(view)])


def _recorded(view: View) -> Clause:
    if view.as_of.system == FOREVER:
        return lasting(view)
    return Clause("s.system_from <= ?", (view.as_of.system,)) & lasting(view)
