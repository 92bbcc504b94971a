"""What changed between two states of the store: a log of what began, ended, changed, and was revised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from recollect.base.errors import InvalidInput
from recollect.base.filters import View
from recollect.base.times import AsOf
from recollect.facts.reading import HISTORY_ORDER, RawHit, held, hits, select_spans
from recollect.facts.results import Change, Changes
from recollect.facts.rows import SpanRow, ledgers
from recollect.facts.values import FactHit
from recollect.store.engine import Rows
from recollect.store.visible import Clause, both

_MOST_SPANS: Final = 100_000

Axis = Literal["system", "valid"]
_Entry = tuple[RawHit, FactHit]


def diff(
    rows: Rows, view: View, before: AsOf, after: AsOf, *, condition: Clause, limit: int, evidence: int
) -> Changes:
    """The changes from one state to a later one, oldest first, under a condition over `reading.SOURCE`."""
    if after.system < before.system or after.valid < before.valid:
        raise InvalidInput("The second state lies before the first.", hint="Give the earlier one first.")
    then, later = held(before), held(after)
    differs = Clause(
        f"CASE WHEN {then.sql} THEN 1 ELSE 0 END <> CASE WHEN {later.sql} THEN 1 ELSE 0 END",
        then.values + later.values,
    )
    clause = both([condition, ledgers(view.spaces, "c.ledger"), differs])
    raw = select_spans(rows, view, clause, order=HISTORY_ORDER, limit=_MOST_SPANS + 1, flags=False)
    gone = [hit for hit in raw[:_MOST_SPANS] if _was_held(hit.span, before)]
    came = [hit for hit in raw[:_MOST_SPANS] if not _was_held(hit.span, before)]
    ended = _entries(rows, View(view.spaces, before), gone, evidence)
    began = _entries(rows, View(view.spaces, after), came, evidence)
    changes = sorted(_paired(ended, began, before, after), key=_order)
    return Changes(changes[:limit], truncated=len(changes) > limit or len(raw) > _MOST_SPANS)


def _entries(rows: Rows, view: View, raw: Sequence[RawHit], evidence: int) -> list[_Entry]:
    return list(zip(raw, hits(rows, view, raw, evidence=evidence), strict=True))


def _was_held(span: SpanRow, as_of: AsOf) -> bool:
    return (
        span.system_from <= as_of.system
        and (span.system_to is None or as_of.system < span.system_to)
        and span.valid_from <= as_of.valid
        and (span.valid_to is None or as_of.valid < span.valid_to)
    )


def _paired(ended: Sequence[_Entry], began: Sequence[_Entry], before: AsOf, after: AsOf) -> list[Change]:
    """Ends and beginnings, joined where the same fact goes on or where another single value took over."""
    by_fact = {raw.fact.fact_id: (raw, hit) for raw, hit in ended}
    by_statement = {_statement(raw): (raw, hit) for raw, hit in ended if raw.predicate.cardinality == "one"}
    changes = []
    used: set[int] = set()
    for raw, hit in began:
        at, axis = _beginning(raw.span, before)
        old = by_fact.get(raw.fact.fact_id)
        kind: Literal["began", "changed", "revised"] = "revised"
        if old is None:
            old = by_statement.get(_statement(raw)) if raw.predicate.cardinality == "one" else None
            kind = "began" if old is None else "changed"
        if old is not None:
            used.add(old[0].span.span_id)
        changes.append(Change(kind, None if old is None else old[1], hit, at, axis))
    for raw, hit in ended:
        if raw.span.span_id not in used:
            at, axis, reason = _end(raw.span, after)
            changes.append(Change("ended", hit, None, at, axis, reason))
    return changes


def _statement(raw: RawHit) -> tuple[int, int, bytes | None]:
    return raw.fact.subject_entity_id, raw.fact.predicate_id, raw.fact.qualifiers_hash


def _beginning(span: SpanRow, before: AsOf) -> tuple[int, Axis]:
    if span.system_from > before.system:
        return span.system_from, "system"
    return span.valid_from, "valid"


def _end(span: SpanRow, after: AsOf) -> tuple[int, Axis, str | None]:
    if span.system_to is not None and span.system_to <= after.system:
        return span.system_to, "system", span.reason
    assert span.valid_to is not None
    return span.valid_to, "valid", None


def _order(change: Change) -> tuple[object, ...]:
    fact = change.fact
    hit = change.after or change.before
    assert hit is not None
    return change.at, fact.subject.norm, fact.predicate.norm, change.kind, hit.fact_id, hit.span_id
