"""Reading frames: by id, by filter, newest first; each checked against its hash on the way out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from longmind.base.errors import RESTORE_HINT, Corrupt, InvalidInput, NotFound
from longmind.base.filters import EVERYTHING, View, Where
from longmind.base.frame import Frame, Page
from longmind.base.hashing import checksum, sum_of
from longmind.base.names import ALL
from longmind.base.partitions import split_partition
from longmind.store.drafts import content_hash
from longmind.store.engine import Connection, Dialect, Row
from longmind.store.tables import batched, damaged
from longmind.store.visible import (
    Clause,
    among,
    at_instant,
    both,
    during,
    in_spaces,
    matching,
    visible,
    visible_by_id,
)


class FrameRow(NamedTuple):
    """The canonical columns of one frame, as stored and under its checksum, in this order."""

    frame_id: int
    kind: str
    space: str
    scope: str
    session: str | None
    role: str | None
    speaker: str | None
    uri: str | None
    title: str | None
    source: str
    parent_id: int | None
    start_byte: int | None
    end_byte: int | None
    ordinal: int | None
    occurred_at: int
    recorded_at: int
    retired_at: int | None
    superseded_by: int | None
    dated: int
    repeatable: int
    content_hash: bytes

    @property
    def checksum(self) -> int:
        return checksum(*self)

    def sealed(self) -> tuple[Row, str]:
        """The columns with the checksum, and `ascii` of all of them."""
        encoded = f"({self[0]}, {_encoded(self[1:_LABELS_END])}, {ascii(self[_LABELS_END:])[1:-1]}"
        seal = sum_of(f"{encoded})")
        return (*self, seal), f"{encoded}, {seal})"


COLUMNS: Final = FrameRow._fields
_LABELS_END: Final = COLUMNS.index("parent_id")
"""The columns before it, behind the id, are texts that repeat from frame to frame."""

_PARENT: Final = COLUMNS.index("parent_id")
_START: Final = COLUMNS.index("start_byte")
_END: Final = COLUMNS.index("end_byte")
_TEXT: Final = len(COLUMNS) + 2
"""Where the text stands in a row of `load_rows`, behind the checksum and the hash of the parent."""
_GAP: Final = 1 << 15
"""Bytes between two chunks that are read and thrown away: to read the document once more costs more."""

_SCANNED: Final = 1000
"""Frames in memory at once while all are read."""

_encoded: Final = lru_cache(maxsize=1024)(lambda labels: ascii(labels)[1:-1])
_Span = tuple[int, int, int, int]
"""Of a chunk: its document, its first byte and the one behind its last, its frame."""


def get(db: Connection, dialect: Dialect, frame_id: int, view: View) -> Frame:
    """One frame, or `NotFound` if it is not visible from this view."""
    frames = fetch(db, dialect, [frame_id], view)
    if not frames:
        raise NotFound(
            f"There is no frame {frame_id} here.",
            hint="It may be forgotten, in another space, or a user's own.",
        )
    return frames[0]


def fetch(db: Connection, dialect: Dialect, ids: Sequence[int], view: View) -> list[Frame]:
    """The visible frames among `ids`, in the order given."""
    frames: dict[int, Frame] = {}
    for batch in batched(ids):
        clause = among("f.frame_id", batch) & visible_by_id(view)
        frames.update((frame.id, frame) for frame in _load(db, dialect, clause, view))
    return [frames[frame_id] for frame_id in ids if frame_id in frames]


def _fetch_all(db: Connection, dialect: Dialect, ids: Sequence[int], view: View) -> list[Frame]:
    """Frames that the same snapshot has just listed: one that is in an index and not there is damage."""
    frames = fetch(db, dialect, ids, view)
    if len(frames) != len(ids):
        missing = sorted(set(ids) - {frame.id for frame in frames})
        raise Corrupt(
            f"Frame {missing[0]} is listed and missing.",
            hint=RESTORE_HINT,
        )
    return frames


def select_ids(db: Connection, view: View, where: Where) -> list[int]:
    """Ids of every frame under the filter, ascending."""
    clause = visible(view, where)
    sql = f"SELECT f.frame_id FROM frame f WHERE {clause.sql} ORDER BY f.frame_id"
    return [int(row[0]) for row in db.all(sql, clause.values)]


def select_whole_ids(db: Connection, view: View, where: Where) -> list[int]:
    """Like `select_ids`, with a chunk counted as the document it is a slice of."""
    clause = visible(view, where)
    document_id = "CASE WHEN f.start_byte IS NULL THEN f.frame_id ELSE f.parent_id END"
    sql = f"SELECT DISTINCT {document_id} FROM frame f WHERE {clause.sql} ORDER BY 1"
    return [int(row[0]) for row in db.all(sql, clause.values)]


def timeline(
    db: Connection,
    dialect: Dialect,
    view: View,
    where: Where = EVERYTHING,
    *,
    limit: int,
    newest_first: bool = True,
    chunks: bool = False,
) -> list[Frame]:
    """Frames by the time they happened, ties by id."""
    keys: list[Row] = []
    for space in _places(view):
        clause = both([space, at_instant(view), matching(where, view), _whole(chunks)])
        order = "DESC" if newest_first else "ASC"
        sql = (
            f"SELECT f.occurred_at, f.frame_id FROM frame f WHERE {clause.sql} "
            f"ORDER BY f.occurred_at {order}, f.frame_id {order} LIMIT {limit}"
        )
        keys += db.all(sql, clause.values)
    keys.sort(reverse=newest_first)
    return _fetch_all(db, dialect, [int(frame_id) for _, frame_id in keys[:limit]], view)


def page(
    db: Connection,
    dialect: Dialect,
    view: View,
    where: Where,
    *,
    limit: int,
    cursor: str | None,
    chunks: bool = False,
) -> Page:
    """Frames by id, a part at a time; the cursor says after which id to go on."""
    after = Clause("f.frame_id > ?", (_parse_cursor(cursor),))
    ids: list[int] = []
    for space in _places(view):
        clause = both([space, at_instant(view), matching(where, view), after, _whole(chunks)])
        sql = f"SELECT f.frame_id FROM frame f WHERE {clause.sql} ORDER BY f.frame_id LIMIT {limit + 1}"
        ids += [int(row[0]) for row in db.all(sql, clause.values)]
    ids.sort()
    more = len(ids) > limit
    frames = _fetch_all(db, dialect, ids[:limit], view)
    return Page(tuple(frames), str(ids[limit - 1]) if more else None)


def stored(db: Connection, ids: Sequence[int]) -> dict[int, FrameRow]:
    """The rows of these frames whatever their state, checked; ids that do not exist are left out."""
    by_id = {}
    for batch in batched(ids):
        clause = among("f.frame_id", batch)
        sql = f"SELECT {_columns('f')}, f.checksum FROM frame f WHERE {clause.sql}"
        for row in db.all(sql, clause.values):
            by_id[row[0]] = checked_row(row)
    return by_id


def checked_row(row: Row) -> FrameRow:
    """A frame's columns followed by its checksum."""
    frame = FrameRow(*row[: len(COLUMNS)])
    if frame.checksum != row[len(COLUMNS)]:
        raise Corrupt(
            f"Frame {frame.frame_id} is not what was written.",
            hint=RESTORE_HINT,
        )
    return frame


