"""In memory: which frames had expired, were away or not yet published; for the masks of the catalog."""

from __future__ import annotations

from typing import Final

from longmind.base.arrays import Int64Array, np
from longmind.base.times import FOREVER
from longmind.store.engine import Connection
from longmind.store.segments import EVERYTHING, Segment, rows_about
from longmind.store.tables import typed
from longmind.store.transaction import Snapshot

_AHEAD: Final = 3_600_000
"""Milliseconds ahead of the moment asked for that are read along: the next questions come later."""


class Expiries:
    """Frames by the moment at which they expire, as far as somebody asked."""

    def __init__(self) -> None:
        self._kept: tuple[int, int, Int64Array, Int64Array] | None = None
        """The revision, the moment up to which rows were read, their moments in order, their frames."""

    def by(self, snapshot: Snapshot, moment: int, segment: Segment = EVERYTHING, size: int = 0) -> Int64Array:
        """The frames, at least those of a segment of so many frames, that had expired by a moment."""
        kept = self._kept
        if kept is None or kept[0] != snapshot.revision or kept[1] < moment:
            until = moment + _AHEAD
            rows = rows_about(
                snapshot.db, segment, size,
                "SELECT expires_at, frame_id FROM frame_expiry WHERE expires_at <= ?", (until,),
                order="ORDER BY 1, 2",
            )  # fmt: skip
            pairs = np.array(typed(rows, "frame_expiry", int, int), dtype=np.int64).reshape(-1, 2)
            kept = self._kept = snapshot.revision, until, pairs[:, 0], pairs[:, 1]
        if not len(kept[3]):
            return kept[3]
        expired: Int64Array = kept[3][: np.searchsorted(kept[2], moment, side="right")]
        return expired


class Staged:
    """Ranges of frames that were written in parts, and when all of them were published."""

    def __init__(self) -> None:
        self._ranges: dict[int, tuple[int, int]] = {}
        self._latest = 0
        """When the last of them was published; later than any moment while one is not."""

    def advance(self, db: Connection, since: int) -> None:
        """Take in what was written or published since a revision."""
        rows = db.all(
            f"SELECT first_id, last_id, coalesce(published_at, {FOREVER}) FROM frame_staged "
            "WHERE published_at IS NULL OR published_at > ?",
            (since,),
        )
        if rows:
            new = {
                first: (last, moment) for first, last, moment in typed(rows, "frame_staged", int, int, int)
            }
            self._ranges = self._ranges | new  # replaced as a whole: another thread may be reading
            self._latest = max(moment for _, moment in self._ranges.values())

    def at(self, system: int) -> list[tuple[int, int]]:
        """The first and the last of the frames of each range that was not yet published at an instant."""
        if system >= self._latest:
            return []
        return [(first, last) for first, (last, moment) in self._ranges.items() if moment > system]


class Absences:
    """Frames that were retired for a while, until a restored snapshot brought them back.

    Kept with the columns of the catalog, not read from the snapshot of a question: one that is older than the
    restored state has no row of it, and the columns say already that the frame is there.
    """

    def __init__(self) -> None:
        self._table: Int64Array = np.zeros((0, 3), dtype=np.int64)

    def advance(
        self, db: Connection, since: int, segment: Segment = EVERYTHING, size: int = 0
    ) -> list[tuple[int, int]]:
        """Take in what came back since a revision, and say which frames did, and when."""
        sql = "SELECT frame_id, since, until FROM frame_absence WHERE until > ?"
        rows = rows_about(db, segment, size, sql, (since,))
        if not rows:
            return []
        fresh = np.array(typed(rows, "frame_absence", int, int, int), dtype=np.int64)
        self._table = np.concatenate([self._table, fresh])
        return [(int(frame_id), int(until)) for frame_id, _, until in rows]

    def at(self, system: int) -> Int64Array:
        """The frames that were away at an instant."""
        if not len(self._table):
            return self._table[:, 0]
        frames, since, until = self._table.T
        away: Int64Array = frames[(since <= system) & (system < until)]
        return away
