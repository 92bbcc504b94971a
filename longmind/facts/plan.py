"""Writing assertions: many in one transaction, in order; what follows from them is worked out in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.base.times import FOREVER, format_ms
from longmind.facts.belief import AssertedPeriod, Effect
from longmind.facts.load import Loader
from longmind.facts.results import Retracted
from longmind.facts.rows import EntityRow, FactRow
from longmind.facts.slot_state import LiveSpan, Outcome, SlotState
from longmind.facts.statements import Action, Claim, Resolved, Resolver
from longmind.facts.trust import LEVELS, is_held_back
from longmind.facts.values import OPEN, Recorded, check_order
from longmind.store.engine import scalar
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

ALWAYS: Final = -FOREVER
"""Earlier than every period: the start of what is taken back altogether."""

FIRST_NEW: Final = 2**62
"""The order of the first assertion of a transaction, until it has its number."""


@dataclass(eq=False, slots=True)
class NewAssertion:
    """An assertion to be stored; `order` is its place in this transaction, after everything stored before."""

    order: int
    item: Resolved
    action: Action
    fact: FactRow | None
    start: int
    end: int | None
    held_back: bool = False
    trust: int = 3


class LedgerPlan:
    """The assertions of one ledger that one transaction writes."""

    def __init__(
        self,
        tx: Transaction,
        *,
        ledger: str,
        space: str,
        max_evidence: int | None = None,
        cap_all: bool = False,
        known: Mapping[str, EntityRow] | None = None,
    ) -> None:
        self.tx = tx
        self.ledger = ledger
        self.space = space
        self.max_evidence = max_evidence
        self.cap_all = cap_all
        self.names = Resolver(tx, ledger, known=known)
        self.loaded = Loader(self.names)
        self.assertions: list[NewAssertion] = []
        self.reasons: dict[int, str] = {}
        """Why a span is closed, by its number."""
        self.left_out = 0
        self._pieces: dict[int, int] = {}
        self._order = FIRST_NEW
        self._now = max(tx.now, tx.before + 1)

    def apply(self, claims: Sequence[Claim]) -> list[Recorded | Retracted]:
        """Plan all claims in their order. `write.store` then writes what came out."""
        resolved = self.names.resolve(claims)
        self.loaded.load([item for item in resolved if item is not None], now=self.tx.now)
        results: list[Recorded | Retracted] = []
        for claim, item in zip(claims, resolved, strict=True):
            if claim.action in ("end", "retract"):
                results.append(Retracted((), 0) if item is None else self._take_back(item))
            else:
                assert item is not None
                results.append(self._record(item))
        return results

    # Recording

    def _record(self, item: Resolved) -> Recorded:
        claim, fact = item.claim, item.fact
        assert fact is not None
        fact_id = self.loaded.effective(fact)
        if fact_id in claim.premises:
            raise InvalidInput(f"Fact {fact_id} cannot be derived from itself.")
        trust, tainted = self._taint(claim) if claim.premises else (claim.lineage.trust, False)
        low = trust <= LEVELS["low"]
        if tainted or (low and is_held_back(claim.lineage.at_most(trust), claim.subject, claim.predicate)):
            start = self.tx.now if claim.start is None else claim.start
            end = claim.end if isinstance(claim.end, int) else None
            self._keep(item, claim.action, fact, start, end, held_back=True, trust=trust)
            return Recorded(fact_id, "quarantined")
        state = self.loaded.state(item)
        start = self._start(claim, state, fact_id)
        end = claim.end if isinstance(claim.end, int) else None
        if end is not None and end <= start:
            check_order(start, end)
        if claim.action == "record" and claim.polarity and state.is_empty:
            # The first thing said here, as most of a large batch: nothing to compare it with.
            new = self._keep(item, claim.action, fact, start, end, trust=trust)
            state.begin(AssertedPeriod(new.order, fact_id, start, end))
            return Recorded(fact_id, "recorded")
        superseded: list[int] = []
        if claim.action == "correct":
            start, end, superseded = self._correct(item, state, start, end)
        elif claim.end is OPEN and not item.group.by_thing:
            superseded = self._make_room(item, state, start)
        if self._says_enough(claim, state, fact_id, start, end):
            return Recorded(fact_id, "unchanged")
        new = self._keep(item, claim.action, fact, start, end, trust=trust)
        effect = Effect.HOLDS if claim.polarity else Effect.ENDS
        outcome = state.add(AssertedPeriod(new.order, fact_id, start, end, effect))
        self._close(outcome, fact_id, "superseded")
        superseded += outcome.others(fact_id)
        if item.wide:
            superseded += self._end_others(item, new, fact_id)
        status = outcome.status(fact_id)
        if claim.premises and self._reopen_for_premises(state, outcome, fact_id):
            status = "extended"
        return Recorded(fact_id, status, tuple(dict.fromkeys(superseded)))

    def _start(self, claim: Claim, state: SlotState, fact_id: int) -> int:
        start = self.tx.now if claim.start is None else claim.start
        if claim.start is not None and not claim.by_clock:
            return start
        floor = self._not_before(start, state, fact_id)
        return start if isinstance(claim.end, int) and claim.end <= floor else floor

    def _not_before(self, reading: int, state: SlotState, fact_id: int) -> int:
        """The clock's reading as a moment on the valid axis: after everything said before, in system order.

        A clock that was set back reads earlier than what it follows. What was dated ahead when it was said
        (it begins later than its own system time) is still to come, and is not followed.
        """
        moment = reading
        for claim, row in state.starts():
            if claim.effect is Effect.ENDS and not claim.means(fact_id):
                continue
            recorded_at = self._now if row is None else row.system_from
            if reading < claim.start <= recorded_at:
                # A millisecond later, so that both keep a place in the history.
                moment = max(moment, claim.start + (claim.value != fact_id))
        return moment

    def _correct(
        self, item: Resolved, state: SlotState, start: int, end: int | None
    ) -> tuple[int, int | None, list[int]]:
        """Take back what is corrected over its whole period, which the new value has if it gives none."""
        assert item.fact is not None
        own = self.loaded.effective(item.fact)
        corrected = self._held_last(item, own, at=start)
        if corrected is None:
            return start, end, []
        where, span = corrected
        winner = where.slot.winner(max(span.start, min(start, (span.end or FOREVER) - 1)))
        denial = self._keep(item, "retract", self._as_named(span.fact_id, item), span.start, span.end)
        outcome = where.add(AssertedPeriod(denial.order, span.fact_id, span.start, span.end, Effect.DENIES))
        self._close(outcome, own, "corrected")
        if item.claim.start is None or item.claim.by_clock:
            start = span.start
            if end is None and winner is not None and winner.end is not None and winner.end > start:
                end = winner.end
        return start, end, [span.fact_id]

    def _as_named(self, fact_id: int, item: Resolved) -> FactRow:
        """A fact, of the subject that a claim names: a split takes back what was said in another's name."""
        fact = self.names.facts[fact_id]
        if fact.subject_entity_id == item.subject:
            return fact
        return self.names.facts[self.names.fact_like(fact, item.subject, fact.object_entity_id)]

    def _held_last(self, item: Resolved, own: int, *, at: int) -> tuple[SlotState, LiveSpan] | None:
        """What a correction means: what its slot holds then, or the value of the predicate learned last."""
        if not item.group.by_thing:
            state = self.loaded.state(item)
            other_spans = [span for span in state.spans if span.fact_id != own]
            now = [span for span in other_spans if span.start <= at and (span.end is None or at < span.end)]
            return (state, (now or other_spans)[-1]) if other_spans else None
        latest = [
            (state, span)
            for state in self.loaded.of_statement(item)
            for span in state.spans
            if span.fact_id != own
            and self.names.facts[span.fact_id].predicate_id == item.predicate.predicate_id
        ]
        return max(latest, key=lambda pair: _learned(pair[1]), default=None)

    def _make_room(self, item: Resolved, state: SlotState, start: int) -> list[int]:
        """No other value counts from `start` on, also none that begins later."""
        assert item.fact is not None
        own = self.loaded.effective(item.fact)
        if not any(span.fact_id != own and (span.end is None or span.end > start) for span in state.spans):
            return []
        denial = self._keep(item, "retract", None, start, None)
        outcome = state.add(AssertedPeriod(denial.order, None, start, None, Effect.DENIES))
        self._close(outcome, own, "superseded")
        return list(outcome.others(own))

    def _end_others(self, item: Resolved, new: NewAssertion, fact_id: int) -> list[int]:
        """Where each value competes apart, a replacement ends the others."""
        ended: list[int] = []
        for state in self.loaded.of_statement(item):
            for other in state.met(item.predicate.predicate_id):
                if other != fact_id:
                    outcome = state.add(AssertedPeriod(new.order, other, new.start, new.end, Effect.ENDS))
                    self._close(outcome, fact_id, "superseded")
                    ended += [span.fact_id for span in outcome.closed]
        return ended

    def _says_enough(self, claim: Claim, state: SlotState, fact_id: int, start: int, end: int | None) -> bool:
        """Whether a whole frame says by being there what rests on as much evidence as is kept."""
        if self.max_evidence is None or not claim.holds or claim.by_hand:
            return False
        if not self.cap_all and any(piece.start is not None for piece in claim.evidence):
            return False
        span = next((span for span in state.spans if _covers(span, start, end)), None)
        if span is None or span.fact_id != fact_id or not self._has_enough(span):
            return False
        self.left_out += len(claim.evidence)
        return True

    def _has_enough(self, span: LiveSpan) -> bool:
        assert self.max_evidence is not None
        count = self._pieces.get(span.fact_id, 0)
        if span.row is not None:
            sql = (
                "SELECT count(*) FROM fact_support p JOIN fact_evidence v ON v.assertion_id = p.assertion_id "
                "WHERE p.span_id = ?"
            )
            count += scalar(self.tx.db, sql, (span.row.span_id,))
        return count >= self.max_evidence

    def _taint(self, claim: Claim) -> tuple[int, bool]:
        """Trust is no higher than that of the premises; what follows from a quarantined one is there too."""
        trust = claim.lineage.trust
        sql = (
            "SELECT x.fact_id, max(x.trust), min(CASE WHEN x.held_back = 1 AND NOT EXISTS (SELECT 1 "
            "FROM fact_ruling r WHERE r.assertion_id = x.assertion_id AND r.until IS NULL "
            "AND r.confirmed = 1) THEN 1 ELSE 0 END) FROM fact_assertion x WHERE {} GROUP BY x.fact_id"
        )
        tainted = False
        for batch in batched(sorted(claim.premises)):
            clause = among("x.fact_id", batch) & Clause("x.action <> 'retract'")
            for _, level, held_back in self.tx.db.all(sql.format(clause.sql), clause.values):
                trust = min(trust, int(level))
                tainted = tainted or bool(held_back)
        return trust, tainted

    def _reopen_for_premises(self, state: SlotState, outcome: Outcome, fact_id: int) -> bool:
        """A stored span cannot become a derived one: it is recorded again."""
        reopened = False
        for index, span in enumerate(state.spans):
            if span not in outcome.after or span.fact_id != fact_id:
                continue
            if span.row is not None and not span.row.derived:
                state.spans[index] = LiveSpan(span.fact_id, span.start, span.end)
                self.reasons.setdefault(span.row.span_id, "extended")
                reopened = True
        return reopened

    # Ending and taking back

    def _take_back(self, item: Resolved) -> Retracted:
        claim = item.claim
        if claim.value is not None and item.fact is None:
            return Retracted((), 0)
        states = self.loaded.of_statement(item) if item.wide else [self.loaded.state(item)]
        spans = [(state, span) for state in states for span in self._meant(item, state)]
        if claim.action == "retract":
            return self._retract(item, states, spans)
        own = None if item.fact is None else self.loaded.effective(item.fact)
        until = self.tx.now if claim.start is None else claim.start
        if claim.start is None or claim.by_clock:
            until = max([self._not_before(until, state, own or 0) for state in states], default=until)
        lasting = [(state, span) for state, span in spans if span.end is None or span.end > until]
        if not claim.lenient:
            for _, span in lasting:
                if span.start >= until:
                    began, ended = format_ms(span.start), format_ms(until)
                    raise InvalidInput(
                        f"It began at {began}, so it cannot have ended at {ended}.",
                        hint="Retract it without valid_to if it was never so.",
                    )
            if not lasting and not claim.keep and not any(_says(state, own) for state in states):
                return Retracted((), 0)
        end = claim.end if isinstance(claim.end, int) else None
        new = self._keep(item, "end", item.fact, until, end)
        return self._applied(item, new, states, own, Effect.ENDS)

    def _retract(
        self,
        item: Resolved,
        states: Sequence[SlotState],
        spans: Sequence[tuple[SlotState, LiveSpan]],
    ) -> Retracted:
        claim = item.claim
        start, end = ALWAYS, None
        if claim.span_id is not None:
            meant = [span for _, span in spans if span.row is not None and span.row.span_id == claim.span_id]
            if not meant:
                return Retracted((), 0)
            start, end = meant[0].start, meant[0].end
        own = None if item.fact is None else self.loaded.effective(item.fact)
        if not spans and not any(_says(state, own) for state in states):
            return Retracted((), 0)
        new = self._keep(item, "retract", item.fact, start, end)
        return self._applied(item, new, states, own, Effect.DENIES)

    def _applied(
        self,
        item: Resolved,
        new: NewAssertion,
        states: Sequence[SlotState],
        own: int | None,
        effect: Effect,
    ) -> Retracted:
        reason = item.claim.reason or ("ended" if effect is Effect.ENDS else "retracted")
        closed: list[LiveSpan] = []
        for state in states:
            values = state.met(item.predicate.predicate_id) if item.wide else [own]
            for value in values:
                outcome = state.add(AssertedPeriod(new.order, value, new.start, new.end, effect))
                self._close(outcome, None, reason)
                closed += [span for span in outcome.closed if own is None or span.fact_id == own]
        return Retracted(tuple(dict.fromkeys(span.fact_id for span in closed)), len(closed))

    def _meant(self, item: Resolved, state: SlotState) -> list[LiveSpan]:
        if item.fact is not None:
            own = self.loaded.effective(item.fact)
            return [span for span in state.spans if span.fact_id == own]
        if not item.group.by_thing:
            return list(state.spans)
        predicate = item.predicate.predicate_id
        return [span for span in state.spans if self.names.facts[span.fact_id].predicate_id == predicate]

    # What to store

    def _keep(
        self,
        item: Resolved,
        action: Action,
        fact: FactRow | None,
        start: int,
        end: int | None,
        *,
        held_back: bool = False,
        trust: int | None = None,
    ) -> NewAssertion:
        new = NewAssertion(
            self._order, item, action, fact, start, end, held_back,
            item.claim.lineage.trust if trust is None else trust,
        )  # fmt: skip
        self._order += 1
        self.assertions.append(new)
        if fact is not None and not held_back and item.claim.evidence:
            fact_id = self.loaded.effective(fact)
            self._pieces[fact_id] = self._pieces.get(fact_id, 0) + len(item.claim.evidence)
        return new

    def _close(self, outcome: Outcome, own: int | None, reason: str) -> None:
        for span in outcome.closed:
            if span.row is not None:
                self.reasons[span.row.span_id] = "extended" if span.fact_id == own else reason


def _says(state: SlotState, value: int | None) -> bool:
    """Whether something was said of a value and not taken back since, though nothing may follow from it."""
    return any(
        (value is None or claim.value == value)
        and not any(
            item.order > claim.order
            and item.means(claim.value)
            and item.start <= claim.start
            and item.end is None
            for item in state.slot.denials
        )
        for claim in state.slot.claims
    )


def _learned(span: LiveSpan) -> tuple[int, int]:
    return (2**63 if span.row is None else span.row.span_id, span.start)


def _covers(span: LiveSpan, start: int, end: int | None) -> bool:
    return span.start <= start and (span.end is None or (end is not None and end <= span.end))
