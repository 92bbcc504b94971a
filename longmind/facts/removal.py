"""What becomes of facts when the frames they rest on go: retracted with a reason, or erased with them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from longmind.facts import suppression
from longmind.facts.canonical import alias_norm, encode_value
from longmind.facts.load import SUPPORTED, Loader
from longmind.facts.replay import Replay, forget_assertions
from longmind.facts.rows import (
    TABLES,
    AliasRow,
    AssertionRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    PremiseRow,
    SameRow,
    SpanRow,
    SupportRow,
    close,
    delete_among,
    insert,
    join,
    kind_of,
    select,
    select_among,
    stored_object,
    update,
)
from longmind.facts.slot_state import LiveSpan, SlotState
from longmind.facts.spans import settle
from longmind.facts.statements import Claim, Resolver
from longmind.facts.values import Typed, untyped
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

_RESTING: Final = join((AssertionRow, "x"))


def retire(tx: Transaction, frame_ids: Sequence[int], *, reason: str) -> int:
    """What only these retired frames said counts no longer: its slots are worked out again."""
    resting = _resting_on(tx.db, frame_ids, also=f"NOT ({SUPPORTED})")
    closed = refresh(tx, resting, reason=f"evidence {reason}")
    names = select_among(tx.db, AliasRow, "frame_id", frame_ids, also=Clause("x.until IS NULL"))
    if names:
        close(tx, names)
    return closed


def refresh(tx: Transaction, rows: Sequence[AssertionRow], *, reason: str) -> int:
    """Work out the slots of some assertions again; return how many spans were closed."""
    closed = 0
    for ledger, group in _by_ledger(rows).items():
        loaded = Loader(Resolver(tx, ledger))
        states = loaded.load_whole(group)
        stated = [loaded.names.facts[row.fact_id] for row in group if row.fact_id is not None]
        fact_ids = set(map(loaded.effective, stated))
        closed += len(store_again(tx, loaded, states, said=fact_ids, reason=reason))
    return closed


def store_again(
    tx: Transaction,
    loaded: Loader,
    states: Sequence[SlotState],
    *,
    said: Set[int],
    reason: str,
    new: Mapping[int, AssertionRow] | None = None,
    anew: Set[int] = frozenset(),
) -> list[SpanRow]:
    """Store what follows in slots that were loaded whole; `reason` is why spans of the facts `said` close.

    Spans with the numbers `anew` are closed and opened again, because what they rest on is not the same.
    """
    reopened: dict[int, str] = {}
    for state in states:
        state.refresh()
        for index, span in enumerate(state.spans):
            if span.row is not None and span.row.span_id in anew:
                reopened[span.row.span_id] = "extended"
                state.spans[index] = LiveSpan(span.fact_id, span.start, span.end)
    names = loaded.names
    needed = {span.fact_id for state in states for span in state.spans} & names.new_facts
    insert(tx.db, [names.facts[fact_id] for fact_id in sorted(needed)])
    reasons = {row.span_id: "extended" for state in states for row in state.stored if row.fact_id not in said}
    reasons |= reopened
    return settle(tx, states, reasons=reasons, reason=reason, new=new)


def erase(tx: Transaction, frame_ids: Sequence[int]) -> dict[str, int]:
    """Remove the evidence in these frames, and the assertions that rest on nothing else, names included.

    What was held is worked out again from the rest, for every time at which it could be asked for.
    """
    counts: Counter[str] = Counter()
    mentioned = _Mentioned()
    resting = _resting_on(tx.db, frame_ids)
    mentioned.entities |= {row.entity_id for row in select_among(tx.db, AliasRow, "frame_id", frame_ids)}
    counts["fact_evidence"] += delete_among(tx.db, EvidenceRow, "frame_id", frame_ids)
    counts["fact_alias"] += delete_among(tx.db, AliasRow, "frame_id", frame_ids)
    supported = _with_evidence(tx.db, resting)
    orphans = [row for row in resting if row.assertion_id not in supported]
    counts.update(_erase_assertions(tx, orphans, mentioned, touched=resting))
    _sweep(tx.db, counts, mentioned)
    return dict(counts)


def erase_facts(tx: Transaction, rows: Sequence[AssertionRow]) -> dict[str, int]:
    """Remove assertions, whoever made them; what is held is worked out again from the rest."""
    mentioned = _Mentioned()
    counts: Counter[str] = Counter(_erase_assertions(tx, rows, mentioned, touched=rows))
    _sweep(tx.db, counts, mentioned)
    return dict(counts)


def erase_space(tx: Transaction, space: str) -> dict[str, int]:
    """Remove a space's whole ledger, and what was recorded from it for all; inside an erase transaction."""
    rows = select(tx.db, AssertionRow, "x.ledger = ? OR x.space = ?", (space, space))
    shared = [row for row in rows if row.ledger != space]
    counts: Counter[str] = Counter()
    mentioned = _Mentioned()
    fact_ids = {row.fact_id for row in select(tx.db, FactRow, "x.ledger = ?", (space,))}
    span_ids = {row.span_id for row in select_among(tx.db, SpanRow, "fact_id", fact_ids)}
    counts["fact_support"] += delete_among(tx.db, SupportRow, "span_id", span_ids)
    counts["fact_span"] += delete_among(tx.db, SpanRow, "span_id", span_ids)
    tx.open_spans.clear()
    counts.update(_erase_assertions(tx, rows, mentioned, touched=shared))
    _drop_facts(tx.db, fact_ids, counts, mentioned)
    inside = "SELECT entity_id FROM fact_entity WHERE ledger = ?"
    counts["fact_same"] += tx.db.run(f"DELETE FROM fact_same WHERE entity_id IN ({inside})", (space,))
    counts["fact_alias"] += tx.db.run(f"DELETE FROM fact_alias WHERE entity_id IN ({inside})", (space,))
    for kind in (PredicateRow, EntityRow):
        counts[TABLES[kind]] += tx.db.run(f"DELETE FROM {TABLES[kind]} WHERE ledger = ?", (space,))
    _sweep(tx.db, counts, mentioned)
    return dict(counts)