def with_chunks(db: Connection, ids: Sequence[int]) -> list[int]:
    """These frames and the chunks that are slices of them."""
    frame_ids = set(ids)
    for batch in batched(ids):
        clause = among("f.parent_id", batch)
        sql = f"SELECT f.frame_id FROM frame f WHERE f.start_byte IS NOT NULL AND {clause.sql}"
        frame_ids.update(int(row[0]) for row in db.all(sql, clause.values))
    return sorted(frame_ids)


def load_rows(
    db: Connection, dialect: Dialect, clause: Clause, *, tail: str = "", expiry: bool = False
) -> list[Row]:
    """Everything frames are made of: their columns, checksum, their parent's hash, their text.

    With `expiry`, also when they expire, and the checksum of that.
    """
    rows = db.all(_load_query(clause.sql, expiry=expiry) + tail, clause.values)
    texts = _chunk_texts(db, dialect, rows)
    if not texts:
        return list(rows)
    return [row if row[0] not in texts else (*row[:_TEXT], texts[row[0]], *row[_TEXT + 1 :]) for row in rows]


def scan_frames(db: Connection, dialect: Dialect) -> Iterator[Row]:
    """The rows of all frames by id, read a page at a time."""
    last = -(2**63)
    while True:
        after = Clause("f.frame_id > ?", (last,))
        rows = load_rows(db, dialect, after, tail=f" ORDER BY f.frame_id LIMIT {_SCANNED}")
        yield from rows
        if len(rows) < _SCANNED:
            return
        if int(rows[-1][0]) <= last:  # in the order of a damaged tree, which would be read for ever
            raise damaged("frame")
        last = int(rows[-1][0])


