"""Entities, their aliases, and predicates: found by canonical key, made on first use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from longmind.base.errors import Conflict, InvalidInput
from longmind.base.filters import View
from longmind.base.partitions import split_partition
from longmind.facts.canonical import alias_norm
from longmind.facts.identity import current
from longmind.facts.rows import (
    GLOBAL,
    AliasRow,
    EntityRow,
    PredicateRow,
    close,
    insert,
    join,
    ledgers,
    select,
    select_among,
    update,
)
from longmind.facts.slots import cardinality as built_in
from longmind.facts.values import Cardinality, Entity, Predicate
from longmind.store.engine import Connection, scalar
from longmind.store.follower import Follower, Mirrors
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import Clause, among, both, during

_PREDICATES: Final = "fact_predicate"
_FEW: Final = 50
"""Predicates of one question whose answer is kept."""
_MOST_KEPT: Final = 5000
"""Predicates of one ledger that are kept."""
_ENTITY: Final = join((EntityRow, "e"))


class NewEntity(NamedTuple):
    """What is known of an entity that may have to be made; an empty kind changes none."""

    key: str
    kind: str = ""
    by_hand: bool = True


class NewPredicate(NamedTuple):
    """A predicate that may have to be made; without a cardinality it gets the global one's, or `many`."""

    key: Predicate
    cardinality: Cardinality | None = None


def find_entities(db: Connection, ledger: str, norms: Iterable[str]) -> dict[str, EntityRow]:
    """Those of the canonical keys that the ledger knows."""
    rows = select_among(db, EntityRow, "key_norm", norms, also=Clause("x.ledger = ?", (ledger,)))
    return {row.key_norm: row for row in rows}


def meant(db: Connection, ledger: str, name: Entity) -> list[int]:
    """The entity that a key or an alias means in one ledger, with those that are merged into it."""
    row = find_entities(db, ledger, [name.norm]).get(name.norm)
    if row is not None:
        ids = {row.entity_id}
    else:
        aliases = select_among(db, AliasRow, "alias_norm", [alias_norm(name)], also=Clause("x.until IS NULL"))
        owners = {alias.entity_id for alias in aliases}
        also = Clause("x.ledger = ?", (ledger,))
        ids = {owner.entity_id for owner in select_among(db, EntityRow, "entity_id", owners, also=also)}
        if len(ids) > 1:
            raise Conflict(
                f"{str(name)!r} may mean several entities.", hint="Ask by key; resolve() lists them."
            )
    merged = current(db)
    whole = {merged.get(entity_id, entity_id) for entity_id in ids}
    return sorted(whole | {entity_id for entity_id, into in merged.items() if into in whole})


def ensure_entities(
    tx: Transaction, ledger: str, new_by_norm: Mapping[str, NewEntity], *, existing: Mapping[str, EntityRow]
) -> dict[str, EntityRow]:
    """An entity for each canonical key: the one in `known`, brought up to date, or a new one."""
    rows: dict[str, EntityRow] = {}
    changed: list[EntityRow] = []
    missing: list[tuple[str, NewEntity]] = []
    for norm, new in new_by_norm.items():
        row = existing.get(norm)
        if row is None:
            missing.append((norm, new))
            continue
        if new.by_hand and not row.by_hand:
            row = row._replace(by_hand=1)
        if new.kind and new.kind != row.kind and (new.by_hand or not row.kind):
            row = row._replace(kind=new.kind)
        if row is not existing[norm]:
            changed.append(row)
        rows[norm] = row
    if changed:
        assert tx.system
        update(tx.db, changed, ("kind", "by_hand"))
    if rows and _was_rolled_back(tx):
        # An entity from after the state to which the store went back is there, and not known by its name.
        add_aliases(tx, [(row, row.key) for row in rows.values()])
    if missing:
        first = tx.allocate("fact_entity", len(missing))
        created = [
            EntityRow(first + offset, ledger, new.key, norm, new.kind, int(new.by_hand), tx.now)
            for offset, (norm, new) in enumerate(missing)
        ]
        insert(tx.db, created)
        _insert_aliases(tx, {(row.entity_id, alias_norm(row.key)): row.key for row in created}, None)
        rows.update((row.key_norm, row) for row in created)
    return rows


def _was_rolled_back(tx: Transaction) -> bool:
    sql = "SELECT 1 FROM store_rollback LIMIT 1"
    return tx.known("store_rollback", "", lambda: tx.db.one(sql) is not None)


def add_aliases(
    tx: Transaction, pairs: Iterable[tuple[EntityRow, str]], *, frame_id: int | None = None
) -> int:
    """Further names; those already there are left alone. Returns how many were new."""
    aliases = {(entity.entity_id, alias_norm(alias)): alias.strip() for entity, alias in pairs}
    if not aliases:
        return 0
    source = Clause("x.frame_id IS NULL") if frame_id is None else Clause("x.frame_id = ?", (frame_id,))
    still = source & Clause("x.until IS NULL")
    rows = select_among(tx.db, AliasRow, "entity_id", {entity for entity, _ in aliases}, also=still)
    for row in rows:
        aliases.pop((row.entity_id, row.alias_norm), None)
    if aliases:
        _insert_aliases(tx, aliases, frame_id)
    return len(aliases)


