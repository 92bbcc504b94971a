"""The small columns of frames in memory, so that a filter is a mask and costs no query.

Each segment of the store (see `segments.py`) has columns of its own, read when a search first names it. Rows
are only ever added or retired (an erase starts afresh), so one table serves every snapshot up to its own
revision: an older one simply sees the frames that were recorded, and not yet retired, by then.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any, Final

from longmind.base.arrays import BoolArray, Int32Array, Int64Array, np
from longmind.base.columns import FrameIds
from longmind.base.filters import View
from longmind.base.ordering import distinct
from longmind.base.times import FOREVER
from longmind.base.words import WORD, fold
from longmind.store import blocks
from longmind.store.catalog_view import (
    CODED,
    CatalogView,
    Columns,
    Corpus,
    PartView,
)
from longmind.store.column_rows import FrameColumns, Malformed, read_columns, unpack
from longmind.store.engine import Connection
from longmind.store.follower import Mirrors
from longmind.store.lapses import Absences, Expiries, Staged
from longmind.store.segments import EVERYTHING, Segment, SegmentMirrors, rows_about, segments_of
from longmind.store.tables import check_frame_id, typed
from longmind.store.transaction import Snapshot

__all__ = ["Catalog", "CatalogView", "Corpus"]

_SHARED: Final = ("kind", "role", "speaker", "source")
"""Columns whose texts have the same numbers in every segment; the others are only compared within one."""
_FLAGS: Final = ("present", "is_global", "is_chunk", "is_turn", "has_chunks")
_TOGETHER: Final = ("content", "talk", "previous", "next")
"""Read together of many single frames: beside each other in memory, one look brings all."""

_MASKS: Final = 16
_CORPORA: Final = 16
_TEXT_BYTES: Final = 150
"""Of a text or a number in a table: the object, and its share of the table."""
_PART: Final = 50_000
_talk_bases = itertools.count()
"""Sessions of two segments never have the same number."""


class Catalog:
    """The frames' columns in memory, for every search."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._names = SharedNames()
        self._tables = SegmentMirrors(mirrors, "catalog", partial(_FrameTable, self._names))

    def at(self, snapshot: Snapshot, view: View | None = None) -> CatalogView:
        """The catalog as of a snapshot, with the frames that a view may show; without one, with all."""
        segments = (EVERYTHING,) if view is None else segments_of(view)
        tables = [self._tables.of(segment).at(snapshot) for segment in segments]
        parts = [table.view(snapshot) for table in tables]
        occupied = [part for part in parts if len(part.frames) > 1]
        return CatalogView(tuple(occupied or parts[:1]), self._names.codes, self._names.voices, snapshot)


