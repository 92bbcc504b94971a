"""Times that the texts themselves speak of: read when a frame is written, kept as ranges beside it.

"Two days ago" in a turn of 12 April is 10 April, "from 1952 to 1964" in a document is those years. A frame is
then also found by the times it speaks of, not only by its own. Each row follows from one frame alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from longmind.base.arrays import Int64Array, np
from longmind.base.columns import Mask, is_shown
from longmind.base.filters import View
from longmind.base.frame import Frame
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, Dialect, scalar
from longmind.store.follower import Mirrors, settings_generation
from longmind.store.frames import checked_text, load_rows
from longmind.store.parts import Part, Problem
from longmind.store.segments import Segment, SegmentMirrors, segments_of
from longmind.store.store import Store
from longmind.store.tables import batched, check_frame_id, damaged, typed
from longmind.store.tasks import advance
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among
from longmind.store.write import Written
from longmind.when.anchors import may_name_a_time

RULES: Final = "1"
"""By which version of these rules the rows were made; raised when what a text gives changes."""
_SETTING: Final = "text.times"
_BATCH: Final = 1000
_MOST_RANGES: Final = 32
"""Of one frame: a long table of dates is found by its first ones."""
_MOST_CHARACTERS: Final = 20_000
_NEVER, _FOREVER = -(2**62), 2**62
"""Bounds that are left open; no time lies beyond them, and their negatives are numbers too."""
_OPTIONAL_NUMBER: Final = (int, type(None))
_CALENDAR: Final = range(-62_135_596_800_000, 253_402_300_800_000)
"""The years 1 to 9999: a text of another time has no days to count from, and only its full dates are read."""


class Range(NamedTuple):
    """Half-open, in unix milliseconds; None for a bound that the text leaves open."""

    since: int | None
    until: int | None


Ranges = tuple[Range, ...]


def times_said(text: str, occurred_at: int) -> Ranges:
    """The ranges that a text speaks of, in reading order; relative ones are counted from its own time.

    A time of day alone and "now" are left out: neither names a day to look for.
    """
    from longmind.when.find import find_times

    reference = occurred_at if occurred_at in _CALENDAR else None
    phrases = find_times(text, reference=reference, most_characters=_MOST_CHARACTERS)
    ranges = (
        Range(phrase.since, phrase.until)
        for phrase in phrases
        if not (phrase.unresolved or phrase.is_time_of_day or phrase.is_now)
    )
    return tuple(dict.fromkeys(ranges))[:_MOST_RANGES]


class TimeIndex(Part):
    """Follows the frames with the times that their texts speak of."""

    name = "times"

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object]:
        """Ranges, or None where they are read when the frame's own time is known."""
        return [_prepared(draft) for draft in drafts]

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is not None and isinstance(frames, Written):
            # Few texts name a time: to make the frames of all would take longer than to read those.
            _add(tx.db, _of_written(frames, prepared))
            return
        cut = {frame.parent for frame in frames if frame.start is not None}
        rows: dict[int, Ranges] = {}
        for position, frame in enumerate(frames):
            if frame.id in cut:
                continue
            item = None if prepared is None else prepared[position]
            rows[frame.id] = item if isinstance(item, tuple) else times_said(frame.text, frame.occurred_at)
        _add(tx.db, rows)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        count = 0
        for batch in batched(ids):
            clause = among("frame_id", batch)
            count += tx.db.run(f"DELETE FROM frame_time WHERE {clause.sql}", clause.values)
        return {"frame_time": count}

    def rebuild(self, store: Store) -> int:
        """Replace the rows of each frame that differ from what its text gives."""
        total, after, changed = 0, 0, False
        while True:
            with store.read() as snapshot:
                ids = _next_ids(snapshot.db, after)
                expected = _compute(snapshot.db, self._dialect, ids)
                is_sound = _stored(snapshot.db, ids) == expected
            if not ids:
                break
            if not is_sound:
                changed = True
                with store.write() as tx:
                    self.erased(tx, ids)
                    _add(tx.db, _present(tx.db, expected))
                    assert tx.system
            total += len(expected)
            after = ids[-1]
            advance(after)
        self._finish(store, changed=changed)
        return total

    def _finish(self, store: Store, *, changed: bool) -> None:
        with store.write() as tx:
            surplus = tx.db.run(
                "DELETE FROM frame_time WHERE frame_id NOT IN (SELECT frame_id FROM text_doc)"
            )
            if surplus or changed or not _is_current(store, tx.db):
                # Whoever keeps the rows in memory reads them again.
                store.set_setting(tx, _SETTING, f"{RULES} {tx.system}")

    def derive(self, tx: Transaction) -> None:
        after = 0
        while ids := _next_ids(tx.db, after):
            _add(tx.db, _compute(tx.db, self._dialect, ids))
            after = ids[-1]

    def bind(self, store: Store) -> None:
        """Say by which rules the rows are made; those of a store made by others are made anew."""
        if store.engine.read_only:
            return
        with store.read() as snapshot:
            if _is_current(store, snapshot.db):
                return
            anything = snapshot.db.one("SELECT 1 FROM frame LIMIT 1")
        if anything is not None:
            self.rebuild(store)
            return
        with store.write() as tx:
            store.set_setting(tx, _SETTING, RULES)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        if not deep:
            return
        after = 0
        while ids := _next_ids(snapshot.db, after):
            expected, stored = _compute(snapshot.db, self._dialect, ids), _stored(snapshot.db, ids)
            for frame_id in ids:
                if expected.get(frame_id, ()) != stored.get(frame_id, ()):
                    detail = f"the times that frame {frame_id} speaks of are not those of its text"
                    yield Problem("times", detail, derived=True)
            after = ids[-1]

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        count = scalar(snapshot.db, "SELECT count(DISTINCT frame_id) FROM frame_time")
        return {"frames": count} if count else {}