def remove_alias(tx: Transaction, entity: EntityRow, alias: str) -> int:
    """Close an alias, from whatever source; returns how many rows that were."""
    norm = alias_norm(alias)
    if norm == alias_norm(entity.key):
        raise InvalidInput(
            f"{entity.key} is the key of the entity, not an alias.",
            hint="Use merge() if it is the same as another entity.",
        )
    rows = select(
        tx.db, AliasRow, "x.entity_id = ? AND x.alias_norm = ? AND x.until IS NULL", (entity.entity_id, norm)
    )
    close(tx, rows)
    return len(rows)


def ambiguous(db: Connection, view: View, *, limit: int) -> tuple[list[tuple[str, list[str], bool]], bool]:
    """Names that mean more than one entity: (name, keys, whether it is the key of one of them)."""
    clause = both([ledgers(view, "e.ledger"), during("a", view.as_of)])
    sql = (
        "SELECT a.alias_norm, min(a.alias), count(DISTINCT e.key_norm) FROM fact_alias a "
        f"JOIN fact_entity e ON e.entity_id = a.entity_id WHERE {clause.sql} "
        f"GROUP BY a.alias_norm HAVING count(DISTINCT e.key_norm) > 1 ORDER BY 1 LIMIT {limit + 1}"
    )
    rows = db.all(sql, clause.values)
    listed = []
    for norm, name, _ in rows[:limit]:
        rows_of_name = db.all(
            f"SELECT DISTINCT {_ENTITY.sql} FROM fact_alias a "
            "JOIN fact_entity e ON e.entity_id = a.entity_id "
            f"WHERE a.alias_norm = ? AND {clause.sql} ORDER BY e.key_norm",
            (norm, *clause.values),
        )
        keys = list(dict.fromkeys(entity.key for (entity,) in _ENTITY.read_all(rows_of_name)))
        listed.append((str(name), keys, any(alias_norm(key) == norm for key in keys)))
    return listed, len(rows) > limit


def _insert_aliases(tx: Transaction, aliases: Mapping[tuple[int, str], str], frame_id: int | None) -> None:
    first = tx.allocate("fact_alias", len(aliases))
    insert(
        tx.db,
        [
            AliasRow(first + offset, entity_id, alias, norm, frame_id, tx.system, None)
            for offset, ((entity_id, norm), alias) in enumerate(aliases.items())
        ],
    )


def find_predicates(db: Connection, ledger: str, norms: Iterable[str]) -> dict[str, PredicateRow]:
    rows = select_among(db, PredicateRow, "key_norm", norms, also=Clause("x.ledger = ?", (ledger,)))
    return {row.key_norm: row for row in rows}


def predicates_now(tx: Transaction, ledger: str, norms: Iterable[str]) -> Mapping[str, PredicateRow]:
    """The same, inside a transaction: of thousands of facts, few have a predicate that is new."""
    asked = sorted(norms)
    if len(asked) > _FEW or not tx.keeps(_PREDICATES):
        return find_predicates(tx.db, ledger, asked)
    kept: dict[str, PredicateRow | None] = tx.known(_PREDICATES, ledger, dict)
    if len(kept) > _MOST_KEPT:
        kept.clear()
    unknown = [norm for norm in asked if norm not in kept]
    if unknown:
        # Those of whom a new one takes over a declaration are asked in the same question.
        every: dict[str, dict[str, PredicateRow | None]] = {
            name: tx.known(_PREDICATES, name, dict) for name in _declaring(ledger)
        }
        for rows in every.values():
            rows.update(dict.fromkeys(unknown))
        also = among("x.ledger", [*every])
        for predicate in select_among(tx.db, PredicateRow, "key_norm", unknown, also=also):
            every[predicate.ledger][predicate.key_norm] = predicate
    return {norm: row for norm in asked if (row := kept[norm]) is not None}


def _declaring(ledger: str) -> tuple[str, ...]:
    """The ledger, and those whose declarations a new predicate takes over."""
    space, user = split_partition(ledger)
    return tuple(dict.fromkeys((ledger, *(() if user is None else (space,)), GLOBAL)))


def ensure_predicates(
    tx: Transaction,
    ledger: str,
    new_by_norm: Mapping[str, NewPredicate],
    *,
    existing: Mapping[str, PredicateRow],
) -> dict[str, PredicateRow]:
    """A predicate for each canonical key; a new one takes over what is declared for more readers.

    That of a user's part is declared by its space first, and then globally.
    """
    rows = {norm: existing[norm] for norm in new_by_norm if norm in existing}
    missing = {norm: new for norm, new in new_by_norm.items() if norm not in existing}
    if not missing:
        return rows
    shared = {} if ledger == GLOBAL else dict(predicates_now(tx, GLOBAL, missing))
    space, user = split_partition(ledger)
    if user is not None:
        nearer = predicates_now(tx, space, missing)
        shared |= {norm: row for norm, row in nearer.items() if row.declared}
    kept = tx.all_known(_PREDICATES)
    first = tx.allocate("fact_predicate", len(missing))
    created = []
    for offset, (norm, new) in enumerate(missing.items()):
        model = shared.get(norm)
        declared = model.cardinality if model is not None and model.declared else None
        cardinality = built_in(norm) or declared or new.cardinality
        exact = model.exact if model is not None else 0
        created.append(
            PredicateRow(first + offset, ledger, str(new.key), norm, cardinality or "many", exact, 0, tx.now)
        )
    assert tx.system
    insert(tx.db, created)
    made = {row.key_norm: row for row in created}
    tx.leave(_PREDICATES, {**kept, ledger: {**kept.get(ledger, {}), **made}})
    rows.update(made)
    return rows


