"""Loading slots: the assertions that can matter, and the spans that are open.

A new assertion changes what is held in its own period only, and nothing that starts earlier can win there. So
assertions that start earlier are not needed, unless something is taken back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from longmind.base.times import FOREVER
from longmind.facts.belief import AssertedPeriod, Effect
from longmind.facts.canonical import ObjectKind, canonical_text
from longmind.facts.rows import (
    AssertionRow,
    FactRow,
    PredicateRow,
    SpanRow,
    join,
    select,
    select_among,
)
from longmind.facts.slot_state import LiveSpan, SlotState
from longmind.facts.slots import Group
from longmind.facts.statements import Resolved, Resolver, SlotKey
from longmind.facts.values import OPEN
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both

SUPPORTED: Final = (
    "NOT EXISTS (SELECT 1 FROM fact_lapse l WHERE l.assertion_id = x.assertion_id AND l.until IS NULL) "
    "AND (x.by_hand = 1 OR EXISTS (SELECT 1 FROM fact_evidence v JOIN frame f ON f.frame_id = v.frame_id "
    "WHERE v.assertion_id = x.assertion_id AND f.retired_at IS NULL) "
    "OR EXISTS (SELECT 1 FROM fact_evidence v JOIN frame f ON f.frame_id = v.frame_id "
    "WHERE v.fact_id = x.fact_id AND f.retired_at IS NULL))"
)
CONFIRMED: Final = (
    "(x.held_back = 0 OR EXISTS (SELECT 1 FROM fact_ruling r "
    "WHERE r.assertion_id = x.assertion_id AND r.until IS NULL AND r.confirmed = 1))"
)
"""With `SUPPORTED`, the assertions `x` that count: their evidence is live, or someone stands for them."""

_SPANS: Final = join((FactRow, "c"), (SpanRow, "s"))
StatementKey = tuple[int, str, bytes | None]


class Loader:
    """The slots that a transaction touches, by key."""

    def __init__(self, names: Resolver) -> None:
        self.names = names
        self.db = names.tx.db
        self.slots: dict[SlotKey, SlotState] = {}
        self._wide: dict[StatementKey, list[AssertionRow]] = defaultdict(list)
        """Assertions about every value of predicates of which each value competes apart."""
        self._members: dict[int, list[int]] = defaultdict(list)
        for entity, whole in names.same.items():
            self._members[whole].append(entity)
        self._effective: dict[int, int] = {}
        self._by_fact: dict[int, SlotState] = {}

    # Names of things

    def one(self, entity_id: int) -> int:
        """The entity that stands for one."""
        return self.names.same.get(entity_id, entity_id)

    def effective(self, fact: FactRow) -> int:
        """The fact that is held where this one was said: the same, of the entities that stand for its own."""
        if not self.names.same:
            return fact.fact_id
        if fact.fact_id not in self._effective:
            self._effective[fact.fact_id] = self._represented(fact)
        return self._effective[fact.fact_id]

    def _represented(self, fact: FactRow) -> int:
        subject = self.one(fact.subject_entity_id)
        value = None if fact.object_entity_id is None else self.one(fact.object_entity_id)
        if (subject, value) == (fact.subject_entity_id, fact.object_entity_id):
            return fact.fact_id
        return self.names.fact_like(fact, subject, value)

    def group_of(self, predicate: PredicateRow) -> Group:
        return self.names.group_of(predicate)

    def key_of(self, fact: FactRow, predicate: PredicateRow) -> SlotKey:
        """The slot in which a fact competes."""
        competing = self.group_of(predicate)
        thing: object = None
        if competing.by_thing:
            thing = self._thing(fact) if len(competing.predicates) > 1 else self.effective(fact)
        return self.one(fact.subject_entity_id), competing.name, fact.qualifiers_hash, thing

    def _thing(self, fact: FactRow) -> object:
        if fact.object_kind == ObjectKind.TEXT:
            return canonical_text(fact.object_text or "")
        if fact.object_kind == ObjectKind.ENTITY:
            assert fact.object_entity_id is not None
            return self.names.entity(self.one(fact.object_entity_id)).key_norm
        return self.effective(fact)

    # Slots

    def state(self, item: Resolved) -> SlotState:
        """The slot of a claim about one value, or about whatever a slot of one value holds."""
        if item.fact is not None:
            return self.state_of(item.fact, item.predicate)
        return self._state((self.one(item.subject), item.group.name, item.qualifiers, None))

    def state_of(self, fact: FactRow, predicate: PredicateRow) -> SlotState:
        loaded = self._by_fact.get(fact.fact_id)
        if loaded is None:
            loaded = self._by_fact[fact.fact_id] = self._state(self.key_of(fact, predicate))
            self._meet(loaded, fact, predicate)
        return loaded

    def of_statement(self, item: Resolved) -> list[SlotState]:
        """All slots of a statement of which each value competes apart."""
        slot_key = (self.one(item.subject), item.group.name, item.qualifiers)
        return [state for key, state in self.slots.items() if key[:3] == slot_key]

    def _state(self, key: SlotKey) -> SlotState:
        if key not in self.slots:
            self.slots[key] = SlotState()
        return self.slots[key]

    def _meet(self, state: SlotState, fact: FactRow, predicate: PredicateRow) -> None:
        """Count a value in; what was said of every value was said of it too."""
        fact_id = self.effective(fact)
        if fact_id in state.facts:
            return
        state.facts[fact_id] = predicate.predicate_id
        if not self._wide:
            return
        statement = (self.one(fact.subject_entity_id), self.group_of(predicate).name, fact.qualifiers_hash)
        for row in self._wide.get(statement, ()):
            if row.predicate_id == predicate.predicate_id:
                state.slot.add(self._said(row, fact_id))

    def _said(self, row: AssertionRow, value: int | None) -> AssertedPeriod:
        if row.action == "retract":
            effect = Effect.DENIES
        elif row.action == "end" or not row.polarity:
            effect = Effect.ENDS
        else:
            effect = Effect.HOLDS
            if row.action == "replace" and row.fact_id is not None and value is not None:
                own = self.effective(self.names.facts[row.fact_id])
                effect = Effect.HOLDS if own == value else Effect.ENDS
        return AssertedPeriod(row.assertion_id, value, row.valid_from, row.valid_to, effect)

    # Loading

    def load(self, items: Sequence[Resolved], *, now: int) -> None:
        """What the claims may touch: whole statements where values exclude each other, else facts."""
        statements: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        facts: set[int] = set()
        wide: set[tuple[int, int]] = set()
        since, new, whole = FOREVER, self.names.new_predicates, []
        predicates_of: dict[str, tuple[int, ...]] = {}
        for item in items:
            reach = self._reach(item, now)
            if reach == -FOREVER:
                whole.append(item)
            if item.subject in self.names.new_entities:
                continue  # nothing was ever said of it
            predicates = predicates_of.get(item.group.name)
            if predicates is None:
                predicates = predicates_of[item.group.name] = self._predicates(item.group)
            if item.predicate.predicate_id in new and new.issuperset(predicates):
                continue  # nothing was ever said with them
            members = self._class(item.subject)
            if self._needs_statement(item, members):
                key = (members, predicates)
                statements[key] = min(reach, statements.get(key, FOREVER))
            else:
                facts.update(self.names.found(item.hashes))
                if item.fact is not None:
                    facts.add(item.fact.fact_id)
                wide.add((item.subject, item.predicate.predicate_id))
                since = min(since, reach)
        facts -= self.names.new_facts
        self._load_rows(self._clauses(statements, facts, wide, since, "x"))
        self._load_spans(self._clauses(statements, facts, set(), since, "c"))
        for item in whole:
            states = self.of_statement(item) if item.group.by_thing else [self.state(item)]
            for state in states:
                state.complete = True

    def load_whole(self, rows: Iterable[AssertionRow]) -> list[SlotState]:
        """The slots of some assertions with everything that was ever said there, and is live."""
        facts: set[int] = set()
        wide: set[tuple[int, int]] = set()
        statements: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        listed = list(rows)
        self.names.load_predicates({row.predicate_id for row in listed})
        fact_ids = {row.fact_id for row in listed if row.fact_id is not None}
        self.names.add_facts(select_among(self.db, FactRow, "fact_id", fact_ids))
        for row in listed:
            competing = self.group_of(self.names.predicate(row.predicate_id))
            members = self._class(row.subject_entity_id)
            single = len(competing.predicates) == 1 and len(members) == 1 and not self.names.same
            if competing.by_thing and single and row.fact_id is not None and row.action != "replace":
                facts.add(row.fact_id)
                wide.add((row.subject_entity_id, row.predicate_id))
            else:
                statements[members, self._predicates(competing)] = -FOREVER
        self._load_rows(self._clauses(statements, facts, wide, -FOREVER, "x"))
        self._load_spans(self._clauses(statements, facts, set(), -FOREVER, "c"))
        touched: dict[int, SlotState] = {}
        for row in listed:
            for state in self._states_of_row(row):
                state.complete = True
                touched[id(state)] = state
        return list(touched.values())

    def load_statements(self, pairs: Iterable[tuple[int, int]]) -> list[SlotState]:
        """Everything that is live in the statements of these subjects and predicates."""
        statements: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        listed = sorted(set(pairs))
        self.names.load_predicates({predicate for _, predicate in listed})
        for subject, predicate in listed:
            competing = self.group_of(self.names.predicate(predicate))
            statements[self._class(subject), self._predicates(competing)] = -FOREVER
        self._load_rows(self._clauses(statements, set(), set(), -FOREVER, "x"))
        self._load_spans(self._clauses(statements, set(), set(), -FOREVER, "c"))
        for state in self.slots.values():
            state.complete = True
        return list(self.slots.values())

    def _states_of_row(self, row: AssertionRow) -> list[SlotState]:
        predicate = self.names.predicate(row.predicate_id)
        competing = self.group_of(predicate)
        if row.fact_id is not None and row.action != "replace":
            return [self.state_of(self.names.facts[row.fact_id], predicate)]
        statement = (self.one(row.subject_entity_id), competing.name, row.qualifiers_hash)
        if not competing.by_thing:
            return [self._state((*statement, None))]
        return [state for key, state in self.slots.items() if key[:3] == statement]

    def _needs_statement(self, item: Resolved, members: tuple[int, ...]) -> bool:
        alone = len(members) == 1 and not self.names.same
        return not (item.group.by_thing and not item.wide and item.claim.action != "correct" and alone)

    def _reach(self, item: Resolved, now: int) -> int:
        """The earliest instant from which assertions matter; the beginning of time where all do."""
        claim = item.claim
        whole = claim.action in ("retract", "correct") or (claim.action == "end" and not claim.lenient)
        if whole or claim.end is OPEN:
            return -FOREVER
        return now if claim.start is None else min(now, claim.start) if claim.by_clock else claim.start

    def _class(self, entity_id: int) -> tuple[int, ...]:
        whole = self.one(entity_id)
        return (whole, *self._members.get(whole, ()))

    def _predicates(self, competing: Group) -> tuple[int, ...]:
        return tuple(sorted(self.names.predicate_ids(competing.predicates)))

    def _clauses(
        self,
        statements: dict[tuple[tuple[int, ...], tuple[int, ...]], int],
        facts: set[int],
        wide: set[tuple[int, int]],
        since: int,
        table: str,
    ) -> list[Clause]:
        by_subject: dict[tuple[tuple[int, ...], int], set[int]] = defaultdict(set)
        for (alike, predicates), reach in statements.items():
            by_subject[predicates, reach].update(alike)
        if len(by_subject) > 8:  # a large batch: fewer questions, each with more in its answer
            joined: dict[tuple[tuple[int, ...], int], set[int]] = defaultdict(set)
            for (predicates, _), members in by_subject.items():
                joined[predicates, -FOREVER].update(members)
            by_subject = joined
        clauses = []
        for (predicates, reach), members in by_subject.items():
            named = among(f"{table}.predicate_id", predicates) & _later(table, reach)
            clauses += [
                among(f"{table}.subject_entity_id", batch) & named for batch in batched(sorted(members))
            ]
        clauses += [
            among(f"{table}.fact_id", batch) & _later(table, since) for batch in batched(sorted(facts))
        ]
        if wide:
            every = Clause("(x.fact_id IS NULL OR x.action = 'replace')")
            by_predicate: dict[int, set[int]] = defaultdict(set)
            for subject, predicate in wide:
                by_predicate[predicate].add(subject)
            clauses += [
                Clause("x.predicate_id = ?", (predicate,)) & among("x.subject_entity_id", batch) & every
                for predicate, subjects in by_predicate.items()
                for batch in batched(sorted(subjects))
            ]
        return clauses

    def _load_rows(self, clauses: Sequence[Clause]) -> None:
        rows: dict[int, AssertionRow] = {}
        for clause in clauses:
            for row in select(self.db, AssertionRow, f"{clause.sql} AND x.system_to IS NULL", clause.values):
                rows[row.assertion_id] = row
        if not rows:
            return
        # Asked apart, because most find no rows at all, and what is recorded by hand needs no evidence.
        some_lapsed = self.names.tx.known("fact_lapse", "", self._has_lapses)
        sure = {
            row.assertion_id for row in rows.values() if row.by_hand and not row.held_back and not some_lapsed
        }
        live = sure | self._live([number for number in rows if number not in sure])
        listed = [row for row in rows.values() if row.assertion_id in live]
        missing = {row.fact_id for row in listed if row.fact_id is not None} - self.names.facts.keys()
        self.names.add_facts(select_among(self.db, FactRow, "fact_id", missing))
        self.take(listed)

    def _has_lapses(self) -> bool:
        return self.db.one("SELECT 1 FROM fact_lapse LIMIT 1") is not None

    def _live(self, numbers: Sequence[int]) -> set[int]:
        live: set[int] = set()
        for batch in batched(numbers):
            clause = both([among("x.assertion_id", batch), Clause(CONFIRMED), Clause(SUPPORTED)])
            sql = f"SELECT x.assertion_id FROM fact_assertion x WHERE {clause.sql}"
            live.update(int(row[0]) for row in self.db.all(sql, clause.values))
        return live

    def take(self, rows: Iterable[AssertionRow]) -> None:
        """Put live assertions, whose facts are known, into their slots."""
        self._load_objects()
        wide: list[AssertionRow] = []
        narrow: list[AssertionRow] = []
        for row in rows:
            by_thing = self.group_of(self.names.predicate(row.predicate_id)).by_thing
            (wide if by_thing and (row.fact_id is None or row.action == "replace") else narrow).append(row)
        for row in wide:
            predicate = self.names.predicate(row.predicate_id)
            statement = (self.one(row.subject_entity_id), self.group_of(predicate).name, row.qualifiers_hash)
            self._wide[statement].append(row)
        for row in (*narrow, *(row for row in wide if row.fact_id is not None)):
            self._take_one(row, wide=row.action == "replace" and row in wide)

    def _take_one(self, row: AssertionRow, *, wide: bool) -> None:
        predicate = self.names.predicate(row.predicate_id)
        if row.fact_id is None:
            key = (self.one(row.subject_entity_id), self.group_of(predicate).name, row.qualifiers_hash, None)
            state, value = self._state(key), None
        else:
            fact = self.names.facts[row.fact_id]
            state, value = self.state_of(fact, predicate), self.effective(fact)
        state.rows[row.assertion_id] = row
        if not wide:
            state.slot.add(self._said(row, value))

    def _load_spans(self, clauses: Sequence[Clause]) -> None:
        by_span: dict[int, tuple[FactRow, SpanRow]] = {}
        for clause in clauses:
            sql = (
                f"SELECT {_SPANS.sql} FROM fact c JOIN fact_span s ON s.fact_id = c.fact_id "
                f"WHERE s.system_to IS NULL AND {clause.sql}"
            )
            for row in self.db.all(sql, clause.values):
                fact, span = _SPANS.read(row)
                by_span[span.span_id] = (fact, span)
        self.names.add_facts([fact for fact, _ in by_span.values()])
        self._load_objects()
        for fact, span in sorted(by_span.values(), key=lambda pair: pair[1].valid_from):
            state = self.state_of(fact, self.names.predicate(fact.predicate_id))
            state.stored += (span,)
            state.spans.append(LiveSpan(fact.fact_id, span.valid_from, span.valid_to, span))

    def _load_objects(self) -> None:
        """Entities that are values, where things are told apart by their names."""
        self.names.load_entities(
            {
                self.one(fact.object_entity_id)
                for fact in self.names.facts.values()
                if fact.object_entity_id is not None
            }
        )


def _later(table: str, reach: int) -> Clause:
    if reach == -FOREVER:
        return Clause("1 = 1")
    if table == "x":
        return Clause("(x.valid_from >= ? OR x.action = 'retract')", (reach,))
    # A span that ended earlier can neither overlap, touch nor follow what is said now.
    return Clause("(s.valid_to IS NULL OR s.valid_to >= ?)", (reach,))