@dataclass(slots=True)
class _Mentioned:
    """The entities and predicates of what is removed: only those can be left without any mention."""

    entities: set[int] = field(default_factory=set)
    predicates: set[int] = field(default_factory=set)

    def add(self, rows: Iterable[AssertionRow | FactRow]) -> None:
        for row in rows:
            self.entities.add(row.subject_entity_id)
            self.predicates.add(row.predicate_id)
            if isinstance(row, FactRow) and row.object_entity_id is not None:
                self.entities.add(row.object_entity_id)


def _erase_assertions(
    tx: Transaction,
    rows: Sequence[AssertionRow],
    mentioned: _Mentioned,
    *,
    touched: Sequence[AssertionRow],
) -> Counter[str]:
    mentioned.add(rows)
    counts: Counter[str] = Counter(forget_assertions(tx, rows))
    facts = {row.fact_id for row in rows if row.fact_id is not None}
    for ledger, group in _by_ledger(touched).items():
        replay = Replay(tx, ledger, group)
        counts["fact_span"] += replay.rewrite()
        facts |= replay.facts
    _drop_facts(tx.db, facts, counts, mentioned)
    return counts


def _drop_facts(db: Connection, fact_ids: set[int], counts: Counter[str], mentioned: _Mentioned) -> None:
    """Remove those of the facts that nothing says and no span holds any more."""
    asserted = {row.fact_id for row in select_among(db, AssertionRow, "fact_id", fact_ids)}
    with_spans = {row.fact_id for row in select_among(db, SpanRow, "fact_id", fact_ids)}
    unused = fact_ids - asserted - with_spans
    mentioned.add(select_among(db, FactRow, "fact_id", unused))
    # What was derived from an erased fact keeps a mark that it was.
    derived = select_among(db, PremiseRow, "premise_fact_id", unused)
    marks = [row._replace(premise_fact_id=None) for row in derived]
    update(db, marks, ("premise_fact_id",))
    counts["fact_evidence"] += delete_among(db, EvidenceRow, "fact_id", unused)
    counts["fact"] += delete_among(db, FactRow, "fact_id", unused)


