"""Which entities are the same: merged by a caller for a time, and held as one while that lasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from longmind.facts.rows import SameRow, select
from longmind.store.engine import Connection

_NONE: Final[Mapping[int, int]] = {}


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
    found = {}
    for entity_id in into:
        last = entity_id
        while last in into:
            last = into[last]
        found[entity_id] = last
    return found
