"""A few connections kept open and lent out: made in the caller's thread, looked at before they are lent."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

import psycopg
from psycopg.pq import ConnStatus, TransactionStatus

from longmind.base.errors import Busy, Unavailable
from longmind.store.postgres_errors import is_lost

Connection = psycopg.Connection[Any]

# Firewalls and balancers drop a silent connection without a word; 240 s is
# a guess below the limits that are usual there.
_MOST_IDLE_SECONDS: Final = 240.0
# How often a waiting thread looks again by itself, for a connection that was dropped and not given back.
_POLL_SECONDS: Final = 0.05


class ConnectionPool:
    """At most `size` connections at a time, each used by one thread at a time.

    psycopg_pool makes its connections in background threads that wait longer after every failure, up to
    minutes: a server that is back is not noticed, and why it cannot be reached is not told. Here a caller
    that finds no living connection makes one itself, and gets the server's own answer at once.
    """

    def __init__(self, connect: Callable[[], Connection], *, size: int, timeout: float) -> None:
        self._connect = connect
        self._size = size
        self._timeout = timeout
        self._closed = False
        self._changed = threading.Condition()
        # The last one returned is lent first: it is the likeliest to be alive, and the others may expire.
        self._idle: list[tuple[Connection, float]] = []
        # Weak, so that a connection lost to an interrupt frees its turn when it is collected.
        self._lent: WeakSet[Any] = WeakSet()

    def getconn(self, begin: str | None = None, holder: list[Connection] | None = None) -> Connection:
        """A living connection, on which the statement `begin` has been run.

        It is put into `holder` before that: an exception on its way to the caller, who has the holder, would
        leave it to nobody otherwise, inside a transaction until it is collected.
        """
        turn = _Turn()
        self._wait_for_turn(turn)
        try:
            while True:
                connection = self._pop_idle()
                fresh = connection is None
                if connection is None:
                    connection = self._connect()
                self._swap(turn, connection)
                try:
                    if holder is not None:
                        holder.append(connection)
                    if begin is not None:
                        connection.execute(begin)
                    return connection
                except BaseException as error:  # also Ctrl-C: a connection that nobody holds is closed
                    if holder is not None:
                        holder.clear()
                    self._swap(connection, turn)
                    connection.close()
                    # Nothing was sent before, so a connection that had died unnoticed is simply replaced.
                    if fresh or not (isinstance(error, psycopg.Error) and is_lost(connection, error)):
                        raise
        except BaseException:  # also Ctrl-C: the turn goes to the next in line
            # Only here: after a connection has taken the turn's place nothing must come between it and the
            # caller, where an exception would leave it to nobody, inside a transaction.
            with self._changed:
                self._lent.discard(turn)
                self._changed.notify()
            raise

    def putconn(self, connection: Connection) -> None:
        """Take it back; one that is broken or still inside a transaction is closed."""
        now = time.monotonic()
        usable = connection.pgconn.transaction_status == TransactionStatus.IDLE
        expired: list[Connection] = []
        with self._changed:
            self._lent.discard(connection)
            if usable and not self._closed:
                self._idle.append((connection, now))
            else:
                expired.append(connection)
            while self._idle and now - self._idle[0][1] > _MOST_IDLE_SECONDS:
                expired.append(self._idle.pop(0)[0])
            self._changed.notify()
        for old in expired:
            old.close()

    def close(self) -> None:
        """Close what is idle now, and the rest when it is given back."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            self._changed.notify_all()
        for connection, _ in idle:
            connection.close()

    def _wait_for_turn(self, turn: _Turn) -> None:
        deadline = time.monotonic() + self._timeout
        with self._changed:
            while len(self._lent) >= self._size and not self._closed:
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    raise Busy(
                        f"All {self._size} connections of this store are in use.",
                        hint="Try again, or call it from fewer threads at once.",
                    )
                self._changed.wait(min(remaining, _POLL_SECONDS))
            if self._closed:
                raise Unavailable("The store was closed.", hint="Open it again.")
            self._lent.add(turn)

    def _swap(self, old: object, new: object) -> None:
        with self._changed:
            self._lent.add(new)
            self._lent.discard(old)

    def _pop_idle(self) -> Connection | None:
        while True:
            with self._changed:
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            if time.monotonic() - since <= _MOST_IDLE_SECONDS and _is_alive(connection):
                return connection
            connection.close()


class _Turn:
    """Stands for a connection that is being made, and gives way to it."""

    __slots__ = ("__weakref__",)


def _is_alive(connection: Connection) -> bool:
    """Whether the server has closed it, as far as can be told without a round trip.

    It takes 7 µs; a round trip on a socket of the same, loaded machine took 250.

    A server that stops sends a last message and closes the socket, so there is something to read.
    """
    try:
        # Twice: the last message is read first, the end of the stream after it.
        for _ in range(2):
            if not _readable(connection.fileno()):
                break
            connection.pgconn.consume_input()
        return connection.pgconn.status == ConnStatus.OK
    except (psycopg.Error, OSError):
        return False


def _readable(descriptor: int) -> bool:
    if hasattr(select, "poll"):
        watch = select.poll()
        watch.register(descriptor, select.POLLIN)
        return bool(watch.poll(0))
    return bool(select.select([descriptor], [], [], 0)[0])
