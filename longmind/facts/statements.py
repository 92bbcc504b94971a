"""What an operation means: its entities, its predicate and its fact, found in bulk or made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from longmind.facts import names
from longmind.facts.canonical import ObjectKind, canonical_text, fact_hash, qualifiers_hash, text_norm
from longmind.facts.names import NewEntity, NewPredicate
from longmind.facts.rows import (
    EntityRow,
    FactRow,
    PredicateRow,
    dump_qualifiers,
    object_columns,
    select_among,
)
from longmind.facts.values import Cardinality, Entity, Evidence, Open, Predicate, Qualifier, Typed
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause

StatementKey = tuple[int, int, bytes | None]
"""Subject, predicate, hash of the qualifiers."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A checked assertion."""

    subject: Entity
    predicate: Predicate
    value: Typed
    qualifiers: tuple[Qualifier, ...] = ()
    start: int | None = None
    end: int | Open | None = None
    evidence: tuple[Evidence, ...] = ()
    premises: tuple[int, ...] = ()
    by_hand: bool = True
    replaces: bool = False
    """Other values make room even if the predicate holds many."""
    fills: bool = False
    """Recorded only in the last gap before `end`, and not at all if the value is known there."""
    cardinality: Cardinality | None = None
    """For a predicate that is not there yet."""
    flexible: bool = False
    """A name read from a text: where it is already recorded as a plain text, that is meant."""
    by_clock: bool = False
    """`start` is the clock's reading, and not a moment that anyone named."""


@dataclass(frozen=True, slots=True)
class Retraction:
    """A checked retraction: of one value, or of all values of the statement; whole, or from `until` on."""

    subject: Entity
    predicate: Predicate
    value: Typed | None
    qualifiers: tuple[Qualifier, ...] = ()
    until: int | None = None
    span_id: int | None = None
    reason: str = "retracted"
    evidence: tuple[Evidence, ...] = ()
    lenient: bool = False
    """Leave alone what begins after `until`, where a caller would be told."""
    flexible: bool = False
    by_clock: bool = False
    """`until` is the clock's reading, and not a moment that anyone named."""


Operation = Claim | Retraction


@dataclass(frozen=True, slots=True)
class Resolved:
    """An operation with the rows it names; `hashed` is None where no single fact is meant."""

    operation: Operation
    statement: StatementKey
    hashed: bytes | None
    plain: bytes | None
    """The same fact with the entity's key as a text."""
    single: bool
    exact: bool

    @property
    def whole(self) -> bool:
        """Whether all values of the statement matter."""
        operation = self.operation
        return (
            operation.value is None
            if isinstance(operation, Retraction)
            else self.single or operation.replaces
        )


