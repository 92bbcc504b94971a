"""Writing frames inside one transaction: put, label, retire, supersede."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal, NamedTuple, overload

from longmind.base.errors import RESTORE_HINT, Conflict, Corrupt, InvalidInput, NotFound
from longmind.base.filters import View
from longmind.base.frame import Frame
from longmind.base.hashing import checksum
from longmind.base.names import ALL
from longmind.base.times import AsOf
from longmind.store import expiry as expiries
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, Value
from longmind.store.frames import (
    COLUMNS,
    FrameRow,
    as_frame,
    checked_label,
    checked_row,
    retired_row,
    stored,
    with_chunks,
)
from longmind.store.parts import Part
from longmind.store.rules import check_rules
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among, published, value_key, value_number, visible_by_id

Status = Literal["created", "updated", "unchanged"]
Prepared = Mapping[str, Sequence[object]]
_INSERT = f"INSERT INTO frame ({', '.join(COLUMNS)}, checksum) VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"
_LATEST = View(ALL, user=ALL)
_INDEXED: Final = 5
"""So many bytes of a hash are in the index of frames by content."""


class Put(NamedTuple):
    """What became of one draft."""

    id: int
    status: Status
    chunks: tuple[int, ...] = ()
    reasserted: int = 0
    """What a text that is there already says again, because something else was held in between."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The names of some drafts, and which frames held them in the state of this revision."""

    names: Sequence[bytes]
    targets: Sequence[int | None]
    revision: int


class _Fresh(NamedTuple):
    """A draft that gets a frame of its own; `place` is its position among all drafts and chunks."""

    id: int
    draft: Draft
    name: bytes
    place: int


class Written(Sequence[Frame]):
    """New frames, each made when it is looked at: most parts need only their `ids`, or few of them."""

    def __init__(self, rows: Sequence[FrameRow], drafts: Sequence[tuple[Draft, Draft]]) -> None:
        self.ids = [row.frame_id for row in rows]
        self.rows = rows
        self.drafts = drafts
        """With each draft the whole that it is, or is a chunk of: labels belong to the whole."""
        self._frames: list[Frame | None] = [None] * len(rows)

    def _made(self, position: int) -> Frame:
        frame = self._frames[position]
        if frame is None:
            row, (draft, document) = self.rows[position], self.drafts[position]
            values = {
                key: json.loads(value) for key, value in {**document.metadata, **draft.metadata}.items()
            }
            frame = self._frames[position] = as_frame(
                row,
                draft.text,
                tags=document.tags,
                metadata=values,
                view=_LATEST,
                expires_at=document.expires_at,
            )
        return frame

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | Sequence[Frame]:
        if isinstance(index, slice):
            return [self._made(position) for position in range(len(self))[index]]
        return self._made(index)

    def __iter__(self) -> Iterator[Frame]:
        return map(self._made, range(len(self)))

    def __len__(self) -> int:
        return len(self.ids)


def ids_of(frames: Sequence[Frame]) -> list[int]:
    """The ids of new frames, without making the frames where they are not made yet."""
    return frames.ids if isinstance(frames, Written) else [frame.id for frame in frames]


def put(
    tx: Transaction,
    drafts: Sequence[Draft],
    *,
    parts: Collection[Part] = (),
    prepared: Prepared | None = None,
    looked: Looked | None = None,
    counts: dict[str, int] | None = None,
) -> list[Put]:
    """Write what is new; of what is already there, add the tags and metadata that it lacks.

    `prepared` holds, by the name of a part, one item for each draft and each chunk in flat order. `looked` is
    what `look` said of these drafts before the transaction; it is asked again if the store has changed.
    What the parts derived is added to `counts`.
    """
    check_rules(tx, drafts)
    if looked is None or looked.revision != tx.revision:
        looked = _look(tx.db, drafts, tx.revision, names=None if looked is None else looked.names)
    names, targets = looked.names, list(looked.targets)
    new: list[tuple[int, int]] = []
    first: dict[Value, int] = {}
    position = 0
    for index, draft in enumerate(drafts):
        if targets[index] is None:
            keys = _keys(draft, names[index])
            twins = [first[key] for key in keys if key in first]
            if twins:
                targets[index] = -1 - twins[0]
            else:
                new.append((index, position))
                for key in keys:
                    first[key] = index
        position += 1 + len(draft.chunks)
    numbers = _allocated(tx, [drafts[index] for index, _ in new])
    fresh = {
        index: _Fresh(frame_id, drafts[index], names[index], position)
        for (index, position), frame_id in zip(new, numbers, strict=True)
    }
    _insert(tx, list(fresh.values()), parts, prepared or {}, {} if counts is None else counts)
    results = []
    for index, draft in enumerate(drafts):
        if index in fresh:
            frame_id = fresh[index].id
            ids = tuple(range(frame_id + 1, frame_id + 1 + len(draft.chunks))) if draft.chunks else ()
            results.append(Put(frame_id, "created", ids))
            continue
        target = targets[index]
        assert target is not None
        frame_id = target if target > 0 else fresh[-1 - target].id
        changed = relabel(tx, frame_id, add_tags=draft.tags, set_metadata=draft.metadata)
        changed = expiries.extend(tx, frame_id, draft.expires_at) or changed
        again = sum(part.repeated(tx, frame_id, draft) for part in parts) if target > 0 else 0
        results.append(Put(frame_id, "updated" if changed else "unchanged", reasserted=again))
    return results


