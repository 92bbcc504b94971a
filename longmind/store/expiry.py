"""When frames expire: a moment for each, kept beside it; retired by the next write, erased by maintenance.

A moment is only ever changed before it has come, and to a later one than now. So whether a frame had expired
at an earlier instant does not depend on which of its moments is asked, and one row for each is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from longmind.base.filters import View
from longmind.store.engine import Connection
from longmind.store.frames import with_chunks
from longmind.store.tables import Tables
from longmind.store.transaction import Transaction

if TYPE_CHECKING:
    from longmind.store.store import Store


class ExpiryRow(NamedTuple):
    frame_id: int
    expires_at: int


TABLES: Final[dict[type, str]] = {ExpiryRow: "frame_expiry"}
_SEALED: Final = Tables(TABLES)
verify = _SEALED.verify

_MARGIN: Final = 60_000
"""Milliseconds by which the clocks of two processes may differ without one leaving something to nobody."""

_HOUR: Final = 3_600_000
_NEXT: Final = {
    "frame_expiry": "SELECT min(expires_at) FROM frame_expiry WHERE expires_at > ?",
    "fact_expiry": "SELECT min(expires_at) FROM fact_expiry WHERE expires_at > ?",
    "fact_span": (
        "SELECT min(valid_to) FROM fact_span "
        "WHERE system_to IS NULL AND valid_to > system_from AND valid_to > ?"
    ),
}
_DUE: Final = (
    "SELECT 0, e.frame_id FROM frame_expiry e JOIN frame f ON f.frame_id = e.frame_id "
    "WHERE e.expires_at > ? AND e.expires_at <= ? AND f.retired_at IS NULL "
    "UNION ALL SELECT 1, x.assertion_id FROM fact_expiry x WHERE x.expires_at > ? AND x.expires_at <= ? "
    "AND NOT EXISTS (SELECT 1 FROM fact_lapse l WHERE l.assertion_id = x.assertion_id AND l.until IS NULL) "
    "UNION ALL SELECT 2, s.fact_id FROM fact_span s WHERE s.system_to IS NULL AND s.valid_to > s.system_from "
    "AND s.valid_to > ? AND s.valid_to <= ?"
)
"""Frames and assertions that have expired, and facts that were to hold until a moment which has come."""


def insert_new(tx: Transaction, moments: Sequence[tuple[int, int]]) -> None:
    """The moments of frames that were just written."""
    _SEALED.insert(tx.db, [ExpiryRow(*pair) for pair in moments])


def moment_of(db: Connection, frame_id: int) -> int | None:
    """When a frame expires; None if it does not."""
    rows = _SEALED.select(db, ExpiryRow, "x.frame_id = ?", (frame_id,))
    return rows[0].expires_at if rows else None


def put_moment(tx: Transaction, frame_id: int, expires_at: int | None) -> bool:
    """Let a frame and its chunks expire then, or not at all; True if that is a change."""
    if moment_of(tx.db, frame_id) == expires_at:
        return False
    assert tx.system
    ids = with_chunks(tx.db, [frame_id])
    _SEALED.delete_among(tx.db, ExpiryRow, "frame_id", ids)
    if expires_at is not None:
        _SEALED.insert(tx.db, [ExpiryRow(one, expires_at) for one in ids])
    return True


def extend(tx: Transaction, frame_id: int, expires_at: int | None) -> bool:
    """Written again: the later of two moments holds, and what was written without one stays."""
    before = moment_of(tx.db, frame_id)
    if before is None or (expires_at is not None and expires_at <= before):
        return False
    return put_moment(tx, frame_id, expires_at)


def retire_expired(store: Store, tx: Transaction) -> None:
    """Take out of LATEST what has expired, as the first thing of a write: it must not be found any more.

    What the ledger holds no longer since the last commit, though nothing was written, the parts follow with
    this one. Each commit looks from where the one before it left off, whichever process made that.
    """
    since = store.expired_until - _MARGIN
    if not any(_may_be_due(tx, table, min(since, tx.before)) for table in _NEXT):
        return
    due = tx.db.all(_DUE, (since, tx.now, since, tx.now, tx.before, max(tx.now, tx.before + 1)))
    frames = [int(number) for kind, number in due if kind == 0]
    assertions = [int(number) for kind, number in due if kind == 1]
    tx.lapsed_facts.update(int(number) for kind, number in due if kind == 2)
    if frames:
        from longmind.store.write import retire

        retire(tx, frames, reason="expired", parts=store.parts)
    if assertions:
        for part in store.parts:
            part.expired(tx, assertions)


def _may_be_due(tx: Transaction, table: str, since: int) -> bool:
    """Whether a moment of the table may have come since an instant.

    The next one is read once an hour, and again when the table has changed: nearly all writes find that none
    has come.
    """
    start = since // _HOUR * _HOUR
    next_one = tx.known(table, ("next after", start), lambda: tx.db.one(_NEXT[table], (start,)))
    return next_one is not None and next_one[0] is not None and next_one[0] <= max(tx.now, tx.before + 1)


def settled(view: View, db: Connection) -> View:
    """The same view by the last moment at which anything expired: what a receipt writes down.

    The clock never stands still, and the same question is to have the same receipt until an answer changes.
    """
    if view.now is None:
        return view
    sql = "SELECT max(expires_at) FROM {} WHERE expires_at <= ?"
    rows = [db.one(sql.format(table), (view.now,)) for table in ("frame_expiry", "fact_expiry")]
    return replace(view, now=max((int(row[0]) for row in rows if row and row[0] is not None), default=None))


def expired_frames(db: Connection, view: View) -> list[int]:
    """The frames that had expired at the view's instant and are not erased yet, wherever they are."""
    if view.expiry_moment is None:
        return []
    rows = db.all("SELECT frame_id FROM frame_expiry WHERE expires_at <= ?", (view.expiry_moment,))
    return [int(row[0]) for row in rows]


def expired_documents(db: Connection, now: int, *, most: int | None) -> list[int]:
    """Whole frames that have expired, the first ones first."""
    limit = "" if most is None else f" LIMIT {max(most, 0)}"
    sql = (
        "SELECT e.frame_id FROM frame_expiry e JOIN frame f ON f.frame_id = e.frame_id "
        f"WHERE e.expires_at <= ? AND f.start_byte IS NULL ORDER BY e.expires_at, e.frame_id{limit}"
    )
    return [int(row[0]) for row in db.all(sql, (now,))]