def define_predicate(
    tx: Transaction, ledger: str, key: Predicate, *, cardinality: Cardinality | None, exact: bool
) -> PredicateRow:
    """Declare how a predicate behaves; `Conflict` if what is recorded already contradicts that."""
    fixed = built_in(key.norm)
    if fixed is not None and cardinality not in (None, fixed):
        raise InvalidInput(
            f"{key} is a built-in predicate that holds {'one value' if fixed == 'one' else 'many values'}.",
            hint="Use a predicate of your own for anything else.",
        )
    row = find_predicates(tx.db, ledger, [key.norm]).get(key.norm)
    cardinality = cardinality or fixed or "many"
    if row is None:
        new_row = PredicateRow(
            tx.allocate("fact_predicate"), ledger, str(key), key.norm, cardinality, int(exact), 1, tx.now
        )
        assert tx.system
        insert(tx.db, [new_row])
        return new_row
    better = row._replace(cardinality=cardinality, exact=int(exact), declared=1)
    if better == row:
        return row
    if better.exact != row.exact and select(
        tx.db, PredicateRow, f"x.predicate_id = ? AND EXISTS ({_USED})", (row.predicate_id,)
    ):
        raise Conflict(
            f"Facts are recorded under {key}, so whether it is exact can no longer change.",
            hint="Declare a predicate under another key.",
        )
    if better.cardinality == "one" and row.cardinality == "many":
        _check_single_valued(tx.db, row)
    assert tx.system
    update(tx.db, [better], ("cardinality", "exact", "declared"))
    return better


_USED = "SELECT 1 FROM fact c WHERE c.predicate_id = x.predicate_id"


OVERLAPS = (
    "FROM fact_span s JOIN fact c ON c.fact_id = s.fact_id "
    "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
    "JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
    "JOIN fact d ON d.subject_entity_id = c.subject_entity_id AND d.predicate_id = c.predicate_id "
    "AND d.qualifiers_hash IS NOT DISTINCT FROM c.qualifiers_hash AND d.fact_id > c.fact_id "
    "JOIN fact_span r ON r.fact_id = d.fact_id "
    "WHERE s.system_to IS NULL AND r.system_to IS NULL "
    "AND (r.valid_to IS NULL OR s.valid_from < r.valid_to) "
    "AND (s.valid_to IS NULL OR r.valid_from < s.valid_to)"
)
"""The subjects (e) that have two values of one statement (p) at the same time."""


def _check_single_valued(db: Connection, predicate: PredicateRow) -> None:
    sql = f"SELECT min(e.key) {OVERLAPS} AND p.predicate_id = ?"
    row = db.one(sql, (predicate.predicate_id,))
    if row is not None and row[0] is not None:
        raise Conflict(
            f"{row[0]} has several values of {predicate.key} at the same time.",
            hint="Retract all but one of them first, then declare cardinality='one'.",
        )


_NAME_BYTES: Final = 110
"""Of a name in a set: the string, and its share of the table."""


class NameIndex:
    """Which normal forms may be names. Without the names in memory, each of them may be."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._names = Follower(mirrors, "names", _Names, size=_size)

    def among(self, norms: Collection[str], snapshot: Snapshot) -> Collection[str]:
        """Those of the norms that may be names: they are looked up, so too many do no harm."""
        names = self._names.at_if_kept(snapshot)
        return norms if names is None else [norm for norm in norms if norm in names.norms]

    def is_empty(self, snapshot: Snapshot) -> bool:
        """Whether nothing has a name, so that there are no facts about anything."""
        names = self._names.at_if_kept(snapshot)
        return names is not None and not names.norms


class _Names:
    """The mirror of `fact_alias`: normal forms, of which one that nothing is called by any more may stay."""

    def __init__(self) -> None:
        self.norms: set[str] = set()
        self._last = 0

    def advance(self, snapshot: Snapshot, since: int) -> None:
        """By the names that were given since; their numbers are never used again."""
        sql = "SELECT alias_id, alias_norm FROM fact_alias WHERE alias_id > ? ORDER BY alias_id"
        rows = snapshot.db.all(sql, (self._last,))
        if rows:
            self.norms.update(str(norm) for _, norm in rows)
            self._last = int(rows[-1][0])

    @property
    def nbytes(self) -> int:
        return _NAME_BYTES * len(self.norms)


def _size(db: Connection) -> int:
    return _NAME_BYTES * scalar(db, "SELECT count(*) FROM fact_alias")