def assertions_of(
    db: Connection, entity_ids: Sequence[int], *, predicate: str | None, value: Typed | None
) -> list[AssertionRow]:
    """What was ever said of some entities, with any qualifiers and of any period."""
    rows = select_among(db, AssertionRow, "subject_entity_id", entity_ids)
    predicates = {
        row.predicate_id: row
        for row in select_among(db, PredicateRow, "predicate_id", {row.predicate_id for row in rows})
    }
    if predicate is not None:
        rows = [row for row in rows if predicates[row.predicate_id].key_norm == predicate]
    if value is None:
        return rows
    fact_ids = {row.fact_id for row in rows if row.fact_id is not None}
    facts = {row.fact_id: row for row in select_among(db, FactRow, "fact_id", fact_ids)}
    entities = {
        row.entity_id: row
        for row in select_among(
            db, EntityRow, "entity_id", {fact.object_entity_id for fact in facts.values()} - {None}
        )
    }
    return [
        row
        for row in rows
        if row.fact_id is not None
        and _same_value(facts[row.fact_id], entities, predicates[row.predicate_id], value)
    ]


def _same_value(
    fact: FactRow, entities: Mapping[int, EntityRow], predicate: PredicateRow, value: Typed
) -> bool:
    exact = bool(predicate.exact)
    entity = None if fact.object_entity_id is None else entities[fact.object_entity_id]
    encoded = encode_value(fact.object_kind, stored_object(fact, entity), exact=exact)
    return encoded == encode_value(*value, exact=exact)


def remaining(db: Connection, rows: Sequence[AssertionRow]) -> list[AssertionRow]:
    """Those of some assertions that are still there."""
    return select_among(db, AssertionRow, "assertion_id", [row.assertion_id for row in rows])


def statements_of(db: Connection, rows: Sequence[AssertionRow]) -> list[list[str]]:
    """What some assertions say, as it is known again in other words."""
    facts = select_among(db, FactRow, "fact_id", {row.fact_id for row in rows} - {None})
    mentioned = {row.subject_entity_id for row in facts} | {row.object_entity_id for row in facts}
    entities = {row.entity_id: row for row in select_among(db, EntityRow, "entity_id", mentioned - {None})}
    predicates = {
        row.predicate_id: row.key
        for row in select_among(db, PredicateRow, "predicate_id", {row.predicate_id for row in facts})
    }
    denied = {row.fact_id for row in rows if not row.polarity}
    statements = []
    for fact in facts:
        stored = stored_object(fact, entities.get(fact.object_entity_id or 0))
        value = untyped(kind_of(fact), stored)
        subject = entities[fact.subject_entity_id].key
        for holds in {True, fact.fact_id not in denied}:
            fields = suppression.statement_fields(subject, predicates[fact.predicate_id], value, holds=holds)
            statements.append(fields)
    return statements


def lift_suppression(tx: Transaction, ledger: str, claims: Sequence[Claim]) -> None:
    """What somebody records on purpose may also be read from texts again."""
    if suppression.secret_of(tx, ledger) is None:
        return
    stated = [
        suppression.statement_fields(
            str(claim.subject), str(claim.predicate), untyped(*claim.value), holds=claim.polarity
        )
        for claim in claims
        if claim.value is not None and claim.by_hand
    ]
    suppression.lift(tx, ledger, stated)


def forget_entities(db: Connection, entity_ids: Sequence[int]) -> dict[str, int]:
    """Remove the names of entities, and the entities themselves where no fact mentions them any more."""
    unused = among("entity_id", entity_ids) & Clause(f"NOT EXISTS ({_MENTIONED})")
    rows = db.all(f"SELECT entity_id FROM fact_entity WHERE {unused.sql}", unused.values)
    unused_ids = {int(row[0]) for row in rows}
    keys = {
        row.entity_id: alias_norm(row.key) for row in select_among(db, EntityRow, "entity_id", entity_ids)
    }
    names = [
        row.alias_id
        for row in select_among(db, AliasRow, "entity_id", entity_ids)
        if row.entity_id in unused_ids or row.alias_norm != keys[row.entity_id]
    ]
    counts = {"fact_alias": delete_among(db, AliasRow, "alias_id", names)}
    counts["fact_same"] = delete_among(db, SameRow, "entity_id", unused_ids)
    counts["fact_same"] += delete_among(db, SameRow, "into_id", unused_ids)
    return {**counts, "fact_entity": delete_among(db, EntityRow, "entity_id", unused_ids)}


