"""Writing objects: upsert by id or path, pin, archive; each step inside one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from longmind.base.checks import canonical_json
from longmind.base.errors import Conflict, NotFound
from longmind.base.partitions import split_partition
from longmind.spaces import fields, visibility
from longmind.spaces.objects import ObjectPlan, Span, derived_id, places_of, plan_frame, slugs
from longmind.spaces.rows import (
    ObjectRow,
    SpaceRow,
    close_version,
    find_object,
    find_space,
    open_version,
    put_space,
)
from longmind.spaces.values import Remembered
from longmind.store import expiry, write
from longmind.store.drafts import Draft
from longmind.store.engine import Connection
from longmind.store.parts import Part
from longmind.store.store import Store
from longmind.store.transaction import Transaction

Status = Literal["created", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class Ready:
    """An object and its frame, with what the parts of the store prepared for it."""

    plan: ObjectPlan
    draft: Draft
    raw_bytes: int
    spans: list[Span]
    prepared: Mapping[str, Sequence[object]]
    revision: int
    """The state of the store in which `before` was found."""
    before: ObjectRow | None
    created_at: int | None = None
    updated_at: int | None = None


def make_ready(
    store: Store,
    plan: ObjectPlan,
    *,
    space: str,
    source: str,
    created_at: int | None = None,
    updated_at: int | None = None,
    expires_at: int | None = None,
    anew: bool = False,
) -> Ready:
    """Do the costly work before the transaction; none for a text that is stored already, unless `anew`."""
    draft, raw_bytes, spans = plan_frame(plan, space=space, source=source, occurred_at=updated_at)
    draft = replace(draft, expires_at=expires_at)
    prepared: dict[str, Sequence[object]] = {}
    with store.read() as snapshot:
        before = _named(snapshot.db, space, plan)
        fresh = anew or before is None or not _same_frame(snapshot.db, before, draft, raw_bytes, spans)
    if fresh:
        flat = draft.flat()
        for part in store.parts:
            # What nobody is to be told is not read for facts either, which anybody may ask for.
            items = None if plan.hidden and part.name == "facts" else part.prepare(flat)
            if items is not None:
                prepared[part.name] = items
    return Ready(plan, draft, raw_bytes, spans, prepared, snapshot.revision, before, created_at, updated_at)


def upsert(
    tx: Transaction, space: str, ready: Ready, *, parts: Sequence[Part], has_record: bool = False
) -> Remembered:
    """Create, change or leave alone; the id stays the same over all versions.

    `has_record` says that the space has its record already.
    """
    plan, draft = ready.plan, ready.draft
    unchanged = tx.revision == ready.revision
    before = ready.before if unchanged else _named(tx.db, space, plan)
    notes = list(plan.notes)
    if before is not None and plan.id is not None and plan.id != before.object_id:
        notes.append(f"{plan.path} is the place of {before.object_id}, which keeps its id")
    pinned = _pinned(tx.db, plan, before)
    # A change is never older than what it changes, whatever became of the clock in between.
    clock = tx.now if before is None else max(tx.now, before.updated_at)
    now = clock if ready.updated_at is None else ready.updated_at
    created = before.created_at if before is not None else now
    row = ObjectRow(
        space=space,
        object_id=before.object_id if before is not None else _new_id(tx.db, space, plan),
        since=0,
        until=None,
        frame_id=before.frame_id if before is not None else 0,
        path=plan.path,
        kind=plan.kind,
        relevance=plan.relevance,
        pinned=int(pinned),
        tags=canonical_json(list(plan.tags), "tags"),
        summary_micro=plan.summary_micro,
        summary_short=plan.summary_short,
        summary_long=plan.summary_long,
        metadata=_metadata_json(plan.metadata),
        hash=plan.hash,
        raw_bytes=ready.raw_bytes,
        chunks=canonical_json([list(span) for span in ready.spans], "chunks"),
        created_at=created if ready.created_at is None else ready.created_at,
        updated_at=now,
    )
    same_frame = before is not None and _same_frame(tx.db, before, draft, ready.raw_bytes, ready.spans)
    if before is not None and same_frame:
        expiry.extend(tx, before.frame_id, draft.expires_at)
    if before is not None and same_frame and _same(before, row):
        return _remembered(tx.db, before, draft.text, "unchanged", notes)
    if same_frame:
        assert before is not None
        _relabel(tx, before, plan)
        stored = open_version(tx, row, before)
        fields.change(tx.db, before, stored, draft.text, draft.title, chunked=bool(draft.chunks))
    else:
        [put] = write.put(tx, [draft], parts=parts, prepared=ready.prepared)
        stored = open_version(tx, row._replace(frame_id=put.id), before)
        fields.add(tx.db, stored, draft.text, draft.title, chunked=bool(draft.chunks))
    if before is not None and not same_frame:
        write.retire(tx, [before.frame_id], successor=stored.frame_id, reason="superseded", parts=parts)
    if not has_record:
        touch(tx, space, now)
    status: Status = "created" if before is None else "updated"
    return _remembered(tx.db, stored, draft.text, status, notes)


def _pinned(db: Connection, plan: ObjectPlan, before: ObjectRow | None) -> bool:
    """As the caller says, or a rule; else as before. A rule does not pin again what somebody unpinned."""
    if before is None:
        return bool(plan.pinned)
    if plan.pinned is None or (plan.pinned_by_rule and not before.pinned and _was_unpinned(db, before)):
        return bool(before.pinned)
    return bool(plan.pinned)


def _was_unpinned(db: Connection, row: ObjectRow) -> bool:
    """Whether an object without a pin had one once, or was written without one under the rules that hold."""
    if db.one(
        "SELECT 1 FROM space_object WHERE space = ? AND object_id = ? AND pinned = 1 LIMIT 1",
        (row.space, row.object_id),
    ):
        return True
    record = find_space(db, row.space)
    if record is None or record.since > row.since:
        return False
    tags = json.loads(row.tags)
    return any(
        rule.covers(kind=row.kind, tags=tags, path=row.path, relevance=row.relevance)
        for rule in record.rules().auto_pin
    )


def set_pin(tx: Transaction, space: str, name: str, *, pinned: bool, now: int | None) -> ObjectRow:
    """Pin or unpin by id or path; `updated_at` moves along, so that recalls follow."""
    row = named(tx.db, space, name)
    moment = max(tx.now, row.updated_at) if now is None else now
    changed = open_version(tx, row._replace(pinned=int(pinned), updated_at=moment), row)
    touch(tx, space, moment)
    return changed


def take_labels(tx: Transaction, row: ObjectRow) -> None:
    """Give an object the tags and the metadata of its frame, which somebody changed there."""
    tags, metadata = write.open_labels(tx.db, row.frame_id)
    names = slugs(sorted(tags))
    write.relabel(tx, row.frame_id, add_tags=names, drop_tags=tags - set(names))
    changed = row._replace(
        tags=canonical_json(list(names), "tags"),
        metadata=_metadata_json(metadata),
        updated_at=max(tx.now, row.updated_at),
    )
    stored = open_version(tx, changed, row)
    frame = tx.db.one(
        "SELECT t.text, f.title, (SELECT count(*) FROM frame k WHERE k.parent_id = f.frame_id) "
        "FROM frame f JOIN frame_text t ON t.frame_id = f.frame_id WHERE f.frame_id = ?",
        (row.frame_id,),
    )
    assert frame is not None
    fields.change(tx.db, row, stored, frame[0], frame[1], chunked=bool(frame[2]))
    record = find_space(tx.db, split_partition(row.space)[0])
    if record is not None and (policy := record.rules()).visibility:
        visibility.refresh_one(tx, record.space, row.object_id, policy)


def _metadata_json(metadata: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{canonical_json(key)}:{value}" for key, value in sorted(metadata.items())) + "}"


def archive(tx: Transaction, rows: Sequence[ObjectRow], *, reason: str, parts: Sequence[Part]) -> None:
    """Take objects out of LATEST; they are still there as of before."""
    for row in rows:
        close_version(tx, row)
    write.retire(tx, [row.frame_id for row in rows], reason=reason, parts=parts)


def named(db: Connection, space: str, name: str) -> ObjectRow:
    """The object with this id or, if there is none, at this path."""
    row = find_object(db, space, object_id=name)
    for path in places_of(name):
        row = row or find_object(db, space, path=path)
    if row is None:
        raise NotFound(
            f"Memory '{name}' not found in space '{split_partition(space)[0]}'",
            hint="Give its id or its path; what is a user's own is found with user=.",
        )
    return row


def ensure_space(tx: Transaction, space: str, *, metadata: Mapping[str, Any] | None = None) -> SpaceRow:
    """The space's record, made if this is the first write to it."""
    record = find_space(tx.db, space)
    if record is not None and metadata is None:
        return record
    text = canonical_json(metadata or {}, "metadata")
    if record is None:
        return put_space(tx, SpaceRow(space, 0, None, text, "{}", tx.now, tx.now))
    if text == record.metadata:
        return record
    return put_space(tx, record._replace(metadata=text, updated_at=max(tx.now, record.updated_at)))


