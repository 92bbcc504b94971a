"""Stores on the PostgreSQL server of the tests that exist already: emptied after a test instead of dropped.

A new store is some 220 tables and indexes, which take longer to create and to drop than most tests to run.
"""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import Any, Final

import psycopg

from longmind import FrozenClock, Memory

START: Final = 1_700_000_000_000
"""Where the frozen clock of the tests begins: 14 November 2023."""

_MOST_USES: Final = 40
"""Deleted rows leave gaps until the server cleans up; after this many tests a store is replaced."""

_MOST_LOOKS: Final = 250

_LAYOUT: Final = """
WITH relations AS (SELECT oid, xmin FROM pg_class WHERE relnamespace = %(schema)s::regnamespace),
rows AS (
  SELECT xmin FROM relations
  UNION ALL SELECT xmin FROM pg_attribute WHERE attrelid IN (SELECT oid FROM relations)
  UNION ALL SELECT xmin FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM relations)
  UNION ALL SELECT xmin FROM pg_constraint WHERE connamespace = %(schema)s::regnamespace
  UNION ALL SELECT xmin FROM pg_proc WHERE pronamespace = %(schema)s::regnamespace
)
SELECT count(*), sum(xmin::text::numeric) FROM rows
"""
"""Changes with every definition in the schema: each version of a catalog row names its transaction."""

_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


class ReadyStores:
    """Lends empty stores, and takes them back."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._numbers = itertools.count(1)
        self._free: list[str] = []
        self._uses: dict[str, int] = {}
        self._layouts: dict[str, Any] = {}
        self._connect()
        self._pristine = self._create("pristine")
        self._tables = [
            name
            for (name,) in self._run(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'pristine'::regnamespace"
            )
        ]
        self._filled = self._with_rows("pristine")

    def _connect(self) -> None:
        for wait in (0.1, 0.5, 2.0, 5.0):  # a server that a test has killed comes back by itself
            with suppress(psycopg.OperationalError):
                self._connection = psycopg.connect(self._url, autocommit=True)
                break
            time.sleep(wait)
        else:
            self._connection = psycopg.connect(self._url, autocommit=True)
        self._connection.execute("SET session_replication_role = replica; SET lock_timeout = '1s'")
        self._connection.execute("SET client_min_messages = 'warning'")

    def _run(self, statement: str, values: dict[str, Any] | None = None) -> psycopg.Cursor[Any]:
        """Once more after a test that ended every connection to the server."""
        try:
            return self._connection.execute(statement, values)
        except psycopg.OperationalError:
            if not self._connection.closed:
                raise
        self._connect()
        return self._connection.execute(statement, values)

    def _create(self, name: str) -> str:
        with Memory.open(f"{self._url}&store={name}", clock=FrozenClock(START), embedder=None):
            pass
        return name

    def take(self) -> str:
        """The name of a store as it is right after its creation."""
        if self._free:
            name = self._free.pop()
        else:
            name = self._create(f"ready_{next(self._numbers)}")
            self._uses[name] = 0
        self._layouts[name] = self._layout(name)
        return name

    def give_back(self, name: str) -> None:
        """Empty it for the next test; drop it where it may not be as it was."""
        self._uses[name] += 1
        with suppress(psycopg.errors.LockNotAvailable):
            if (
                self._uses[name] < _MOST_USES
                and not self._others()
                and self._layout(name) == self._layouts[name]
            ):
                self._empty(name)
                self._free.append(name)
            else:
                self._run(f'DROP SCHEMA IF EXISTS "{name}" CASCADE')

    def _others(self) -> bool:
        """Whether a connection that a test left open may still write."""
        for _ in range(_MOST_LOOKS):
            row = self._run(_OTHERS).fetchone()
            if row is not None and row[0] == 0:
                return False
            time.sleep(0.002)  # the server ends a connection a moment after its client has closed it
        return True

    def _layout(self, name: str) -> Any:
        try:
            return self._run(_LAYOUT, {"schema": name}).fetchone()
        except psycopg.errors.InvalidSchemaName:  # the test has dropped it
            return None

    def _with_rows(self, name: str) -> list[str]:
        asked = ", ".join(f"EXISTS (SELECT 1 FROM {name}.{table})" for table in self._tables)
        row = self._run(f"SELECT {asked}").fetchone()
        assert row is not None
        return [table for table, has_rows in zip(self._tables, row, strict=True) if has_rows]

    def _empty(self, name: str) -> None:
        """Without triggers and foreign keys, which the role of a replica leaves out."""
        statements = [f"DELETE FROM {name}.{table}" for table in self._with_rows(name)]
        statements += [
            f"INSERT INTO {name}.{table} SELECT * FROM {self._pristine}.{table}" for table in self._filled
        ]
        statements.append(
            f"SELECT setval(oid::regclass, 1, false) FROM pg_class "
            f"WHERE relkind = 'S' AND relnamespace = '{name}'::regnamespace"
        )
        self._run("BEGIN; " + "; ".join(statements) + "; COMMIT")

    def close(self) -> None:
        self._connection.close()
