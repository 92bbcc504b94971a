"""The small columns of every frame in memory, so that a filter is a mask and costs no query.

Rows are only ever added or retired (an erase starts afresh), so one catalog serves every snapshot up to its
own revision: an older one simply sees the frames that were recorded, and not yet retired, by then.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from longmind.base.arrays import BoolArray, Int64Array, np
from longmind.base.filters import Condition, View, Where
from longmind.base.names import ALL
from longmind.base.ordering import distinct
from longmind.base.times import FOREVER, AsOf
from longmind.base.words import WORD, fold
from longmind.store.engine import Connection, Row
from longmind.store.follower import Follower, Mirrors
from longmind.store.lapses import Absences, Expiries
from longmind.store.tables import NULLABLE_TEXT, NUMBER, Kind, check_frame_id, damaged, typed
from longmind.store.transaction import Snapshot
from longmind.store.visible import matching

_CODED: Final = ("space", "kind", "session", "role", "speaker", "source")
_NUMBERS: Final = ("parent", "ordinal", "occurred_at", "recorded_at", "retired_at")
_FLAGS: Final = ("present", "is_global", "is_chunk", "is_turn")
_TOGETHER: Final = ("content", "talk", "previous", "next")
"""Read together of many single frames: beside each other in memory, one look brings all."""

_KINDS: Final[tuple[Kind, ...]] = (str, str, *(4 * [NULLABLE_TEXT]), *(5 * [int]), bytes)
"""Of the columns that are read, from `space` on."""

_TESTED: Final = {
    "kind": "kind",
    "session": "session",
    "role": "role",
    "speaker": "speaker",
    "source": "source",
    "occurred_at": "occurred_at",
    "parent_id": "parent",
    "frame_id": "",
}
"""The columns of `frame` that a condition is tested by in memory, and their names here.

Not the uri, which is another one for nearly every frame and is rarely asked for.
"""

_MASKS: Final = 16
_CORPORA: Final = 16
_TEXT_BYTES: Final = 150
"""Of a text or a number in a table: the object, and its share of the table."""
_PART: Final = 50_000


@dataclass(slots=True)
class _Columns:
    """Arrays indexed by frame id; -1 stands for a missing text or id."""

    present: BoolArray
    is_global: BoolArray
    is_chunk: BoolArray
    is_turn: BoolArray
    """Part of a conversation: in a session, and said by somebody."""
    space: Int64Array
    kind: Int64Array
    session: Int64Array
    role: Int64Array
    speaker: Int64Array
    source: Int64Array
    parent: Int64Array
    ordinal: Int64Array
    occurred_at: Int64Array
    recorded_at: Int64Array
    retired_at: Int64Array
    content: Int64Array
    """The first eight bytes of the content hash: ties that do not depend on the order of writing."""
    talk: Int64Array
    """A number for space and session together, -1 outside of sessions."""
    previous: Int64Array
    """With `next`, the frames beside this one in its session by time; 0 for none."""
    next: Int64Array


class Catalog:
    """The frames' columns in memory, for every search."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._table = Follower(mirrors, "catalog", _FrameTable)

    def at(self, snapshot: Snapshot) -> CatalogView:
        """The catalog as of a snapshot."""
        return self._table.at(snapshot).view(snapshot)