def look(snapshot: Snapshot, drafts: Sequence[Draft], *, names: Sequence[bytes] | None = None) -> Looked:
    """What of these drafts is there already; their names are made unless they are given."""
    return _look(snapshot.db, drafts, snapshot.revision, names=names)


def _look(db: Connection, drafts: Sequence[Draft], revision: int, *, names: Sequence[bytes] | None) -> Looked:
    if names is None:
        names = [draft.content_hash() for draft in drafts]
    return Looked(names, existing(db, drafts, names), revision)


def existing(db: Connection, drafts: Sequence[Draft], names: Sequence[bytes]) -> list[int | None]:
    """For each draft the frame that already holds its content, or that its idempotency key names."""
    unique = (name for draft, name in zip(drafts, names, strict=True) if not draft.repeatable)
    prefixes = sorted({name[:_INDEXED] for name in unique})
    by_name: dict[bytes, int] = {}
    for batch in batched(prefixes):
        clause = among(f"substr(f.content_hash, 1, {_INDEXED})", batch)
        sql = (
            f"SELECT {', '.join(f'f.{name}' for name in COLUMNS)}, f.checksum FROM frame f "
            f"WHERE f.retired_at IS NULL AND f.repeatable = 0 AND {clause.sql} AND {published().sql}"
        )
        twins = [checked_row(row) for row in db.all(sql, clause.values)]
        by_name.update((row.content_hash, row.frame_id) for row in twins)
    targets: list[int | None] = []
    for draft, name in zip(drafts, names, strict=True):
        if draft.idempotency_key is not None:
            key = (draft.space, draft.idempotency_key)
            row = db.one("SELECT frame_id, checksum FROM frame_key WHERE space = ? AND name = ?", key)
            if row is not None:
                if checksum("key", *key, row[0]) != row[1]:
                    raise Corrupt(
                        f"The idempotency key {draft.idempotency_key!r} is not what was written.",
                        hint=RESTORE_HINT,
                    )
                targets.append(int(row[0]))
                continue
        targets.append(None if draft.repeatable else by_name.get(name))
    return targets


def relabel(
    tx: Transaction,
    frame_id: int,
    *,
    add_tags: Iterable[str] = (),
    drop_tags: Iterable[str] = (),
    set_metadata: Mapping[str, str] | None = None,
    drop_metadata: Iterable[str] = (),
) -> bool:
    """Change tags and metadata; what held before stays visible as of before. True if anything changed."""
    tags, values = open_labels(tx.db, frame_id)
    new_tags = set(add_tags) - tags
    lost_tags = tags & set(drop_tags)
    new_values = {name: value for name, value in (set_metadata or {}).items() if values.get(name) != value}
    lost_values = (set(values) & set(drop_metadata)) | (set(values) & set(new_values))
    if not (new_tags or lost_tags or new_values or lost_values):
        return False
    for tag in sorted(lost_tags):
        _close_label(tx, "tag", frame_id, tag)
    for name in sorted(lost_values):
        _close_label(tx, "meta", frame_id, name)
    _insert_labels(tx, [(frame_id, sorted(new_tags), new_values)])
    return True


def open_labels(db: Connection, frame_id: int) -> tuple[set[str], dict[str, str]]:
    """The tags and the metadata (as JSON) that a frame has now, checked."""
    where = "WHERE frame_id = ? AND until IS NULL"
    tags = db.all(f"SELECT frame_id, tag, since, until, checksum FROM frame_tag {where}", (frame_id,))
    metadata = db.all(
        f"SELECT frame_id, name, since, until, value, checksum FROM frame_meta {where}", (frame_id,)
    )
    return (
        {checked_label("tag", row)[1] for row in tags},
        {row[1]: row[4] for row in (checked_label("meta", row) for row in metadata)},
    )


