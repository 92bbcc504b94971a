"""Which log belongs to which file: a foreign, stale, damaged or missing `-wal` is refused, never replayed.

SQLite replays whatever log lies beside a file. So the one row of `store_clock` names the generation of the
log that wrote it, and the state of the file on which that generation builds. A generation ends when all of
it was moved into the file: the next write starts the log from its beginning.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

import apsw

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum
from longmind.store import pages
from longmind.store.cipher import FileKey

WHOLE: Final = 0
"""The file alone holds everything."""
UNTOLD: Final = 1
"""The log may be ahead of the file, and the file may not say so yet."""
AHEAD: Final = 2
"""The log may be ahead of the file, and the file says so."""

_COLUMNS: Final = ("log_id", "log_before", "log_writes", "log_base", "log_state", "log_boot")
_ID_BYTES: Final = 8
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_READ: Final = f"SELECT {', '.join(_COLUMNS)}, log_checksum FROM store_clock WHERE one = 1"
_WRITE: Final = (
    f"UPDATE store_clock SET {', '.join(f'{name} = ?' for name in _COLUMNS)}, log_checksum = ? WHERE one = 1"
)

LOCAL_COLUMNS: Final = frozenset(
    (*_COLUMNS, "log_checksum", "audit_entries", "audit_hash", "audit_total", "audit_rows", "audit_checksum")
)
"""Columns of `store_clock` that speak of this file alone; exports and copies leave them out."""


class LogState(NamedTuple):
    """What the row says of the log, in the order of its columns."""

    id: str = ""
    before: str = ""
    writes: int = 0
    """Write transactions so far; in a file of an earlier format, the last system time."""
    base: int = 0
    state: int = WHOLE
    boot: str = ""

    def follows(self, main: LogState) -> bool:
        """Whether a log that says this continues a file that says `main`."""
        return self.id == main.id or (self.before == main.id and self.base == main.writes)


@cache
def boot_id() -> str:
    """The running boot of this machine; empty where the system does not name it."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def read_state(connection: apsw.Connection) -> LogState:
    """What the row says as this connection sees it; of an earlier format or an empty file, a first state."""
    try:
        row = connection.execute(_READ).fetchone()
    except apsw.SQLError:  # no such column, or no such table yet
        row = None
    if row is not None and row[0]:
        state = LogState._make(row[:-1])
        if row[-1] != checksum("log", *state):
            raise Corrupt(
                "The store's record of its log is damaged.",
                hint=RESTORE_HINT,
            )
        return state
    try:
        clock = connection.execute("SELECT last_system FROM store_clock WHERE one = 1").fetchone()
    except apsw.SQLError:
        clock = None
    return LogState(writes=int(str(clock[0])) if clock else 0)


def write_state(connection: apsw.Connection, state: LogState) -> None:
    connection.execute(_WRITE, (*state, checksum("log", *state)))


def seal_copy(connection: apsw.Connection, entropy: Callable[[int], bytes] = secrets.token_bytes) -> None:
    """Make a copy of a store a file of its own: no log of the original fits it, and it needs none."""
    state = LogState(entropy(_ID_BYTES).hex(), writes=read_state(connection).writes)
    with suppress(apsw.SQLError):  # a copy of an earlier format has no columns for it
        write_state(connection, state)


def read_alone(path: str, key: FileKey | None = None) -> LogState:
    """What the file itself says, without its log."""
    name = f"file:{quote(os.fsencode(path))}?immutable=1"
    connection = apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        if key is not None:
            key.unlock(connection)
        return read_state(connection)
    finally:
        connection.close(True)


class FileLog:
    """Keeps the row of one open file: called around every write transaction, on flushing and on closing."""

    def __init__(
        self, connect: Callable[[], apsw.Connection], *, entropy: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._connect = connect
        self._entropy = entropy
        self._observer: apsw.Connection | None = None
        self._before = LogState()
        self._changes = 0
        self._untold = False

    def begin(self, connection: apsw.Connection) -> None:
        """Right after a write transaction began."""
        self._before = read_state(connection)
        self._changes = connection.total_changes()

    def before_commit(self, connection: apsw.Connection) -> None:
        """Right before it commits: name the generation of the log that the commit goes to."""
        if connection.total_changes() != self._changes:
            self._write(connection, self._next(self._before, moved=self._is_moved()))

    def after_commit(self, connection: apsw.Connection) -> None:
        """Let the file say that its log may be ahead, so that a copy without the log can be told.

        A reader of an earlier state may be in the way; then the next write tries again.
        """
        if self._untold and not connection.in_transaction:
            self._untold = False
            with suppress(apsw.Error):  # the write is committed, whatever becomes of this
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def settle(self, connection: apsw.Connection, *, orphaned: bool = False) -> None:
        """Say that the file holds everything; the caller moves the log into it right afterwards.

        So a log that was emptied on purpose is told from one that was lost. `orphaned`: the file or its log
        has lost its name, so that no further connection can be made to ask how far the log was moved.
        """
        try:
            connection.execute("BEGIN IMMEDIATE")
            state = read_state(connection)
            if state.state != WHOLE:
                following = self._next(state, moved=not orphaned and self._is_moved())
                self._write(connection, following._replace(state=WHOLE, boot=""))
            connection.execute("COMMIT")
        except BaseException:  # also Ctrl-C: the file must not stay locked
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def end(self, connection: apsw.Connection) -> None:
        """Before an orderly close: whoever is the last to leave moves the log into the file.

        Only with every other connection gone is it certain that nobody writes between the mark and the
        removal of the log. Otherwise the log stays, as after a kill, for the last one or the next to open.
        """
        self.forget_observer()
        with suppress(apsw.Error, Corrupt):
            connection.set_busy_handler(None)
            connection.execute("PRAGMA query_only = OFF")
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("COMMIT")  # in this mode the lock stays
            logged, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
            state = read_state(connection)
            if state.state != WHOLE:
                following = self._next(state, moved=logged == moved)
                connection.execute("BEGIN IMMEDIATE")
                self._write(connection, following._replace(state=WHOLE, boot=""))
                connection.execute("COMMIT")
            connection.execute("PRAGMA synchronous = FULL")
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)  # now SQLite may take the log away

    def forget_observer(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            pages.close(observer)

    def _next(self, state: LogState, *, moved: bool) -> LogState:
        """The state after one more write; `moved`: the log is all in the file, and begins anew."""
        next_state = state.state
        if moved:
            state = LogState(self._entropy(_ID_BYTES).hex(), state.id, state.writes, state.writes)
            next_state = AHEAD if next_state != WHOLE else UNTOLD
        elif next_state == WHOLE:
            next_state = UNTOLD
        return state._replace(writes=state.writes + 1, state=next_state, boot=boot_id())

    def _write(self, connection: apsw.Connection, state: LogState) -> None:
        if not state.id:  # the log of an earlier format goes on until it is moved
            return
        try:
            write_state(connection, state)
        except apsw.SQLError:  # only ever while files of earlier formats are made, for tests
            return
        self._untold = state.state == UNTOLD

    def _is_moved(self) -> bool:
        """Whether all of the log is in the file; if not, no write starts the log from its beginning.

        Asked inside the write transaction, so that it cannot change from no to yes and be missed; and SQLite
        answers it only on a connection without a transaction, so there is a second one for it.
        """
        if self._observer is None:
            self._observer = self._connect()
        logged, moved = self._observer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
        if logged < 0:  # it has not yet read anything, and knows of no log
            self._observer.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            logged, moved = self._observer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
        return logged == moved
