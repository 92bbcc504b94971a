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


class _Entry(NamedTuple):
    """A span that differs between the two states, with what pairs and orders it."""

    fact_id: int
    span_id: int
    system_from: int
    system_to: int | None
    valid_from: int
    valid_to: int | None
    reason: str | None
    spans: int
    """How many its fact has; mostly it is the only one."""
    subject_id: int
    predicate_id: int
    qualifiers_hash: bytes | None
    cardinality: str
    subject_norm: str
    predicate_norm: str

    @property
    def statement(self) -> tuple[int, int, bytes | None]:
        return self.subject_id, self.predicate_id, self.qualifiers_hash


_Span = _Period | _Entry


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
    ended: list[_Entry] = []
    began: list[_Entry] = []
    for entry in entries[:_MOST_SPANS]:
        (ended if _was_held(entry, before) else began).append(entry)
    pairs = _paired(ended, began, _spans(db, entries), before, after)
    # Whole rows, evidence and trust are read for what is shown only: a small part of thousands of changes.
    shown = _first(pairs, limit)
    earlier = _complete(db, view.at(before), [pair.before for pair in shown], evidence)
    later_hits = _complete(db, view.at(after), [pair.after for pair in shown], evidence)
    changes = tuple(
        Change(
            pair.kind,
            None if pair.before is None else earlier[pair.before.span_id],
            None if pair.after is None else later_hits[pair.after.span_id],
            pair.at,
            pair.axis,
            pair.reason,
        )
        for pair in shown
    )
    return Changes(changes, truncated=len(pairs) > limit or len(entries) > _MOST_SPANS)


def _differing_spans(db: Connection, clause: Clause) -> list[_Entry]:
    sql = (
        f"SELECT {_PERIOD}, (SELECT count(*) FROM fact_span z WHERE z.fact_id = s.fact_id), "
        "c.subject_entity_id, c.predicate_id, c.qualifiers_hash, p.cardinality, "
        f"e.key_norm, p.key_norm FROM {SOURCE} WHERE {clause.sql} "
        f"ORDER BY {HISTORY_ORDER} LIMIT {_MOST_SPANS + 1}"
    )
    return [_Entry._make(row) for row in db.all(sql, clause.values)]


def _complete(
    db: Connection, view: View, entries: Iterable[_Entry | None], evidence: int
) -> dict[int, FactHit]:
    """The whole hits of some spans, by span."""
    raw = [
        hit
        for batch in batched(sorted({entry.span_id for entry in entries if entry is not None}))
        for hit in select_spans(db, view, among("s.span_id", batch), limit=len(batch), flags=False)
    ]
    return {hit.span_id: hit for hit in hits(db, view, raw, evidence=evidence)}


def _was_held(span: _Span, as_of: AsOf) -> bool:
    begun = span.system_from <= as_of.system
    return begun and (span.system_to is None or as_of.system < span.system_to) and _covers(span, as_of.valid)


def _spans(db: Connection, entries: Iterable[_Entry]) -> dict[int, list[_Period]]:
    """All spans of those changed facts that have several.

    A fact may have been recorded again, in parts, along the way.
    """
    spans_by_fact: dict[int, list[_Period]] = defaultdict(list)
    for batch in batched(sorted({entry.fact_id for entry in entries if entry.spans > 1})):
        clause = among("s.fact_id", batch)
        for row in db.all(f"SELECT {_PERIOD} FROM fact_span s WHERE {clause.sql}", clause.values):
            period = _Period._make(row)
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
    by_fact = {entry.fact_id: entry for entry in ended}
    by_statement = {entry.statement: entry for entry in ended if entry.cardinality == "one"}
    pairs = []
    used: set[int] = set()
    for entry in began:
        old = by_fact.get(entry.fact_id)
        kind: Literal["began", "changed", "revised"] = "revised"
        if old is not None:
            at, axis = _beginning([entry], before, after)
        else:
            old = by_statement.get(entry.statement) if entry.cardinality == "one" else None
            kind = "began" if old is None else "changed"
            at, axis = _beginning(spans_by_fact.get(entry.fact_id, (entry,)), before, after)
        if old is not None:
            used.add(old.span_id)
        pairs.append(_Pair(kind, old, entry, at, axis))
    for entry in ended:
        if entry.span_id not in used:
            at, axis, reason = _end(spans_by_fact.get(entry.fact_id, (entry,)), before, after)
            pairs.append(_Pair("ended", entry, None, at, axis, reason))
    return pairs


def _beginning(spans: Sequence[_Span], before: AsOf, after: AsOf) -> tuple[int, Axis]:
    """When the store first held it to be so at the later instant; or, if it did before, when it began."""
    if len(spans) == 1:  # it is held at the later instant, or it would not begin
        [span] = spans
        is_known = span.system_from <= before.system
        return (span.valid_from, "valid") if is_known else (span.system_from, "system")
    covering = [span for span in _between(spans, before, after) if _covers(span, after.valid)]
    already = [span.valid_from for span in covering if span.system_from <= before.system]
    if already:
        return max(already), "valid"
    return min(span.system_from for span in covering), "system"


def _end(spans: Sequence[_Span], before: AsOf, after: AsOf) -> tuple[int, Axis, str | None]:
    """When the store last held it to be so at the earlier instant; or, if it still does, when it ended."""
    covering = [span for span in _between(spans, before, after) if _covers(span, before.valid)]
    last = max(
        covering, key=lambda span: (FOREVER if span.system_to is None else span.system_to, span.span_id)
    )
    if last.system_to is not None and last.system_to <= after.system:
        return last.system_to, "system", last.reason
    return (after.valid if last.valid_to is None else last.valid_to), "valid", None


def _between(spans: Sequence[_Span], before: AsOf, after: AsOf) -> list[_Span]:
    """Spans that the store held at one of the two states, or on the way from one to the other."""
    return [
        span
        for span in spans
        if span.system_from <= after.system and (span.system_to is None or span.system_to > before.system)
    ]


def _covers(span: _Span, moment: int) -> bool:
    return span.valid_from <= moment and (span.valid_to is None or moment < span.valid_to)


def _first(pairs: list[_Pair], limit: int) -> list[_Pair]:
    """The first changes in order. Most are far from the first, which is known from when they happened."""
    if len(pairs) > limit:
        latest = sorted(pair.at for pair in pairs)[limit - 1]
        pairs = [pair for pair in pairs if pair.at <= latest]
    return sorted(pairs, key=_order)[:limit]


def _order(pair: _Pair) -> tuple[object, ...]:
    entry = pair.after or pair.before
    assert entry is not None
    return pair.at, entry.subject_norm, entry.predicate_norm, pair.kind, entry.fact_id, entry.span_id
