"""The server engine: one schema of a PostgreSQL database, a pool of connections, commits one at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from longmind.base.addresses import Address, read_address
from longmind.base.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    LongmindError,
    MissingExtra,
    NotFound,
    OverBudget,
    Unavailable,
    Unsupported,
)
from longmind.base.times import Clock
from longmind.store import accounting, audit_log
from longmind.store.changes import Changes
from longmind.store.engine import Connection, Dialect, EngineReport, Row, Value, scalar
from longmind.store.migrations import LEDGER, STEPS, Migration, pending
from longmind.store.postgres_changes import PostgresChanges, PostgresLayout, install, returning
from longmind.store.scope import scoped
from longmind.store.statements import Statement

try:
    import psycopg
    from psycopg import sql as pg_sql
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise MissingExtra("PostgreSQL needs psycopg.", extra="postgres") from error

from longmind.store.postgres_errors import MEANINGS, committing, translate_connect, translated
from longmind.store.postgres_pool import ConnectionPool
from longmind.store.postgres_upkeep import Relation, Statistics, give_back, measure, table_of

DEFAULT_STORE: Final = "longmind"
_STORE_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_POOL_SIZE: Final = 12
_CONNECT_SECONDS: Final = 10.0
_SHORT: Final = 4
"""Rows of an answer that is kept while a snapshot lasts: checks that several parts of a search make alike."""
_MOST_ANSWERS: Final = 256
_UNSETTLED: Final = (
    "clock_timestamp",
    "now()",
    "random",
    "pg_",
    "set_config",
    "current_setting",
    "FOR UPDATE",
)
_CONNECTION: Final[dict[str, Any]] = {
    "connect_timeout": int(_CONNECT_SECONDS),
    # A machine that vanished is noticed after half a minute; the kernel's own limits are hours.
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class PostgresConnection:
    """One connection inside one transaction."""

    def __init__(self, connection: psycopg.Connection[Any], *, is_snapshot: bool = False) -> None:
        self.connection = connection
        self._answers: dict[tuple[str, tuple[Value, ...]], list[Row]] | None = {} if is_snapshot else None
        """What short questions were answered in this snapshot, where the same one has the same answer."""
        self.inserted: Counter[str] = Counter()
        """Rows inserted so far, by table."""
        self.sizes: dict[int, Relation] = {}
        """Tables and indexes when `size_bytes` was first asked for in this transaction, by oid."""
        self.grown: set[str] = set()
        """Tables that had grown since, when it was last asked for."""
        self.changes: PostgresChanges | None = None
        """What a write transaction does to canonical rows."""

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        key = None if self._answers is None or not _is_settled(sql) else (sql, tuple(values))
        if key is not None and self._answers is not None and key in self._answers:
            return list(self._answers[key])
        with translated():
            rows = self.connection.execute(_spelled(sql), values).fetchall()
        is_short = len(rows) <= _SHORT and self._answers is not None and len(self._answers) < _MOST_ANSWERS
        if key is not None and self._answers is not None and is_short:
            self._answers[key] = list(rows)
        return rows

    def one(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        if self._answers is not None and _is_settled(sql):
            return next(iter(self.all(sql, values)), None)
        with translated():
            row: Row | None = self.connection.execute(_spelled(sql), values).fetchone()
            return row

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        statement = self._followed(sql)
        upserts = statement is not None and statement.may_update
        replaced = self._replaced(statement, [values])
        with translated():
            spelled = _spelled(sql + returning(statement) if statement and upserts and not replaced else sql)
            cursor = self.connection.execute(spelled, values)
            count = cursor.rowcount
        if statement is not None and self.changes is not None and count > 0:
            if upserts:
                self.changes.upserted(statement, values, replaced[0] if replaced else cursor.fetchone())
            else:
                self.changes.inserted(statement, values)
        self._count(sql, count)
        return count

    def many(
        self,
        sql: str,
        rows: Iterable[Sequence[Value]],
        *,
        encoded: Sequence[str] | None = None,
        replaced: Sequence[Row | None] | None = None,
    ) -> None:
        statement = self._followed(sql)
        upserts = statement is not None and statement.may_update
        listed = rows if isinstance(rows, list) or statement is None else list(rows)
        replaced = replaced or self._replaced(statement, listed)
        returned: list[Row | None] = list(replaced or ())
        with translated(), self.connection.cursor() as cursor:
            asks = upserts and not replaced
            spelled = _spelled(sql + returning(statement) if statement and asks else sql)
            cursor.executemany(spelled, listed, returning=asks)
            self._count(sql, cursor.rowcount)
            for _ in listed if asks else ():
                returned.append(cursor.fetchone())
                cursor.nextset()
        if statement is not None and self.changes is not None:
            for number, values in enumerate(listed):
                if upserts:
                    self.changes.upserted(statement, values, returned[number])
                else:
                    self.changes.inserted(statement, values)

    def run_each(self, statements: Iterable[str]) -> None:
        # In one trip to the server, and yet one by one: Citus passes on the text that a statement came in.
        with translated(), self.connection.pipeline():
            for statement in statements:
                self.connection.execute(statement)

    def _replaced(self, statement: Statement | None, rows: Any) -> list[Row | None] | None:
        """The rows that an upsert will replace, where it cannot say so itself."""
        if statement is None or not statement.may_update or self.changes is None:
            return None
        return self.changes.old_counters(self, statement, rows)

    def _followed(self, sql: str) -> Statement | None:
        """An insert into a canonical table; other statements are followed by the server's triggers."""
        statement = None if self.changes is None else self.changes.statement(sql)
        return statement if statement is not None and statement.verb == "INSERT INTO" else None

    def _count(self, sql: str, rows: int) -> None:
        table = table_of(sql)
        if table is not None:
            self.inserted[table] += max(0, rows)


