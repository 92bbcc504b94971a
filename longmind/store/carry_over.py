"""What the statements of a migration cannot say in SQL: checksums over rows, and how bytes are packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from longmind.base import posting_records
from longmind.base.arrays import np
from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection
from longmind.store.tables import damaged
from longmind.store.transaction import Transaction, read_clock

_PAGE: Final = 1000
_POSTINGS: Final = ("text_posting", "text_posting_next", "text_field", "text_word")
_EARLIER_RECORD: Final = [("offset", "<u2"), ("value", "u1")]
_SPAN: Final = (
    "span_id, fact_id, space, valid_from, valid_to, system_from, system_to, by_hand, derived, reason, "
    "span_key_hash, created_at, checksum"
)


def seal_assertions(db: Connection) -> None:
    """Format 11: the assertions that were made of spans, if each span is what was written."""
    last = 0
    while rows := db.all(
        f"SELECT {_SPAN} FROM fact_span WHERE span_id > ? ORDER BY span_id LIMIT {_PAGE}", (last,)
    ):
        for *span, seal in rows:
            if checksum("fact_span", *span) != seal:
                raise Corrupt(
                    f"A row of fact_span ({span[0]}, {span[1]}) is not what was written.",
                    hint=RESTORE_HINT,
                )
        if rows[-1][0] <= last:  # in the order of a damaged tree, which would be read for ever
            raise damaged("fact_span")
        last = rows[-1][0]
    for table, keys in (("fact_assertion", ("assertion_id",)), ("fact_support", ("span_id", "assertion_id"))):
        rows = db.all(f"SELECT * FROM {table}")
        db.many(
            f"UPDATE {table} SET checksum = ? WHERE {' AND '.join(f'{name} = ?' for name in keys)}",
            [(checksum(table, *row[:-1]), *row[: len(keys)]) for row in rows],
        )
    if last:
        Transaction(db, now=read_clock(db)).allocate("fact_assertion", last)


def narrow_postings(db: Connection) -> None:
    """Format 16: postings of two bytes each, which all had three."""
    for table in _POSTINGS:
        last: tuple[str, int] = ("", -1)
        while rows := db.all(
            f"SELECT term, block, data FROM {table} WHERE (term, block) > (?, ?) "
            f"ORDER BY term, block LIMIT {_PAGE}",
            last,
        ):
            terms, blocks, data = zip(*rows, strict=True)
            db.many(
                f"UPDATE {table} SET data = ? WHERE term = ? AND block = ?",
                zip(_narrowed(data), terms, blocks, strict=True),
            )
            if (
                terms[-1],
                blocks[-1],
            ) <= last:  # in the order of a damaged tree, which would be read for ever
                raise damaged(table)
            last = terms[-1], blocks[-1]


def _narrowed(rows: Sequence[object]) -> list[bytes]:
    """Rows of three bytes a record as they are stored now; a damaged one stays one, until a reindex."""
    size = np.dtype(_EARLIER_RECORD).itemsize
    sound = [row if isinstance(row, bytes) and len(row) % size == 0 else b"" for row in rows]
    records = np.frombuffer(b"".join(sound), dtype=_EARLIER_RECORD)
    sizes = np.array([len(row) // size for row in sound], dtype=np.int64)
    begins = np.cumsum(sizes) - sizes
    packed = posting_records.rows(
        records["offset"].astype(np.int64), records["value"].astype(np.int64), begins
    )
    return [
        new if row == old else posting_records.DAMAGED
        for row, old, new in zip(rows, sound, packed, strict=True)
    ]
