"""After an erase: the spans of a statement on both axes, worked out again from the assertions that are left.

At every system time at which something changed, what was live then is put into its slots again; what followed
from it lasts until the next change. Spans that come out as they are stored stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from longmind.facts import identity
from longmind.facts.canonical import span_key_hash
from longmind.facts.load import Loader
from longmind.facts.rows import (
    AssertionRow,
    EvidenceRow,
    ExpiryRow,
    FactRow,
    LapseRow,
    PremiseRow,
    RulingRow,
    SameRow,
    SpanRow,
    SupportRow,
    delete_among,
    insert,
    select,
    select_among,
)
from longmind.facts.spans import remove_spans
from longmind.facts.statements import Resolver
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

Rectangle = tuple[int, int, int | None]
"""A fact and the period in which it is held."""


@dataclass(slots=True)
class _Life:
    """A stretch of system time in which a rectangle was held."""

    fact_id: int
    start: int
    end: int | None
    since: int
    until: int | None = None
    supporters: set[int] = field(default_factory=set)


class Replay:
    """The statements of some assertions, in one ledger."""

    def __init__(self, tx: Transaction, ledger: str, rows: Iterable[AssertionRow]) -> None:
        self.tx = tx
        self.names = Resolver(tx, ledger)
        self.identities = select(tx.db, SameRow, "1 = 1")
        self.facts: set[int] = set()
        self.wanted: dict[tuple[int, ...], set[int]] = {}
        self.statements = {(row.subject_entity_id, row.predicate_id) for row in rows}

    def rewrite(self) -> int:
        """Store the spans that follow; return how many fewer there are. `facts` are those that lost one."""
        rows = self._rows()
        lives = self._lives(rows)
        return self._store(lives, {row.assertion_id: row for row in rows})

    def _rows(self) -> list[AssertionRow]:
        """Everything that was ever said in the slots of the statements, under any name they had."""
        db = self.tx.db
        self.names.load_predicates({predicate for _, predicate in self.statements})
        loader = Loader(self.names)
        slots: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for subject, predicate in self.statements:
            competing = loader.group_of(self.names.predicate(predicate))
            predicates = tuple(sorted(self.names.predicate_ids(competing.predicates)))
            slots[predicates].update(self._alike(subject))
        self.wanted = slots
        by_id: dict[int, AssertionRow] = {}
        for predicates, subjects in slots.items():
            also = among("x.predicate_id", predicates)
            for row in select_among(db, AssertionRow, "subject_entity_id", subjects, also=also):
                by_id[row.assertion_id] = row
        facts = {row.fact_id for row in by_id.values() if row.fact_id is not None}
        self.names.add_facts(select_among(db, FactRow, "fact_id", facts))
        return [by_id[number] for number in sorted(by_id)]

    def _alike(self, entity_id: int) -> set[int]:
        """Every entity that was ever held to be the same as one."""
        alike, more = {entity_id}, True
        while more:
            more = False
            for row in self.identities:
                pair = {row.entity_id, row.into_id}
                if pair & alike and not pair <= alike:
                    alike |= pair
                    more = True
        return alike

    def _lives(self, rows: list[AssertionRow]) -> list[_Life]:
        alive = _Alive(self.tx, rows)
        moments = sorted(
            {
                moment
                for moment in (
                    *alive.moments,
                    *(row.since for row in self.identities),
                    *(row.until for row in self.identities),
                )
                if moment is not None and moment <= self.tx.system
            }
        )
        lives: list[_Life] = []
        current: dict[Rectangle, _Life] = {}
        for moment in moments:
            beliefs = self._held([row for row in rows if alive.at(row, moment)], moment)
            for rectangle in [key for key in current if key not in beliefs]:
                current.pop(rectangle).until = moment
            for rectangle, supporters in beliefs.items():
                if rectangle not in current:
                    current[rectangle] = _Life(*rectangle, moment)
                    lives.append(current[rectangle])
                current[rectangle].supporters |= supporters
        return lives

    def _held(self, rows: list[AssertionRow], moment: int) -> dict[Rectangle, set[int]]:
        self.names.same = identity.at(self.identities, moment)
        loader = Loader(self.names)
        loader.take(rows)
        beliefs: dict[Rectangle, set[int]] = {}
        for state in loader.slots.values():
            state.refresh()
            for span in state.spans:
                beliefs[span.fact_id, span.start, span.end] = {
                    claim.order
                    for claim in (*state.slot.claims, *state.slot.endings)
                    if state.slot.speaks_for(claim, span.held)
                }
        return beliefs

    def _store(self, lives: list[_Life], rows: dict[int, AssertionRow]) -> int:
        tx = self.tx
        stored: dict[tuple[int, int, int | None, int], SpanRow] = {}
        for predicates, subjects in self.wanted.items():
            for batch in batched(sorted(subjects)):
                clause = among("c.subject_entity_id", batch) & among("c.predicate_id", predicates)
                inside = Clause(
                    f"x.fact_id IN (SELECT c.fact_id FROM fact c WHERE {clause.sql})", clause.values
                )
                for span in select(tx.db, SpanRow, inside.sql, inside.values):
                    stored[span.fact_id, span.valid_from, span.valid_to, span.system_from] = span
        fresh: list[_Life] = []
        supports: list[SupportRow] = []
        for life in lives:
            existing = stored.get((life.fact_id, life.start, life.end, life.since))
            if existing is None or existing.system_to != life.until:
                fresh.append(life)
                continue
            del stored[life.fact_id, life.start, life.end, life.since]
            supporting = {
                row.assertion_id for row in select_among(tx.db, SupportRow, "span_id", [existing.span_id])
            }
            supports += [
                SupportRow(existing.span_id, number) for number in sorted(life.supporters - supporting)
            ]
        self.facts = {span.fact_id for span in stored.values()}
        reasons = {key: span.reason for key, span in stored.items()}
        removed = remove_spans(tx.db, [span.span_id for span in stored.values()])
        facts = {life.fact_id for life in fresh} & self.names.new_facts
        insert(tx.db, [self.names.facts[fact_id] for fact_id in sorted(facts)])
        first = tx.allocate("fact_span", len(fresh)) if fresh else 0
        spans = []
        for span_id, life in enumerate(fresh, first):
            spans.append(self._span(span_id, life, rows, reasons))
            supports += [SupportRow(span_id, number) for number in sorted(life.supporters)]
        insert(tx.db, spans)
        insert(tx.db, supports)
        tx.changed_facts.update(self.facts, (span.fact_id for span in spans))
        tx.open_spans.clear()
        return max(0, removed - len(fresh))

    def _span(
        self,
        span_id: int,
        life: _Life,
        rows: dict[int, AssertionRow],
        reasons: dict[tuple[int, int, int | None, int], str | None],
    ) -> SpanRow:
        resting = [rows[number] for number in sorted(life.supporters) if number in rows]
        reason = reasons.get((life.fact_id, life.start, life.end, life.since)) or "evidence erased"
        return SpanRow(
            span_id,
            life.fact_id,
            resting[-1].space,
            life.start,
            life.end,
            life.since,
            life.until,
            max(row.by_hand for row in resting),
            max(row.derived for row in resting),
            None if life.until is None else reason,
            span_key_hash(life.fact_id, life.start, life.end, life.since),
            self.tx.now,
        )


class _Alive:
    """When each of some assertions counted, on the system axis."""

    def __init__(self, tx: Transaction, rows: Collection[AssertionRow]) -> None:
        db = tx.db
        numbers = [row.assertion_id for row in rows]
        facts = {row.fact_id for row in rows if row.fact_id is not None}
        self._evidence: dict[tuple[str, int], list[tuple[int, int | None]]] = defaultdict(list)
        self._rulings: dict[int, list[RulingRow]] = defaultdict(list)
        pieces = select_among(db, EvidenceRow, "assertion_id", numbers)
        pieces += select_among(db, EvidenceRow, "fact_id", facts)
        presence = _presence(db, sorted({piece.frame_id for piece in pieces}))
        for piece in pieces:
            owner = ("x", piece.assertion_id) if piece.assertion_id is not None else ("c", piece.fact_id or 0)
            self._evidence[owner] += [
                (max(since, piece.recorded_at), until)
                for since, until in presence[piece.frame_id]
                if until is None or until > piece.recorded_at
            ]
        self._lapses: dict[int, list[LapseRow]] = defaultdict(list)
        for lapse in select_among(db, LapseRow, "assertion_id", numbers):
            self._lapses[lapse.assertion_id].append(lapse)
        for ruling in select_among(db, RulingRow, "assertion_id", numbers):
            self._rulings[ruling.assertion_id].append(ruling)
        self.moments: set[int | None] = {
            moment for row in rows for moment in (row.system_from, row.system_to)
        }
        self.moments |= {moment for pairs in self._evidence.values() for pair in pairs for moment in pair}
        dated: list[RulingRow | LapseRow] = [row for group in self._rulings.values() for row in group]
        dated += [row for group in self._lapses.values() for row in group]
        self.moments |= {moment for row in dated for moment in (row.since, row.until)}

    def at(self, row: AssertionRow, moment: int) -> bool:
        if not _during(moment, row.system_from, row.system_to):
            return False
        if any(_during(moment, lapse.since, lapse.until) for lapse in self._lapses[row.assertion_id]):
            return False
        if row.held_back and not any(
            ruling.confirmed and _during(moment, ruling.since, ruling.until)
            for ruling in self._rulings[row.assertion_id]
        ):
            return False
        if row.by_hand:
            return True
        pieces = [*self._evidence["x", row.assertion_id], *self._evidence["c", row.fact_id or 0]]
        return any(_during(moment, since, until) for since, until in pieces)


def _presence(db: Connection, frame_ids: Sequence[int]) -> dict[int, list[tuple[int, int | None]]]:
    """By frame, the stretches of system time in which it was there: it may have been away in between."""
    away: dict[int, list[tuple[int, int]]] = defaultdict(list)
    presence: dict[int, list[tuple[int, int | None]]] = {}
    for batch in batched(frame_ids):
        clause = among("a.frame_id", batch)
        sql = f"SELECT a.frame_id, a.since, a.until FROM frame_absence a WHERE {clause.sql} ORDER BY 1, 2"
        for frame_id, since, until in db.all(sql, clause.values):
            away[frame_id].append((since, until))
        clause = among("f.frame_id", batch)
        sql = f"SELECT f.frame_id, f.recorded_at, f.retired_at FROM frame f WHERE {clause.sql}"
        for frame_id, since, retired in db.all(sql, clause.values):
            presence[frame_id] = []
            for left, back in away[frame_id]:
                presence[frame_id].append((since, left))
                since = back
            presence[frame_id].append((since, retired))
    return presence


def _during(moment: int, since: int, until: int | None) -> bool:
    return since <= moment and (until is None or moment < until)


def forget_assertions(tx: Transaction, rows: Collection[AssertionRow]) -> dict[str, int]:
    """Remove assertions, and whatever stands only with them; inside an erase."""
    numbers = [row.assertion_id for row in rows]
    return {
        "fact_evidence": delete_among(tx.db, EvidenceRow, "assertion_id", numbers),
        "fact_support": delete_among(tx.db, SupportRow, "assertion_id", numbers),
        "fact_premise": delete_among(tx.db, PremiseRow, "assertion_id", numbers),
        "fact_ruling": delete_among(tx.db, RulingRow, "assertion_id", numbers),
        "fact_expiry": delete_among(tx.db, ExpiryRow, "assertion_id", numbers),
        "fact_lapse": delete_among(tx.db, LapseRow, "assertion_id", numbers),
        "fact_assertion": delete_among(tx.db, AssertionRow, "assertion_id", numbers),
    }
