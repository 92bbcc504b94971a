"""The tables of spaces as rows: their columns, their checksums, how they are read, opened and closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from longmind.base.checks import canonical_json
from longmind.base.filters import View
from longmind.base.partitions import parts_seen, split_partition
from longmind.base.times import AsOf
from longmind.spaces.objects import read_chunks
from longmind.spaces.policies import Policy
from longmind.spaces.values import AuditEntry, MemoryObject
from longmind.store.engine import Connection
from longmind.store.frames import COLUMNS, checked_text
from longmind.store.tables import Tables, batched, damaged, stored_json, stored_names
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among, both, during, unexpired

_BATCH: Final = 1000


class SpaceRow(NamedTuple):
    space: str
    since: int
    until: int | None
    metadata: str
    policy: str
    created_at: int
    updated_at: int

    def rules(self) -> Policy:
        return Policy.stored(self.policy)

    def about(self) -> dict[str, Any]:
        """The metadata of the space."""
        return stored_json(self.metadata, dict, "space_record")


class ObjectRow(NamedTuple):
    space: str
    object_id: str
    since: int
    until: int | None
    frame_id: int
    path: str
    kind: str
    relevance: str
    pinned: int
    tags: str
    summary_micro: str
    summary_short: str
    summary_long: str
    metadata: str
    hash: str
    raw_bytes: int
    chunks: str
    created_at: int
    updated_at: int

    def value(self, text: str) -> MemoryObject:
        try:
            return MemoryObject(
                id=self.object_id,
                path=self.path,
                kind=self.kind,
                raw=text.encode()[: self.raw_bytes].decode(),
                summary_micro=self.summary_micro,
                summary_short=self.summary_short,
                summary_long=self.summary_long,
                tags=tuple(stored_names(self.tags, "space_object")),
                metadata=stored_json(self.metadata, dict, "space_object"),
                relevance=self.relevance,
                pinned=bool(self.pinned),
                chunks=read_chunks(text, self.chunks),
                created_at=self.created_at,
                updated_at=self.updated_at,
                frame_id=self.frame_id,
                space=split_partition(self.space)[0],
                user=split_partition(self.space)[1],
            )
        except (TypeError, ValueError, RecursionError):
            # Anybody can compute the checksum of a row, so that one that fits says nothing of its JSON.
            raise damaged("space_object") from None


class Entry(NamedTuple):
    """The names of an object, without its text."""

    id: str
    path: str
    kind: str
    tags: tuple[str, ...]
    hash: str | None
    """Only if the metadata has one."""


class AuditRow(NamedTuple):
    audit_id: int
    space: str
    action: str
    object_id: str | None
    detail: str
    at: int
    recorded_at: int

    def value(self) -> AuditEntry:
        detail = stored_json(self.detail, dict, "space_audit")
        space, user = split_partition(self.space)
        return AuditEntry(self.audit_id, space, self.action, self.object_id, detail, self.at, user)


class LinkRow(NamedTuple):
    link_id: int
    space: str
    object_id: str
    to_space: str
    to_object_id: str
    relation: str
    since: int
    until: int | None
    created_at: int


TABLES: Final[dict[type[Any], str]] = {
    SpaceRow: "space_record",
    ObjectRow: "space_object",
    AuditRow: "space_audit",
    LinkRow: "space_link",
}
_SEALED: Final = Tables(TABLES, keys={SpaceRow: 2, ObjectRow: 3})
checked, columns, join, select = _SEALED.checked, _SEALED.columns, _SEALED.join, _SEALED.select
insert, update, upsert = _SEALED.insert, _SEALED.update, _SEALED.upsert
close, verify = _SEALED.close, _SEALED.verify


# Spaces


def find_space(db: Connection, space: str, as_of: AsOf = AsOf.LATEST) -> SpaceRow | None:
    clause = Clause("x.space = ?", (space,)) & during("x", as_of)
    records = select(db, SpaceRow, clause.sql, clause.values)
    return records[0] if records else None


def put_space(tx: Transaction, row: SpaceRow) -> SpaceRow:
    """Let this hold from now on in place of what held before."""
    before = find_space(tx.db, row.space)
    if before is not None:
        close(tx, [before])
    fresh = row._replace(since=tx.system, until=None)
    insert(tx.db, [fresh])
    return fresh


# Objects


def standing(as_of: AsOf, now: int | None) -> Clause:
    """Versions `x` of objects that held at the instant and had not expired, by the clock's reading now."""
    return both([during("x", as_of), unexpired(View((), as_of, now=now), "x.frame_id")])


