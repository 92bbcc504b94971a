"""The part of a store that writes the blocks of columns and lengths, and checks them; see `blocks.py`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from longmind.base.arrays import np
from longmind.base.frame import Frame
from longmind.store import blocks, column_rows
from longmind.store.blocks import COLUMNS, FULL, LENGTHS, BlockKey
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Budget, Part, Problem
from longmind.store.segments import Segment
from longmind.store.store import Store
from longmind.store.tables import batched, typed
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among
from longmind.store.write import ids_of

_WORTH_IT: Final = 2048
"""`maintain` begins a block for so many frames; fewer are read from their rows in a few milliseconds."""
_ACTIVE: Final = 256
"""Partitions that got so many of the last `FULL` frames are looked at by the commit that wrote these."""


class Blocks(Part):
    """Writes the blocks of columns and lengths, and checks them."""

    name = "blocks"

    def written(
        self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None
    ) -> Mapping[str, int] | None:
        """Now and then, so that one write among thousands makes a block of what the others wrote."""
        ids = ids_of(frames)
        if ids and ids[-1] // FULL != (ids[0] - 1) // FULL:
            for partition in _active(tx.db, after=ids[-1] - max(FULL, len(ids))):
                _add(tx, Segment("partition", partition), least=FULL)
        return None

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        ordered = sorted(ids)
        existing = blocks.all_keys(tx.db)
        if not existing:
            return {}
        partitions: set[str] = set()
        for batch in batched(ordered):
            clause = among("frame_id", batch)
            rows = tx.db.all(f"SELECT DISTINCT space FROM frame WHERE {clause.sql}", clause.values)
            partitions.update(str(row[0]) for row in rows)
        doomed = [key for key in existing if key.segment in partitions and _touches(key, ordered)]
        return {"segment_block": blocks.remove(tx.db, doomed)} if doomed else {}

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        """Blocks for what commits left, each partition in a transaction of its own."""
        if store.engine.read_only:
            return {}
        with store.read() as snapshot:
            partitions = _uncovered(snapshot.db)
        added = 0
        for partition in partitions:
            if budget.exhausted:
                break
            with store.write() as tx:
                added += _add(tx, Segment("partition", partition), least=_WORTH_IT)
        return {"added": added} if added else {}

    def rebuild(self, store: Store) -> int:
        with store.write() as tx:
            tx.db.run("DELETE FROM segment_block WHERE kind IN (?, ?)", (COLUMNS, LENGTHS))
            self.derive(tx)
            return scalar(tx.db, "SELECT count(*) FROM segment_block")

    def derive(self, tx: Transaction) -> None:
        for partition in _uncovered(tx.db):
            _add(tx, Segment("partition", partition), least=_WORTH_IT)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        db = snapshot.db
        for key in blocks.all_keys(db):
            where = f"the block of {key.kind} from frame {key.first_id} on"
            data = blocks.read(db, key)
            if data is None:
                yield Problem("blocks", f"{where} is damaged", derived=True)
            elif deep and data != _expected(db, key, data):
                yield Problem("blocks", f"{where} is not what its rows say", derived=True)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        count = scalar(snapshot.db, "SELECT count(*) FROM segment_block")
        return {"blocks": count} if count else {}


def _active(db: Connection, *, after: int) -> list[str]:
    rows = db.all(
        "SELECT space FROM frame WHERE frame_id > ? GROUP BY space HAVING count(*) >= ?", (after, _ACTIVE)
    )
    return sorted(str(row[0]) for row in rows)


def _uncovered(db: Connection) -> list[str]:
    """Partitions with so many frames behind their last block that another is worth it."""
    rows = db.all(
        "SELECT f.space FROM frame f LEFT JOIN (SELECT segment, max(last_id) AS last_id FROM segment_block "
        "WHERE kind = ? GROUP BY segment) b ON b.segment = f.space WHERE f.frame_id > coalesce(b.last_id, 0) "
        "GROUP BY f.space HAVING count(*) >= ?",
        (COLUMNS, _WORTH_IT),
    )
    return sorted(str(row[0]) for row in rows)


def _add(tx: Transaction, segment: Segment, *, least: int) -> int:
    """Cover the frames behind the last block, where there are at least so many; return how many blocks."""
    existing = blocks.keys(tx.db, segment, COLUMNS)
    covered = existing[-1].last_id if existing else 0
    if existing and least < FULL and _count(tx.db, existing[-1]) < FULL // 2:
        # The tail of last time grows: one block again, not one for each time.
        both = [*existing, *blocks.keys(tx.db, segment, LENGTHS)]
        blocks.remove(tx.db, [key for key in both if key.first_id >= existing[-1].first_id])
        covered = existing[-1].first_id - 1
    added = 0
    while True:
        columns = column_rows.read_columns(tx.db, segment, after=covered, limit=FULL)
        if columns is None or len(columns) < least:
            return added
        last = int(columns.ids[-1])
        blocks.write(tx, segment, COLUMNS, (covered + 1, last), column_rows.pack(columns))
        blocks.write(tx, segment, LENGTHS, (covered + 1, last), pack_lengths(tx.db, segment, covered, last))
        covered = last
        added += 1


def _count(db: Connection, key: BlockKey) -> int:
    data = blocks.read(db, key)
    try:
        return 0 if data is None else len(column_rows.unpack(data, (key.first_id, key.last_id)))
    except column_rows.Malformed:
        return 0


def pack_lengths(db: Connection, segment: Segment, after: int, up_to: int) -> bytes:
    """The content words of the indexed frames of a range."""
    here = segment.clause()
    rows = db.all(
        "SELECT f.frame_id, d.length FROM frame f CROSS JOIN text_doc d WHERE d.frame_id = f.frame_id "
        f"AND {here.sql} AND f.frame_id > ? AND f.frame_id <= ? ORDER BY f.frame_id",
        (*here.values, after, up_to),
    )
    pairs = np.array(typed(rows, "text_doc", int, int), dtype=np.int64).reshape(-1, 2)
    return column_rows.pack_arrays({"ids": pairs[:, 0], "lengths": pairs[:, 1].astype(np.int32)}, None)


def _expected(db: Connection, key: BlockKey, data: bytes) -> bytes:
    """What a block should hold: as its rows say, with the retirements of its own time."""
    segment = Segment("partition", key.segment)
    if key.kind == LENGTHS:
        return pack_lengths(db, segment, key.first_id - 1, key.last_id)
    if key.kind != COLUMNS:
        return data
    columns = column_rows.read_columns(db, segment, after=key.first_id - 1, limit=FULL, up_to=key.last_id)
    if columns is None:
        return b""
    try:
        stored = column_rows.unpack(data, (key.first_id, key.last_id))
    except column_rows.Malformed:
        return b""
    if len(stored) != len(columns):
        return b""
    columns.numbers["retired_at"][:] = stored.numbers["retired_at"]
    return column_rows.pack(columns)


def _touches(key: BlockKey, ordered: Sequence[int]) -> bool:
    """Whether one of these ids is in the range of a block."""
    position = bisect_left(ordered, key.first_id)
    return position < len(ordered) and ordered[position] <= key.last_id
