"""The format of a file: is it ours, which migrations does it lack, is its schema as they made it?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import apsw

from longmind.base.errors import Unsupported
from longmind.base.hashing import digest
from longmind.base.store_files import APPLICATION_ID
from longmind.store.engine import Connection
from longmind.store.migrations import LEDGER, STEPS, Migration, pending
from longmind.store.sqlite_errors import translated
from longmind.store.tables import CANONICAL, DERIVED, put_setting

_SCHEMA_HASH: Final = "schema_hash"


def check_ours(connection: apsw.Connection, location: str, *, read_only: bool) -> None:
    """Refuse a database of another application; a new or empty file is ours to migrate, if we may write."""
    # One transaction: another process may be creating the same file.
    with translated(location):
        connection.execute("BEGIN")
        application = _pragma(connection, "application_id")
        version = _pragma(connection, "user_version")
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        connection.execute("COMMIT")
    if application == APPLICATION_ID:
        return
    if application != 0 or version != 0 or (tables is not None and tables[0] != 0):
        raise Unsupported(
            f"{location} is a SQLite database of another application.",
            hint="Choose another path; nothing in it was changed.",
        )
    if read_only:
        raise Unsupported(f"{location} is empty.", hint="Open it once for writing to initialise it.")


def enter_wal(connection: apsw.Connection, location: str, *, patience: float) -> None:
    """Write through a log from now on."""
    deadline = time.monotonic() + patience
    with translated(location):
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                # Opens the log with its shared index; if the close were the first to do it, in exclusive
                # mode, it would know of no index and leave that of the readers behind.
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
                return
            except apsw.BusyError:  # another process is creating the same file
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)


def missing_migrations(connection: apsw.Connection, location: str) -> list[Migration]:
    """For a connection in a transaction."""
    with translated(location):
        ours = _pragma(connection, "application_id") == APPLICATION_ID
        applied = connection.execute("SELECT number, sha256 FROM migration").fetchall() if ours else []
        declared = _pragma(connection, "user_version")
    seen = {int(str(number)): str(sha256) for number, sha256 in applied}
    return pending("sqlite", seen, declared=declared, location=location)


def apply_migrations(
    connection: apsw.Connection, db: Connection, location: str, *, to: int | None, now: int
) -> list[Migration]:
    """Run what is missing, up to the format `to`, in the caller's transaction; returns what was run."""
    # Asked again inside the transaction: another process may have done it meanwhile.
    missing = missing_migrations(connection, location)
    todo = [migration for migration in missing if to is None or migration.number <= to]
    with translated(location):
        connection.execute(LEDGER)
        for migration in todo:
            connection.execute(migration.sql)
            if migration.number in STEPS:
                STEPS[migration.number](db)
            connection.execute(
                "INSERT INTO migration VALUES (?, ?, ?, ?)",
                (migration.number, migration.name, migration.sha256, now),
            )
            connection.execute(f"PRAGMA user_version = {migration.number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        put_setting(db, _SCHEMA_HASH, _schema_hash(connection))
    return todo


def has_own_schema(connection: apsw.Connection, location: str) -> bool:
    """Whether every table, index and trigger is as the migrations made it."""
    with translated(location):
        stored = connection.execute(
            "SELECT value FROM store_setting WHERE name = ?", (_SCHEMA_HASH,)
        ).fetchone()
        return stored is not None and stored[0] == _schema_hash(connection)


_TYPES: Final = {
    "INTEGER": "'integer'",
    "REAL": "'real', 'integer'",
    "TEXT": "'text'",
    "BLOB": "'blob'",
}
"""By the type of a column, what its values may be, besides NULL."""


def mistyped(db: Connection) -> Iterator[tuple[str, str]]:
    """Problems of tables of early formats, whose columns take values of any type."""
    loose = {
        name
        for (name,) in db.all(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0"
        )
    }
    for table in (*CANONICAL, *DERIVED):  # nothing that a file says becomes part of a statement
        columns = db.all("SELECT name, type FROM pragma_table_info(?)", (table,)) if table in loose else ()
        tests = [
            f"typeof({name}) NOT IN ({_TYPES[kind]}, 'null')"
            for name, kind in columns
            if kind in _TYPES and name.isidentifier()
        ]
        if tests and db.one(f"SELECT 1 FROM {table} WHERE {' OR '.join(tests)} LIMIT 1") is not None:
            yield "type", f"{table} has values of another type than was written"


def _schema_hash(connection: apsw.Connection) -> str:
    """Over every table, index and trigger, so that a damaged definition does not pass."""
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ).fetchall()
    return digest(*(None if field is None else str(field) for row in rows for field in row)).hex()


def _pragma(connection: apsw.Connection, name: str) -> int:
    row = connection.execute(f"PRAGMA {name}").fetchone()
    return int(row[0]) if row else 0
