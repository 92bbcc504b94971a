"""The share of project spaces in going back to a snapshot: objects, pins and rules as they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longmind.base.filters import View
from longmind.spaces import fields, visibility
from longmind.spaces.rows import LinkRow, ObjectRow, SpaceRow, audit, close, insert, select
from longmind.store.engine import Connection
from longmind.store.frames import stored
from longmind.store.rollback import Difference, Rollback, change_of, short
from longmind.store.transaction import Transaction
from longmind.store.visible import both, during, unexpired


def differences(db: Connection, before: View, after: View) -> list[Difference]:
    """Objects and rules of spaces that are not the same in two states."""
    first, second = (
        {(row.space, row.object_id): row for row in _objects(db, view)} for view in (before, after)
    )
    differing = []
    for key in sorted({*first, *second}):
        old, new = first.get(key), second.get(key)
        shown = new or old
        if shown is None or _same(old, new):
            continue
        frames = tuple(row.frame_id for row in (old, new) if row is not None)
        text = short(shown.summary_micro)
        differing.append(Difference("object", change_of(old, new), shown.path, shown.space, text, frames))
    records = [{row.space: row for row in _spaces(db, view)} for view in (before, after)]
    for space in sorted({*records[0], *records[1]}):
        then, now = records[0].get(space), records[1].get(space)
        if not _same(then, now):
            differing.append(Difference("space", change_of(then, now), f"rules of {space}", space))
    links = [{_ends(row): row for row in _links(db, view)} for view in (before, after)]
    for ends in sorted(links[0].keys() ^ links[1].keys()):
        space, start, to_space, end, relation = ends
        name = f"link {start} {relation} {end}" + ("" if to_space == space else f" of {to_space}")
        differing.append(Difference("link", "removed" if ends in links[0] else "added", name, space))
    return differing


def roll_back(tx: Transaction, rollback: Rollback) -> dict[str, int]:
    """Let the versions of then hold again, those of spaces first: an object needs its space."""
    spaces = _go_back(tx, _spaces(tx.db, rollback.view), select(tx.db, SpaceRow, "x.until IS NULL"), 1)
    then = _objects(tx.db, rollback.view)
    live = stored(tx.db, [row.frame_id for row in then])
    still_live = [row for row in then if row.frame_id in live and live[row.frame_id].retired_at is None]
    objects = _go_back(tx, still_live, select(tx.db, ObjectRow, "x.until IS NULL"), 2)
    links = _links_back(tx, rollback)
    if spaces or objects:
        visibility.rebuild(tx.db)
        fields.rebuild(tx.db)
    for space in sorted({row[0] for row in (*spaces, *objects)}):
        count = sum(row[0] == space for row in objects)
        audit(tx, space, "rollback", {"to": rollback.to, "objects": count})
    return {"objects changed": len(objects), "spaces changed": len(spaces), "links changed": links}


def _links_back(tx: Transaction, rollback: Rollback) -> int:
    """End the links that were made since, and let those hold again that were ended since."""
    then = {_ends(row): row for row in _links(tx.db, rollback.view)}
    now = {_ends(row): row for row in select(tx.db, LinkRow, "x.until IS NULL")}
    ending = [row for ends, row in now.items() if ends not in then]
    missing = [row for ends, row in then.items() if ends not in now]
    close(tx, ending)
    if missing:
        first = tx.allocate("space_link", len(missing))
        again = enumerate(missing, first)
        insert(tx.db, [row._replace(link_id=number, since=tx.system, until=None) for number, row in again])
    return len(ending) + len(missing)


def _ends(row: LinkRow) -> tuple[str, ...]:
    return row.space, row.object_id, row.to_space, row.to_object_id, row.relation


def _links(db: Connection, view: View) -> list[LinkRow]:
    clause = during("x", view.as_of)
    return select(db, LinkRow, clause.sql, clause.values)


def _go_back(tx: Transaction, then: Sequence[Any], now: Sequence[Any], key: int) -> list[Any]:
    """End rows that did not hold then, and open those that did; return what was touched."""
    rows_then = {row[:key]: row for row in then}
    open_now = {row[:key]: row for row in now}
    ending = [row for name, row in open_now.items() if not _same(rows_then.get(name), row)]
    missing = [row for name, row in rows_then.items() if not _same(open_now.get(name), row)]
    close(tx, ending)
    insert(tx.db, [row._replace(since=tx.system, until=None) for row in missing])
    return [*missing, *(row for row in ending if row[:key] not in rows_then)]


def _same(one: SpaceRow | ObjectRow | None, other: SpaceRow | ObjectRow | None) -> bool:
    if one is None or other is None:
        return one is other
    return one._replace(since=0, until=None) == other._replace(since=0, until=None)


def _objects(db: Connection, view: View) -> list[ObjectRow]:
    clause = both([during("x", view.as_of), unexpired(view, "x.frame_id")])
    return select(db, ObjectRow, clause.sql, clause.values)


def _spaces(db: Connection, view: View) -> list[SpaceRow]:
    clause = during("x", view.as_of)
    return select(db, SpaceRow, clause.sql, clause.values)