def retire(
    tx: Transaction,
    ids: Sequence[int],
    *,
    successor: int | None = None,
    reason: str,
    parts: Iterable[Part] = (),
) -> list[int]:
    """Take frames and their chunks out of LATEST, those already out excepted; return which were taken."""
    rows = stored(tx.db, with_chunks(tx.db, ids))
    live = [row for row in rows.values() if row.retired_at is None]
    if not live:
        return []
    changed = [retired_row(row, at=tx.system, successor=successor) for row in live]
    rewrite(tx.db, changed)
    retired = sorted(row.frame_id for row in changed)
    for part in parts:
        part.retired(tx, retired, reason=reason)
    return retired


def supersede(tx: Transaction, old: int, new: int, *, view: View, parts: Iterable[Part] = ()) -> list[int]:
    """Retire `old` in favour of `new`; both must be live and in the view's spaces."""
    if old == new:
        raise InvalidInput(f"Frame {old} cannot supersede itself.", hint="Name the older frame.")
    resolve(tx.db, [old, new], view)
    rows = stored(tx.db, [old, new])
    for frame_id in (old, new):
        row = rows[frame_id]
        if row.start_byte is not None:
            raise InvalidInput(f"Frame {frame_id} is a chunk.", hint=f"Supersede its parent {row.parent_id}.")
        if row.retired_at is not None:
            successor = "" if row.superseded_by is None else f", superseded by frame {row.superseded_by}"
            raise Conflict(
                f"Frame {frame_id} was already retired{successor}.",
                hint="Get its successor, and supersede that one.",
            )
    return retire(tx, [old], successor=new, reason="superseded", parts=parts)


def rewrite(db: Connection, changed: Sequence[FrameRow]) -> None:
    """Store the two columns of a frame that may change, with the checksum."""
    db.many(
        "UPDATE frame SET retired_at = ?, superseded_by = ?, checksum = ? WHERE frame_id = ?",
        [(row.retired_at, row.superseded_by, row.checksum, row.frame_id) for row in changed],
    )


def resolve(db: Connection, ids: Sequence[int], view: View) -> list[int]:
    """The ids themselves, if each names a frame that ever was in the view's spaces; else `NotFound`."""
    rows = stored(db, ids)
    staged = set(rows) - set(_published(db, list(rows)))
    for frame_id in ids:
        row = rows.get(frame_id)
        inside = row is not None and view.sees(row.space, row.scope)
        if not inside or frame_id in staged:
            raise NotFound(
                f"There is no frame {frame_id} here.", hint="It may be in another space, or a user's own."
            )
    return list(ids)


def _published(db: Connection, ids: Sequence[int]) -> list[int]:
    """Those of the ids that are not part of a document which is still being written."""
    there: list[int] = []
    for batch in batched(ids):
        clause = among("f.frame_id", batch) & published()
        there += [
            int(row[0]) for row in db.all(f"SELECT f.frame_id FROM frame f WHERE {clause.sql}", clause.values)
        ]
    return there


def live_ids(db: Connection, ids: Sequence[int], view: View) -> list[int]:
    """Those of the ids that are visible at LATEST."""
    live: list[int] = []
    for batch in batched(ids):
        clause = among("f.frame_id", batch) & visible_by_id(view.at(AsOf.LATEST))
        live += [
            int(r[0]) for r in db.all(f"SELECT f.frame_id FROM frame f WHERE {clause.sql}", clause.values)
        ]
    return sorted(live)


def _keys(draft: Draft, name: bytes) -> list[Value]:
    """What a later draft of the same batch would share with this one if it is the same write."""
    keys: list[Value] = [] if draft.repeatable else [name]
    if draft.idempotency_key is not None:
        keys.append(f"{draft.space}\0{draft.idempotency_key}")
    return keys


def _allocated(tx: Transaction, drafts: Sequence[Draft]) -> list[int]:
    """For each draft its number; those of its chunks follow it."""
    if not drafts:
        return []
    sizes = [1 + len(draft.chunks) for draft in drafts]
    return list(accumulate(sizes[:-1], initial=tx.allocate("frame", sum(sizes))))


def _insert(
    tx: Transaction,
    fresh: Sequence[_Fresh],
    parts: Iterable[Part],
    prepared: Prepared,
    counts: dict[str, int],
) -> None:
    if not fresh:
        return
    rows: list[FrameRow] = []
    drafts: list[tuple[Draft, Draft]] = []
    positions: list[int] = []
    for item in fresh:
        document = item.draft
        rows.append(new_row(tx, document, item.id, name=item.name, parent=None))
        drafts.append((document, document))
        positions.append(item.place)
        for number, chunk in enumerate(document.chunks, 1):
            name = chunk.content_hash(item.name)
            rows.append(new_row(tx, chunk, item.id + number, name=name, parent=item.id))
            drafts.append((chunk, document))
            positions.append(item.place + number)
    frames = Written(rows, drafts)
    insert_frames(tx, frames)
    _insert_keys(tx, fresh)
    ready = {name: [items[position] for position in positions] for name, items in prepared.items()}
    tell_parts(tx, parts, frames, ready, counts)


