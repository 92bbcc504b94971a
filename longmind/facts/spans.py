"""Storing what follows: spans that no longer do are closed, new ones opened, each with what it rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from longmind.facts.canonical import span_key_hash
from longmind.facts.rows import (
    AssertionRow,
    SpanRow,
    SupportRow,
    delete_among,
    insert,
    join,
    update,
)
from longmind.facts.slot_state import LiveSpan, SlotState
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import among

_SUPPORTING: Final = join((SupportRow, "p"), (AssertionRow, "x"))


def settle(
    tx: Transaction,
    states: Iterable[SlotState],
    *,
    reasons: Mapping[int, str],
    reason: str = "superseded",
    numbers: Mapping[int, int] | None = None,
    new: Mapping[int, AssertionRow] | None = None,
    first: int | None = None,
) -> list[SpanRow]:
    """Store the spans of slots as they are now; return those that were closed.

    `numbers` gives the stored number of each assertion that the slots know by its order in this transaction,
    and `new` the assertions that were added, by number.
    """
    numbers, new = numbers or {}, new or {}
    listed = list(states)
    spans = [(state, span) for state in listed for span in state.spans]
    gone = _gone(listed, reasons)
    fresh = [(state, span) for state, span in spans if span.row is None]
    partial = {span.fact_id for state, span in fresh if not state.complete}
    inherited = _inherited(tx.db, [row for row in gone if row.fact_id in partial])
    ended = close_spans(tx, [(row, reasons.get(row.span_id, reason)) for row in gone])
    supports: list[SupportRow] = []
    opened: list[SpanRow] = []
    number = first if first is not None else tx.allocate("fact_span", len(fresh)) if fresh else 0
    system, now = (tx.system, tx.now) if fresh else (0, 0)
    for state, span in spans:
        resting = _supporters(state, span, numbers, new, inherited)
        row = span.row
        if row is None:
            rests_on = [assertion for assertion in resting.values() if assertion is not None]
            row = span.row = _row(number, span, rests_on, system, now)
            opened.append(row)
            number += 1
        else:
            resting = {key: row for key, row in resting.items() if key in new}
            if not row.by_hand and any(said is not None and said.by_hand for said in resting.values()):
                assert tx.system
                row = span.row = row._replace(by_hand=1)
                update(tx.db, [row], ("by_hand",))
        span_id = row.span_id
        supports += [SupportRow(span_id, key) for key in sorted(resting)]
    insert(tx.db, opened)
    insert(tx.db, supports)
    changed = {row.fact_id for row in (*gone, *opened)}
    tx.changed_facts |= changed
    _leave_open(tx, listed, changed)
    return ended


def _leave_open(tx: Transaction, states: Iterable[SlotState], changed: Collection[int]) -> None:
    """The periods without an end of facts that changed, for who follows them: slots know them all."""
    for fact_id in changed:
        tx.open_spans[fact_id] = ()
    for state in states:
        for span in state.spans:
            if span.end is None and span.fact_id in changed:
                tx.open_spans[span.fact_id] += (span.row,)


def close_spans(tx: Transaction, closed: Iterable[tuple[SpanRow, str]]) -> list[SpanRow]:
    """End spans now; one that this very transaction opened was never visible, and goes."""
    ended, unseen = [], []
    for row, reason in closed:
        if row.system_from == tx.system:
            unseen.append(row)
        else:
            ended.append(row._replace(system_to=tx.system, reason=reason))
    update(tx.db, ended, ("system_to", "reason"))
    if unseen:
        remove_spans(tx.db, [row.span_id for row in unseen])
    return ended


def remove_spans(db: Connection, span_ids: Collection[int]) -> int:
    delete_among(db, SupportRow, "span_id", span_ids)
    return delete_among(db, SpanRow, "span_id", span_ids)


def _gone(states: Sequence[SlotState], reasons: Mapping[int, str]) -> list[SpanRow]:
    """Stored spans that the slots no longer have; one that came back in between is kept."""
    gone: list[SpanRow] = []
    for state in states:
        if not state.stored:
            continue
        kept_ids = {span.row.span_id for span in state.spans if span.row is not None}
        lost = {row.span_id: row for row in state.stored if row.span_id not in kept_ids}
        again = {(row.fact_id, row.valid_from, row.valid_to): row for row in lost.values()}
        for span in state.spans:
            twin = again.get((span.fact_id, span.start, span.end)) if span.row is None else None
            if twin is not None and reasons.get(twin.span_id) != "extended":
                span.row = lost.pop(twin.span_id)
        gone += lost.values()
    return gone


def _supporters(
    state: SlotState,
    span: LiveSpan,
    numbers: Mapping[int, int],
    new: Mapping[int, AssertionRow],
    inherited: Mapping[int, Sequence[AssertionRow]],
) -> dict[int, AssertionRow | None]:
    """The assertions that a span rests on, by number."""
    slot = state.slot
    if not state.stored and not slot.endings and not slot.denials and len(slot.claims) == 1:
        # All that was ever said here, as of most slots in a large batch.
        order = slot.claims[0].order
        key = numbers.get(order, order)
        return {key: new.get(key) or state.rows.get(order)}
    resting: dict[int, AssertionRow | None] = {}
    if span.row is None and not state.complete:
        for row in inherited.get(span.fact_id, ()):
            after = span.end is not None and row.valid_from >= span.end
            if not after and (row.valid_to is None or span.start < row.valid_to):
                resting[row.assertion_id] = row
    held = span.held
    for claim in (*slot.claims, *slot.endings):
        if slot.speaks_for(claim, held):
            key = numbers.get(claim.order, claim.order)
            resting[key] = new.get(key) or state.rows.get(claim.order)
    return resting


def _row(span_id: int, span: LiveSpan, rests_on: Sequence[AssertionRow], system: int, now: int) -> SpanRow:
    one = rests_on[0] if len(rests_on) == 1 else None
    return SpanRow(
        span_id,
        span.fact_id,
        (one or max(rests_on, key=_number)).space,
        span.start,
        span.end,
        system,
        None,
        one.by_hand if one else max([row.by_hand for row in rests_on]),
        one.derived if one else max([row.derived for row in rests_on]),
        None,
        span_key_hash(span.fact_id, span.start, span.end, system),
        now,
    )


def _number(row: AssertionRow) -> int:
    return row.assertion_id


def _inherited(db: Connection, spans: Sequence[SpanRow]) -> dict[int, list[AssertionRow]]:
    """By fact, what its closed spans rested on."""
    by_span: dict[int, list[AssertionRow]] = defaultdict(list)
    facts = {row.span_id: row.fact_id for row in spans}
    for batch in batched(sorted(facts)):
        clause = among("p.span_id", batch)
        sql = (
            f"SELECT {_SUPPORTING.sql} FROM fact_support p "
            f"JOIN fact_assertion x ON x.assertion_id = p.assertion_id WHERE {clause.sql}"
        )
        for support, row in map(_SUPPORTING.read, db.all(sql, clause.values)):
            by_span[facts[support.span_id]].append(row)
    return by_span
