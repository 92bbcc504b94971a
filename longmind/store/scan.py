"""Whole tables, read a page at a time: for copies, exports and checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.store.engine import Connection, Dialect, Row, Value
from longmind.store.log import LOCAL_COLUMNS

PAGE: Final = 2000


def columns(db: Connection, dialect: Dialect, table: str) -> list[str]:
    names = [str(name) for (name,) in db.all(dialect.columns, (table,))]
    if not names:
        raise Corrupt(f"The store lacks the table {table}.", hint=RESTORE_HINT)
    return [name for name in names if name not in LOCAL_COLUMNS] if table == "store_clock" else names


def rows_in_order(db: Connection, table: str, names: Sequence[str]) -> Iterator[Row]:
    """All rows in the order of their columns, read a page at a time; no page splits equal first columns."""
    first = names[0]
    order = ", ".join(f"{name} NULLS FIRST" for name in names)
    listed = ", ".join(names)
    after: Value = None
    while True:
        beyond = "" if after is None else f" WHERE {first} > ?"
        values = () if after is None else (after,)
        page = f"SELECT {first} AS place FROM {table}{beyond} ORDER BY {first} LIMIT {PAGE}"
        bound = db.one(f"SELECT max(place) FROM ({page}) AS page", values)
        if bound is None or bound[0] is None:
            return
        until = f"{beyond} AND {first} <= ?" if beyond else f" WHERE {first} <= ?"
        yield from db.all(f"SELECT {listed} FROM {table}{until} ORDER BY {order}", (*values, bound[0]))
        after = bound[0]
