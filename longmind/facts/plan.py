"""Writing statements: many in one transaction, in order, planned in memory and then stored at once."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from longmind.base.errors import InvalidInput
from longmind.base.times import FOREVER, format_ms
from longmind.facts.results import Recorded, Retracted
from longmind.facts.rows import Columns, FactRow, PremiseRow, SpanRow, batched, select_among
from longmind.facts.statements import Claim, Operation, Resolved, Resolver, Retraction, StatementKey
from longmind.facts.supersession import UNTIL_NEXT, OpenSpan, plan_assertion, plan_retraction
from longmind.facts.values import OPEN, Evidence, check_order
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among


@dataclass(eq=False, slots=True)
class LiveSpan:
    """A span that is open as far as this transaction has got; `row` is None until it is stored."""

    fact_id: int
    start: int
    end: int | None
    by_hand: bool
    row: SpanRow | None = None
    evidence: tuple[Evidence, ...] = ()
    premises: tuple[int, ...] = ()
    inherits: tuple[SpanRow, ...] = ()
    """Stored spans whose evidence and premises this one takes over."""

    def part(self, start: int, end: int | None) -> LiveSpan:
        """A piece of it, to be recorded again with everything it rests on."""
        piece = LiveSpan(self.fact_id, start, end, self.by_hand)
        piece.absorb(self)
        return piece

    def absorb(self, other: LiveSpan) -> None:
        self.by_hand = self.by_hand or other.by_hand
        self.evidence += other.evidence
        self.premises += other.premises
        self.inherits += other.inherits if other.row is None else (*other.inherits, other.row)


class _Statement:
    """The open spans of one statement key: by fact, and in order of time where values exclude each other."""

    __slots__ = ("by_fact", "ordered")

    def __init__(self) -> None:
        self.by_fact: dict[int, list[LiveSpan]] = {}
        self.ordered: list[LiveSpan] | None = None

    @property
    def spans(self) -> list[LiveSpan]:
        if self.ordered is None:
            unordered = [span for spans in self.by_fact.values() for span in spans]
            self.ordered = sorted(unordered, key=_start)
        return self.ordered

    def add(self, span: LiveSpan) -> None:
        self.by_fact.setdefault(span.fact_id, []).append(span)
        if self.ordered is not None:
            insort(self.ordered, span, key=_start)

    def remove(self, span: LiveSpan) -> None:
        self.by_fact[span.fact_id].remove(span)
        if self.ordered is not None:
            index = bisect_left(self.ordered, span.start, key=_start)
            while self.ordered[index] is not span:
                index += 1
            del self.ordered[index]

    def near(self, start: int) -> list[LiveSpan]:
        """Of spans that do not overlap each other: those that reach or follow `start`."""
        return self.spans[max(0, bisect_left(self.spans, start, key=_start) - 1) :]


def _start(span: LiveSpan) -> int:
    return span.start


class LedgerPlan:
    """The statements of one ledger that one transaction writes."""

    def __init__(self, tx: Transaction, *, ledger: str, space: str, max_evidence: int | None = None) -> None:
        self.tx = tx
        self.ledger = ledger
        self.space = space
        self.max_evidence = max_evidence
        self.names = Resolver(tx, ledger)
        self.closed: list[tuple[SpanRow, str]] = []
        self.kept: dict[int, LiveSpan] = {}
        """Stored spans that only get more evidence, by id."""
        self.statements: dict[StatementKey, _Statement] = defaultdict(_Statement)

    def apply(self, operations: Sequence[Operation]) -> list[Recorded | Retracted]:
        """Plan all operations in their order. `storing.store` then writes what came out."""
        resolved = self.names.resolve(operations)
        self._load([item for item in resolved if item is not None])
        results: list[Recorded | Retracted] = []
        for operation, item in zip(operations, resolved, strict=True):
            if isinstance(operation, Claim):
                assert item is not None
                results.append(self._assert(operation, item))
            else:
                results.append(Retracted((), 0) if item is None else self._end(operation, item))
        return results

    # Spans

    def _load(self, resolved: Iterable[Resolved]) -> None:
        """The open spans that matter: of whole statements where values exclude each other, else of facts."""
        subjects: dict[int, set[int]] = defaultdict(set)
        since: dict[int, int] = {}
        facts: set[int] = set()
        for item in resolved:
            subject, predicate, _ = item.statement
            if item.whole:
                subjects[predicate].add(subject)
                since[predicate] = min(self._reach(item.operation), since.get(predicate, FOREVER))
            elif item.hashed in self.names.facts:
                facts.add(self.names.facts[item.hashed].fact_id)
        # A span that ended earlier can neither overlap, touch nor follow what is said now.
        later = "(s.valid_to IS NULL OR s.valid_to >= ?)"
        clauses = [
            Clause(f"c.predicate_id = ? AND {later}", (predicate, since[predicate]))
            & among("c.subject_entity_id", batch)
            for predicate, whom in subjects.items()
            for batch in batched(sorted(whom))
        ]
        clauses += [among("c.fact_id", batch) for batch in batched(sorted(facts - self.names.new_facts))]
        columns = Columns((FactRow, "c"), (SpanRow, "s"))
        span_ids: set[int] = set()
        for clause in clauses:
            sql = (
                f"SELECT {columns.sql} FROM fact c JOIN fact_span s ON s.fact_id = c.fact_id "
                f"WHERE s.system_to IS NULL AND {clause.sql}"
            )
            for row in self.tx.db.all(sql, clause.values):
                fact, span = columns.read(row)
                if span.span_id in span_ids:
                    continue
                span_ids.add(span.span_id)
                key = (fact.subject_entity_id, fact.predicate_id, fact.qualifiers_hash)
                live = LiveSpan(fact.fact_id, span.valid_from, span.valid_to, bool(span.by_hand), span)
                self.statements[key].add(live)

    def _reach(self, operation: Operation) -> int:
        """The earliest instant that an operation concerns."""
        if isinstance(operation, Claim):
            return self.tx.now if operation.start is None else operation.start
        return -FOREVER if operation.until is None else operation.until

    def _assert(self, claim: Claim, item: Resolved) -> Recorded:
        assert item.hashed is not None
        fact_id = self.names.facts[item.hashed].fact_id
        start = self.tx.now if claim.start is None else claim.start
        statement = self.statements[item.statement]
        exclusive = item.single or claim.replaces
        if claim.fills:
            gap = _last_gap(claim, fact_id, statement, exclusive=exclusive)
            if gap is None:
                return Recorded(fact_id, "unchanged")
            start, claim = gap[0], replace(claim, end=gap[1])
        if claim.start is None or claim.by_clock:
            followed = statement.spans if exclusive else statement.by_fact.get(fact_id, [])
            floor = self._not_before(start, followed)
            start = start if isinstance(claim.end, int) and claim.end <= floor else floor
        if isinstance(claim.end, int):
            check_order(start, claim.end)
        if fact_id in claim.premises:
            raise InvalidInput(f"Fact {fact_id} cannot be derived from itself.")
        if not exclusive:
            candidates = statement.by_fact.get(fact_id, [])
        else:
            candidates = statement.near(start) if item.single else statement.spans
        if not candidates:
            end = claim.end if isinstance(claim.end, int) else None
            statement.add(LiveSpan(fact_id, start, end, claim.by_hand, None, claim.evidence, claim.premises))
            return Recorded(fact_id, "recorded")
        plan = plan_assertion(
            _as_open(candidates),
            fact_id,
            start=start,
            end=None if claim.end is OPEN else UNTIL_NEXT if claim.end is None else claim.end,
            exclusive=exclusive,
        )
        for remainder in plan.remainders:
            statement.add(_live(remainder.source).part(remainder.start, remainder.end))
        for span in plan.displaced:
            self._close(statement, _live(span), "superseded")
        superseded = tuple(dict.fromkeys(_live(span).fact_id for span in plan.displaced))
        status: Literal["recorded", "extended", "unchanged"] = "unchanged"
        if plan.kept is not None and self._rests_on(_live(plan.kept), claim.premises):
            target = _live(plan.kept)
            if target.row is not None:
                self.kept[target.row.span_id] = target
        else:
            merged = plan.merged if plan.kept is None else (plan.kept,)
            status = "extended" if merged else "recorded"
            target = LiveSpan(fact_id, plan.start, plan.end, claim.by_hand)
            if plan.kept is not None:
                target.start, target.end = plan.kept.start, plan.kept.end
            for span in merged:
                target.absorb(_live(span))
                self._close(statement, _live(span), "extended")
            statement.add(target)
        target.by_hand = target.by_hand or claim.by_hand
        target.evidence += claim.evidence
        target.premises += claim.premises
        return Recorded(fact_id, status, superseded)

    def _end(self, ending: Retraction, item: Resolved) -> Retracted:
        statement = self.statements[item.statement]
        spans = statement.spans
        if item.hashed is not None:
            fact = self.names.facts.get(item.hashed)
            spans = [] if fact is None else statement.by_fact.get(fact.fact_id, [])
        if ending.span_id is not None:
            spans = [span for span in spans if span.row is not None and span.row.span_id == ending.span_id]
        until = ending.until
        if until is not None and ending.by_clock:
            until = self._not_before(until, spans)
        if until is not None and ending.lenient:
            spans = [span for span in spans if span.start <= until]
        plan = plan_retraction(
            [OpenSpan(span, span.fact_id, span.start, span.end) for span in spans], until=until
        )
        for span in plan.closed:
            if until is not None and span.start >= until and not ending.lenient:
                raise InvalidInput(
                    f"It began at {format_ms(span.start)}, so it cannot have ended at {format_ms(until)}.",
                    hint="Retract it without valid_to if it was never so.",
                )
        for remainder in plan.remainders:
            piece = _live(remainder.source).part(remainder.start, remainder.end)
            piece.evidence += ending.evidence
            statement.add(piece)
        for span in plan.closed:
            self._close(statement, _live(span), ending.reason)
        fact_ids = tuple(dict.fromkeys(_live(span).fact_id for span in plan.closed))
        return Retracted(fact_ids, len(plan.closed))

    def _not_before(self, reading: int, spans: Iterable[LiveSpan]) -> int:
        """The clock's reading as a moment on the valid axis: after everything said before, in system order.

        A clock that was set back reads earlier than the value that is followed. What was dated ahead when it
        was said (it begins later than its own system time) is still to come, and is not followed.
        """
        moment = reading
        for span in spans:
            recorded_at = self.tx.snapshot.revision + 1 if span.row is None else span.row.system_from
            if reading < span.start <= recorded_at:
                # A millisecond later, so that both keep a place in the history.
                moment = max(moment, span.start + 1)
            if span.end is not None and reading < span.end <= recorded_at:
                moment = max(moment, span.end)
        return moment

    def _rests_on(self, span: LiveSpan, premises: Sequence[int]) -> bool:
        """Whether these premises are no news; to a stored span none can be added."""
        if not premises or span.row is None:
            return True
        rows = select_among(self.tx.db, PremiseRow, "span_id", [span.row.span_id])
        return set(premises) <= {row.premise_fact_id for row in rows}

    def _close(self, statement: _Statement, span: LiveSpan, reason: str) -> None:
        statement.remove(span)
        if span.row is not None:
            self.closed.append((span.row, reason))
            self.kept.pop(span.row.span_id, None)

    def fresh(self) -> list[LiveSpan]:
        """Spans to be stored."""
        return [
            span
            for statement in self.statements.values()
            for spans in statement.by_fact.values()
            for span in spans
            if span.row is None
        ]


def _last_gap(
    claim: Claim, fact_id: int, statement: _Statement, *, exclusive: bool
) -> tuple[int, int] | None:
    """The part of a claim that no span contradicts, back from its end; None where the value is known."""
    start, end = claim.start, claim.end
    assert start is not None
    assert isinstance(end, int)
    if any(span.start < end for span in statement.by_fact.get(fact_id, [])):
        return None
    for span in reversed(statement.spans if exclusive else []):
        if span.start < end:
            if span.end is None or span.end >= end:
                end = span.start
            else:
                start = max(start, span.end)
                break
    return (start, end) if start < end else None


def _as_open(spans: Iterable[LiveSpan]) -> list[OpenSpan]:
    return [OpenSpan(span, span.fact_id, span.start, span.end) for span in spans]


def _live(span: OpenSpan) -> LiveSpan:
    assert isinstance(span.ref, LiveSpan)
    return span.ref
