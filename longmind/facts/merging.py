"""Holding two entities to be the same, and taking that back: what was said of each stays as it was said."""

from __future__ import annotations

from collections.abc import Sequence

from longmind.base.errors import Conflict, InvalidInput, NotFound
from longmind.facts import identity, names
from longmind.facts.load import Loader
from longmind.facts.removal import store_again
from longmind.facts.results import Merged
from longmind.facts.rows import EntityRow, SameRow, close, insert, select, select_among
from longmind.facts.statements import Resolver
from longmind.facts.values import Entity
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import among


def merge(tx: Transaction, ledger: str, keep: Entity, other: Entity) -> Merged:
    """Hold what was said of `other` of `keep` too, from now on."""
    first, second = _whole(tx, ledger, keep), _whole(tx, ledger, other)
    if first.entity_id == second.entity_id:
        return Merged(Entity(first.key), Entity(second.key), changed=False)
    before = statements_about(tx, [first.entity_id, second.entity_id])
    insert(tx.db, [SameRow(tx.allocate("fact_same"), second.entity_id, first.entity_id, tx.system, None)])
    _work_out(tx, ledger, before, reason="merged")
    return Merged(Entity(first.key), Entity(second.key), changed=True)


def split(tx: Transaction, ledger: str, name: Entity) -> Merged:
    """Take a merge back: the entity stands for itself again, with what was said of it."""
    row = _named(tx, ledger, name)
    rows = select(tx.db, SameRow, "x.entity_id = ? AND x.until IS NULL", (row.entity_id,))
    merged = next(iter(rows), None)
    if merged is None:
        parts = select(tx.db, SameRow, "x.into_id = ? AND x.until IS NULL", (row.entity_id,))
        if parts:
            listed = select_among(tx.db, EntityRow, "entity_id", [part.entity_id for part in parts])
            raise InvalidInput(
                f"{row.key} is the entity that others were merged into.",
                hint=f"Name the one to split off: {', '.join(sorted(item.key for item in listed))}.",
            )
        return Merged(Entity(row.key), Entity(row.key), changed=False)
    [whole] = select_among(tx.db, EntityRow, "entity_id", [merged.into_id])
    before = statements_about(tx, [row.entity_id, merged.into_id])
    close(tx, [merged])
    _work_out(tx, ledger, before, reason="split")
    return Merged(Entity(whole.key), Entity(row.key), changed=True)


def _named(tx: Transaction, ledger: str, name: Entity) -> EntityRow:
    row = names.find_entities(tx.db, ledger, [name.norm]).get(name.norm)
    if row is None:
        raise NotFound(
            f"There is no entity {str(name)!r} here.", hint="Name it by its key; resolve() lists them."
        )
    return row


def _whole(tx: Transaction, ledger: str, name: Entity) -> EntityRow:
    """The entity that stands for one."""
    row = _named(tx, ledger, name)
    standing = identity.current(tx.db).get(row.entity_id, row.entity_id)
    if standing == row.entity_id:
        return row
    [whole] = select_among(tx.db, EntityRow, "entity_id", [standing])
    if whole.ledger != ledger:
        raise Conflict(f"{row.key} is merged into an entity of another space.")
    return whole


def statements_about(tx: Transaction, entity_ids: Sequence[int]) -> set[tuple[int, int]]:
    """The statements about some entities, those merged into them, and those that have one as a value."""
    merged = identity.current(tx.db)
    alike = {*entity_ids, *(item for item, whole in merged.items() if whole in entity_ids)}
    pairs: set[tuple[int, int]] = set()
    for batch in batched(sorted(alike)):
        about = among("x.subject_entity_id", batch)
        sql = f"SELECT DISTINCT x.subject_entity_id, x.predicate_id FROM fact_assertion x WHERE {about.sql}"
        pairs.update((row[0], row[1]) for row in tx.db.all(sql, about.values))
        named = among("c.object_entity_id", batch)
        sql = f"SELECT DISTINCT c.subject_entity_id, c.predicate_id FROM fact c WHERE {named.sql}"
        pairs.update((row[0], row[1]) for row in tx.db.all(sql, named.values))
    predicates = {predicate for subject, predicate in pairs if subject in alike}
    return pairs | {(entity_id, predicate) for entity_id in alike for predicate in predicates}


def _work_out(tx: Transaction, ledger: str, pairs: set[tuple[int, int]], *, reason: str) -> None:
    loaded = Loader(Resolver(tx, ledger))
    states = loaded.load_statements(pairs)
    facts = {row.fact_id for state in states for row in state.stored}
    store_again(tx, loaded, states, said=facts, reason=reason)
