"""Garbage collection: expired objects are archived, or purged if the policy allows it; pinned ones stay."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Final

from longmind.base.errors import Forbidden
from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.spaces import rows, write
from longmind.spaces.policies import check_days
from longmind.spaces.rows import ObjectRow
from longmind.spaces.values import GcReport
from longmind.store import erasure
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.visible import partitions

_DAY: Final = 86_400_000


def collect(
    store: Store, space: str, *, now: int, ttl_days: float | None, mode: str, dry_run: bool
) -> GcReport:
    if ttl_days is not None:
        check_days(ttl_days, "ttl_days")
    with store.read() as snapshot:
        record = rows.find_space(snapshot.db, space)
        if record is None:
            return GcReport(space, (), 0, 0, 0, dry_run, ttl_days, now)
        policy = record.rules()
        if mode == "purge" and not policy.allow_delete:
            raise Forbidden(
                f"Space '{space}' may not be purged: its policy has allow_delete false.",
                hint='Archive instead, or allow it with set_policy({"allow_delete": true}).',
            )
        days = policy.ttl_days if ttl_days is None else ttl_days
        purge = mode == "purge" or (mode == "auto" and policy.allow_delete)
        if dry_run:
            expired, pinned = _expired(snapshot.db, space, days, now)
            names = _names(snapshot.db, space, expired, days, now, purge=purge)
            return _report(space, names, pinned, purge=False, archive=False, days=days, now=now)
    with store.write() as tx:
        expired, pinned = _expired(tx.db, space, days, now)
        names = _names(tx.db, space, expired, days, now, purge=purge)
        write.archive(tx, expired, reason="expired", parts=store.parts)
        action = "purge" if purge else "archive"
        for part, gone in groupby(names, key=itemgetter(0)):
            rows.audit(tx, part, action, {"ttl_days": days}, object_ids=[name for _, name in gone])
        detail = {
            "expired": len(names),
            "kept_pinned": pinned,
            "mode": action,
            "now": now,
            "ttl_days": days,
        }
        rows.audit(tx, space, "gc", detail)
        frames = _purgeable(tx.db, space) if purge else []
    if frames:
        erasure.erase(store, frames, view=View((space,), user=ALL, with_hidden=True))
    return _report(space, names, pinned, purge=purge, archive=not purge, days=days, now=now)


def _names(
    connection: Connection, space: str, expired: list[ObjectRow], days: float | None, now: int, *, purge: bool
) -> list[tuple[str, str]]:
    """What expired, by the part of the space it is in and its id.

    For a purge, also what was only archived because none was allowed then.
    """
    names = [(row.space, row.object_id) for row in expired]
    if not purge or days is None:
        return names
    parts = partitions(View((space,), user=ALL), "o.space")
    sql = (
        f"SELECT o.space, o.object_id FROM space_object o WHERE {parts.sql} AND EXISTS (SELECT 1 "
        "FROM space_audit a WHERE a.space = o.space AND a.object_id = o.object_id AND a.action = 'archive') "
        # What was remembered again since is an object in use, and its history stays.
        "GROUP BY o.space, o.object_id HAVING count(*) = count(o.until) AND max(o.updated_at) < ?"
    )
    archived = connection.all(sql, (*parts.values, now - round(days * _DAY)))
    return sorted([*names, *((str(part), str(name)) for part, name in archived)])


def _purgeable(connection: Connection, space: str) -> list[int]:
    """Frames to purge, including those of a purge that was interrupted.

    The log names an object until its erase takes the name out; versions written since are not meant.
    """
    parts = partitions(View((space,), user=ALL), "a.space")
    sql = (
        "SELECT DISTINCT o.frame_id FROM space_audit a JOIN space_object o "
        "ON o.space = a.space AND o.object_id = a.object_id AND o.until <= a.recorded_at "
        f"WHERE {parts.sql} AND a.action = 'purge' ORDER BY o.frame_id"
    )
    return [int(row[0]) for row in connection.all(sql, parts.values)]


def _expired(connection: Connection, space: str, days: float | None, now: int) -> tuple[list[ObjectRow], int]:
    """Objects last updated longer ago than allowed, by id; and how many of that age a pin keeps.

    The rules of a space hold for the parts of its users, too.
    """
    if days is None:
        return [], 0
    before = now - round(days * _DAY)
    parts = partitions(View((space,), user=ALL), "x.space")
    sql = f"{parts.sql} AND x.until IS NULL AND x.updated_at < ? ORDER BY x.space, x.object_id"
    old = rows.select(connection, ObjectRow, sql, (*parts.values, before))
    return [row for row in old if not row.pinned], sum(row.pinned for row in old)


def _report(
    space: str,
    names: list[tuple[str, str]],
    pinned: int,
    *,
    purge: bool,
    archive: bool,
    days: float | None,
    now: int,
) -> GcReport:
    return GcReport(
        space=space,
        expired=tuple(name for _, name in names),
        archived=len(names) if archive else 0,
        purged=len(names) if purge else 0,
        kept_pinned=pinned,
        dry_run=not (purge or archive),
        ttl_days=days,
        now=now,
    )