@lru_cache(maxsize=256)
def _load_query(condition: str, *, expiry: bool) -> str:
    moment, expiries = "", ""
    if expiry:
        moment = ", x.expires_at, x.checksum"
        expiries = " LEFT JOIN frame_expiry x ON x.frame_id = f.frame_id"
    return (
        f"SELECT {_columns('f')}, f.checksum, p.content_hash, "
        f"CASE WHEN f.start_byte IS NULL THEN t.text END{moment} "
        "FROM frame f LEFT JOIN frame_text t ON t.frame_id = f.frame_id AND f.start_byte IS NULL "
        "LEFT JOIN frame p ON p.frame_id = f.parent_id"
        f"{expiries} WHERE {condition}"
    )


def _chunk_texts(db: Connection, dialect: Dialect, rows: Sequence[Row]) -> dict[int, str]:
    """The texts of those of the rows that are chunks.

    An engine reads the whole text of a document for each slice of it, so that a document of n chunks would
    cost n times n. Chunks that lie close together are therefore cut out of one slice.
    """
    spans = sorted(
        (row[_PARENT], row[_START], row[_END], row[0])
        for row in rows
        if row[_START] is not None and all(isinstance(row[column], int) for column in (_PARENT, _START, _END))
    )
    texts: dict[int, str] = {}
    alone: list[int] = []
    for group in _close_together(spans):
        if len(group) == 1:
            alone.append(group[0][3])
        else:
            texts.update(_cut_from_one_slice(db, dialect, group))
    for batch in batched(alone):
        clause = among("f.frame_id", batch)
        text = dialect.slice_bytes.format(
            text="t.text", start="f.start_byte", length="(f.end_byte - f.start_byte)"
        )
        texts.update(
            db.all(
                f"SELECT f.frame_id, {text} FROM frame f JOIN frame_text t ON t.frame_id = f.parent_id "
                f"WHERE {clause.sql}",
                clause.values,
            )
        )
    return texts


def _close_together(spans: Sequence[_Span]) -> Iterator[list[_Span]]:
    """Spans in order, in groups of one document without large gaps."""
    group: list[_Span] = []
    end = 0
    for span in spans:
        if group and (span[0] != group[0][0] or span[1] > end + _GAP):
            yield group
            group = []
        end = max(end, span[2]) if group else span[2]
        group.append(span)
    if group:
        yield group


def _cut_from_one_slice(
    db: Connection, dialect: Dialect, spans: Sequence[_Span]
) -> Iterator[tuple[int, str]]:
    """The texts of chunks of one document; one that cannot be cut, because of damage, is left out."""
    parent, first = spans[0][:2]
    piece = dialect.slice_bytes.format(text="t.text", start="?", length="?")
    row = db.one(
        f"SELECT {piece} FROM frame_text t WHERE t.frame_id = ?",
        (first, max(span[2] for span in spans) - first, parent),
    )
    raw = row[0].encode() if row is not None and isinstance(row[0], str) else b""
    for _, start, end, frame_id in spans:
        if end - first <= len(raw):
            with suppress(UnicodeDecodeError):
                yield frame_id, raw[start - first : end - first].decode()


def checked_text(row: Row) -> tuple[FrameRow, str]:
    """A row of `load_rows`, with both hashes checked."""
    frame = checked_row(row)
    parent_hash, text = row[len(COLUMNS) + 1 :]
    actual = None
    if isinstance(text, str):
        actual = content_hash(
            space=frame.space,
            scope=frame.scope,
            kind=frame.kind,
            session=frame.session,
            role=frame.role,
            speaker=frame.speaker,
            uri=frame.uri,
            parent_hash=parent_hash,
            start=frame.start_byte,
            title=frame.title,
            text=text,
            occurred_at=frame.occurred_at if frame.dated else None,
        )
    if actual != frame.content_hash:
        raise Corrupt(
            f"The text of frame {frame.frame_id} is not what was written.",
            hint=RESTORE_HINT,
        )
    return frame, text


def _load(db: Connection, dialect: Dialect, clause: Clause, view: View) -> list[Frame]:
    try:
        rows = load_rows(db, dialect, clause, expiry=True)
        loaded = [checked_text(row[:-2]) for row in rows]
    except UnicodeDecodeError:
        raise Corrupt("A text in the store is not valid UTF-8.", hint=RESTORE_HINT) from None
    owners = [_owner(frame) for frame, _ in loaded]
    tags, metadata = _labels(db, sorted({*owners, *(frame.frame_id for frame, _ in loaded)}), view)
    return [
        as_frame(
            frame,
            text,
            tags=tags[owner],
            metadata=metadata[owner]
            if owner == frame.frame_id
            else metadata[owner] | metadata[frame.frame_id],
            view=view,
            expires_at=_checked_expiry(row),
        )
        for owner, (frame, text), row in zip(owners, loaded, rows, strict=True)
    ]