class _FrameTable:
    """The mirror of `frame`."""

    def __init__(self) -> None:
        self._columns = _zeros(1)
        self._size = 1
        self._shown = self._columns, 1, -1
        """What views are made of, replaced as a whole: the columns, how much of them, and their revision."""
        self._codes: dict[str, dict[str, int]] = {name: {} for name in _CODED}
        self._talks: dict[int, int] = {}
        """Numbers by the codes of space and session, in one."""
        self._voices: dict[str, set[int]] = {}
        self._last: dict[int, int] = {}
        self._masks: OrderedDict[tuple[Any, ...], BoolArray] = OrderedDict()
        self._corpora: OrderedDict[tuple[Any, ...], Corpus] = OrderedDict()
        self._hidden: tuple[int, Int64Array] | None = None
        self.expiries = Expiries()
        self.absences = Absences()
        self._lock = threading.Lock()

    def advance(self, snapshot: Snapshot, since: int) -> None:
        self._append(snapshot.db)
        self._retire(snapshot.db, since)
        self._shown = self._columns, self._size, snapshot.revision

    @property
    def nbytes(self) -> int:
        arrays = sum(int(getattr(self._columns, column.name).nbytes) for column in fields(_Columns))
        texts = sum(map(len, self._codes.values())) + len(self._talks) + len(self._last)
        return arrays + (_MASKS + _CORPORA) * self._size + _TEXT_BYTES * texts

    def view(self, snapshot: Snapshot) -> CatalogView:
        columns, size, revision = self._shown
        if snapshot.revision != revision:
            size = _size_at(columns, size, snapshot.revision)
        shown = {column.name: getattr(columns, column.name)[:size] for column in fields(_Columns)}
        return CatalogView(_Columns(**shown), self._codes, self._voices, snapshot, self)

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
        made = make()
        with self._lock:
            self._corpora[key] = made
            while len(self._corpora) > _CORPORA:
                self._corpora.popitem(last=False)
        return made

    def hidden(self, snapshot: Snapshot, size: int) -> Int64Array:
        """The frames that rules of visibility hide, at a snapshot."""
        kept = self._hidden
        if kept is None or kept[0] != snapshot.revision:
            rows = typed(snapshot.db.all("SELECT frame_id FROM frame_hidden"), "frame_hidden", int)
            kept = snapshot.revision, np.array([row[0] for row in rows], dtype=np.int64)
            self._hidden = kept
        return kept[1][kept[1] < size]

    def _append(self, db: Connection) -> None:
        """In parts: as rows, many frames take far more memory than as columns."""
        while self._append_some(db) == _PART:
            pass

    def _append_some(self, db: Connection) -> int:

        last_id = self._size - 1
        rows = db.all(
            "SELECT frame_id, scope = 'global', start_byte IS NOT NULL, space, kind, session, role, speaker, "
            "source, coalesce(parent_id, -1), coalesce(ordinal, -1), occurred_at, recorded_at, "
            f"coalesce(retired_at, {FOREVER}), substr(content_hash, 1, 8) "
            f"FROM frame WHERE frame_id > ? ORDER BY frame_id LIMIT {_PART}",
            (last_id,),
        )
        if not rows:
            return 0
        # Types only: a checksum for each frame would take a second for 100,000 of them. What the catalog lets
        # through is read by `frames.fetch`, checked, and under the same condition again.
        typed(rows, "frame", int, NUMBER, NUMBER, *_KINDS)
        check_frame_id(db, max(row[0] for row in rows), "frame")
        columns = list(zip(*rows, strict=True))
        if any(len(name) != 8 for name in columns[14]):
            raise damaged("frame")
        ids = np.array(columns[0], dtype=np.int64)
        if ids[0] <= last_id or not np.all(ids[1:] > ids[:-1]):  # the order of a damaged tree
            raise damaged("frame")
        size = int(ids[-1]) + 1
        new: dict[str, Any] = {"present": np.ones(len(ids), dtype=bool)}
        new["is_global"] = np.array(columns[1], dtype=bool)
        new["is_chunk"] = np.array(columns[2], dtype=bool)
        for name, values in zip(_CODED, columns[3:9], strict=True):
            new[name] = self._coded(name, values)
        for name, values in zip(_NUMBERS, columns[9:14], strict=True):
            new[name] = np.array(values, dtype=np.int64)
        new["content"] = np.frombuffer(b"".join(columns[14]), dtype=">i8").astype(np.int64)
        new["is_turn"] = (new["session"] >= 0) & ((new["role"] >= 0) | (new["speaker"] >= 0))
        new["talk"] = self._talk_numbers(new["space"], new["session"])
        new["previous"] = new["next"] = np.zeros(len(ids), dtype=np.int64)
        self._columns = self._with_room(size)
        self._size = size
        for column in fields(_Columns):
            getattr(self._columns, column.name)[ids] = new[column.name]
        self._chain(ids[new["talk"] >= 0])
        return len(ids)

    def _with_room(self, size: int) -> _Columns:
        """The arrays, or longer copies; what a view can see of them never changes its answers."""
        if size <= len(self._columns.present):
            return self._columns
        grown = _zeros(size + size // 2 + 64)
        for column in fields(_Columns):
            getattr(grown, column.name)[: self._size] = getattr(self._columns, column.name)[: self._size]
        return grown

    def _talk_numbers(self, spaces: Int64Array, sessions: Int64Array) -> Int64Array:

        pairs, inverse = np.unique(spaces << 32 | sessions, return_inverse=True)
        numbers = [
            -1 if pair & 0xFFFFFFFF == 0xFFFFFFFF else self._talks.setdefault(pair, len(self._talks))
            for pair in pairs.tolist()
        ]
        return np.array(numbers, dtype=np.int64)[inverse]

    def _chain(self, ids: Int64Array) -> None:
        """Link new frames of a session to the one before; a session written out of order is linked anew."""

        columns = self._columns
        talks = columns.talk[ids]
        new = ids[np.argsort(talks, kind="stable")]
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
        columns.previous[after[plain]], columns.next[before[plain]] = before[plain], after[plain]
        self._last.update(zip(columns.talk[line].tolist(), line.tolist(), strict=True))
        for talk in disordered.tolist():
            members = np.flatnonzero(columns.present[: self._size] & (columns.talk[: self._size] == talk))
            ordered = members[np.lexsort((members, columns.ordinal[members], columns.occurred_at[members]))]
            columns.previous[ordered[1:]], columns.next[ordered[:-1]] = ordered[:-1], ordered[1:]
            columns.previous[ordered[0]] = columns.next[ordered[-1]] = 0
            self._last[talk] = int(ordered[-1])

    def _retire(self, db: Connection, since: int) -> None:
        # First those that came back: what was retired once more since then is retired.
        for frame_id in self.absences.advance(db, since):
            if 0 < frame_id < self._size:
                self._columns.retired_at[frame_id] = FOREVER
        rows: list[Row] = db.all("SELECT frame_id, retired_at FROM frame WHERE retired_at > ?", (since,))
        # In place: an older view asks as of its own revision, before this.
        for frame_id, moment in typed(rows, "frame", int, int):
            if 0 < frame_id < self._size:
                self._columns.retired_at[frame_id] = moment

    def _coded(self, name: str, values: tuple[Any, ...]) -> Int64Array:

        codes = self._codes[name]
        if name == "speaker":
            for speaker in sorted({value for value in values if value is not None and value not in codes}):
                for word in WORD.findall(fold(speaker)):
                    self._voices.setdefault(word, set()).add(codes.setdefault(speaker, len(codes)))
        different = dict.fromkeys(values)
        for value in different:
            if value is not None:
                codes.setdefault(value, len(codes))
        numbers = {value: codes.get(value, -1) for value in different}
        return np.fromiter(map(numbers.__getitem__, values), dtype=np.int64, count=len(values))


def _size_at(columns: _Columns, size: int, revision: int) -> int:
    """Without the frames that came after an older snapshot, so that its answers stay what they were."""

    ids = np.flatnonzero((columns.present & (columns.recorded_at <= revision))[:size])
    return int(ids[-1]) + 1 if len(ids) else 1


def _zeros(size: int) -> _Columns:

    together = np.zeros((size, len(_TOGETHER)), dtype=np.int64)
    columns: dict[str, Any] = {
        column.name: np.zeros(size, dtype=bool if column.name in _FLAGS else np.int64)
        for column in fields(_Columns)
        if column.name not in _TOGETHER
    }
    columns |= {name: together[:, index] for index, name in enumerate(_TOGETHER)}
    return _Columns(**columns)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The frames whose words count for one view: those of its spaces, and global ones, at its system time.

    Neither the caller's conditions nor valid time change it, so that a filter never changes a score.
    """

    inside: BoolArray | None
    """Over all frame ids; None where every frame counts."""
    speakers: frozenset[int] | None
    """The codes of those who speak in these frames; None where every frame counts."""

    def among(self, ids: Int64Array) -> Int64Array:
        """Those of the frames that count."""
        if self.inside is None:
            return ids
        ids = ids[ids < len(self.inside)]
        return ids[self.inside.take(ids)]


@dataclass(frozen=True, slots=True)
class CatalogView:
    """The catalog at one snapshot."""

    columns: _Columns
    codes: dict[str, dict[str, int]]
    voices: dict[str, set[int]]
    """Speakers by each word of their names, folded."""
    snapshot: Snapshot
    table: _FrameTable

    @property
    def size(self) -> int:
        return len(self.columns.present)

    def code(self, name: str, value: str) -> int | None:
        return self.codes[name].get(value)

    def visible(self, view: View, where: Where) -> BoolArray:
        """Over all frame ids: may a request with this view and filter see the frame?"""
        # By how much has expired, not by the clock, which never stands still.
        key = (self.snapshot.revision, self.size, replace(view, now=None), self._lapsed(view), repr(where))
        cached = self.table.mask(key)
        if cached is not None:
            return cached
        mask = self._at_instant(view) & self._in_spaces(view)
        mask = self._matching(mask, where, view)
        mask.setflags(write=False)
        self.table.keep(key, mask)
        return mask

    def corpus(self, view: View) -> Corpus:
        """The frames whose statistics a read of this view may use."""
        known = view.at(AsOf(system=view.as_of.system, valid=FOREVER))
        system = min(view.as_of.system, self.snapshot.revision)
        parts = (known.spaces, known.user, known.is_own, known.with_hidden)
        return self.table.corpus(
            (self.snapshot.revision, self.size, *parts, system, self._lapsed(known)),
            lambda: self._corpus(known),
        )

    def _corpus(self, view: View) -> Corpus:
        inside = self._at_instant(view) & self._in_spaces(view)
        if np.array_equal(inside, self.columns.present):
            return Corpus(None, None)
        inside.setflags(write=False)
        heard = np.zeros(len(self.codes["speaker"]) + 1, dtype=bool)
        heard[self.columns.speaker[inside]] = True  # the last place is for frames without a speaker
        return Corpus(inside, frozenset(heard[:-1].nonzero()[0].tolist()))

    def _at_instant(self, view: View) -> BoolArray:
        system = min(view.as_of.system, self.snapshot.revision)
        columns = self.columns
        mask: BoolArray = columns.present & (columns.recorded_at <= system) & (columns.retired_at > system)
        if view.as_of.valid != FOREVER:
            mask &= columns.occurred_at <= view.as_of.valid
        if not view.with_hidden:
            mask[self.table.hidden(self.snapshot, self.size)] = False
        away = self.table.absences.at(system, self.size)
        if len(away):
            mask[away] = False
        moment = view.expiry_moment
        if moment is not None:
            mask[self.table.expiries.by(self.snapshot, moment, self.size)] = False
        return mask

    def _lapsed(self, view: View) -> int:
        moment = view.expiry_moment
        return 0 if moment is None else len(self.table.expiries.by(self.snapshot, moment, self.size))

    def _in_spaces(self, view: View) -> BoolArray:

        if view.spaces is ALL and view.user is ALL:
            return np.ones(self.size, dtype=bool)
        mask: BoolArray = self.columns.is_global & (not view.is_own)
        if view.spaces is ALL or view.user is ALL:
            codes = [code for name, code in list(self.codes["space"].items()) if view.covers(name)]
            return mask | np.isin(self.columns.space, codes)
        for space in view.spaces:
            code = self.code("space", space)
            if code is not None:
                mask |= self.columns.space == code
        return mask

    def _matching(self, mask: BoolArray, where: Where, view: View) -> BoolArray:
        for condition in where.conditions():
            if condition.column in _TESTED:
                mask &= self._test(condition)
        rest = matching(where, view, besides=_TESTED)
        if not rest.is_true:
            sql = f"SELECT f.frame_id FROM frame f WHERE {rest.sql}"
            mask &= self._among(row[0] for row in self.snapshot.db.all(sql, rest.values))
        return mask

    def _test(self, condition: Condition) -> BoolArray:

        if condition.column == "frame_id":
            return self._among(condition.value)
        name = _TESTED[condition.column]
        column, value = getattr(self.columns, name), condition.value
        if condition.test == ">=":
            return np.asarray(column >= value)
        if condition.test == "<":
            return np.asarray(column < value)
        if name in _CODED:
            value = [code for code in (self.code(name, text) for text in value) if code is not None]
        return np.isin(column, value)

    def _among(self, ids: Iterable[int]) -> BoolArray:

        mask = np.zeros(self.size, dtype=bool)
        mask[np.array([frame_id for frame_id in ids if frame_id < self.size], dtype=np.int64)] = True
        return mask
