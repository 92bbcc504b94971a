"""The server engine: one schema of a PostgreSQL database, a pool of connections, commits one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from recollect.base.clock import Clock
from recollect.base.errors import (
    Busy,
    Conflict,
    Forbidden,
    InvalidInput,
    MissingExtra,
    NotFound,
    Unavailable,
    Unsupported,
)
from recollect.store.engine import Dialect, EngineReport, Row, Rows, Value
from recollect.store.migrations import LEDGER, Migration, pending
from recollect.store.scope import scoped

try:
    import psycopg
    import psycopg_pool
    from psycopg import sql as pg_sql
except ImportError as error:
    raise MissingExtra(
        "PostgreSQL needs the packages psycopg and psycopg-pool.", hint="pip install 'recollect[postgres]'"
    ) from error

DEFAULT_STORE: Final = "recollect"
_STORE_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_POOL_SIZE: Final = 12
_CONNECT_SECONDS: Final = 10.0


class PostgresRows:
    """One connection inside one transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with _translated():
            return self.connection.execute(_spelled(sql), values).fetchall()

    def one(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        with _translated():
            row: Row | None = self.connection.execute(_spelled(sql), values).fetchone()
            return row

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        with _translated():
            return self.connection.execute(_spelled(sql), values).rowcount

    def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        with _translated(), self.connection.cursor() as cursor:
            cursor.executemany(_spelled(sql), rows)


class PostgresEngine:
    """Implements `Engine` on one schema."""

    dialect = Dialect(
        name="postgresql",
        wall_ms="CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        slice_bytes=(
            "convert_from(substr(convert_to({text}, 'UTF8'), ({start} + 1)::int, ({length})::int), 'UTF8')"
        ),
        columns=(
            "SELECT column_name FROM information_schema.columns "
            "WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position"
        ),
    )

    def __init__(self, url: str, *, clock: Clock, read_only: bool, create: bool) -> None:
        address, self.schema = split_url(url)
        self.location = _without_password(url)
        self.read_only = read_only
        self._clock = clock
        self._create = create and not read_only
        self._closed = False
        self._pool = psycopg_pool.ConnectionPool(
            address,
            min_size=1,
            max_size=_POOL_SIZE,
            open=False,
            configure=self._configure,
            timeout=_CONNECT_SECONDS,
            kwargs={"autocommit": True, "connect_timeout": int(_CONNECT_SECONDS)},
            name="recollect",
        )
        self._reach(address)
        self._pool.open()

    def _reach(self, address: str) -> None:
        """Connect once by hand: the pool would hide why it cannot."""
        try:
            with psycopg.connect(address, connect_timeout=int(_CONNECT_SECONDS), autocommit=True) as probe:
                if probe.info.server_version < 140000:
                    raise Unsupported("PostgreSQL 14 or later is needed.")
                encoding = probe.info.parameter_status("server_encoding")
                if encoding != "UTF8":
                    raise Unsupported(f"The database's encoding is {encoding}, not UTF8.")
        except psycopg.OperationalError as error:
            raise Unavailable(
                f"{self.location} did not answer: {str(error).strip().splitlines()[0]}",
                hint="Check host, port, database, user and password.",
            ) from None
        except psycopg.ProgrammingError as error:
            raise InvalidInput(f"The address is not understood: {error}") from None

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        path = pg_sql.SQL("SET search_path TO {}, public").format(pg_sql.Identifier(self.schema))
        connection.execute(path)
        connection.execute("SET client_min_messages TO warning")

    # Schema

    def migrate(self) -> None:
        with self._connection() as connection:
            missing = self._missing_migrations(connection)
            if not missing:
                return
            if self.read_only:
                raise Unsupported(
                    f"{self.location} has an older format, and a read-only open does not migrate.",
                    hint="Open it once for writing.",
                )
            with _translated(self.location), connection.transaction():
                # One migrator at a time; the others find nothing left to do.
                connection.execute(
                    "SELECT pg_advisory_xact_lock(hashtext(%s))", (f"recollect:{self.schema}",)
                )
                name = pg_sql.Identifier(self.schema)
                connection.execute(pg_sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
                connection.execute(LEDGER)
                for migration in self._missing_migrations(connection):
                    connection.execute(migration.sql)
                    connection.execute(
                        "INSERT INTO migration VALUES (%s, %s, %s, %s)",
                        (migration.number, migration.name, migration.sha256, self._clock.now()),
                    )

    def _missing_migrations(self, connection: psycopg.Connection[Any]) -> list[Migration]:
        tables = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE relname = 'migration') FROM pg_class "
            "WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
            (f'"{self.schema}"',),
        ).fetchone()
        there, ours = tables if tables else (0, 0)
        if there and not ours:
            raise Unsupported(
                f"The schema {self.schema} belongs to another application.", hint="Choose another store name."
            )
        if not there and not self._create:
            raise NotFound(f"{self.location} holds no store.", hint="Open it for writing to create it.")
        rows = connection.execute("SELECT number, sha256 FROM migration").fetchall() if ours else []
        seen = {int(number): str(sha256) for number, sha256 in rows}
        return pending("postgres", seen, declared=max(seen, default=0), location=self.location)

    def format(self) -> int:
        with self.read() as rows:
            row = rows.one("SELECT max(number) FROM migration")
            return int(row[0]) if row else 0

    # Transactions

    @scoped
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        if self._closed:
            raise Unavailable(f"{self.location} was closed.", hint="Open it again.")
        try:
            connection = self._pool.getconn()
        except psycopg_pool.PoolTimeout:
            raise Busy("All connections are in use, or the server is down.", hint="Try again.") from None
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    @scoped
    def read(self) -> Iterator[Rows]:
        with self._connection() as connection:
            with _translated(self.location):
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            with self._ending(connection):
                yield PostgresRows(connection)

    @scoped
    def write(self, *, timeout: float) -> Iterator[Rows]:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        with self._connection() as connection:
            with _translated(self.location):
                connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            with self._ending(connection):
                rows = PostgresRows(connection)
                rows.one("SELECT set_config('lock_timeout', ?, true)", (f"{max(1, int(timeout * 1000))}ms",))
                # Commits serialise here; preparation happened before.
                rows.one("SELECT one FROM store_clock WHERE one = 1 FOR UPDATE")
                yield rows

    @scoped
    def _ending(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        try:
            yield
            with _translated(self.location):
                connection.execute("COMMIT")
        except BaseException:
            if not connection.closed:
                try:
                    connection.execute("ROLLBACK")
                except psycopg.Error:
                    connection.close()
            raise

    # Health and upkeep

    def check(self, *, deep: bool) -> EngineReport:
        with self._connection() as connection:
            self._missing_migrations(connection)
            row = connection.execute("SHOW data_checksums").fetchone()
        unguarded = row is not None and row[0] != "on"
        return EngineReport(
            (("page", "the server runs without data checksums"),) if unguarded and deep else ()
        )

    def size_bytes(self, rows: Rows) -> int:
        row = rows.one(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class "
            "WHERE relnamespace = to_regnamespace(?) AND relkind = 'r'",
            (f'"{self.schema}"',),
        )
        return int(row[0]) if row else 0

    def free_bytes(self) -> int:
        return 0

    def shrink(self) -> None:
        self.compact()

    def scrub(self) -> bool:
        """Rows and index entries are gone; the server's log and backups are out of our reach."""
        self.compact()
        return True

    def flush(self) -> None:
        """Nothing to do: the server made every commit durable before it answered."""

    def compact(self) -> None:
        with self._connection() as connection, _translated(self.location):
            names = connection.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
                (f'"{self.schema}"',),
            ).fetchall()
            for (name,) in sorted(names):
                table = pg_sql.Identifier(self.schema, name)
                connection.execute(pg_sql.SQL("VACUUM (ANALYZE) {}").format(table))

    def backup(self, path: Path, *, overwrite: bool) -> int:
        raise Unsupported(
            "A store on PostgreSQL is backed up with the server's own tools.",
            hint=f"pg_dump --schema={self.schema} --format=custom --file={path}",
        )

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._pool.close()


