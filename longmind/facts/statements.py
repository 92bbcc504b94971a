"""What an operation means: its entities, its predicate and its fact, found in bulk or made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from longmind.facts import identity, names
from longmind.facts.canonical import (
    ObjectKind,
    canonical_text,
    fact_hash,
    fact_hashes,
    qualifiers_hash,
    text_norm,
)
from longmind.facts.names import NewEntity, NewPredicate
from longmind.facts.rows import (
    EntityRow,
    FactRow,
    PredicateRow,
    dump_qualifiers,
    object_columns,
    select_among,
    stored_object,
)
from longmind.facts.slots import Group, group
from longmind.facts.trust import BY_CALL, Lineage
from longmind.facts.values import Cardinality, Entity, Evidence, Open, Predicate, Qualifier, Typed
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause

Action = Literal["record", "correct", "replace", "end", "retract"]

SlotKey = tuple[int, str, bytes | None, object]
"""Subject, group of predicates, hash of the qualifiers, and the thing where each thing competes apart."""


class Claim(NamedTuple):
    """A checked assertion of any kind; a value of None means whatever the slot holds."""

    subject: Entity
    predicate: Predicate
    value: Typed | None
    qualifiers: tuple[Qualifier, ...] = ()
    action: Action = "record"
    polarity: bool = True
    start: int | None = None
    """When it begins, or for an ending when it is over. None: now, or for a retraction always."""
    end: int | Open | None = None
    evidence: tuple[Evidence, ...] = ()
    premises: tuple[int, ...] = ()
    by_hand: bool = True
    lineage: Lineage = BY_CALL
    cardinality: Cardinality | None = None
    """For a predicate that is not there yet."""
    flexible: bool = False
    """A name read from a text: where it is already recorded as a plain text, that is meant."""
    by_clock: bool = False
    """`start` is the clock's reading, and not a moment that anyone named."""
    reason: str | None = None
    lenient: bool = False
    """End only what began before; a caller is told where that is not so."""
    span_id: int | None = None
    """Take back this period of a value, and no other."""
    expires_at: int | None = None
    """From when on it does not count; None: it always does."""
    keep: bool = True
    """An ending counts also for what is said later of the time before it."""

    @property
    def makes_names(self) -> bool:
        """Whether what it names is made where it is not known."""
        return self.action in ("record", "correct", "replace") or (self.action == "end" and self.keep)

    @property
    def holds(self) -> bool:
        return self.polarity and self.action in ("record", "correct", "replace")


@dataclass(slots=True)
class Resolved:
    """A claim with the rows it names; `fact` is None where every value, or an unknown one, is meant."""

    claim: Claim
    subject: int
    """The entity as it was named; `SlotKey` has the one that stands for it."""
    predicate: PredicateRow
    qualifiers: bytes | None
    group: Group
    hashes: tuple[bytes, ...]
    """Of the fact itself first, then of those that compete with it."""
    plain: bytes | None
    """The same fact with the entity's key as a text."""
    fact: FactRow | None = None

    @property
    def wide(self) -> bool:
        """Whether it concerns every value of a predicate of which each value competes apart."""
        return self.group.by_thing and (self.claim.value is None or self.claim.action == "replace")