def _is_current(store: Store, db: Connection) -> bool:
    setting = store.setting(db, _SETTING)
    return setting is not None and setting.split(" ")[0] == RULES


def _prepared(draft: Draft) -> Ranges | None:
    if draft.chunks:
        return None
    if not may_name_a_time(draft.text[:_MOST_CHARACTERS]):
        return ()
    return None if draft.occurred_at is None else times_said(draft.text, draft.occurred_at)


def _of_written(frames: Written, prepared: Sequence[object]) -> dict[int, Ranges]:
    cut = {row.parent_id for row in frames.rows if row.start_byte is not None}
    rows: dict[int, Ranges] = {}
    for row, (draft, _), item in zip(frames.rows, frames.drafts, prepared, strict=True):
        if isinstance(item, tuple):
            if item:
                rows[row.frame_id] = item
        elif row.frame_id not in cut:
            rows[row.frame_id] = times_said(draft.text, row.occurred_at)
    return rows


def _add(db: Connection, rows: Mapping[int, Ranges]) -> None:
    values = [
        (frame_id, number, span.since, span.until)
        for frame_id, ranges in rows.items()
        for number, span in enumerate(ranges)
    ]
    if values:
        db.many("INSERT INTO frame_time (frame_id, number, since, until) VALUES (?, ?, ?, ?)", values)


def _compute(db: Connection, dialect: Dialect, ids: Sequence[int]) -> dict[int, Ranges]:
    """What the texts of these frames speak of, without those that speak of no time."""
    clause = among("f.frame_id", ids)
    rows = load_rows(db, dialect, clause) if ids else []
    times = {row.frame_id: times_said(text, row.occurred_at) for row, text in map(checked_text, rows)}
    return {frame_id: ranges for frame_id, ranges in times.items() if ranges}