def _checked_expiry(row: Row) -> int | None:
    """When a frame expires: the last columns of a row of `load_rows`."""
    moment: int | None = row[-2]
    if moment is not None and checksum("frame_expiry", row[0], moment) != row[-1]:
        raise Corrupt(
            f"When frame {row[0]} expires is not what was written.",
            hint=RESTORE_HINT,
        )
    return moment


def as_frame(
    row: FrameRow,
    text: str,
    *,
    tags: Iterable[str],
    metadata: dict[str, Any],
    view: View,
    expires_at: int | None = None,
) -> Frame:
    """The row as it stood at the view's instant: a retirement that came later is not shown."""
    retired = row.retired_at is not None and row.retired_at <= view.as_of.system
    space, user = split_partition(row.space)
    return Frame(
        id=row.frame_id,
        kind=row.kind,
        space=space,
        scope=row.scope,
        text=text,
        title=row.title,
        session=row.session,
        role=row.role,
        speaker=row.speaker,
        uri=row.uri,
        source=row.source,
        tags=tuple(sorted(tags)),
        metadata=metadata,
        parent=row.parent_id,
        start=row.start_byte,
        end=row.end_byte,
        ordinal=row.ordinal,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        retired_at=row.retired_at if retired else None,
        superseded_by=row.superseded_by if retired else None,
        content_hash=row.content_hash.hex(),
        user=user,
        expires_at=expires_at,
    )


def _labels(
    db: Connection, owners: Sequence[int], view: View
) -> tuple[dict[int, list[str]], dict[int, dict[str, Any]]]:
    metadata: dict[int, dict[str, Any]] = defaultdict(dict)
    for batch in batched(owners):
        clause = among("m.frame_id", batch) & during("m", view.as_of)
        sql = (
            "SELECT m.frame_id, m.name, m.since, m.until, m.value, m.checksum FROM frame_meta m "
            f"WHERE {clause.sql} ORDER BY m.frame_id, m.name"
        )
        for row in db.all(sql, clause.values):
            checked_label("meta", row)
            metadata[row[0]][row[1]] = json.loads(row[4])
    return tags_of(db, owners, view), metadata


def tags_of(db: Connection, owners: Sequence[int], view: View) -> dict[int, list[str]]:
    """The tags of these frames at the view's instant, checked."""
    tags: dict[int, list[str]] = defaultdict(list)
    for batch in batched(owners):
        clause = among("t.frame_id", batch) & during("t", view.as_of)
        sql = f"SELECT t.frame_id, t.tag, t.since, t.until, t.checksum FROM frame_tag t WHERE {clause.sql}"
        for row in db.all(sql, clause.values):
            tags[row[0]].append(checked_label("tag", row)[1])
    return tags


def checked_label(table: Literal["tag", "meta"], row: Row) -> Row:
    """The columns under the checksum of a tag or a piece of metadata, followed by it."""
    if checksum(table, *row[:-1]) != row[-1]:
        raise Corrupt(
            f"A label of frame {row[0]} is not what was written.",
            hint=RESTORE_HINT,
        )
    return row


def _owner(row: FrameRow) -> int:
    return row.parent_id if row.start_byte is not None and row.parent_id is not None else row.frame_id


def _places(view: View) -> list[Clause]:
    """Disjoint conditions that together cover the view's spaces.

    Each is served by an index, in the order of time or in that of ids.
    """
    if view.spaces is ALL or view.user is ALL or view.is_own:
        return [in_spaces(view)]
    here = [Clause("f.space = ?", (space,)) for space in view.spaces]
    elsewhere = among("f.space", view.spaces)
    return [*here, Clause(f"f.scope = 'global' AND NOT {elsewhere.sql}", elsewhere.values)]


def _whole(chunks: bool) -> Clause:
    return Clause("1 = 1") if chunks else Clause("f.start_byte IS NULL")


def _columns(alias: str) -> str:
    return ", ".join(f"{alias}.{name}" for name in COLUMNS)


def _parse_cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise InvalidInput(
            f"{cursor!r} is not a cursor.", hint="Pass the cursor of the page before, unchanged."
        )
    return int(cursor)


def retired_row(row: FrameRow, *, at: int, successor: int | None) -> FrameRow:
    return row._replace(retired_at=at, superseded_by=successor)