class Resolver:
    """Finds what operations name in one ledger. Facts it makes are stored only if a span of theirs is."""

    def __init__(self, tx: Transaction, ledger: str) -> None:
        self.tx = tx
        self.ledger = ledger
        self.facts: dict[bytes, FactRow] = {}
        self.new_facts: set[int] = set()

    def resolve(self, operations: Sequence[Operation]) -> list[Resolved | None]:
        """Each operation resolved; None for an ending that names nothing known."""
        entities, predicates = self._names(operations)
        resolved: list[Resolved | None] = []
        for operation in operations:
            subject = entities.get(operation.subject.norm)
            predicate = predicates.get(operation.predicate.norm)
            if subject is None or predicate is None:
                resolved.append(None)
                continue
            qualified = qualifiers_hash(operation.qualifiers)
            exact = bool(predicate.exact)
            hashed = plain = None
            if operation.value is not None:
                name = (subject.key_norm, predicate.key_norm)
                kind, stored = operation.value
                hashed = fact_hash(*name, kind, stored, qualifiers=qualified, exact=exact)
                if operation.flexible and kind == ObjectKind.ENTITY:
                    plain = fact_hash(*name, ObjectKind.TEXT, stored, qualifiers=qualified, exact=exact)
            key = (subject.entity_id, predicate.predicate_id, qualified)
            resolved.append(Resolved(operation, key, hashed, plain, predicate.cardinality == "one", exact))
        self._find_facts(resolved)
        settled = [None if item is None else self._settled(item) for item in resolved]
        self._make_facts(settled, entities)
        return settled

    def _find_facts(self, resolved: Sequence[Resolved | None]) -> None:
        hashes = {
            hashed
            for item in resolved
            if item is not None
            for hashed in (item.hashed, item.plain)
            if hashed is not None
        }
        also = Clause("x.ledger = ?", (self.ledger,))
        for row in select_among(self.tx.db, FactRow, "fact_hash", hashes, also=also):
            self.facts[row.fact_hash] = row

    def _settled(self, item: Resolved) -> Resolved:
        if item.plain is None or item.plain not in self.facts or item.hashed in self.facts:
            return item
        return replace(item, hashed=item.plain)

    def _names(self, operations: Sequence[Operation]) -> tuple[dict[str, EntityRow], dict[str, PredicateRow]]:
        people: dict[str, NewEntity] = {}
        relations: dict[str, NewPredicate] = {}
        mentioned: set[str] = set()
        for operation in operations:
            mentioned.add(operation.subject.norm)
            if isinstance(operation, Retraction):
                relations.setdefault(operation.predicate.norm, NewPredicate(operation.predicate))
                continue
            relations[operation.predicate.norm] = NewPredicate(operation.predicate, operation.cardinality)
            keys = [str(operation.subject)]
            if operation.value.kind == ObjectKind.ENTITY:
                keys.append(str(operation.value.stored))
            for key in keys:
                norm = canonical_text(key)
                mentioned.add(norm)
                if norm not in people or (operation.by_hand and not people[norm].by_hand):
                    people[norm] = NewEntity(key, by_hand=operation.by_hand)
        db = self.tx.db
        existing = names.find_entities(db, self.ledger, mentioned)
        entities = {**existing, **names.ensure_entities(self.tx, self.ledger, people, existing=existing)}
        claimed = {item.predicate.norm for item in operations if isinstance(item, Claim)}
        existing_predicates = names.find_predicates(db, self.ledger, relations)
        new_predicates = {norm: new for norm, new in relations.items() if norm in claimed}
        return entities, {
            **existing_predicates,
            **names.ensure_predicates(self.tx, self.ledger, new_predicates, existing=existing_predicates),
        }

    def _make_facts(self, settled: Sequence[Resolved | None], entities: dict[str, EntityRow]) -> None:
        fresh: dict[bytes, Resolved] = {}
        for item in settled:
            if item is None or item.hashed is None or item.hashed in self.facts:
                continue
            if isinstance(item.operation, Claim):
                fresh.setdefault(item.hashed, item)
        if not fresh:
            return
        fact_id = self.tx.allocate("fact", len(fresh))
        for hashed, item in fresh.items():
            assert item.operation.value is not None
            subject, predicate, qualified = item.statement
            kind, stored = item.operation.value
            norm = text_norm(str(stored), exact=item.exact) if kind == ObjectKind.TEXT else None
            entity = entities[canonical_text(str(stored))].entity_id if kind == ObjectKind.ENTITY else None
            self.facts[hashed] = _BLANK._replace(
                fact_id=fact_id,
                ledger=self.ledger,
                subject_entity_id=subject,
                predicate_id=predicate,
                object_kind=int(kind),
                **object_columns(kind, stored, entity_id=entity, norm=norm),
                qualifiers=dump_qualifiers(item.operation.qualifiers),
                qualifiers_hash=qualified,
                fact_hash=hashed,
                created_at=self.tx.now,
            )
            self.new_facts.add(fact_id)
            fact_id += 1


_BLANK = FactRow(0, "", 0, 0, 0, None, None, None, None, None, None, None, None, None, None, b"", 0)