def split_url(url: str) -> tuple[str, str]:
    """The address that psycopg takes, and the store's name from `?store=`."""
    parts, query = _parsed(url)
    names = [value for key, value in query if key == "store"]
    name = names[-1] if names else DEFAULT_STORE
    if not _STORE_NAME.fullmatch(name) or name.startswith("pg_") or name in ("public", "information_schema"):
        raise InvalidInput(
            f"{name!r} is no name for a store.",
            hint="Use up to 63 of a to z, 0 to 9 and '_', beginning with a letter; not 'public'.",
        )
    rest = [(key, value) for key, value in query if key != "store"]
    return urlunsplit(parts._replace(query=urlencode(rest, quote_via=quote))), name


def _parsed(url: str) -> tuple[SplitResult, list[tuple[str, str]]]:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InvalidInput(f"The address is not understood: {error}.") from None
    # To the server's library a plus is a plus, not a blank.
    return parts, parse_qsl(parts.query.replace("+", "%2B"), keep_blank_values=True)


def _without_password(url: str) -> str:
    parts, query = _parsed(url)
    user, at, host = parts.netloc.rpartition("@")
    rest = [(key, value) for key, value in query if key not in ("password", "sslpassword")]
    return urlunsplit(
        parts._replace(
            netloc=f"{user.split(':')[0]}{at}{host}", query=urlencode(rest, quote_via=quote, safe="/")
        )
    )


@lru_cache(maxsize=1024)
def _spelled(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")


@contextmanager
def _translated(location: str = "The store") -> Iterator[None]:
    """The server's errors as ours."""
    try:
        yield
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        raise Busy(
            "Another writer held the store too long.", hint="Try again, or allow more time."
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise Forbidden(f"The server refused: {error.diag.message_primary}.") from error
    except (psycopg.IntegrityError, psycopg.errors.RaiseException) as error:
        raise Conflict(f"The store refused a row: {error.diag.message_primary}.") from error
    except psycopg.OperationalError as error:
        raise Unavailable(f"{location} stopped answering: {str(error).strip().splitlines()[0]}") from error
    except psycopg.DataError as error:
        raise InvalidInput(f"The server cannot keep a value: {error.diag.message_primary}.") from error
