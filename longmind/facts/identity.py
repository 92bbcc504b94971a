"""Which entities are the same: merged by a caller for a time, and held as one while that lasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from longmind.base.times import AsOf
from longmind.facts.rows import EntityRow, SameRow, select, select_among
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction
from longmind.store.visible import during

_NONE: Final[Mapping[int, int]] = {}


def merged_now(tx: Transaction) -> Mapping[int, int]:
    """The same as `current`, inside a transaction."""
    return tx.known("fact_same", "", lambda: current(tx.db))


def current(db: Connection) -> Mapping[int, int]:
    """For each entity that is merged into another, the one that stands for it now."""
    if db.one("SELECT 1 FROM fact_same WHERE until IS NULL LIMIT 1") is None:
        return _NONE
    return representatives(select(db, SameRow, "x.until IS NULL"))


def at(rows: Iterable[SameRow], system: int) -> Mapping[int, int]:
    """The same, as it was known at a system time."""
    return representatives(
        row for row in rows if row.since <= system and (row.until is None or system < row.until)
    )


def representatives(rows: Iterable[SameRow]) -> dict[int, int]:
    into = {row.entity_id: row.into_id for row in rows}
    by_entity = {}
    for entity_id in into:
        last = entity_id
        while last in into:
            last = into[last]
        by_entity[entity_id] = last
    return by_entity


def standing_for(db: Connection, as_of: AsOf, entities: Sequence[EntityRow]) -> dict[int, EntityRow]:
    """For those of the entities that were merged into another as of then, the one that stands for them."""
    merged = _at(db, as_of) if entities else _NONE
    relevant = {row.entity_id: merged[row.entity_id] for row in entities if row.entity_id in merged}
    rows = {row.entity_id: row for row in select_among(db, EntityRow, "entity_id", set(relevant.values()))}
    return {entity_id: rows[whole] for entity_id, whole in relevant.items()}


def members(db: Connection, as_of: AsOf, entity_ids: Iterable[int]) -> set[int]:
    """Some entities, and those that were merged into them as of then."""
    whole = set(entity_ids)
    return whole | {entity_id for entity_id, into in _at(db, as_of).items() if into in whole}


def _at(db: Connection, as_of: AsOf) -> Mapping[int, int]:
    if db.one("SELECT 1 FROM fact_same LIMIT 1") is None:
        return _NONE
    in_force = during("x", as_of)
    return representatives(select(db, SameRow, in_force.sql, in_force.values))