class SharedNames:
    """Numbers for the texts of a few columns, the same in every segment; they are never given back."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {name: {} for name in _SHARED}
        self.voices: dict[str, set[int]] = {}
        """Speakers by each word of their names, folded."""
        self._lock = threading.Lock()

    def add(self, name: str, values: list[str]) -> dict[str, int]:
        codes = self.codes[name]
        with self._lock:
            fresh = [value for value in values if value not in codes]
            for value in sorted(fresh) if name == "speaker" else fresh:
                code = len(codes)
                if name == "speaker":
                    for word in WORD.findall(fold(value)):
                        self.voices.setdefault(word, set()).add(code)
                codes[value] = code
        return codes


class _FrameTable:
    """The mirror of the frames of one segment."""

    def __init__(self, names: SharedNames, segment: Segment) -> None:
        self.segment = segment
        self._names = names
        self._columns = _zeros(1)
        self._ids = np.zeros(1, dtype=np.int64)
        self._size = 1
        self._shown = self._columns, FrameIds(self._ids), -1
        """What views are made of, replaced as a whole: the columns, their frames, and their revision."""
        self.codes: dict[str, dict[str, int]] = {"space": {}, "session": {}}
        self._talks: dict[int, int] = {}
        """Numbers by the codes of space and session, in one."""
        self._talk_base = next(_talk_bases) << 32
        self._last: dict[int, int] = {}
        """The slot of each session's last frame."""
        self._masks: OrderedDict[tuple[Any, ...], BoolArray] = OrderedDict()
        self._corpora: OrderedDict[tuple[Any, ...], Corpus] = OrderedDict()
        self._hidden: tuple[int, Int64Array] | None = None
        self._expiries = Expiries()
        self.absences = Absences()
        self.staged = Staged()
        self._lock = threading.Lock()

    def advance(self, snapshot: Snapshot, since: int) -> None:
        rows_since = self._load_blocks(snapshot.db) if since < 0 else since
        self._append(snapshot.db)
        self._retire(snapshot.db, since, rows_since)
        self.staged.advance(snapshot.db, since)
        shown = _first(self._columns, self._size)
        self._shown = shown, FrameIds(self._ids[: self._size]), snapshot.revision

    @property
    def nbytes(self) -> int:
        # Only what is filled: the system gives zeroed room as it is first written to.
        columns = (getattr(self._columns, column.name) for column in fields(Columns))
        width = self._ids.itemsize + sum(int(column.itemsize) for column in columns)
        texts = sum(map(len, self.codes.values())) + len(self._talks) + len(self._last)
        return (width + _MASKS + _CORPORA) * self._size + _TEXT_BYTES * texts

    def view(self, snapshot: Snapshot) -> PartView:
        columns, frames, revision = self._shown
        size = len(frames)
        if snapshot.revision != revision:
            size = _size_at(columns, size, snapshot.revision)
            if size != len(frames):
                columns, frames = _first(columns, size), FrameIds(frames.ids[:size])
        return PartView(self.segment, frames, columns, self)

    def mask(self, key: tuple[Any, ...]) -> BoolArray | None:
        with self._lock:
            return self._masks.get(key)

    def keep(self, key: tuple[Any, ...], mask: BoolArray) -> None:
        with self._lock:
            self._masks[key] = mask
            while len(self._masks) > _MASKS:
                self._masks.popitem(last=False)

    def corpus(self, key: tuple[Any, ...], make: Callable[[], Corpus]) -> Corpus:
        with self._lock:
            kept = self._corpora.get(key)
            if kept is not None:
                self._corpora.move_to_end(key)
                return kept
        value = make()
        with self._lock:
            self._corpora[key] = value
            while len(self._corpora) > _CORPORA:
                self._corpora.popitem(last=False)
        return value

    def hidden(self, snapshot: Snapshot) -> Int64Array:
        """The frames that rules of visibility hide, at a snapshot."""
        kept = self._hidden
        if kept is None or kept[0] != snapshot.revision:
            sql = "SELECT frame_id FROM frame_hidden WHERE frame_id > 0"
            rows = rows_about(snapshot.db, self.segment, self._size, sql, ())
            hidden = [row[0] for row in typed(rows, "frame_hidden", int)]
            kept = snapshot.revision, np.array(hidden, dtype=np.int64)
            self._hidden = kept
        return kept[1]

    def expired(self, snapshot: Snapshot, moment: int) -> Int64Array:
        """The frames that had expired by a moment; those of other segments do no harm."""
        return self._expiries.by(snapshot, moment, self.segment, self._size)

    def _load_blocks(self, db: Connection) -> int | None:
        """Read what is there as blocks; returns with which revision the oldest of them is current."""
        covered, oldest = 0, None
        keys = blocks.keys(db, self.segment, blocks.COLUMNS)
        if len(keys) > 1:  # room for all at once, not by growing copies; the system gives it as it is used
            self._columns, self._ids = self._with_room(len(keys) * blocks.FULL, spare=_PART)
        for key in keys:
            if key.first_id <= covered:
                continue
            data = blocks.read(db, key)
            try:
                columns = None if data is None else unpack(data, (key.first_id, key.last_id))
            except Malformed:
                columns = None
            if columns is None:  # damaged: its frames are read as rows, before the next block or at the end
                continue
            check_frame_id(db, key.last_id, "segment_block")
            if key.first_id > covered + 1:
                self._append(db, up_to=key.first_id - 1)
            self._add(columns)
            covered = key.last_id
            oldest = key.revision if oldest is None else min(oldest, key.revision)
        return oldest

    def _append(self, db: Connection, up_to: int | None = None) -> None:
        """In parts: as rows, many frames take far more memory than as columns."""
        while True:
            last_id = int(self._ids[self._size - 1])
            columns = read_columns(db, self.segment, after=last_id, limit=_PART, up_to=up_to)
            if columns is None:
                return
            self._add(columns)
            if len(columns) < _PART:
                return

    def _add(self, columns: FrameColumns) -> None:
        count = len(columns)
        new: dict[str, Any] = {"present": np.ones(count, dtype=bool), "content": columns.content}
        new |= columns.flags
        new |= columns.numbers
        new |= {name: self._coded(name, *pair) for name, pair in columns.texts.items()}
        new["is_turn"] = (new["session"] >= 0) & ((new["role"] >= 0) | (new["speaker"] >= 0))
        new["talk"] = self._talk_numbers(new["space"], new["session"])
        new["previous"] = new["next"] = np.zeros(count, dtype=np.int64)
        new["has_chunks"] = np.zeros(count, dtype=bool)
        first, size = self._size, self._size + count
        self._columns, self._ids = self._with_room(size)
        self._ids[first:size] = columns.ids
        for column in fields(Columns):
            getattr(self._columns, column.name)[first:size] = new[column.name]
        self._size = size
        self._chain(np.flatnonzero(new["talk"] >= 0) + first)
        parents = new["parent"][new["is_chunk"]]
        if len(parents):
            cut = FrameIds(self._ids[:size]).slots(parents)
            self._columns.has_chunks[cut[cut > 0]] = True

    def _with_room(self, size: int, spare: int | None = None) -> tuple[Columns, Int64Array]:
        """The arrays, or longer copies; what a view can see of them never changes its answers."""
        if size <= len(self._ids):
            return self._columns, self._ids
        # A small segment takes what it needs: there may be thousands of them.
        room = size + (size // 2 + (64 if size > 1000 else 0) if spare is None else spare)
        grown, ids = _zeros(room), np.zeros(room, dtype=np.int64)
        ids[: self._size] = self._ids[: self._size]
        for column in fields(Columns):
            getattr(grown, column.name)[: self._size] = getattr(self._columns, column.name)[: self._size]
        return grown, ids

    def _talk_numbers(self, spaces: Int64Array, sessions: Int64Array) -> Int64Array:

        pairs, inverse = np.unique(spaces << 32 | sessions, return_inverse=True)
        base = self._talk_base
        numbers = [
            -1 if pair & 0xFFFFFFFF == 0xFFFFFFFF else base + self._talks.setdefault(pair, len(self._talks))
            for pair in pairs.tolist()
        ]
        return np.array(numbers, dtype=np.int64)[inverse]

    def _chain(self, slots: Int64Array) -> None:
        """Link new frames of a session to the one before; a session written out of order is linked anew."""

        columns, ids = self._columns, self._ids
        talks = columns.talk[slots]
        new = slots[np.argsort(talks, kind="stable")]
        # Each session's last frame so far, and behind it the new ones.
        seen = distinct(talks)
        last = np.array([self._last.get(talk, 0) for talk in seen.tolist()], dtype=np.int64)
        all_talks = np.concatenate([seen[last > 0], columns.talk[new]])
        line = np.concatenate([last[last > 0], new])[np.argsort(all_talks, kind="stable")]
        before, after = line[:-1], line[1:]
        linked = columns.talk[before] == columns.talk[after]
        before, after = before[linked], after[linked]
        earlier = columns.occurred_at[after] < columns.occurred_at[before]
        level = columns.occurred_at[after] == columns.occurred_at[before]
        earlier |= level & (columns.ordinal[after] < columns.ordinal[before])
        disordered = distinct(columns.talk[after[earlier]])
        plain = ~np.isin(columns.talk[after], disordered)
        columns.previous[after[plain]] = ids[before[plain]]
        columns.next[before[plain]] = ids[after[plain]]
        self._last.update(zip(columns.talk[line].tolist(), line.tolist(), strict=True))
        for talk in disordered.tolist():
            members = np.flatnonzero(columns.talk[: self._size] == talk)
            members = members[columns.present[members]]
            ordered = members[np.lexsort((members, columns.ordinal[members], columns.occurred_at[members]))]
            columns.previous[ordered[1:]], columns.next[ordered[:-1]] = ids[ordered[:-1]], ids[ordered[1:]]
            columns.previous[ordered[0]] = columns.next[ordered[-1]] = 0
            self._last[talk] = int(ordered[-1])

    def _retire(self, db: Connection, since: int, rows_since: int | None) -> None:
        """Take in what was retired or came back since a revision, for columns that are as of `rows_since`."""
        frames = FrameIds(self._ids[: self._size])
        # First those that came back: what was retired once more since then is retired.
        returned = self.absences.advance(db, since, self.segment, self._size)
        if rows_since is None:  # all rows were read as they are now
            return
        retired_at = self._columns.retired_at
        came_back = [frame_id for frame_id, until in returned if until > rows_since]
        slots = frames.slots(np.array(came_back, dtype=np.int64))
        retired_at[slots[slots > 0]] = FOREVER
        sql = "SELECT frame_id, retired_at FROM frame WHERE retired_at > ?"
        rows = rows_about(db, self.segment, self._size, sql, (rows_since,))
        pairs = np.array(typed(rows, "frame", int, int), dtype=np.int64).reshape(-1, 2)
        slots = frames.slots(pairs[:, 0])
        # In place: an older view asks as of its own revision, before this.
        retired_at[slots[slots > 0]] = pairs[:, 1][slots > 0]

    def _coded(self, name: str, different: list[str], codes: Int32Array) -> Int64Array:

        if name in _SHARED:
            numbers = self._names.add(name, different)
        else:
            numbers = self.codes[name]
            for value in different:
                numbers.setdefault(value, len(numbers))
        # The last place is for frames without a text, whose code is -1.
        return np.array([*(numbers[value] for value in different), -1], dtype=np.int64)[codes]


def _size_at(columns: Columns, size: int, revision: int) -> int:
    """Without the frames that came after an older snapshot, so that its answers stay what they were."""

    slots = np.flatnonzero((columns.present[:size]) & (columns.recorded_at[:size] <= revision))
    return int(slots[-1]) + 1 if len(slots) else 1


def _first(columns: Columns, size: int) -> Columns:
    """So many slots."""
    return Columns(**{column.name: getattr(columns, column.name)[:size] for column in fields(Columns)})


def _zeros(size: int) -> Columns:

    together = np.zeros((size, len(_TOGETHER)), dtype=np.int64)
    columns: dict[str, Any] = {
        column.name: np.zeros(size, dtype=_dtype(column.name))
        for column in fields(Columns)
        if column.name not in _TOGETHER
    }
    columns |= {name: together[:, index] for index, name in enumerate(_TOGETHER)}
    columns["talk"][:1] = -1  # slot 0 stands for frames that are not here, and those are in no session
    return Columns(**columns)


def _dtype(name: str) -> Any:
    return bool if name in _FLAGS else np.int32 if name in CODED else np.int64
