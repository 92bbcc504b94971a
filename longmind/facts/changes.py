"""What changed between two states of the store: a log of what began, ended, changed, and was revised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.times import FOREVER, AsOf
from longmind.facts.expiry import lasting
from longmind.facts.hits import HISTORY_ORDER, RawHit, held, hits, select_spans
from longmind.facts.results import Change, Changes
from longmind.facts.rows import SpanRow, ledgers, select_among
from longmind.facts.values import FactHit
from longmind.store.engine import Connection
from longmind.store.visible import Clause, both, differing

_MOST_SPANS: Final = 100_000

Axis = Literal["system", "valid"]
_Entry = tuple[RawHit, FactHit]


def diff(
    db: Connection, view: View, before: AsOf, after: AsOf, *, condition: Clause, limit: int, evidence: int
) -> Changes:
    """The changes from one state to a later one, oldest first, under a condition over `reading.SOURCE`."""
    if after.system < before.system or after.valid < before.valid:
        raise InvalidInput("The second state lies before the first.", hint="Give the earlier one first.")
    then, later = (both([held(state), lasting(view.at(state))]) for state in (before, after))
    clause = both([condition, ledgers(view, "c.ledger"), differing(then, later)])
    raw = select_spans(db, view, clause, order=HISTORY_ORDER, limit=_MOST_SPANS + 1, flags=False)
    gone = [hit for hit in raw[:_MOST_SPANS] if _was_held(hit.span, before)]
    came = [hit for hit in raw[:_MOST_SPANS] if not _was_held(hit.span, before)]
    ended = _entries(db, view.at(before), gone, evidence)
    began = _entries(db, view.at(after), came, evidence)
    spans_by_fact = _spans(db, raw)
    changes = sorted(_paired(ended, began, spans_by_fact, before, after), key=_order)
    return Changes(tuple(changes[:limit]), truncated=len(changes) > limit or len(raw) > _MOST_SPANS)


def _entries(db: Connection, view: View, raw: Sequence[RawHit], evidence: int) -> list[_Entry]:
    return list(zip(raw, hits(db, view, raw, evidence=evidence), strict=True))


def _was_held(span: SpanRow, as_of: AsOf) -> bool:
    begun = span.system_from <= as_of.system
    return begun and (span.system_to is None or as_of.system < span.system_to) and _covers(span, as_of.valid)


def _spans(db: Connection, raw: Sequence[RawHit]) -> dict[int, list[SpanRow]]:
    """All spans of the facts that changed: one may have been recorded again, in parts, along the way."""
    spans_by_fact: dict[int, list[SpanRow]] = defaultdict(list)
    for span in select_among(db, SpanRow, "fact_id", {hit.fact.fact_id for hit in raw}):
        spans_by_fact[span.fact_id].append(span)
    return spans_by_fact


def _paired(
    ended: Sequence[_Entry],
    began: Sequence[_Entry],
    spans_by_fact: Mapping[int, Sequence[SpanRow]],
    before: AsOf,
    after: AsOf,
) -> list[Change]:
    """Ends and beginnings, joined where the same fact goes on or where another single value took over."""
    by_fact = {raw.fact.fact_id: (raw, hit) for raw, hit in ended}
    by_statement = {_statement(raw): (raw, hit) for raw, hit in ended if raw.predicate.cardinality == "one"}
    changes = []
    used: set[int] = set()
    for raw, hit in began:
        old = by_fact.get(raw.fact.fact_id)
        kind: Literal["began", "changed", "revised"] = "revised"
        at, axis = _beginning([raw.span], before, after)
        if old is None:
            old = by_statement.get(_statement(raw)) if raw.predicate.cardinality == "one" else None
            kind = "began" if old is None else "changed"
            at, axis = _beginning(spans_by_fact[raw.fact.fact_id], before, after)
        if old is not None:
            used.add(old[0].span.span_id)
        changes.append(Change(kind, None if old is None else old[1], hit, at, axis))
    for raw, hit in ended:
        if raw.span.span_id not in used:
            at, axis, reason = _end(spans_by_fact[raw.fact.fact_id], before, after)
            changes.append(Change("ended", hit, None, at, axis, reason))
    return changes


def _statement(raw: RawHit) -> tuple[int, int, bytes | None]:
    return raw.fact.subject_entity_id, raw.fact.predicate_id, raw.fact.qualifiers_hash


def _beginning(spans: Sequence[SpanRow], before: AsOf, after: AsOf) -> tuple[int, Axis]:
    """When the store first held it to be so at the later instant; or, if it did before, when it began."""
    covering = [span for span in _between(spans, before, after) if _covers(span, after.valid)]
    already = [span.valid_from for span in covering if span.system_from <= before.system]
    if already:
        return max(already), "valid"
    return min(span.system_from for span in covering), "system"


def _end(spans: Sequence[SpanRow], before: AsOf, after: AsOf) -> tuple[int, Axis, str | None]:
    """When the store last held it to be so at the earlier instant; or, if it still does, when it ended."""
    covering = [span for span in _between(spans, before, after) if _covers(span, before.valid)]
    last = max(
        covering, key=lambda span: (FOREVER if span.system_to is None else span.system_to, span.span_id)
    )
    if last.system_to is not None and last.system_to <= after.system:
        return last.system_to, "system", last.reason
    return (after.valid if last.valid_to is None else last.valid_to), "valid", None


def _between(spans: Sequence[SpanRow], before: AsOf, after: AsOf) -> list[SpanRow]:
    """Spans that the store held at one of the two states, or on the way from one to the other."""
    return [
        span
        for span in spans
        if span.system_from <= after.system and (span.system_to is None or span.system_to > before.system)
    ]


def _covers(span: SpanRow, moment: int) -> bool:
    return span.valid_from <= moment and (span.valid_to is None or moment < span.valid_to)


def _order(change: Change) -> tuple[object, ...]:
    fact = change.fact
    hit = change.after or change.before
    assert hit is not None
    return change.at, fact.subject.norm, fact.predicate.norm, change.kind, hit.fact_id, hit.span_id