def _resting_on(db: Connection, frame_ids: Sequence[int], *, also: str = "1 = 1") -> list[AssertionRow]:
    """Assertions not made by hand that these frames speak for."""
    by_id: dict[int, AssertionRow] = {}
    for batch in batched(sorted(set(frame_ids))):
        clause = among("w.frame_id", batch)
        for column in ("assertion_id", "fact_id"):
            sql = (
                f"SELECT {_RESTING.sql} FROM fact_evidence w "
                f"JOIN fact_assertion x ON x.{column} = w.{column} "
                f"WHERE x.by_hand = 0 AND {clause.sql} AND {also}"
            )
            for row in db.all(sql, clause.values):
                [item] = _RESTING.read(row)
                by_id[item.assertion_id] = item
    return [by_id[number] for number in sorted(by_id)]


def _with_evidence(db: Connection, rows: Sequence[AssertionRow]) -> set[int]:
    """Those of the assertions that have evidence of their own or of their fact."""
    direct = select_among(db, EvidenceRow, "assertion_id", [row.assertion_id for row in rows])
    shared = select_among(db, EvidenceRow, "fact_id", {row.fact_id for row in rows} - {None})
    facts = {piece.fact_id for piece in shared}
    supported = {piece.assertion_id for piece in direct if piece.assertion_id is not None}
    return supported | {row.assertion_id for row in rows if row.fact_id in facts and row.fact_id is not None}


def _by_ledger(rows: Iterable[AssertionRow]) -> dict[str, list[AssertionRow]]:
    grouped: dict[str, list[AssertionRow]] = defaultdict(list)
    for row in rows:
        grouped[row.ledger].append(row)
    return grouped


_MENTIONED = (
    "SELECT 1 FROM fact c WHERE c.subject_entity_id = fact_entity.entity_id "
    "UNION ALL SELECT 1 FROM fact c WHERE c.object_entity_id = fact_entity.entity_id "
    "UNION ALL SELECT 1 FROM fact_assertion x WHERE x.subject_entity_id = fact_entity.entity_id"
)


def _sweep(db: Connection, counts: Counter[str], mentioned: _Mentioned) -> None:
    """Remove those names that were only ever read from frames, and that nothing mentions any more."""
    unused: list[int] = []
    for batch in batched(sorted(mentioned.entities)):
        clause = among("entity_id", batch)
        rows = db.all(
            f"SELECT entity_id FROM fact_entity WHERE {clause.sql} AND by_hand = 0 "
            f"AND NOT EXISTS ({_MENTIONED}) "
            "AND NOT EXISTS (SELECT 1 FROM fact_alias a WHERE a.entity_id = fact_entity.entity_id "
            "AND a.frame_id IS NOT NULL)",
            clause.values,
        )
        unused += [int(row[0]) for row in rows]
    counts["fact_alias"] += delete_among(db, AliasRow, "entity_id", unused)
    counts["fact_entity"] += delete_among(db, EntityRow, "entity_id", unused)
    for batch in batched(sorted(mentioned.predicates)):
        clause = among("predicate_id", batch)
        counts["fact_predicate"] += db.run(
            f"DELETE FROM fact_predicate WHERE {clause.sql} AND declared = 0 "
            "AND NOT EXISTS (SELECT 1 FROM fact c WHERE c.predicate_id = fact_predicate.predicate_id) AND "
            "NOT EXISTS (SELECT 1 FROM fact_assertion x WHERE x.predicate_id = fact_predicate.predicate_id)",
            clause.values,
        )


def counted(*parts: Mapping[str, int]) -> dict[str, int]:
    """Counts by table, added up, without the zeros."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return {table: count for table, count in sorted(total.items()) if count}
