"""What the statements of a migration cannot say in SQL: checksums over rows, and how bytes are packed."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from longmind.base import posting_records
from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection, Row
from longmind.store.tables import damaged
from longmind.store.transaction import Transaction, read_clock

_PAGE: Final = 1000
_POSTINGS: Final = ("text_posting", "text_posting_next", "text_field", "text_word")
_EARLIER_RECORD: Final = struct.Struct("<HB")
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


def pack_postings(db: Connection) -> None:
    """Format 16: postings in two bytes each, in place of three, and those of rare terms in fewer rows."""
    for table in _POSTINGS:
        last: tuple[str, int] = ("", -1)
        open_run: list[Row] = []
        while rows := db.all(
            f"SELECT term, block, data FROM {table} WHERE (term, block) > (?, ?) "
            f"ORDER BY term, block LIMIT {_PAGE}",
            last,
        ):
            if (rows[-1][0], rows[-1][1]) <= last:  # of a damaged tree, which would be read for ever
                raise damaged(table)
            last = rows[-1][0], rows[-1][1]
            *runs, open_run = [list(run) for _, run in groupby([*open_run, *rows], key=_run_of)]
            _pack_runs(db, table, runs)
        _pack_runs(db, table, [open_run] if open_run else [])


def _run_of(row: Row) -> tuple[str, int]:
    return row[0], row[1] - row[1] % posting_records.RUN


def _pack_runs(db: Connection, table: str, runs: Sequence[Sequence[Row]]) -> None:
    packed: list[Row] = []
    gone: list[Row] = []
    for rows in runs:
        term, first = _run_of(rows[0])
        laid_out = _laid_out([(block - first, data) for _, block, data in rows])
        packed += [(term, first + block, data) for block, data in laid_out.items()]
        gone += [(term, block) for _, block, _ in rows if block - first not in laid_out]
    db.many(f"DELETE FROM {table} WHERE term = ? AND block = ?", gone)
    db.many(
        f"INSERT INTO {table} (term, block, data) VALUES (?, ?, ?) "
        "ON CONFLICT (term, block) DO UPDATE SET data = excluded.data",
        packed,
    )


def _laid_out(rows: Sequence[tuple[int, object]]) -> dict[int, bytes]:
    """Rows of a run, of three bytes a record, as they are stored now; one damaged row stands for them all."""
    values: dict[int, int] = {}
    for block, data in rows:
        if not isinstance(data, bytes) or len(data) % _EARLIER_RECORD.size:
            return {0: posting_records.DAMAGED}
        shift = block << posting_records.BLOCK_BITS
        values.update((shift + offset, value) for offset, value in _EARLIER_RECORD.iter_unpack(data))
    if max(values, default=0) >> posting_records.RUN_BITS:
        return {0: posting_records.DAMAGED}
    return posting_records.lay_out(posting_records.wide_of(values))
