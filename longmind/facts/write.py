"""Storing what was planned: new assertions with their evidence, and the spans that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from longmind.facts.plan import LedgerPlan, NewAssertion
from longmind.facts.results import Retracted
from longmind.facts.rows import AssertionRow, EntityRow, EvidenceRow, ExpiryRow, PremiseRow, insert
from longmind.facts.slot_state import SlotState
from longmind.facts.spans import settle
from longmind.facts.statements import Claim
from longmind.facts.values import Evidence, Recorded
from longmind.store.transaction import Transaction


class Outcome(NamedTuple):
    """What became of each claim, how much evidence was over the limit, and how much was written."""

    results: list[Recorded | Retracted]
    left_out: int
    evidence: int


def write(
    tx: Transaction,
    claims: Sequence[Claim],
    *,
    ledger: str,
    space: str,
    max_evidence: int | None = None,
    cap_all: bool = False,
    known: Mapping[str, EntityRow] | None = None,
) -> Outcome:
    """Apply claims in order. `cap_all` holds also evidence that names its bytes to `max_evidence`.

    `known` are entities of the ledger by their keys in normal form, so that they are not looked up again.
    """
    plan = LedgerPlan(tx, ledger=ledger, space=space, max_evidence=max_evidence, cap_all=cap_all, known=known)
    results = plan.apply(claims)
    return Outcome(results, plan.left_out, store(plan))


def store(plan: LedgerPlan) -> int:
    """Write the plan's outcome; return how many pieces of evidence are new."""
    tx = plan.tx
    numbers: dict[int, int] = {}
    new: dict[int, AssertionRow] = {}
    states = [state for state in plan.loaded.slots.values() if state.touched]
    first_of = tx.allocate_all(
        {
            "fact_assertion": len(plan.assertions),
            "fact_span": sum(span.row is None for state in states for span in state.spans),
            "fact_evidence": sum(len(item.item.claim.evidence) for item in plan.assertions),
        }
    )
    if plan.assertions:
        place = (plan.ledger, plan.space, tx.system, tx.now)
        for assertion_id, item in enumerate(plan.assertions, first_of["fact_assertion"]):
            numbers[item.order] = assertion_id
            new[assertion_id] = _assertion_row(assertion_id, item, *place)
    _store_facts(plan, new.values(), states)
    insert(tx.db, list(new.values()))
    insert(tx.db, _expiries(plan.assertions, numbers))
    written = _insert_evidence(plan, numbers, first_of.get("fact_evidence"))
    settle(tx, states, reasons=plan.reasons, numbers=numbers, new=new, first=first_of.get("fact_span"))
    _leave_rows(plan)
    return written


def _leave_rows(plan: LedgerPlan) -> None:
    """Fact, subject, predicate and value of what changed, for those who follow it."""
    tx, names = plan.tx, plan.names
    for fact_id in tx.changed_facts - tx.fact_rows.keys():
        fact = names.facts.get(fact_id)
        if fact is None or fact.subject_entity_id not in names.entities:
            continue
        value = None if fact.object_entity_id is None else names.entities.get(fact.object_entity_id)
        if (value is None) == (fact.object_entity_id is None) and fact.predicate_id in names.predicates:
            subject, predicate = names.entities[fact.subject_entity_id], names.predicates[fact.predicate_id]
            tx.fact_rows[fact_id] = (fact, subject, predicate, value)


def _assertion_row(
    assertion_id: int, new: NewAssertion, ledger: str, space: str, system: int, now: int
) -> AssertionRow:
    item, claim = new.item, new.item.claim
    lineage = claim.lineage
    return AssertionRow(
        assertion_id,
        ledger,
        space,
        item.subject if new.fact is None else new.fact.subject_entity_id,
        item.predicate.predicate_id if new.fact is None else new.fact.predicate_id,
        None if new.fact is None else new.fact.fact_id,
        item.qualifiers,
        new.action,
        int(claim.polarity),
        new.start,
        new.end,
        system,
        None,
        int(claim.by_hand),
        1 if claim.premises else 0,
        lineage.channel,
        lineage.speaker,
        lineage.user,
        new.trust,
        int(new.held_back),
        claim.reason,
        now,
    )


def _expiries(assertions: Iterable[NewAssertion], numbers: Mapping[int, int]) -> list[ExpiryRow]:
    """When the assertions of claims that were made for a time expire: all of a claim, its denials too."""
    return [
        ExpiryRow(numbers[item.order], item.item.claim.expires_at)
        for item in assertions
        if item.item.claim.expires_at is not None
    ]


def _store_facts(plan: LedgerPlan, new: Iterable[AssertionRow], states: Iterable[SlotState]) -> None:
    fresh = plan.names.new_facts
    if not fresh:
        return
    needed = {row.fact_id for row in new} | {span.fact_id for state in states for span in state.spans}
    insert(plan.tx.db, [plan.names.facts[fact_id] for fact_id in sorted(fresh & needed)])


def _insert_evidence(plan: LedgerPlan, numbers: Mapping[int, int], first: int | None) -> int:
    evidence: list[tuple[int | None, int | None, Evidence]] = []
    premises: list[PremiseRow] = []
    for item in plan.assertions:
        claim = item.item.claim
        if not claim.evidence and not claim.premises:
            continue
        number = numbers[item.order]
        evidence += [
            (number, None, piece) for piece in {piece.place: piece for piece in claim.evidence}.values()
        ]
        premises += [
            PremiseRow(number, ordinal, fact_id)
            for ordinal, fact_id in enumerate(dict.fromkeys(claim.premises))
        ]
    insert(plan.tx.db, evidence_rows(plan.tx, evidence, first=first))
    insert(plan.tx.db, premises)
    return len(evidence)


def evidence_rows(
    tx: Transaction,
    items: Iterable[tuple[int | None, int | None, Evidence]],
    *,
    first: int | None = None,
) -> list[EvidenceRow]:
    """New rows for (assertion, fact, evidence), one of the first two given."""
    pieces = list(items)
    if not pieces:
        return []
    if first is None:
        first = tx.allocate("fact_evidence", len(pieces))
    return [
        EvidenceRow(
            first + offset,
            assertion_id,
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
        for offset, (assertion_id, fact_id, item) in enumerate(pieces)
    ]
