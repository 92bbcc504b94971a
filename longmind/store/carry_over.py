"""What the statements of a migration cannot say in SQL: checksums over the rows that they made."""

from __future__ import annotations

from typing import Final

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection
from longmind.store.tables import damaged
from longmind.store.transaction import Transaction, read_clock

_PAGE: Final = 1000
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