def touch(tx: Transaction, space: str, now: int) -> None:
    """A space's record exists from its first object on; its times follow from the objects."""
    space, _ = split_partition(space)
    if find_space(tx.db, space) is None:
        put_space(tx, SpaceRow(space, 0, None, "{}", "{}", now, now))


def _named(db: Connection, space: str, plan: ObjectPlan) -> ObjectRow | None:
    by_path = find_object(db, space, path=plan.path)
    if plan.id is None:
        return by_path
    by_id = find_object(db, space, object_id=plan.id)
    if by_id is not None and by_path is not None and by_id.object_id != by_path.object_id:
        raise Conflict(
            f"The id '{plan.id}' and the path '{plan.path}' name two objects in space "
            f"'{split_partition(space)[0]}'.",
            hint=f"The path belongs to '{by_path.object_id}'. Give only one of them, or another path.",
        )
    return by_id or by_path


def _new_id(db: Connection, space: str, plan: ObjectPlan) -> str:
    if plan.id is not None:
        return plan.id
    number = 0
    while find_object(db, space, object_id=(name := derived_id(space, plan.path, number))) is not None:
        number += 1
    return name


def _same_frame(db: Connection, before: ObjectRow, draft: Draft, raw_bytes: int, spans: list[Span]) -> bool:
    """Whether the stored frame is the same as the new one would be."""
    stored = db.one(
        "SELECT f.kind, f.uri, f.title, t.text FROM frame f JOIN frame_text t ON t.frame_id = f.frame_id "
        "WHERE f.frame_id = ?",
        (before.frame_id,),
    )
    chunks = canonical_json([list(span) for span in spans], "chunks")
    return stored == (draft.kind, draft.uri, draft.title, draft.text) and (
        (before.raw_bytes, before.chunks) == (raw_bytes, chunks)
    )


_TIMES = ("since", "until", "created_at", "updated_at")


def _same(before: ObjectRow, after: ObjectRow) -> bool:
    return all(
        getattr(before, name) == getattr(after, name) for name in ObjectRow._fields if name not in _TIMES
    )


def _relabel(tx: Transaction, before: ObjectRow, plan: ObjectPlan) -> None:
    tags, metadata = write.open_labels(tx.db, before.frame_id)
    write.relabel(
        tx,
        before.frame_id,
        add_tags=plan.tags,
        drop_tags=tags - set(plan.tags),
        set_metadata=plan.metadata,
        drop_metadata=set(metadata) - set(plan.metadata),
    )


def _remembered(
    db: Connection, row: ObjectRow, text: str, status: Status, notes: Sequence[str]
) -> Remembered:
    twins = db.all(
        "SELECT object_id FROM space_object WHERE space = ? AND hash = ? AND until IS NULL "
        "AND object_id <> ? ORDER BY object_id LIMIT 100",
        (row.space, row.hash, row.object_id),
    )
    return Remembered(row.value(text), status, tuple(str(twin[0]) for twin in twins), tuple(notes))
