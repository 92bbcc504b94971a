"""The embedded engine: one SQLite file in WAL mode, one writer connection, a pool of readers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from recollect.base.clock import Clock
from recollect.base.errors import (
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    RecollectError,
    Unavailable,
    Unsupported,
)
from recollect.base.hashing import checksum, digest
from recollect.store import pages
from recollect.store.engine import Dialect, EngineReport, Row, Rows, Value
from recollect.store.files import check_path, may_write, sync
from recollect.store.migrations import LEDGER, Migration, pending
from recollect.store.pages import APPLICATION_ID, MOST_PAGES
from recollect.store.sqlite_errors import held_too_long, translated

DURABILITIES: Final = ("normal", "full")
_IN_MEMORY: Final = ":memory:"
_IDLE_READERS: Final = 8
_READER_PATIENCE_MS: Final = 10_000
_SCHEMA_HASH: Final = "schema_hash"

_SETUP: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",  # a tampered file must not run functions through its schema
    "PRAGMA cell_size_check = ON",  # notice damaged pages when they are read
    "PRAGMA secure_delete = ON",  # freed bytes are zeroed, so erased text does not linger
    "PRAGMA temp_store = MEMORY",  # nothing is ever written beside the file
    "PRAGMA cache_size = -4000",  # of each connection; more made nothing faster: the system caches the file
    "PRAGMA wal_autocheckpoint = 4000",  # pages: folding the log into the file less often, writes wait less
    "PRAGMA journal_size_limit = 67108864",
    f"PRAGMA max_page_count = {MOST_PAGES}",
)


class SqliteRows:
    """One connection inside one transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with translated():
            return self.connection.execute(sql, values).fetchall()

    def one(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        with translated():
            row: Row | None = self.connection.execute(sql, values).fetchone()
            return row

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        with translated():
            self.connection.execute(sql, values)
            return self.connection.changes()

    def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        with translated():
            self.connection.executemany(sql, rows)


class SqliteEngine:
    """Implements `Engine` on a file, or on `:memory:`."""

    dialect = Dialect(
        name="sqlite",
        wall_ms="CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        slice_bytes="CAST(substr(CAST({text} AS BLOB), {start} + 1, {length}) AS TEXT)",
        columns="SELECT name FROM pragma_table_info(?) ORDER BY cid",
    )

    def __init__(self, path: str, *, clock: Clock, read_only: bool, create: bool, durability: str) -> None:
        self.location = path
        self.read_only = read_only
        self._clock = clock
        self._durability = durability
        self._in_memory = path == _IN_MEMORY
        self._immutable = False
        self._write_lock = threading.RLock()
        self._pool_lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._deadline = 0.0
        self._closed = False
        if self._in_memory and read_only:
            raise InvalidInput("A store in memory cannot be opened read-only: it would always be empty.")
        if not self._in_memory:
            check_path(Path(path), must_exist=read_only or not create)
        self._main = self._open_main()

    # Opening

    def _open_main(self) -> apsw.Connection:
        try:
            connection = self._identified()
        except RecollectError:
            if not self.read_only or self._immutable or Path(self.location + "-wal").exists():
                raise
            # A reader without write access to the folder cannot share the log; there is none, so read as is.
            self._immutable = True
            connection = self._identified()
        connection.set_busy_handler(self._wait_for_turn)
        self._deadline = time.monotonic() + _READER_PATIENCE_MS / 1000  # others may be opening or closing it
        return connection

    def _identified(self) -> apsw.Connection:
        connection = self._connect()
        try:
            self._identify(connection)
        except RecollectError:
            pages.close(connection)
            raise
        return connection

    def _connect(self) -> apsw.Connection:
        with translated(self.location):
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
            name = self.location
            if not self._in_memory:
                # Resolved here: apsw takes SQLite's "a link was followed" for an error of the VFS.
                name = "file:" + quote(os.path.realpath(self.location))
                if not self.read_only:
                    flags |= apsw.SQLITE_OPEN_CREATE
                elif not may_write(Path(self.location)):
                    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
                    name += "?immutable=1" if self._immutable else ""
            connection = apsw.Connection(name) if self._in_memory else pages.connect(name, flags)
            connection.set_busy_timeout(_READER_PATIENCE_MS)
            for pragma in _SETUP:
                connection.execute(pragma)
            level = "FULL" if self._durability == "full" else "NORMAL"
            connection.execute(f"PRAGMA synchronous = {level}")
            if self.read_only:
                connection.execute("PRAGMA query_only = ON")
            return connection

    def _identify(self, connection: apsw.Connection) -> None:
        """Refuse what is not ours; make a new or empty file ours to migrate."""
        # One transaction: another process may be creating the same file.
        with translated(self.location), self._within(connection, "BEGIN"):
            application = _pragma(connection, "application_id")
            version = _pragma(connection, "user_version")
            tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application != APPLICATION_ID:
            if application != 0 or version != 0 or (tables is not None and tables[0] != 0):
                raise Unsupported(
                    f"{self.location} is a SQLite database of another application.",
                    hint="Choose another path; nothing in it was changed.",
                )
            if self.read_only:
                raise Unsupported(
                    f"{self.location} is empty.", hint="Open it once for writing to initialise it."
                )
        with translated(self.location):
            self._enter_wal(connection)

    def _enter_wal(self, connection: apsw.Connection) -> None:
        if self._in_memory or self.read_only:
            return
        deadline = time.monotonic() + _READER_PATIENCE_MS / 1000
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except apsw.BusyError:  # another process is creating the same file
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def migrate(self, *, to: int | None = None) -> None:
        """To the newest format; `to` stops at an older one, to make files such as old versions left."""
        if self._missing_migrations(self._main):
            if self.read_only:
                raise Unsupported(
                    f"{self.location} has an older format, and a read-only open does not migrate.",
                    hint="Open it once for writing.",
                )
            with self.write(timeout=60) as rows:
                assert isinstance(rows, SqliteRows)
                self._apply_migrations(rows.connection, to)
        if to is None and not self.read_only:
            self._seal_pages()

    def _seal_pages(self) -> None:
        """Give a file of an older format its page checksums; until that succeeds it works without them."""
        if self._in_memory or pages.are_sealed(self._main):
            return
        with suppress(RecollectError):  # busy, a full disk, damage: `verify` names what is missing
            self._rebuild()
            self._checkpoint()

    def _missing_migrations(self, connection: apsw.Connection) -> list[Migration]:
        with translated(self.location), self._within(connection, "BEGIN"):
            ours = _pragma(connection, "application_id") == APPLICATION_ID
            applied = connection.execute("SELECT number, sha256 FROM migration").fetchall() if ours else []
            declared = _pragma(connection, "user_version")
        seen = {int(str(number)): str(sha256) for number, sha256 in applied}
        return pending("sqlite", seen, declared=declared, location=self.location)

    def _apply_migrations(self, connection: apsw.Connection, to: int | None) -> None:
        # Asked again inside the transaction: another process may have done it meanwhile.
        missing = self._missing_migrations(connection)
        todo = [migration for migration in missing if to is None or migration.number <= to]
        with translated(self.location):
            connection.execute(LEDGER)
            for migration in todo:
                connection.execute(migration.sql)
                connection.execute(
                    "INSERT INTO migration VALUES (?, ?, ?, ?)",
                    (migration.number, migration.name, migration.sha256, self._clock.now()),
                )
                connection.execute(f"PRAGMA user_version = {migration.number}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            value = _schema_hash(connection)
            connection.execute(
                "INSERT INTO store_setting VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
                "SET value = excluded.value, checksum = excluded.checksum",
                (_SCHEMA_HASH, value, checksum(_SCHEMA_HASH, value)),
            )

    def format(self) -> int:
        with self.read() as rows:
            row = rows.one("PRAGMA user_version")
            return int(row[0]) if row else 0

    # Transactions

    @contextmanager
    def read(self) -> Iterator[Rows]:
        if self._in_memory:
            with self._write_lock, self._within(self._main, "BEGIN") as rows:
                yield rows
            return
        connection = self._take_reader()
        try:
            with self._within(connection, "BEGIN") as rows:
                yield rows
        finally:
            self._give_back(connection)

    @contextmanager
    def write(self, *, timeout: float) -> Iterator[Rows]:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        if not self._write_lock.acquire(timeout=timeout):
            raise held_too_long(timeout)
        try:
            self._check_open()
            self._deadline = time.monotonic() + timeout
            with self._within(self._main, "BEGIN IMMEDIATE") as rows:
                yield rows
        finally:
            self._write_lock.release()

    @contextmanager
    def _within(self, connection: apsw.Connection, begin: str) -> Iterator[Rows]:
        if connection.in_transaction:  # a read inside a transaction of the one connection in memory
            yield SqliteRows(connection)
            return
        with translated(self.location):
            connection.execute(begin)
        try:
            yield SqliteRows(connection)
            with translated(self.location):
                connection.execute("COMMIT")
        except BaseException:
            with suppress(apsw.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            raise

    def _wait_for_turn(self, tries: int) -> bool:
        if time.monotonic() > self._deadline:
            return False
        time.sleep(min(0.0005 * 2 ** min(tries, 5), 0.01))
        return True

    def _take_reader(self) -> apsw.Connection:
        self._check_open()
        with self._pool_lock:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: apsw.Connection) -> None:
        with self._pool_lock:
            if not self._closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        pages.close(connection)

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable(f"{self.location} was closed.", hint="Open it again.")

    # Health and upkeep

    def check(self, *, deep: bool) -> EngineReport:
        problems: list[tuple[str, str]] = []
        notes: list[str] = []
        with self.read() as rows:
            test = "integrity_check" if deep else "quick_check"
            try:
                found = [str(row[0]) for row in rows.all(f"PRAGMA {test}(100)")]
                problems += [("page", line) for line in found if line != "ok"]
                problems += [
                    ("foreign_key", f"{table} row {rowid} points to a missing row of {target}")
                    for table, rowid, target, _ in rows.all("PRAGMA foreign_key_check")
                ]
                assert isinstance(rows, SqliteRows)
                stored = rows.one("SELECT value FROM store_setting WHERE name = ?", (_SCHEMA_HASH,))
                with translated(self.location):
                    found_hash = _schema_hash(rows.connection)
                if stored is None or stored[0] != found_hash:
                    problems.append(("schema", "the tables are not as the migrations made them"))
                self._missing_migrations(rows.connection)
                if not self._in_memory and not pages.are_sealed(rows.connection):
                    notes.append("The pages have no checksums yet; `compact` adds them.")
            except Corrupt as error:
                problems.append(("page", error.message))
        return EngineReport(tuple(problems), tuple(notes))

    def size_bytes(self, rows: Rows) -> int:
        return self._pages(rows, "page_count")

    def free_bytes(self) -> int:
        with self.read() as rows:
            return self._pages(rows, "freelist_count")

    def _pages(self, rows: Rows, count: str) -> int:
        pages, size = rows.one(f"PRAGMA {count}"), rows.one("PRAGMA page_size")
        return int(pages[0]) * int(size[0]) if pages and size else 0

    def shrink(self) -> None:
        """Nothing to do: a rollback leaves the file as it was."""

    def scrub(self, *, patience: float = 5.0) -> bool:
        """Empty the log into the file, whose pages are written without what was deleted from them.

        That holds for sealed pages; a file that has none yet is rebuilt, which seals them.
        """
        if self._in_memory:
            return True
        try:
            if not pages.are_sealed(self._main):
                self._rebuild()
        except Busy:
            return False
        return self._checkpoint(patience)

    def flush(self, *, patience: float = 5.0) -> None:
        if self._in_memory:
            return
        if not self._checkpoint(patience):
            raise Busy("A long-running reader keeps the log from being emptied.", hint="Try again later.")

    def _checkpoint(self, patience: float = 5.0) -> bool:
        """Move the whole log into the file and empty it, with fsync; False while a reader is in the way."""
        with self._write_lock, translated(self.location):
            self._check_open()
            self._deadline = time.monotonic() + patience
            try:
                self._main.execute("PRAGMA synchronous = FULL")
                logged, moved = self._main.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except (apsw.BusyError, apsw.LockedError):
                return False
            finally:
                level = "FULL" if self._durability == "full" else "NORMAL"
                self._main.execute(f"PRAGMA synchronous = {level}")
        return logged == moved

    def compact(self) -> None:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        self._rebuild()
        self._checkpoint()

    def _rebuild(self) -> None:
        with self._write_lock, translated(self.location):
            self._check_open()
            self._deadline = time.monotonic() + 60
            pages.rebuild(self._main)

    def backup(self, path: Path, *, overwrite: bool) -> int:
        check_path(path, must_exist=False)
        if path.exists():
            if not self._in_memory and path.samefile(self.location):
                raise InvalidInput("A store cannot be backed up onto itself.", hint="Choose another path.")
            if not overwrite:
                raise Conflict(f"{path} exists.", hint="Choose another path, or overwrite it: --overwrite.")
            _fold_log(path.resolve())
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        try:
            with self.read() as rows, translated(str(path)):
                assert isinstance(rows, SqliteRows)
                rows.one("SELECT 1 FROM store_clock")  # fixes the snapshot before the copy begins
                target = _backup_target(partial, sealed=pages.are_sealed(rows.connection))
                try:
                    with target.backup("main", rows.connection, "main") as copying:
                        while not copying.done:
                            copying.step(1000)
                finally:
                    pages.close(target)
            sync(partial)
            partial.replace(path)
            sync(path.parent)
        finally:
            partial.unlink(missing_ok=True)
        return path.stat().st_size

    def close(self) -> None:
        with self._pool_lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            pages.close(connection)
        with self._write_lock:
            pages.close(self._main)


def _pragma(connection: apsw.Connection, name: str) -> int:
    row = connection.execute(f"PRAGMA {name}").fetchone()
    return int(row[0]) if row else 0


def _schema_hash(connection: apsw.Connection) -> str:
    """Over every table, index and trigger, so that a damaged definition does not pass."""
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ).fetchall()
    return digest(*(None if field is None else str(field) for row in rows for field in row)).hex()


def _backup_target(path: Path, *, sealed: bool) -> apsw.Connection:
    """A new database whose first page already says whether pages are sealed: others may be written first."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    target = pages.connect(str(path), flags) if sealed else apsw.Connection(str(path), flags=flags)
    target.execute("PRAGMA secure_delete = ON")
    target.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return target


def _fold_log(path: Path) -> None:
    """Take away the log of a database about to be replaced: it would be replayed over its successor."""
    try:
        target = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
        try:
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            pages.close(target)
    except (apsw.BusyError, apsw.LockedError):
        raise Busy(f"{path} is in use.", hint="Close it there, or choose another path.") from None
    except apsw.Error:
        for suffix in ("-wal", "-shm"):  # no database that anyone could be using
            path.with_name(path.name + suffix).unlink(missing_ok=True)
