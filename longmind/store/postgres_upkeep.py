"""Upkeep of tables on a PostgreSQL server: room that a refused write gives back, fresh statistics."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql as pg_sql

from longmind.store.engine import Connection

# Above it a table is not rewritten as a whole, which keeps readers out for as long as it takes; what stays
# then is free room that the next writes fill. The figure is a choice, not a measurement.
_MOST_REWRITTEN: Final = 64 * 2**20
# A reader that is in the way for longer is not waited for.
_LOCK_TIMEOUT: Final = "200ms"

# The bad plan is quadratic, 240 ms at 1,000 spans: some 10 ms, by that estimate, at 200.
_LEAST_ROWS: Final = 200
# A table that doubled in pages, from this many on, has never been analysed or not for long.
_LEAST_PAGES: Final = 8
_INSERT: Final = re.compile(r"\s*INSERT INTO (\w+)")


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


# On Citus a table of a distributed schema is an empty shell here; its rows are on a worker.
_DISTRIBUTED_SIZES: Final = (
    "SELECT c.oid, c.relname, citus_total_relation_size(c.oid, false) FROM pg_class c "
    "JOIN pg_dist_partition p ON p.logicalrelid = c.oid WHERE c.relnamespace = to_regnamespace(?)"
)


def measure(db: Connection, schema: str, *, distributed: bool = False) -> dict[int, Relation]:
    """Tables and indexes of the schema by oid; where they are on other machines, tables as a whole."""
    listed = db.all(_DISTRIBUTED_SIZES, (f'"{schema}"',)) if distributed else []
    listed = listed or db.all(_SIZES, (f'"{schema}"',))
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


@lru_cache(maxsize=1024)
def table_of(sql: str) -> str | None:
    """The table that a statement inserts into."""
    match = _INSERT.match(sql)
    return match[1] if match else None


class Statistics:
    """Counts what this process inserts; a table that grew by half is analysed after the commit.

    Without statistics the planner takes every condition to leave one row: `about` read all spans once for
    each fact of its subject, 180 ms in place of 6 at 1,000 facts. The server's own analysis comes a minute
    later, or never where autovacuum is off.
    """

    def __init__(self, schema: str) -> None:
        self._schema = schema
        self._lock = threading.Lock()
        self._inserted: Counter[str] = Counter()
        self._due: dict[str, int] = {}

    def follow(self, connection: psycopg.Connection[Any], inserted: Mapping[str, int]) -> None:
        """Count what a transaction inserted, and analyse the tables that grew by half. Never fails."""
        with self._lock:
            self._inserted.update(inserted)
            full = [name for name in inserted if self._inserted[name] >= self._due.get(name, _LEAST_ROWS)]
        if not full:
            return
        # The commit has happened: no trouble here may look like a write that failed.
        with suppress(psycopg.Error):
            rows = self._row_counts(connection, full)
            fresh = [name for name in full if self._inserted[name] >= _due(rows.get(name, 0))]
            self._analyse(connection, fresh)
            counts = {**rows, **self._row_counts(connection, fresh)} if fresh else rows
            with self._lock:
                for name in full:
                    self._due[name] = _due(counts.get(name, 0))
                for name in fresh:
                    self._inserted[name] = 0

    def catch_up(self, connection: psycopg.Connection[Any]) -> None:
        """Analyse what grew in many short processes, none of which inserted enough. Never fails."""
        with suppress(psycopg.Error):
            names = connection.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r' "
                "AND pg_relation_size(oid) / current_setting('block_size')::int "
                "> greatest(%s, 2 * CASE WHEN reltuples < 0 THEN 0 ELSE relpages END)",
                (f'"{self._schema}"', _LEAST_PAGES),
            ).fetchall()
            self._analyse(connection, [str(name) for (name,) in names])

    def _row_counts(self, connection: psycopg.Connection[Any], names: list[str]) -> dict[str, int]:
        rows = connection.execute(
            "SELECT relname, reltuples FROM pg_class "
            "WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r' AND relname = ANY(%s)",
            (f'"{self._schema}"', names),
        ).fetchall()
        return {str(name): max(0, int(count)) for name, count in rows}

    def _analyse(self, connection: psycopg.Connection[Any], names: list[str]) -> None:
        for name in sorted(names):
            # A table that someone else is vacuuming is analysed next time, or by them.
            table = pg_sql.Identifier(self._schema, name)
            connection.execute(pg_sql.SQL("ANALYZE (SKIP_LOCKED) {}").format(table))


def _due(rows: int) -> int:
    """How many more rows make the statistics of a table with so many rows worth renewing."""
    return max(_LEAST_ROWS, rows // 2)