def _insert_keys(tx: Transaction, fresh: Sequence[_Fresh]) -> None:
    named = [item for item in fresh if item.draft.idempotency_key is not None]
    keys = [(item.draft.space, item.draft.idempotency_key, item.id) for item in named]
    if keys:
        tx.db.many(
            "INSERT INTO frame_key (space, name, frame_id, checksum) VALUES (?, ?, ?, ?)",
            [(*key, checksum("key", *key)) for key in keys],
        )


def insert_frames(tx: Transaction, frames: Written) -> None:
    """Write new frames with their texts, labels and moments of expiry."""
    pairs = list(zip(frames.rows, frames.drafts, strict=True))
    rows = [row.sealed() for row in frames.rows]
    tx.db.many(_INSERT, [row for row, _ in rows], encoded=[encoded for _, encoded in rows])
    tx.db.many(
        "INSERT INTO frame_text (frame_id, text) VALUES (?, ?)",
        [(row.frame_id, draft.text) for row, (draft, document) in pairs if draft is document],
    )
    # Tags belong to the whole document; metadata of a chunk (a box, a second) is its own, and rare.
    _insert_labels(
        tx,
        [
            (row.frame_id, draft.tags if draft is document else (), draft.metadata)
            for row, (draft, document) in pairs
            if draft.metadata or (draft.tags and draft is document)
        ],
    )
    expiring = [(row.frame_id, whole.expires_at) for row, (_, whole) in pairs if whole.expires_at is not None]
    expiries.insert_new(tx, expiring)


def tell_parts(
    tx: Transaction, parts: Iterable[Part], frames: Written, prepared: Prepared, counts: dict[str, int]
) -> None:
    """Let the parts write what they derive from new frames, and add what they count to `counts`."""
    for part in parts:
        derived = part.written(tx, frames, prepared.get(part.name))
        for label, count in (derived or {}).items():
            counts[label] = counts.get(label, 0) + count


def new_row(
    tx: Transaction,
    draft: Draft,
    frame_id: int,
    *,
    name: bytes,
    parent: int | None,
    undated: int | None = None,
) -> FrameRow:
    """The row of a new frame; `undated` is when it happened if nobody said so, which is now unless given."""
    now = tx.now if undated is None else undated
    return FrameRow(  # by place: naming so many fields would take longer than all the rest
        frame_id,
        draft.kind,
        draft.space,
        draft.scope,
        draft.session,
        draft.role,
        draft.speaker,
        draft.uri,
        draft.title,
        draft.source,
        parent,
        draft.start,
        draft.end,
        draft.ordinal,
        now if draft.occurred_at is None else draft.occurred_at,
        tx.system,
        None,
        None,
        int(draft.occurred_at is not None),
        int(draft.repeatable),
        name,
    )


def _insert_labels(tx: Transaction, labels: Iterable[tuple[int, Iterable[str], Mapping[str, str]]]) -> None:
    tag_rows: list[tuple[Value, ...]] = []
    meta_rows: list[tuple[Value, ...]] = []
    for frame_id, tags, metadata in labels:
        tag_rows += [
            (frame_id, tag, tx.system, None, checksum("tag", frame_id, tag, tx.system, None)) for tag in tags
        ]
        for name, value in metadata.items():
            hashed = checksum("meta", frame_id, name, tx.system, None, value)
            meta_rows.append(
                (frame_id, name, tx.system, None, value, value_key(value), value_number(value), hashed)
            )
    if tag_rows:
        tx.db.many(
            "INSERT INTO frame_tag (frame_id, tag, since, until, checksum) VALUES (?, ?, ?, ?, ?)", tag_rows
        )
    if meta_rows:
        tx.db.many(
            "INSERT INTO frame_meta (frame_id, name, since, until, value, value_key, value_number, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            meta_rows,
        )


def _close_label(tx: Transaction, table: Literal["tag", "meta"], frame_id: int, name: str) -> None:
    """End an open label now; one that this very transaction opened was never visible and goes."""
    column = "tag" if table == "tag" else "name"
    value = "" if table == "tag" else ", value"
    where = f"frame_id = ? AND {column} = ? AND until IS NULL"
    row = tx.db.one(f"SELECT since{value} FROM frame_{table} WHERE {where}", (frame_id, name))
    assert row is not None
    if row[0] == tx.system:
        tx.db.run(f"DELETE FROM frame_{table} WHERE {where}", (frame_id, name))
        return
    hashed = checksum(table, frame_id, name, row[0], tx.system, *row[1:])
    tx.db.run(
        f"UPDATE frame_{table} SET until = ?, checksum = ? WHERE {where}", (tx.system, hashed, frame_id, name)
    )
