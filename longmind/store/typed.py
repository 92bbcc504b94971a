"""Rows without a checksum, checked for their types: damage ends in `Corrupt`, not in what Python makes of it.

Derived rows (postings, vectors, token signs, words of spaces) have no checksum of their own: each would be as
dear as the row. A flipped byte is caught below, where a page of the file or of the server is read; what comes
through has at least the types and sizes that its reader takes for granted. `verify(deep=True)` compares the
contents, and `reindex` makes them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection, Row

_HINT: Final = "Run verify; reindex makes what is derived anew."

Kind = type | tuple[type, ...]
NULLABLE_TEXT: Final = (str, type(None))
NUMBER: Final = (int, bool)
"""A condition in SQL is a number on SQLite, and a boolean on PostgreSQL."""


def typed(rows: Sequence[Row], table: str, *kinds: Kind) -> Sequence[Row]:
    """The rows, if each column holds values of its kind only."""
    for index, kind in enumerate(kinds):
        allowed = kind if isinstance(kind, tuple) else (kind,)
        if not {type(row[index]) for row in rows} <= set(allowed):
            raise damaged(table)
    return rows


def damaged(table: str) -> Corrupt:
    return Corrupt(f"A row of {table} is not what was written.", hint=_HINT)


def check_frame_id(db: Connection, frame_id: int, table: str) -> int:
    """An id that was given out; arrays that are indexed by ids would grow to any other, however large."""
    row = db.one("SELECT value, checksum FROM store_counter WHERE name = 'frame'")
    if row is None or row[1] != checksum("counter", "frame", row[0]):
        raise Corrupt(
            "The counter of frames is damaged.", hint="Restore a backup: longmind restore BACKUP TO."
        )
    if not 0 < frame_id <= row[0]:
        raise damaged(table)
    return frame_id
