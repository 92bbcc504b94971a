"""How much room a store takes on a PostgreSQL server, and how a refused write gives its room back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql as pg_sql

from longmind.store.engine import Connection

# Above it a table is not rewritten as a whole, which keeps readers out for as long as it takes; what stays
# then is free room that the next writes fill. The figure is a choice, not a measurement.
_MOST_REWRITTEN: Final = 64 * 2**20
# A reader that is in the way for longer is not waited for.
_LOCK_TIMEOUT: Final = "200ms"


class Relation(NamedTuple):
    """A table, its overflow table or one of their indexes."""

    table: str
    size: int


# The maps of free and visible pages are left out: VACUUM makes them, so that giving room back would look
# like growth.
_SIZES: Final = (
    "WITH heap AS (SELECT oid, relname, reltoastrelid FROM pg_class "
    "WHERE relnamespace = to_regnamespace(?) AND relkind = 'r'), "
    "stored AS (SELECT oid, relname FROM heap "
    "UNION ALL SELECT reltoastrelid, relname FROM heap WHERE reltoastrelid <> 0), "
    "relation AS (SELECT oid, relname FROM stored "
    "UNION ALL SELECT i.indexrelid, s.relname FROM stored s JOIN pg_index i ON i.indrelid = s.oid) "
    "SELECT oid, relname, pg_relation_size(oid) FROM relation"
)


def measure(db: Connection, schema: str) -> dict[int, Relation]:
    """Tables and indexes of the schema by oid."""
    listed = db.all(_SIZES, (f'"{schema}"',))
    return {int(oid): Relation(str(table), int(size or 0)) for oid, table, size in listed}


def give_back(connection: psycopg.Connection[Any], schema: str, tables: Iterable[str]) -> None:
    """Remove the rows of undone transactions from these tables, and the pages they had taken.

    VACUUM alone cuts off no pages of an index, and of a table only where 1/16 of it is free at the end.
    """
    rewrite = True
    for name in sorted(tables):
        table = pg_sql.Identifier(schema, name)
        row = connection.execute(
            "SELECT pg_total_relation_size(to_regclass(%s))", (f'"{schema}"."{name}"',)
        ).fetchone()
        small = row is not None and (row[0] or 0) <= _MOST_REWRITTEN
        # Cutting pages off waits up to 5 s for readers to leave the table; a rewrite follows for small ones.
        plain = "VACUUM (TRUNCATE off) {}" if small else "VACUUM {}"
        connection.execute(pg_sql.SQL(plain).format(table))
        if small and rewrite:
            rewrite = _rewrite(connection, table)


def _rewrite(connection: psycopg.Connection[Any], table: pg_sql.Identifier) -> bool:
    """False where a reader keeps the table; its free pages then stay, and the next writes fill them."""
    connection.execute(f"SET lock_timeout TO '{_LOCK_TIMEOUT}'")
    try:
        connection.execute(pg_sql.SQL("VACUUM (FULL) {}").format(table))
        return True
    except psycopg.errors.LockNotAvailable:
        return False
    finally:
        if not connection.closed:
            connection.execute("RESET lock_timeout")
