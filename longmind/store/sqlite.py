"""The embedded engine: one SQLite file in WAL mode, one writer connection, a pool of readers."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from longmind.base.errors import (
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    LongmindError,
    Unavailable,
    Unsupported,
)
from longmind.base.partial import partial_file, remove_strays
from longmind.base.secret import Secret
from longmind.base.store_files import Claim, check_target, claim
from longmind.base.times import Clock
from longmind.store import accounting, audit_log, pages
from longmind.store.cipher import FileKey
from longmind.store.copies import check_replaceable, copy_snapshot, replace_store
from longmind.store.encrypted_files import file_key
from longmind.store.engine import Connection, Dialect, EngineReport, scalar
from longmind.store.files import FileIdentity, check_path, may_write
from longmind.store.log import WHOLE, FileLog, read_state
from longmind.store.recovery import check_own, examine, leave, refused
from longmind.store.scope import Scope, TurnQueue
from longmind.store.sqlite_changes import SqliteChanges
from longmind.store.sqlite_errors import translated
from longmind.store.sqlite_format import (
    apply_migrations,
    check_ours,
    enter_wal,
    has_own_schema,
    missing_migrations,
    mistyped,
)
from longmind.store.sqlite_transactions import (
    MemoryRead,
    SqliteConnection,
    SqliteRead,
    SqliteTurn,
    SqliteWrite,
)

_IN_MEMORY: Final = ":memory:"
_IDLE_READERS: Final = 8
_READER_PATIENCE_MS: Final = 10_000
_UPKEEP_SECONDS: Final = 60.0

_SETUP: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",  # a tampered file must not run functions through its schema
    "PRAGMA cell_size_check = ON",  # notice damaged pages when they are read
    "PRAGMA secure_delete = ON",  # freed bytes are zeroed, so erased text does not linger
    "PRAGMA temp_store = MEMORY",  # nothing is ever written beside the file
    "PRAGMA cache_size = -16000",  # of each connection: the inner pages of the trees of a million frames
    "PRAGMA wal_autocheckpoint = 4000",  # pages: folding the log into the file less often, writes wait less
    "PRAGMA journal_size_limit = 67108864",
    f"PRAGMA max_page_count = {pages.MOST_PAGES}",
)


class SqliteEngine:
    """Implements `Engine` on a file, or on `:memory:`."""

    dialect = Dialect(
        name="sqlite",
        wall_ms="CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        slice_bytes="CAST(substr(CAST({text} AS BLOB), {start} + 1, {length}) AS TEXT)",
        columns="SELECT name FROM pragma_table_info(?) ORDER BY cid",
        tables="SELECT name FROM sqlite_schema WHERE type = 'table'",
    )

    def __init__(
        self,
        path: str,
        *,
        clock: Clock,
        read_only: bool,
        create: bool,
        durability: str,
        accept_lost_log: bool = False,
        key: Secret | FileKey | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.location = path
        self.read_only = read_only
        self.has_log = True
        self._clock = clock
        self._durability = durability
        self._synchronous = f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}"
        self._in_memory = path == _IN_MEMORY
        self._immutable = False
        self._accept_lost_log = accept_lost_log
        self._entropy = entropy
        self._log = FileLog(self._connect, entropy=entropy)
        self.writers = TurnQueue()
        self._idle: list[apsw.Connection] = []
        self._leaving = threading.Lock()
        self._files: FileIdentity | None = None
        self._deadline = 0.0
        self._closed = False
        self._has_opened = False
        if self._in_memory and key is not None:
            raise InvalidInput("A store in memory is not encrypted.", hint="Open it without a key.")
        if self._in_memory and read_only:
            raise InvalidInput(":memory: is empty when opened read-only.", hint="Leave out read_only=True.")
        if not self._in_memory:
            check_path(Path(path), must_exist=read_only or not create)
        # Before SQLite opens the file, so that no other thread opens and closes it by hand meanwhile.
        self._claim: Claim | None = None if self._in_memory else claim(path)
        try:
            self.key = None if self._in_memory else file_key(path, key, None if read_only else self._make)
            self._main = self._open_main()
        except BaseException:  # also Ctrl-C: the claim on the file is given back
            self._release()
            raise
        if self._claim is not None:
            self._claim.settle()
            self._files = FileIdentity(path)
            self._files.record_logs()
            try:
                self._files.check_connection(self._main, "Nothing was read.")
            except BaseException:  # also Ctrl-C: nobody else would close it
                self.close()
                raise
            if not read_only:
                remove_strays(Path(path).parent)

    # Opening

    def _make(self, path: str, key: FileKey) -> None:
        """A new store at another path, with all its tables."""
        engine = SqliteEngine(
            path, clock=self._clock, read_only=False, create=True, durability=self._durability, key=key
        )
        with closing(engine):
            engine.migrate()

    def _open_main(self) -> apsw.Connection:
        self._log_is_whole = not self._in_memory and examine(
            self.location, accept_lost_log=self._accept_lost_log, key=self.key
        )
        try:
            connection = self._identified()
        except LongmindError:
            if not self.read_only or self._immutable or Path(self.location + "-wal").exists():
                raise
            # A reader without write access to the folder cannot share the log; there is none, so read as is.
            self._immutable = True
            connection = self._identified()
        connection.set_busy_handler(self._wait_for_turn)
        self._changes = SqliteChanges(connection)
        self._has_opened = True
        self._deadline = time.monotonic() + _READER_PATIENCE_MS / 1000  # others may be opening or closing it
        return connection

    def _identified(self) -> apsw.Connection:
        connection = self._connect()
        try:
            if not self._in_memory and not self._log_is_whole:
                with translated(self.location):
                    check_own(self.location, connection, accept_lost_log=self._accept_lost_log, key=self.key)
            check_ours(connection, self.location, read_only=self.read_only)
            if not self._in_memory and not self.read_only:
                enter_wal(connection, self.location, patience=_READER_PATIENCE_MS / 1000)
        except LongmindError:
            leave(self.location, connection)
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
            connection = self._connected(name, flags)
            connection.set_busy_timeout(_READER_PATIENCE_MS)
            # A connection that is merely dropped must not take the log away; an orderly `close` does that.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            # Else SQLite plans many statements anew each time they run, as values might tell of a better
            # plan. There are no statistics by which they could.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            for pragma in _SETUP:
                connection.execute(pragma)
            connection.execute(self._synchronous)
            if self.read_only:
                connection.execute("PRAGMA query_only = ON")
            return connection

    def _connected(self, name: str, flags: int) -> apsw.Connection:
        if self._in_memory:
            return apsw.Connection(name, statementcachesize=pages.STATEMENTS)
        try:
            return pages.connect(name, flags, key=self.key)
        except apsw.NotADBError:
            # After it fitted once, page 1 is damaged: then it is said as of any other damage.
            if self.key is None or self._has_opened:
                raise
            raise refused(self.location, self.key) from None

    def migrate(self, *, to: int | None = None) -> None:
        """To the newest format; `to` stops at an older one, to make files such as old versions left."""
        with self.read() as db:
            assert isinstance(db, SqliteConnection)
            missing = missing_migrations(db.connection, self.location)
        if missing:
            if self.read_only:
                raise Unsupported(
                    f"{self.location} has an older format, and a read-only open does not migrate.",
                    hint="Open it once for writing.",
                )
            with self.write(timeout=60) as db:
                assert isinstance(db, SqliteConnection)
                before = scalar(db, "PRAGMA user_version")
                if accounting.EARLIER <= before < accounting.FORMAT:
                    accounting.check_earlier(db)
                now = self._clock.now()
                done = apply_migrations(db.connection, db, self.location, to=to, now=now)
                if any(migration.number == accounting.FORMAT for migration in done):
                    audit_log.begin(db, self.dialect, at=now, before=before)
                self._changes.learn()
        if to is not None:
            self.has_log = to >= accounting.FORMAT
            return
        with self.read() as db:
            audit_log.check_on_opening(db)
        if not self.read_only:
            self._seal_pages()

    def _seal_pages(self) -> None:
        """Give a file of an older format its page checksums; until that succeeds it works without them."""
        if self._in_memory or self._is_sealed(self._main):
            return
        with suppress(LongmindError):  # busy, a full disk, damage: `verify` names what is missing
            self._rebuild()
            self._checkpoint()

    def _is_sealed(self, connection: apsw.Connection) -> bool:
        """Whether damage to any page is found: by the cipher's tags, or by our checksums."""
        return self.key is not None or pages.are_sealed(connection)

    def format(self) -> int:
        with self.read() as db:
            return scalar(db, "PRAGMA user_version")

    # Transactions

    def read(self) -> Scope[Connection]:
        return MemoryRead(self) if self._in_memory else SqliteRead(self)

    def write(self, *, timeout: float) -> Scope[Connection]:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        return SqliteWrite(self, timeout=timeout)

    @property
    def writer_connection(self) -> apsw.Connection:
        return self._main

    def writer(self, timeout: float) -> apsw.Connection:
        """The writer's connection, in no transaction, for whose turn it is."""
        self._deadline = time.monotonic() + timeout
        self.roll_back()
        return self._main

    def roll_back(self) -> None:
        with suppress(apsw.Error):
            if self._main.in_transaction:
                self._main.execute("ROLLBACK")

    def follow(self) -> None:
        """Right after a write transaction began: from here on what it changes is accounted for."""
        if self._files is not None:
            self._files.record_logs()  # of a new file, they are there from its first write
        self._changes.begin()
        if not self._in_memory:
            self._log.begin(self._main)

    def changes(self, db: Connection) -> SqliteChanges:
        return self._changes

    def settle(self) -> None:
        """Right before it commits: its log is named."""
        if not self._in_memory:
            self._log.before_commit(self._main)

    def committed(self) -> None:
        if not self._in_memory:
            self._log.after_commit(self._main)

    def check_file(self, outcome: str) -> None:
        if self._files is not None:
            self._files.check(outcome)

    def save_log(self) -> None:
        """If the log lost its name, move what it holds into the file while this process can read it."""
        files = self._files
        # Where another log took its place, others are at work on the file, and ours would overwrite theirs.
        if files is None or not files.problem() or (files.is_file_ours and not files.is_log_ours):
            return
        self._deadline = time.monotonic() + 1
        with suppress(apsw.Error, Corrupt):
            if not self.read_only:
                self._log.settle(self._main, orphaned=True)
            self._main.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)

    def _wait_for_turn(self, tries: int) -> bool:
        if time.monotonic() > self._deadline:
            return False
        time.sleep(min(0.0005 * 2 ** min(tries, 5), 0.01))
        return True

    def take_reader(self) -> apsw.Connection:
        """One that is in no transaction. The pool is a list, and no lock: nothing can be left locked."""
        self.check_open()
        while self._idle:
            with suppress(IndexError):  # another thread may have taken the last
                connection = self._idle.pop()
                if not connection.in_transaction:
                    return connection
                self.discard(connection)
        connection = self._connect()
        if self._files is not None:
            self._files.check_connection(connection, "Nothing was read.")
        return connection

    def give_back(self, connection: apsw.Connection) -> None:
        if self._closed or len(self._idle) >= _IDLE_READERS:
            (self._leave if self._closed else self.discard)(connection)
            return
        self._idle.append(connection)
        if self._closed:  # meanwhile
            self._empty_pool(self._leave)

    def discard(self, connection: apsw.Connection) -> None:
        """Close a connection. Its log stays: only an orderly `close` of the last one takes it away."""
        pages.close(connection)

    def _leave(self, connection: apsw.Connection) -> None:
        """Close a connection of a closed store: the last one, of any thread, takes the log away."""
        with self._leaving:  # of two at once, each would find the other in its way, and the log would stay
            if self._in_memory or self._immutable or (self._files is not None and self._files.problem()):
                self._log.forget_observer()  # a log that is not ours is left alone
            else:
                self._log.end(connection)
            self.discard(connection)

    def _empty_pool(self, close: Callable[[apsw.Connection], None]) -> None:
        while self._idle:
            with suppress(IndexError):
                close(self._idle.pop())

    def check_open(self) -> None:
        if self._closed:
            raise Unavailable(f"{self.location} was closed.", hint="Open it again.")

    # Health and upkeep

    def check(self, *, deep: bool) -> EngineReport:
        problems: list[tuple[str, str]] = []
        notes: list[str] = []
        with self.read() as db:
            test = "integrity_check" if deep else "quick_check"
            try:
                lines = [str(row[0]) for row in db.all(f"PRAGMA {test}(100)")]
                problems += [("page", line) for line in lines if line != "ok"]
                problems += [
                    ("foreign_key", f"{table} row {rowid} points to a missing row of {target}")
                    for table, rowid, target, _ in db.all("PRAGMA foreign_key_check")
                ]
                assert isinstance(db, SqliteConnection)
                if not has_own_schema(db.connection, self.location):
                    problems.append(("schema", "the tables are not as the migrations made them"))
                missing_migrations(db.connection, self.location)
                problems += mistyped(db)
                if deep and accounting.EARLIER <= scalar(db, "PRAGMA user_version") < accounting.FORMAT:
                    accounting.check_earlier(db)
                if not self._in_memory and not self._is_sealed(db.connection):
                    notes.append("The pages have no checksums yet; `compact` adds them.")
                read_state(db.connection)
            except Corrupt as error:
                problems.append(("page", error.message))
        return EngineReport(tuple(problems), tuple(notes))

    def size_bytes(self, db: Connection) -> int:
        return self._pages(db, "page_count")

    def free_bytes(self) -> int:
        with self.read() as db:
            return self._pages(db, "freelist_count")

    def _pages(self, db: Connection, count: str) -> int:
        pages, size = db.one(f"PRAGMA {count}"), db.one("PRAGMA page_size")
        return int(pages[0]) * int(size[0]) if pages and size else 0

    def shrink(self) -> None:
        """Nothing to do: a rollback leaves the file as it was."""

    def scrub(self, *, patience: float = 5.0) -> bool:
        """Empty the log into the file, whose pages are written without what was deleted from them.

        That holds for pages that our VFS writes. A file that has no seals yet is rebuilt, which adds them; an
        encrypted one is rebuilt each time, since what a split leaves in a page is out of our reach there.
        """
        if self._in_memory:
            return True
        try:
            if self.key is not None or not pages.are_sealed(self._main):
                self._rebuild()
        except Busy:
            return False
        return self._checkpoint(patience)

    def flush(self, *, patience: float = 5.0) -> None:
        if not self._in_memory and not self._checkpoint(patience):
            raise Busy("A long-running reader keeps the log from being emptied.", hint="Try again later.")

    def _checkpoint(self, patience: float = 5.0) -> bool:
        """Move the whole log into the file and empty it, with fsync; False while a reader is in the way."""
        with SqliteTurn(self, timeout=_UPKEEP_SECONDS) as main, translated(self.location):
            self.check_open()
            self.check_file("Nothing was flushed.")
            self._deadline = time.monotonic() + patience
            # A read-only handle cannot record that the log was emptied on purpose, so it leaves its content.
            mode = apsw.SQLITE_CHECKPOINT_FULL if self.read_only else apsw.SQLITE_CHECKPOINT_TRUNCATE
            try:
                main.execute("PRAGMA synchronous = FULL")
                for _ in range(3):  # another process may write between the two
                    if not self.read_only:
                        self._log.settle(main)
                    logged, moved = main.wal_checkpoint(mode=mode)
                    if self.read_only or read_state(main).state == WHOLE:
                        break
            except (apsw.BusyError, apsw.LockedError):
                return False
            finally:
                self.roll_back()  # an interrupt may have left a transaction, in which SQLite refuses the next
                main.execute(self._synchronous)
        return logged == moved

    def compact(self) -> None:
        if self.read_only:
            raise Forbidden(f"{self.location} is open read-only.", hint="Open it without read_only=True.")
        self._rebuild()
        self._checkpoint()

    def _rebuild(self) -> None:
        with SqliteTurn(self, timeout=_UPKEEP_SECONDS) as main, translated(self.location):
            self.check_open()
            self.check_file("Nothing was changed.")
            self._deadline = time.monotonic() + 60
            pages.rebuild(main, encrypted=self.key is not None)

    def backup(self, path: Path, *, overwrite: bool) -> int:
        check_path(path, must_exist=False)
        check_target(path)
        if path.exists():
            if not overwrite:
                raise Conflict(f"{path} exists.", hint="Choose another path, or overwrite it: --overwrite.")
            check_replaceable(path)
        target = Path(os.path.realpath(path))  # a link may lead to another file system
        with partial_file(target) as partial:
            with self.read() as db, translated(str(path)):
                assert isinstance(db, SqliteConnection)
                db.one("SELECT 1 FROM store_clock")  # fixes the snapshot before the copy begins
                copy_snapshot(db.connection, partial, self._entropy, key=self.key)
            replace_store(partial, target)
        return path.stat().st_size

    def close(self) -> None:
        """Called again after it was interrupted, it does what was left to do."""
        self._closed = True
        self._empty_pool(self.discard)
        with SqliteTurn(self, timeout=float("inf")) as main, suppress(apsw.ConnectionClosedError):
            self.save_log()
            self._leave(main)
        self._release()

    def _release(self) -> None:
        if self._claim is not None:
            self._claim.release()
