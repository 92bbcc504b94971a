"""What changed between two states of the store: a log of what began, ended, changed, and was revised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.times import FOREVER, AsOf
from longmind.facts.expiry import lasting
from longmind.facts.hits import HISTORY_ORDER, SOURCE, held, hits, select_spans
from longmind.facts.results import Change, Changes
from longmind.facts.rows import ledgers
from longmind.facts.values import FactHit
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both, differing

_MOST_SPANS: Final = 100_000

Axis = Literal["system", "valid"]

_PERIOD: Final = "s.fact_id, s.span_id, s.system_from, s.system_to, s.valid_from, s.valid_to, s.reason"


class _Period(NamedTuple):
    """A span without what it says: its fact, and its times on both axes."""

    fact_id: int
    span_id: int
    system_from: int
    system_to: int | None
    valid_from: int
    valid_to: int | None
    reason: str | None


_WIDTH: Final = len(_Period._fields)


class _Entry(NamedTuple):
    """A span that differs between the two states, with what pairs and orders it."""

    period: _Period
    subject_id: int
    predicate_id: int
    qualifiers_hash: bytes | None
    cardinality: str
    subject_norm: str
    predicate_norm: str

    @property
    def statement(self) -> tuple[int, int, bytes | None]:
        return self.subject_id, self.predicate_id, self.qualifiers_hash


class _Pair(NamedTuple):
    """A change as rows: what ended, what began, when, and on which axis."""

    kind: Literal["began", "ended", "changed", "revised"]
    before: _Entry | None
    after: _Entry | None
    at: int
    axis: Axis
    reason: str | None = None


def diff(
    db: Connection, view: View, before: AsOf, after: AsOf, *, condition: Clause, limit: int, evidence: int
) -> Changes:
    """The changes from one state to a later one, oldest first, under a condition over `reading.SOURCE`."""
    if after.system < before.system or after.valid < before.valid:
        raise InvalidInput("The second state lies before the first.", hint="Give the earlier one first.")
    then, later = (both([held(state), lasting(view.at(state))]) for state in (before, after))
    clause = both([condition, ledgers(view, "c.ledger"), differing(then, later)])
    entries = _differing_spans(db, clause)
    ended = [entry for entry in entries[:_MOST_SPANS] if _was_held(entry.period, before)]
    began = [entry for entry in entries[:_MOST_SPANS] if not _was_held(entry.period, before)]
    pairs = sorted(_paired(ended, began, _spans(db, entries), before, after), key=_order)
    # Whole rows, evidence and trust are read for what is shown only: a small part of thousands of changes.
    shown = pairs[:limit]
    earlier = _complete(db, view.at(before), [pair.before for pair in shown], evidence)
    later_hits = _complete(db, view.at(after), [pair.after for pair in shown], evidence)
    changes = tuple(
        Change(
            pair.kind,
            None if pair.before is None else earlier[pair.before.period.span_id],
            None if pair.after is None else later_hits[pair.after.period.span_id],
            pair.at,
            pair.axis,
            pair.reason,
        )
        for pair in shown
    )
    return Changes(changes, truncated=len(pairs) > limit or len(entries) > _MOST_SPANS)


def _differing_spans(db: Connection, clause: Clause) -> list[_Entry]:
    sql = (
        f"SELECT {_PERIOD}, c.subject_entity_id, c.predicate_id, c.qualifiers_hash, p.cardinality, "
        f"e.key_norm, p.key_norm FROM {SOURCE} WHERE {clause.sql} "
        f"ORDER BY {HISTORY_ORDER} LIMIT {_MOST_SPANS + 1}"
    )
    return [_Entry(_Period(*row[:_WIDTH]), *row[_WIDTH:]) for row in db.all(sql, clause.values)]


def _complete(
    db: Connection, view: View, entries: Iterable[_Entry | None], evidence: int
) -> dict[int, FactHit]:
    """The whole hits of some spans, by span."""
    raw = [
        hit
        for batch in batched(sorted({entry.period.span_id for entry in entries if entry is not None}))
        for hit in select_spans(db, view, among("s.span_id", batch), limit=len(batch), flags=False)
    ]
    return {hit.span_id: hit for hit in hits(db, view, raw, evidence=evidence)}


def _was_held(span: _Period, as_of: AsOf) -> bool:
    begun = span.system_from <= as_of.system
    return begun and (span.system_to is None or as_of.system < span.system_to) and _covers(span, as_of.valid)


def _spans(db: Connection, entries: Iterable[_Entry]) -> dict[int, list[_Period]]:
    """All spans of the facts that changed: one may have been recorded again, in parts, along the way."""
    spans_by_fact: dict[int, list[_Period]] = defaultdict(list)
    for batch in batched(sorted({entry.period.fact_id for entry in entries})):
        clause = among("s.fact_id", batch)
        for row in db.all(f"SELECT {_PERIOD} FROM fact_span s WHERE {clause.sql}", clause.values):
            period = _Period(*row)
            spans_by_fact[period.fact_id].append(period)
    return spans_by_fact


def _paired(
    ended: Sequence[_Entry],
    began: Sequence[_Entry],
    spans_by_fact: Mapping[int, Sequence[_Period]],
    before: AsOf,
    after: AsOf,
) -> list[_Pair]:
    """Ends and beginnings, joined where the same fact goes on or where another single value took over."""
    by_fact = {entry.period.fact_id: entry for entry in ended}
    by_statement = {entry.statement: entry for entry in ended if entry.cardinality == "one"}
    pairs = []
    used: set[int] = set()
    for entry in began:
        old = by_fact.get(entry.period.fact_id)
        kind: Literal["began", "changed", "revised"] = "revised"
        if old is not None:
            at, axis = _beginning([entry.period], before, after)
        else:
            old = by_statement.get(entry.statement) if entry.cardinality == "one" else None
            kind = "began" if old is None else "changed"
            at, axis = _beginning(spans_by_fact[entry.period.fact_id], before, after)
        if old is not None:
            used.add(old.period.span_id)
        pairs.append(_Pair(kind, old, entry, at, axis))
    for entry in ended:
        if entry.period.span_id not in used:
            at, axis, reason = _end(spans_by_fact[entry.period.fact_id], before, after)
            pairs.append(_Pair("ended", entry, None, at, axis, reason))
    return pairs


def _beginning(spans: Sequence[_Period], before: AsOf, after: AsOf) -> tuple[int, Axis]:
    """When the store first held it to be so at the later instant; or, if it did before, when it began."""
    covering = [span for span in _between(spans, before, after) if _covers(span, after.valid)]
    already = [span.valid_from for span in covering if span.system_from <= before.system]
    if already:
        return max(already), "valid"
    return min(span.system_from for span in covering), "system"


def _end(spans: Sequence[_Period], before: AsOf, after: AsOf) -> tuple[int, Axis, str | None]:
    """When the store last held it to be so at the earlier instant; or, if it still does, when it ended."""
    covering = [span for span in _between(spans, before, after) if _covers(span, before.valid)]
    last = max(
        covering, key=lambda span: (FOREVER if span.system_to is None else span.system_to, span.span_id)
    )
    if last.system_to is not None and last.system_to <= after.system:
        return last.system_to, "system", last.reason
    return (after.valid if last.valid_to is None else last.valid_to), "valid", None


def _between(spans: Sequence[_Period], before: AsOf, after: AsOf) -> list[_Period]:
    """Spans that the store held at one of the two states, or on the way from one to the other."""
    return [
        span
        for span in spans
        if span.system_from <= after.system and (span.system_to is None or span.system_to > before.system)
    ]


def _covers(span: _Period, moment: int) -> bool:
    return span.valid_from <= moment and (span.valid_to is None or moment < span.valid_to)


def _order(pair: _Pair) -> tuple[object, ...]:
    entry = pair.after or pair.before
    assert entry is not None
    ids = entry.period.fact_id, entry.period.span_id
    return pair.at, entry.subject_norm, entry.predicate_norm, pair.kind, *ids
