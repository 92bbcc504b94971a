"""Which objects the rules of visibility hide: their frames are left out of every read but the space's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from longmind.spaces.policies import Policy
from longmind.spaces.rows import ObjectRow, SpaceRow, find_object, select
from longmind.store.engine import Connection
from longmind.store.tables import batched, stored_names
from longmind.store.transaction import Transaction
from longmind.store.visible import among

_CHUNKS: Final = "SELECT frame_id FROM frame WHERE start_byte IS NOT NULL AND "


def is_hidden(policy: Policy, row: ObjectRow) -> bool:
    tags = stored_names(row.tags, "space_object")
    return any(
        rule.covers(kind=row.kind, tags=tags, path=row.path, relevance=row.relevance)
        for rule in policy.visibility
    )


def refresh_one(tx: Transaction, space: str, object_id: str, policy: Policy) -> None:
    """Hide or show the frame of an object that was just written."""
    row = find_object(tx.db, space, object_id=object_id)
    if row is not None:
        _set(tx.db, [row.frame_id], hidden=is_hidden(policy, row))


def refresh(tx: Transaction, space: str, policy: Policy) -> None:
    """Apply rules that have changed to every object of a space, past versions included."""
    hidden, shown = _sorted_out(tx.db, space, policy)
    _set(tx.db, shown, hidden=False)
    _set(tx.db, hidden, hidden=True)


def rebuild(db: Connection) -> int:
    """Make the table anew; return how many frames are hidden."""
    db.run("DELETE FROM frame_hidden")
    count = 0
    for record in select(db, SpaceRow, "x.until IS NULL"):
        policy = record.rules()
        if policy.visibility:
            hidden, _ = _sorted_out(db, record.space, policy)
            count += len(hidden)
            _set(db, hidden, hidden=True)
    return count


def expected(db: Connection) -> set[int]:
    """The frames that should be hidden."""
    hidden: set[int] = set()
    for record in select(db, SpaceRow, "x.until IS NULL"):
        policy = record.rules()
        if policy.visibility:
            ids, _ = _sorted_out(db, record.space, policy)
            hidden.update(_with_chunks(db, ids))
    return hidden


def _sorted_out(db: Connection, space: str, policy: Policy) -> tuple[list[int], list[int]]:
    """Frames to hide and frames to show: by the last version of the object that each frame is of."""
    newest: dict[int, ObjectRow] = {}
    for row in select(db, ObjectRow, "x.space = ? ORDER BY x.since", (space,)):
        newest[row.frame_id] = row
    hidden = [frame_id for frame_id, row in newest.items() if is_hidden(policy, row)]
    return hidden, sorted(newest.keys() - set(hidden))


def _set(db: Connection, frames: Sequence[int], *, hidden: bool) -> None:
    ids = _with_chunks(db, frames)
    for batch in batched(ids):
        clause = among("frame_id", batch)
        db.run(f"DELETE FROM frame_hidden WHERE {clause.sql}", clause.values)
    if hidden:
        db.many("INSERT INTO frame_hidden (frame_id) VALUES (?)", [(frame_id,) for frame_id in ids])


def _with_chunks(db: Connection, frames: Iterable[int]) -> list[int]:
    ids = set(frames)
    for batch in batched(sorted(ids)):
        clause = among("parent_id", batch)
        ids.update(int(row[0]) for row in db.all(_CHUNKS + clause.sql, clause.values))
    return sorted(ids)
