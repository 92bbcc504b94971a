"""Blocks: what searches keep in memory, stored as it is kept, so that a new process need not make it of rows.

A block covers a range of ids of one partition, and says with which revision it is current. It is written
once, by the commit that fills its range or by `maintain`, and removed when a frame in it is erased. Blocks
are only ever a shortcut: where one is missing, or its checksum is wrong, the rows are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from longmind.store.engine import Connection
from longmind.store.segments import Segment
from longmind.store.tables import damaged, typed
from longmind.store.transaction import Transaction

COLUMNS: Final = "columns"
LENGTHS: Final = "lengths"
CODES: Final = "codes"

FULL: Final = 16_384
"""Frames of a block: as many as a commit can add a block for without being slower than its other work."""


class BlockKey(NamedTuple):
    """Which block, and what it is current with."""

    segment: str
    kind: str
    first_id: int
    last_id: int
    revision: int
    checksum: bytes


def keys(db: Connection, segment: Segment, kind: str) -> list[BlockKey]:
    """The blocks of a segment, by range; only partitions have any."""
    if segment.kind != "partition":
        return []
    rows = db.all(
        "SELECT segment, kind, first_id, last_id, revision, checksum FROM segment_block "
        "WHERE segment = ? AND kind = ? ORDER BY first_id",
        (segment.partition, kind),
    )
    return [BlockKey(*row) for row in typed(rows, "segment_block", str, str, int, int, int, bytes)]


def read(db: Connection, key: BlockKey) -> bytes | None:
    """What is in a block; None if it is damaged or gone."""
    row = db.one(
        "SELECT data FROM segment_block WHERE segment = ? AND kind = ? AND first_id = ?",
        (key.segment, key.kind, key.first_id),
    )
    data = None if row is None or not isinstance(row[0], bytes | memoryview) else bytes(row[0])
    return None if data is None or _checksum(key, data) != key.checksum else data


def write(
    tx: Transaction,
    segment: Segment,
    kind: str,
    ids: tuple[int, int],
    data: bytes,
    *,
    revision: int | None = None,
) -> None:
    """A block for a range of ids; current with this commit, or with an earlier revision."""
    key = BlockKey(segment.partition, kind, *ids, tx.system if revision is None else revision, b"")
    tx.db.run(
        "INSERT INTO segment_block (segment, kind, first_id, last_id, revision, checksum, data) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*key[:5], _checksum(key, data), data),
    )


def rebuilt_at(db: Connection, setting: str) -> int:
    """The revision at which an index was last rebuilt, by the setting that says so; 0 for never."""
    row = db.one("SELECT value FROM store_setting WHERE name = ?", (setting,))
    try:
        return 0 if row is None else int(row[0])
    except (TypeError, ValueError):
        raise damaged("store_setting") from None


def all_keys(db: Connection) -> list[BlockKey]:
    """Every block of the store."""
    rows = db.all(
        "SELECT segment, kind, first_id, last_id, revision, checksum FROM segment_block "
        "ORDER BY segment, kind, first_id"
    )
    return [BlockKey(*row) for row in typed(rows, "segment_block", str, str, int, int, int, bytes)]


def remove(db: Connection, keys: Iterable[BlockKey]) -> int:
    return sum(
        db.run(
            "DELETE FROM segment_block WHERE segment = ? AND kind = ? AND first_id = ?",
            (key.segment, key.kind, key.first_id),
        )
        for key in keys
    )


def _checksum(key: BlockKey, data: bytes) -> bytes:
    header = f"{key.segment}\0{key.kind}\0{key.first_id}\0{key.last_id}\0{key.revision}\0".encode()
    return hashlib.blake2b(
        data, digest_size=16, key=hashlib.blake2b(header, digest_size=32).digest()
    ).digest()