def _stored(db: Connection, ids: Sequence[int]) -> dict[int, Ranges]:
    stored: dict[int, list[Range]] = {}
    clause = among("frame_id", ids)
    sql = f"SELECT frame_id, since, until FROM frame_time WHERE {clause.sql} ORDER BY frame_id, number"
    for frame_id, since, until in db.all(sql, clause.values) if ids else ():
        stored.setdefault(int(frame_id), []).append(Range(since, until))
    return {frame_id: tuple(ranges) for frame_id, ranges in stored.items()}


def _present(db: Connection, rows: Mapping[int, Ranges]) -> dict[int, Ranges]:
    """Those whose frames are still indexed: a frame may have been erased since its text was read."""
    clause = among("frame_id", list(rows))
    sql = f"SELECT frame_id FROM text_doc WHERE {clause.sql}"
    return {int(row[0]): rows[int(row[0])] for row in db.all(sql, clause.values)} if rows else {}


def _next_ids(db: Connection, after: int) -> list[int]:
    sql = f"SELECT frame_id FROM text_doc WHERE frame_id > ? ORDER BY frame_id LIMIT {_BATCH}"
    return [int(row[0]) for row in db.all(sql, (after,))]


class SaidTimes:
    """The times that texts speak of, kept in memory once a question names a time."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._tables = SegmentMirrors(mirrors, "times", _TimeTable, generation=settings_generation(_SETTING))

    def within(
        self, snapshot: Snapshot, view: View, since: int | None, until: int | None, mask: Mask
    ) -> Spoken:
        """Frames of the mask that speak of some of this time."""
        parts = [
            self._tables.of(segment).at(snapshot).within(since, until, mask) for segment in segments_of(view)
        ]
        ids = np.concatenate([part.ids for part in parts])
        order = ids.argsort(kind="stable")
        return Spoken(ids[order], np.concatenate([part.moments for part in parts])[order])


class Spoken(NamedTuple):
    """Frames by ascending id whose texts speak of a time, and the moment by which each is ordered."""

    ids: Int64Array
    moments: Int64Array


class _TimeTable:
    """The mirror of `frame_time` for one segment, replaced as a whole: readers beside it see one state."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        empty = np.zeros(0, dtype=np.int64)
        self._columns = empty, empty, empty

    def advance(self, snapshot: Snapshot, since: int) -> None:
        ids, starts, ends = self._columns
        last = int(ids[-1]) if len(ids) else 0
        clause = self._segment.among("frame_id")
        rows = snapshot.db.all(
            "SELECT frame_id, since, until FROM frame_time "
            f"WHERE frame_id > ? AND {clause.sql} ORDER BY frame_id, number",
            (last, *clause.values),
        )
        if not rows:
            return
        new_ids, new_starts, new_ends = zip(
            *typed(rows, "frame_time", int, _OPTIONAL_NUMBER, _OPTIONAL_NUMBER), strict=True
        )
        check_frame_id(snapshot.db, new_ids[-1], "frame_time")
        if list(new_ids) != sorted(new_ids) or new_ids[0] <= last:
            raise damaged("frame_time")
        self._columns = (
            np.concatenate([ids, np.array(new_ids, dtype=np.int64)]),
            np.concatenate([starts, _filled(new_starts, _NEVER)]),
            np.concatenate([ends, _filled(new_ends, _FOREVER)]),
        )

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns)

    def within(self, since: int | None, until: int | None, mask: Mask) -> Spoken:
        """The same of this segment; with each frame the latest moment of the time that it means."""
        ids, starts, ends = self._columns
        low = _NEVER if since is None else since
        high = _FOREVER if until is None else until
        positions = np.flatnonzero((starts < high) & (ends > low))
        positions = positions[is_shown(mask, ids[positions])]
        moments = np.maximum(starts[positions], low)
        frame_ids, first = np.unique(ids[positions], return_index=True)
        return Spoken(frame_ids, np.maximum.reduceat(moments, first) if len(frame_ids) else moments[:0])


def _filled(bounds: Sequence[int | None], missing: int) -> Int64Array:
    return np.array([missing if bound is None else bound for bound in bounds], dtype=np.int64)