def find_object(
    db: Connection, space: str, *, object_id: str | None = None, path: str | None = None
) -> ObjectRow | None:
    column, value = ("object_id", object_id) if object_id is not None else ("path", path)
    versions = select(db, ObjectRow, f"x.space = ? AND x.{column} = ? AND x.until IS NULL", (space, value))
    return versions[0] if versions else None


def open_version(tx: Transaction, row: ObjectRow, before: ObjectRow | None) -> ObjectRow:
    """Let a version of an object hold from now on in place of the one before."""
    if before is not None:
        close_version(tx, before)
    fresh = row._replace(since=tx.system, until=None)
    insert(tx.db, [fresh])
    return fresh


def close_version(tx: Transaction, row: ObjectRow) -> None:
    close(tx, [row])


def with_text(
    db: Connection,
    space: str,
    as_of: AsOf,
    *,
    ids: Sequence[str] | None = None,
    now: int | None = None,
) -> Iterator[tuple[ObjectRow, str]]:
    """Objects with the text of their frames, by id; all of them, or those named."""
    last = ""
    if ids is not None:
        for batch in batched(ids):
            clause = standing(as_of, now) & among("x.object_id", batch)
            yield from select_texts(db, space, clause, " ORDER BY x.space")
        return
    while True:
        clause = standing(as_of, now) & Clause("x.object_id > ?", (last,))
        page = list(select_texts(db, space, clause, f" ORDER BY x.object_id LIMIT {_BATCH}"))
        yield from page
        if len(page) < _BATCH:
            return
        last = page[-1][0].object_id


def select_texts(db: Connection, space: str, clause: Clause, tail: str) -> Iterator[tuple[ObjectRow, str]]:
    """Versions in a space with the text of their frames; `tail` says in which order, and how many.

    A user's part is read with what all share. Ordered by `space`, what is the user's own comes last.
    """
    clause = among("x.space", parts_seen(space)) & clause
    width = len(ObjectRow._fields) + 1
    frame = ", ".join(f"f.{name}" for name in (*COLUMNS, "checksum"))
    sql = (
        f"SELECT {columns(ObjectRow)}, {frame}, NULL, t.text "
        "FROM space_object x LEFT JOIN frame f ON f.frame_id = x.frame_id "
        "LEFT JOIN frame_text t ON t.frame_id = x.frame_id "
        f"WHERE {clause.sql}{tail}"
    )
    for row in db.all(sql, clause.values):
        yield checked(ObjectRow, row[:width]), checked_text(row[width:])[1]


def entries(db: Connection, space: str, as_of: AsOf, ids: Sequence[str]) -> list[Entry]:
    """The names of these objects, in the order given."""
    by_id: dict[str, Entry] = {}
    for batch in batched(ids):
        clause = among("x.space", parts_seen(space)) & during("x", as_of) & among("x.object_id", batch)
        for row in select(db, ObjectRow, f"{clause.sql} ORDER BY x.space", clause.values):
            stated = stored_json(row.metadata, dict, "space_object").get("hash")
            named = stated if isinstance(stated, str) else None
            by_id[row.object_id] = Entry(
                row.object_id, row.path, row.kind, tuple(stored_names(row.tags, "space_object")), named
            )
    return [by_id[name] for name in ids if name in by_id]


def objects(db: Connection, space: str, as_of: AsOf, ids: Sequence[str]) -> list[MemoryObject]:
    """The named objects, in the order given."""
    by_id = {row.object_id: row.value(text) for row, text in with_text(db, space, as_of, ids=ids)}
    return [by_id[name] for name in ids if name in by_id]


# Audit


def audit(
    tx: Transaction,
    space: str,
    action: str,
    detail: Mapping[str, Any],
    *,
    object_ids: Iterable[str | None] = (None,),
) -> None:
    """Write to the log, in the transaction of what it tells of."""
    text = canonical_json(detail, "detail")
    log = [
        AuditRow(tx.allocate("space_audit"), space, action, name, text, tx.now, tx.system)
        for name in object_ids
    ]
    insert(tx.db, log)