class Resolver:
    """Finds what claims name in one ledger. Facts it makes are stored only if an assertion of theirs is."""

    def __init__(self, tx: Transaction, ledger: str, *, known: Mapping[str, EntityRow] | None = None) -> None:
        """`known` are entities of the ledger by their keys in normal form, as they are now."""
        self._known = known or {}
        self.tx = tx
        self.ledger = ledger
        self.same = identity.merged_now(tx)
        self.entities: dict[int, EntityRow] = {}
        self.predicates: dict[int, PredicateRow] = {}
        self.facts: dict[int, FactRow] = {}
        self.new_facts: set[int] = set()
        self.new_predicates: set[int] = set()
        self.new_entities: set[int] = set()
        self._by_hash: dict[bytes, FactRow] = {}
        self._norms = _Norms()
        self._groups: dict[int, Group] = {}

    def resolve(self, claims: Sequence[Claim]) -> list[Resolved | None]:
        """Each claim resolved; None for an ending or a retraction that names nothing known."""
        entities, predicates = self._names(claims)
        self.entities.update((row.entity_id, row) for row in entities.values())
        self.predicates.update((row.predicate_id, row) for row in predicates.values())
        norms = self._norms
        resolved: list[Resolved | None] = []
        for claim in claims:
            subject = entities.get(norms[claim.subject])
            predicate = predicates.get(norms[claim.predicate]) or self._sibling(claim, predicates)
            if subject is None or predicate is None:
                resolved.append(None)
                continue
            resolved.append(self._resolved(claim, subject, predicate, predicates))
        hashes = self._may_be_stored(resolved, entities)
        also = Clause("x.ledger = ?", (self.ledger,))
        self.add_facts(select_among(self.tx.db, FactRow, "fact_hash", hashes, also=also))
        return self._with_facts(resolved, entities)

    def _may_be_stored(
        self, resolved: Iterable[Resolved | None], entities: Mapping[str, EntityRow]
    ) -> set[bytes]:
        """The hashes of which there may be facts: of what is named for the first time there are none."""
        new_predicates, new_entities = self.new_predicates, self.new_entities
        hashes: set[bytes] = set()
        for item in resolved:
            if item is None or item.subject in new_entities:
                continue
            if len(item.hashes) == 1 and item.plain is None:
                value = item.claim.value
                if item.predicate.predicate_id in new_predicates:
                    continue
                if value is not None and value.kind == ObjectKind.ENTITY:
                    thing = entities.get(self._norms[str(value.stored)])
                    if thing is not None and thing.entity_id in new_entities:
                        continue
            hashes.update(item.hashes)
            if item.plain is not None:
                hashes.add(item.plain)
        return hashes

    @staticmethod
    def _sibling(claim: Claim, predicates: dict[str, PredicateRow]) -> PredicateRow | None:
        """Where whatever is held is meant: a predicate of the same slot that the ledger knows."""
        if claim.value is not None:
            return None
        siblings = [predicates.get(name) for name in group(claim.predicate.norm, single=True).predicates]
        return next((row for row in siblings if row is not None and row.cardinality == "one"), None)

    def add_facts(self, rows: Iterable[FactRow]) -> None:
        for row in rows:
            self._by_hash[row.fact_hash] = row
            self.facts[row.fact_id] = row

    def _resolved(
        self, claim: Claim, subject: EntityRow, predicate: PredicateRow, predicates: dict[str, PredicateRow]
    ) -> Resolved:
        qualified = qualifiers_hash(claim.qualifiers) if claim.qualifiers else None
        competing = self.group_of(predicate)
        hashes: list[bytes] = []
        plain = None
        if claim.value is not None:
            kind, stored = claim.value
            exact = bool(predicate.exact)
            name = (subject.key_norm, predicate.key_norm)
            hashes.append(fact_hash(*name, kind, stored, qualifiers=qualified, exact=exact))
            if claim.flexible and kind == ObjectKind.ENTITY:
                plain = fact_hash(*name, ObjectKind.TEXT, stored, qualifiers=qualified, exact=exact)
            if competing.by_thing and len(competing.predicates) > 1:
                kinds = [kind] if kind not in _NAMES else [*_NAMES]
                known = [other for other in competing.predicates if other in predicates]
                hashes += fact_hashes(subject.key_norm, known, kinds, stored, qualifiers=qualified)
        return Resolved(
            claim,
            subject.entity_id,
            predicate,
            qualified,
            competing,
            tuple(hashes if len(hashes) < 2 else dict.fromkeys(hashes)),
            plain,
        )

    def _with_facts(
        self, resolved: Sequence[Resolved | None], entities: dict[str, EntityRow]
    ) -> list[Resolved | None]:
        meant: list[tuple[Resolved, bytes] | None] = []
        missing: dict[bytes, Resolved] = {}
        for item in resolved:
            if item is None or not item.hashes:
                meant.append(None)
                continue
            hashed = item.hashes[0]
            if hashed not in self._by_hash and item.plain is not None and item.plain in self._by_hash:
                hashed = item.plain
            if hashed not in self._by_hash and (
                item.claim.makes_names or (self.same and self._can_make(item, entities))
            ):
                missing.setdefault(hashed, item)
            meant.append((item, hashed))
        if missing:
            first = self.tx.allocate("fact", len(missing))
            for fact_id, (hashed, item) in enumerate(missing.items(), first):
                self._make(fact_id, item, hashed, entities)
        for pair in meant:
            if pair is not None:
                pair[0].fact = self._by_hash.get(pair[1])
        return list(resolved)

    @staticmethod
    def _can_make(item: Resolved, entities: dict[str, EntityRow]) -> bool:
        """Said of one name, it may be held of another: what is taken back need not have been said."""
        assert item.claim.value is not None
        kind, stored = item.claim.value
        return kind != ObjectKind.ENTITY or canonical_text(str(stored)) in entities

    def _make(self, fact_id: int, item: Resolved, hashed: bytes, entities: dict[str, EntityRow]) -> None:
        assert item.claim.value is not None
        kind, stored = item.claim.value
        exact = bool(item.predicate.exact)
        norm = text_norm(str(stored), exact=exact) if kind == ObjectKind.TEXT else None
        entity = entities[self._norms[str(stored)]].entity_id if kind == ObjectKind.ENTITY else None
        row = FactRow(
            fact_id,
            self.ledger,
            item.subject,
            item.predicate.predicate_id,
            int(kind),
            *object_columns(kind, stored, entity_id=entity, norm=norm),
            dump_qualifiers(item.claim.qualifiers),
            item.qualifiers,
            hashed,
            self.tx.now,
        )
        self._by_hash[hashed] = self.facts[fact_id] = row
        self.new_facts.add(fact_id)

    # What was found, by number

    def group_of(self, predicate: PredicateRow) -> Group:
        """What competes with a predicate."""
        competing = self._groups.get(predicate.predicate_id)
        if competing is None:
            competing = group(predicate.key_norm, single=predicate.cardinality == "one")
            self._groups[predicate.predicate_id] = competing
        return competing

    def predicate(self, predicate_id: int) -> PredicateRow:
        if predicate_id not in self.predicates:
            self.load_predicates({predicate_id})
        return self.predicates[predicate_id]

    def load_predicates(self, ids: set[int]) -> None:
        """These predicates, and those of the ledger that compete with them."""
        rows = select_among(self.tx.db, PredicateRow, "predicate_id", ids - self.predicates.keys())
        norms = {
            name for row in rows for name in group(row.key_norm, single=row.cardinality == "one").predicates
        }
        self.predicates.update((row.predicate_id, row) for row in rows)
        siblings = names.find_predicates(self.tx.db, self.ledger, norms)
        self.predicates.update((row.predicate_id, row) for row in siblings.values())

    def predicate_ids(self, norms: Iterable[str]) -> list[int]:
        norm_set = set(norms)
        return [row.predicate_id for row in self.predicates.values() if row.key_norm in norm_set]

    def entity(self, entity_id: int) -> EntityRow:
        self.load_entities({entity_id})
        return self.entities[entity_id]

    def load_entities(self, ids: set[int]) -> None:
        missing = ids - self.entities.keys()
        if missing:
            rows = select_among(self.tx.db, EntityRow, "entity_id", missing)
            self.entities.update((row.entity_id, row) for row in rows)

    def found(self, hashes: Iterable[bytes]) -> list[int]:
        return [self._by_hash[hashed].fact_id for hashed in hashes if hashed in self._by_hash]

    def fact_like(self, fact: FactRow, subject: int, value: int | None) -> int:
        """The fact that says the same of another subject, or with another entity as its value."""
        predicate = self.predicate(fact.predicate_id)
        entity = None if value is None else self.entity(value)
        hashed = fact_hash(
            self.entity(subject).key_norm,
            predicate.key_norm,
            fact.object_kind,
            stored_object(fact, entity),
            qualifiers=fact.qualifiers_hash,
            exact=bool(predicate.exact),
        )
        if hashed not in self._by_hash:
            clause = Clause("x.ledger = ?", (self.ledger,))
            self.add_facts(select_among(self.tx.db, FactRow, "fact_hash", [hashed], also=clause))
        if hashed not in self._by_hash:
            row = fact._replace(
                fact_id=self.tx.allocate("fact"),
                subject_entity_id=subject,
                object_entity_id=value,
                fact_hash=hashed,
                created_at=self.tx.now,
            )
            self.add_facts([row])
            self.new_facts.add(row.fact_id)
        return self._by_hash[hashed].fact_id

    def _names(self, claims: Sequence[Claim]) -> tuple[dict[str, EntityRow], dict[str, PredicateRow]]:
        people: dict[str, NewEntity] = {}
        relations: dict[str, NewPredicate] = {}
        norms, siblings = self._norms, set[str]()
        mentioned: set[str] = set()
        seen: set[tuple[str, bool]] = set()
        for claim in claims:
            relation = norms[claim.predicate]
            if relation not in siblings:
                siblings.update(group(relation, single=False).predicates)
                siblings.update(group(relation, single=True).predicates)
            if not claim.makes_names:
                mentioned.add(norms[claim.subject])
                continue
            if relation not in relations:
                relations[relation] = NewPredicate(claim.predicate, claim.cardinality)
            by_hand, value = claim.by_hand, claim.value
            keys: tuple[str, ...] = (claim.subject,)
            if value is not None and value.kind == ObjectKind.ENTITY:
                keys = (claim.subject, str(value.stored))
            for key in keys:
                if (key, by_hand) in seen:
                    continue
                seen.add((key, by_hand))
                norm = norms[key]
                if norm not in people or (by_hand and not people[norm].by_hand):
                    people[norm] = NewEntity(str(key), by_hand=by_hand)
        mentioned.update(people)
        db = self.tx.db
        existing = {norm: self._known[norm] for norm in mentioned if norm in self._known}
        existing |= names.find_entities(db, self.ledger, mentioned - existing.keys())
        entities = {**existing, **names.ensure_entities(self.tx, self.ledger, people, existing=existing)}
        self.new_entities.update(entities[norm].entity_id for norm in people if norm not in existing)
        predicates_by_norm = names.predicates_now(self.tx, self.ledger, siblings)
        ensured = names.ensure_predicates(self.tx, self.ledger, relations, existing=predicates_by_norm)
        self.new_predicates.update(
            row.predicate_id for norm, row in ensured.items() if norm not in predicates_by_norm
        )
        return entities, {**predicates_by_norm, **ensured}


class _Norms(dict[str, str]):
    """Names in normal form, each worked out once."""

    def __missing__(self, name: str) -> str:
        norm = self[name] = canonical_text(name)
        return norm


_NAMES = (ObjectKind.TEXT, ObjectKind.ENTITY)
