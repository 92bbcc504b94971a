"""The transactions of the embedded engine, each a scope: ended whatever is raised, and whenever.

Nothing asks a connection whether it is in a transaction to learn whether it is nested. A connection that is
in one when it should be in none was left so, and is rolled back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

import apsw

from longmind.base.errors import Busy, Unavailable
from longmind.store.engine import Connection, Row, Value
from longmind.store.scope import Scope, Turn
from longmind.store.sqlite_errors import held_too_long, translated

if TYPE_CHECKING:
    from longmind.store.sqlite import SqliteEngine
    from longmind.store.sqlite_changes import SqliteChanges


class SqliteConnection:
    """One connection inside one transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.changes: SqliteChanges | None = None
        """What the transaction changes, where it may change something."""

    # Called for every statement, so that what translates errors is entered only when there is one.

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        try:
            return self.connection.execute(sql, values).fetchall()
        except (apsw.Error, UnicodeError):
            with translated():
                raise

    def one(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        try:
            row: Row | None = self.connection.execute(sql, values).fetchone()
        except (apsw.Error, UnicodeError):
            with translated():
                raise
        return row

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        try:
            self.connection.execute(sql, values)
            return self.connection.changes()
        except (apsw.Error, UnicodeError):
            with translated():
                raise

    def many(
        self,
        sql: str,
        rows: Iterable[Sequence[Value]],
        *,
        encoded: Sequence[str] | None = None,
        replaced: Sequence[Row | None] | None = None,
    ) -> None:
        try:
            if replaced is not None and self.changes is not None:
                self.changes.replace_counters(sql, list(rows), replaced)
                return
            # Rows that are known here are counted at once, and SQLite need not tell of each.
            changes = self.changes if isinstance(rows, list) else None
            if changes is None or not changes.insert(sql, rows, encoded):  # type: ignore[arg-type]
                self.connection.executemany(sql, rows)
        except (apsw.Error, UnicodeError):
            with translated():
                raise

    def run_each(self, statements: Iterable[str]) -> None:
        for statement in statements:
            self.run(statement)


class SqliteTurn(Turn[apsw.Connection]):
    """The writer's connection for one thread, outside of any transaction."""

    def __init__(self, engine: SqliteEngine, *, timeout: float) -> None:
        super().__init__(engine.writers)
        self._engine = engine
        self._timeout = timeout

    def begin(self) -> apsw.Connection:
        if not self.wait(self._timeout):
            raise held_too_long(self._timeout)
        return self._engine.writer(self._timeout)

    def end(self, error: BaseException | None) -> None:
        self.undo()

    def release(self) -> None:
        self._engine.roll_back()


class SqliteWrite(Turn[Connection]):
    """One write transaction."""

    def __init__(self, engine: SqliteEngine, *, timeout: float) -> None:
        super().__init__(engine.writers)
        self._engine = engine
        self._timeout = timeout
        self._is_nested = False
        self._rows: SqliteConnection | None = None

    def begin(self) -> Connection:
        started = time.monotonic()
        first = self._engine.writers.first
        # In memory, a read holds the one connection but no transaction: a write may come inside it.
        self._is_nested = isinstance(first, MemoryRead) and first.is_of_this_thread
        if not self._is_nested and not self.wait(self._timeout):
            raise held_too_long(self._timeout)
        self._engine.check_open()
        connection = self._engine.writer(max(0.0, self._timeout - (time.monotonic() - started)))
        with translated(self._engine.location):
            connection.execute("BEGIN IMMEDIATE")
            self._engine.follow()
        self._rows = SqliteConnection(connection)
        self._rows.changes = self._engine.changes(self._rows)
        return self._rows

    @property
    def was_given_up(self) -> bool:
        return not self.has_turn and not self._is_nested

    def end(self, error: BaseException | None) -> None:
        if error is None:
            if self.was_given_up:
                raise Unavailable(
                    "This write was given up when its thread began another inside it; nothing was written.",
                    hint="End one write before the next begins.",
                )
            # As late as can be: a file that goes after this went after the write.
            try:
                self._engine.check_file("Nothing was written.")
            except Unavailable:
                self._engine.roll_back()
                self._engine.save_log()
                raise
            with translated(self._engine.location):
                self._engine.settle()
                self._engine.writer_connection.execute("COMMIT")
                self._engine.committed()
        self.undo()

    def release(self) -> None:
        self._engine.roll_back()  # after a commit there is nothing to roll back

    def undo(self) -> None:
        if self._is_nested:
            self.release()
        else:
            super().undo()


class SqliteRead(Scope[Connection]):
    """One snapshot on a connection from the pool."""

    def __init__(self, engine: SqliteEngine) -> None:
        super().__init__()
        self._engine = engine
        self._connection: apsw.Connection | None = None

    def begin(self) -> Connection:
        try:
            self._engine.check_file("Nothing was read.")
        except Unavailable:
            with suppress(Busy), SqliteTurn(self._engine, timeout=0):
                self._engine.save_log()
            raise
        self._connection = connection = self._engine.take_reader()
        with translated(self._engine.location):
            connection.execute("BEGIN")
        return SqliteConnection(connection)

    def end(self, error: BaseException | None) -> None:
        connection = self._connection
        if connection is None:
            return
        if connection.in_transaction:
            with translated(self._engine.location):
                connection.execute("COMMIT")
        # Ours no more before it is the pool's: `undo` must not close it there.
        self._connection = None
        self._engine.give_back(connection)

    def undo(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(apsw.Error):
                self._engine.discard(connection)


class MemoryRead(Turn[Connection]):
    """A read of a store in memory, whose one connection is shared: nobody else uses it meanwhile.

    It needs no transaction, since nobody else writes; so a write may come inside it.
    """

    def __init__(self, engine: SqliteEngine) -> None:
        super().__init__(engine.writers)
        self._engine = engine

    @property
    def is_of_this_thread(self) -> bool:
        return self.thread == threading.get_ident() and not self.is_over

    def begin(self) -> Connection:
        first = self._engine.writers.first
        if first is None or first.is_over or first.thread != self.thread:
            self.wait(inf)
            self._engine.roll_back()
        self._engine.check_open()
        return SqliteConnection(self._engine.writer_connection)

    def end(self, error: BaseException | None) -> None:
        self.undo()
