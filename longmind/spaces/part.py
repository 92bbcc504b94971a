"""Objects follow frames: a forgotten frame takes its object along, an erased one every trace of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longmind.base.filters import View
from longmind.spaces import fields, visibility, write
from longmind.spaces import rollback as rollbacks
from longmind.spaces.rows import TABLES, AuditRow, ObjectRow, close_version, select, update
from longmind.spaces.rows import verify as verify_rows
from longmind.store.engine import Connection
from longmind.store.parts import Part, Problem
from longmind.store.rollback import Difference, Rollback
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among
from longmind.text.posting_table import FIELDS

_RULES = (
    (
        "{0} does not agree with its frame",
        (
            "SELECT o.object_id FROM space_object o LEFT JOIN frame f ON f.frame_id = o.frame_id "
            "WHERE f.frame_id IS NULL OR f.space <> o.space OR f.kind <> o.kind "
            "OR (o.until IS NULL AND f.retired_at IS NOT NULL)"
        ),
    ),
    (
        "{0} lies in a space that has no record",
        (
            "SELECT o.object_id FROM space_object o WHERE o.until IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM space_record r WHERE r.until IS NULL AND (r.space = o.space "
            "OR substr(o.space, 1, length(r.space) + 1) = r.space || '@'))"
        ),
    ),
)


class SpacesPart(Part):
    """The share of spaces in the life of frames."""

    name = "spaces"

    def relabelled(self, tx: Transaction, frame_id: int) -> None:
        """The labels of a frame are those of its object: the object gets a version with them."""
        for row in select(tx.db, ObjectRow, "x.until IS NULL AND x.frame_id = ?", (frame_id,)):
            write.take_labels(tx, row)

    def retired(self, tx: Transaction, ids: Sequence[int], *, reason: str) -> None:
        for batch in batched(ids):
            clause = among("x.frame_id", batch)
            for row in select(tx.db, ObjectRow, f"x.until IS NULL AND {clause.sql}", clause.values):
                close_version(tx, row)

    def differences(self, db: Connection, before: View, after: View) -> Sequence[Difference]:
        return rollbacks.differences(db, before, after)

    def rolled_back(self, tx: Transaction, rollback: Rollback) -> Mapping[str, int]:
        return rollbacks.roll_back(tx, rollback)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        gone: set[tuple[str, str]] = set()
        postings = fields.remove(tx.db, ids)
        count = 0
        for batch in batched(ids):
            clause = among("frame_id", batch)
            sql = f"SELECT space, object_id FROM space_object WHERE {clause.sql}"
            gone.update((str(space), str(name)) for space, name in tx.db.all(sql, clause.values))
            count += tx.db.run(f"DELETE FROM space_object WHERE {clause.sql}", clause.values)
            tx.db.run(f"DELETE FROM frame_hidden WHERE {clause.sql}", clause.values)
        named = links = 0
        for space, name in sorted(gone):
            links += tx.db.run(
                "DELETE FROM space_link WHERE (space = ? AND object_id = ?) "
                "OR (to_space = ? AND to_object_id = ?)",
                (space, name, space, name),
            )
            for row in select(tx.db, AuditRow, "x.space = ? AND x.object_id = ?", (space, name)):
                update(tx.db, [row._replace(object_id=None)], ("object_id",))
                named += 1
        return {"space_object": count, "space_link": links, "space_audit": named, FIELDS.name: postings}

    def rebuild(self, store: Store) -> int:
        with store.write() as tx:
            visibility.rebuild(tx.db)
            return fields.rebuild(tx.db)

    def derive(self, tx: Transaction) -> None:
        visibility.rebuild(tx.db)
        fields.rebuild(tx.db)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        for text, sql in _RULES:
            for (name,) in snapshot.db.all(f"{sql} LIMIT 20"):
                yield Problem("space_object", text.format(name))
        if deep:
            for kind in TABLES:
                yield from verify_rows(snapshot.db, kind)
            hidden = {int(row[0]) for row in snapshot.db.all("SELECT frame_id FROM frame_hidden")}
            if hidden != visibility.expected(snapshot.db):
                detail = "the rules of visibility are not applied to all objects"
                yield Problem("frame_hidden", detail, derived=True)
            for detail in FIELDS.differences(snapshot.db, fields.expected(snapshot.db)):
                yield Problem(FIELDS.name, detail, derived=True)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        counts = {}
        for name, sql in (
            ("spaces", "SELECT count(*) FROM space_record WHERE until IS NULL"),
            ("objects", "SELECT count(*) FROM space_object WHERE until IS NULL"),
            ("pinned", "SELECT count(*) FROM space_object WHERE until IS NULL AND pinned = 1"),
            ("versions", "SELECT count(*) FROM space_object"),
            ("links", "SELECT count(*) FROM space_link WHERE until IS NULL"),
            ("audit", "SELECT count(*) FROM space_audit"),
        ):
            row = snapshot.db.one(sql)
            counts[name] = int(row[0]) if row else 0
        return counts