class PostgresEngine:
    """Implements `Engine` on one schema."""

    dialect = Dialect(
        name="postgresql",
        wall_ms="CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        slice_bytes=(
            "convert_from(substr(convert_to({text}, 'UTF8'), ({start} + 1)::int, ({length})::int), 'UTF8')"
        ),
        # From the catalog itself: the views of information_schema take milliseconds for each table.
        columns=(
            "SELECT attname::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid "
            "WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) "
            "AND relname = ? AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        ),
        tables=(
            "SELECT relname::text FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        ),
    )

    def __init__(self, url: str, *, clock: Clock, read_only: bool, create: bool) -> None:
        address = read_address(url)
        self.schema = _store_name(address)
        self.location = address.shown
        self.read_only = read_only
        self.has_log = True
        self._clock = clock
        self._create = create and not read_only
        self._closed = False
        self._address = address
        self._statistics = Statistics(self.schema)
        self._overgrown: set[str] = set()
        """Whether the server spreads schemas over others; looked up when a size is first asked for."""
        self._layout: PostgresLayout | None = None
        self._pool = ConnectionPool(self._connect, size=_POOL_SIZE, timeout=_CONNECT_SECONDS)
        try:
            self._check_server()
        except BaseException:  # also Ctrl-C: nobody else would close the pool
            self._pool.close()
            raise

    def _connect(self) -> psycopg.Connection[Any]:
        try:
            # What the address itself says of keepalives and timeouts stays.
            options = {**_CONNECTION, **conninfo_to_dict(self._address.without("store"))}
            connection = psycopg.connect("", autocommit=True, **options)
        except psycopg.Error as error:
            raise translate_connect(error, self._address) from None
        try:
            self._configure(connection)
        except BaseException:  # also Ctrl-C: nobody else would close it
            connection.close()
            raise
        return connection

    def _check_server(self) -> None:
        with self._connection() as connection:
            if connection.info.server_version < 140000:
                raise Unsupported("PostgreSQL 14 or later is needed.", hint="Upgrade the server.")
            encoding = connection.info.parameter_status("server_encoding")
            if encoding != "UTF8":
                raise Unsupported(
                    f"The database's encoding is {encoding}, not UTF8.",
                    hint="Create one with createdb --encoding=UTF8 --template=template0.",
                )
            row = None if self.read_only else connection.execute("SHOW transaction_read_only").fetchone()
            if row is not None and row[0] == "on":
                meaning = MEANINGS["25006"]
                raise meaning.error(meaning.message.format(store=self.location), hint=meaning.hint)

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        path = pg_sql.SQL("SET search_path TO {}, public").format(pg_sql.Identifier(self.schema))
        with translated(self.location):
            connection.execute(path)
            connection.execute("SET client_min_messages TO warning")
            # With it off, a server that is killed loses commits that it had acknowledged. A caller who wants
            # that says so in the address: options=-c synchronous_commit=off.
            connection.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') = 'off' AND EXISTS (SELECT 1 FROM pg_settings "
                "WHERE name = 'synchronous_commit' AND source <> 'client')"
            )

    # Schema

    def migrate(self) -> None:
        with self._connection() as connection:
            missing = self._missing_migrations(connection)
            if not missing:
                if not self.read_only:
                    self._statistics.catch_up(connection)
                return
            if self.read_only:
                raise Unsupported(
                    f"{self.location} has an older format, and a read-only open does not migrate.",
                    hint="Open it once for writing.",
                )
            with connection.transaction():
                # One migrator at a time; the others find nothing left to do.
                connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (f"longmind:{self.schema}",))
                name = pg_sql.Identifier(self.schema)
                connection.execute(pg_sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
                connection.execute(LEDGER)
                db = PostgresConnection(connection)
                missing = self._missing_migrations(connection)
                _allow_triggers(connection)
                for migration in missing:
                    for statement in migration.statements:
                        connection.execute(statement)
                    if migration.number in STEPS:
                        STEPS[migration.number](db)
                    connection.execute(
                        "INSERT INTO migration VALUES (%s, %s, %s, %s)",
                        (migration.number, migration.name, migration.sha256, self._clock.now()),
                    )
                self._begin_log(db, missing)
                self._bind_functions(connection)

    def _bind_functions(self, connection: psycopg.Connection[Any]) -> None:
        """Let the functions of triggers find the tables of their own schema whatever the search path is: on
        another machine of a cluster, and in a session of somebody else, it is not ours."""
        rows = connection.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace(%s) "
            "AND prorettype = 'trigger'::regtype ORDER BY proname",
            (f'"{self.schema}"',),
        ).fetchall()
        for (name,) in rows:
            function = pg_sql.Identifier(self.schema, name)
            schema = pg_sql.Identifier(self.schema)
            # By name: Citus does not pass on SET … FROM CURRENT.
            connection.execute(
                pg_sql.SQL("ALTER FUNCTION {}() SET search_path TO {}, public").format(function, schema)
            )

    def _begin_log(self, db: PostgresConnection, done: Sequence[Migration]) -> None:
        if any(migration.number == accounting.FORMAT for migration in done):
            audit_log.begin(db, self.dialect, at=self._clock.now(), before=done[0].number - 1)
            install(db)

    def _missing_migrations(self, connection: psycopg.Connection[Any]) -> list[Migration]:
        tables = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE relname = 'migration') FROM pg_class "
            "WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
            (f'"{self.schema}"',),
        ).fetchone()
        total, ours = tables if tables else (0, 0)
        if total and not ours:
            raise Unsupported(
                f"The schema {self.schema} belongs to another application.", hint="Choose another store name."
            )
        if not total and not self._create:
            raise NotFound(f"{self.location} holds no store.", hint="Open it for writing to create it.")
        # By its full name: a schema that this role may not use is skipped in the search path without a word.
        ledger = pg_sql.SQL("SELECT number, sha256 FROM {}").format(
            pg_sql.Identifier(self.schema, "migration")
        )
        rows = connection.execute(ledger).fetchall() if ours else []
        seen = {int(number): str(sha256) for number, sha256 in rows}
        return pending("postgres", seen, declared=max(seen, default=0), location=self.location)

    def format(self) -> int:
        with self.read() as db:
            return scalar(db, "SELECT max(number) FROM migration")

    # Transactions

    @scoped
    def _connection(self, begin: str | None = None) -> Iterator[psycopg.Connection[Any]]:
        """A connection, inside the transaction that `begin` begins; no error of the driver leaves it."""
        if self._closed:
            raise Unavailable(f"{self.location} was closed.", hint="Open it again.")
        with translated(self.location):
            holder: list[psycopg.Connection[Any]] = []
            try:  # entered first: an exception right after the call must find its way to `putconn`
                yield self._pool.getconn(begin, holder)
            finally:
                for connection in holder:
                    self._pool.putconn(connection)

    @scoped
    def read(self) -> Iterator[Connection]:
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with self._connection(begin) as connection, self._ending(connection):
            yield PostgresConnection(connection, is_snapshot=True)

    @scoped
    def write(self, *, timeout: float) -> Iterator[Connection]:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        with self._connection("BEGIN ISOLATION LEVEL READ COMMITTED") as connection:
            db = PostgresConnection(connection)
            with self._ending(connection):
                db.one("SELECT set_config('lock_timeout', ?, true)", (f"{max(1, int(timeout * 1000))}ms",))
                # Commits serialise here; preparation happened before.
                db.one("SELECT one FROM store_clock WHERE one = 1 FOR UPDATE")
                db.changes = PostgresChanges(self._columns(db))
                db.changes.begin(db)
                try:
                    yield db
                except OverBudget:
                    self._overgrown |= db.grown
                    raise
            self._statistics.follow(connection, db.inserted)

    def _columns(self, db: Connection) -> PostgresLayout:
        """The columns of the tables, read once: they change with a migration only."""
        if self._layout is None:
            self._layout = PostgresLayout(db)
        return self._layout

    def changes(self, db: Connection) -> Changes:
        assert isinstance(db, PostgresConnection)
        assert db.changes is not None
        db.changes.take(db)
        return db.changes

    @scoped
    def _ending(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        try:
            yield
            with committing(connection, self.location):
                status = connection.execute("COMMIT").statusmessage
            if status != "COMMIT":
                # After an error that the caller swallowed, the server undoes all and calls that a success.
                raise Conflict(
                    "A statement of this transaction failed before; nothing was written.", hint="Try again."
                )
        except BaseException:  # also Ctrl-C: a connection never goes back inside a transaction
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

    def size_bytes(self, db: Connection) -> int:
        sizes = measure(db, self.schema, distributed=self._columns(db).is_distributed)
        if isinstance(db, PostgresConnection):
            db.sizes = db.sizes or sizes
            before = {oid: relation.size for oid, relation in db.sizes.items()}
            db.grown = {item.table for oid, item in sizes.items() if item.size > before.get(oid, 0)}
        return sum(relation.size for relation in sizes.values())

    def free_bytes(self) -> int:
        return 0

    def shrink(self) -> None:
        """Empty the tables of what a refused write left, on a best effort: the refusal is what counts."""
        tables, self._overgrown = self._overgrown, set()
        with suppress(LongmindError), self._connection() as connection:
            give_back(connection, self.schema, tables)

    def scrub(self, *, patience: float = 5.0) -> bool:
        """Rows and index entries are gone; the server's log and backups are out of our reach."""
        self.compact()
        return True

    def flush(self, *, patience: float = 5.0) -> None:
        """Nothing to do: the server made every commit durable before it answered."""

    def compact(self) -> None:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        with self._connection() as connection:
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


def _allow_triggers(connection: psycopg.Connection[Any]) -> None:
    """Citus allows triggers on tables that it distributes only where they are asked for. Ours look at rows of
    their own store, which is one schema and lies on one machine as a whole. Other servers ignore it."""
    with suppress(psycopg.Error), connection.transaction():
        connection.execute("SET LOCAL citus.enable_unsafe_triggers TO on")


def split_url(url: str) -> tuple[str, str]:
    """The address that psycopg takes, and the store's name from `?store=`."""
    address = read_address(url)
    return address.without("store"), _store_name(address)


def _store_name(address: Address) -> str:
    names = [value for key, value in address.query if key == "store"]
    name = names[-1] if names else DEFAULT_STORE
    if not _STORE_NAME.fullmatch(name) or name.startswith("pg_") or name in ("public", "information_schema"):
        raise InvalidInput(
            f"{address.masked(name)!r} is not a valid name for a store.",
            hint="Use up to 63 of a to z, 0 to 9 and '_', beginning with a letter; not 'public'.",
        )
    return name


@lru_cache(maxsize=1024)
def _is_settled(sql: str) -> bool:
    """Whether a question has one answer in a snapshot: it asks tables, and not the clock or the server."""
    return sql.startswith("SELECT") and not any(word in sql for word in _UNSETTLED)


@lru_cache(maxsize=1024)
def _spelled(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")
