"""Snapshots, transactions and sessions of a store, each a scope on the engine's own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from longmind.base.errors import Busy, Corrupt, LongmindError, OverBudget
from longmind.store.engine import Connection
from longmind.store.expiry import retire_expired
from longmind.store.lease import Lease, LeasePolicy
from longmind.store.scope import Scope
from longmind.store.transaction import Snapshot, Transaction, read_clock

if TYPE_CHECKING:
    from longmind.store.store import Store

_LEASE_POLL_SECONDS: Final = 0.02


_UNEXPECTED: Final = (ValueError, TypeError, LookupError, ArithmeticError)
"""What code raises that was handed rows of another kind than it wrote."""


def _blame_damage(store: Store, error: BaseException | None) -> None:
    """Say that the store is damaged, if it is, in place of an error that this may have led to.

    Rows have checksums, and columns their types. Whoever lets the definition of a table point to the pages of
    another gets rows past both, anywhere. So the file is looked through once something has gone wrong.
    """
    if not isinstance(error, _UNEXPECTED) or isinstance(error, LongmindError):
        return
    problems = store.engine.check(deep=False).problems
    if problems:
        raise Corrupt(
            f"The store is damaged, and what it holds cannot be used: {problems[0][1]}.",
            hint="Run verify; restore a backup: longmind restore BACKUP TO.",
        ) from error


class ReadScope(Scope[Snapshot]):
    """One state of the store; inside a read session, always the session's."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._engine: Scope[Connection] | None = None
        self._own: Snapshot | None = None

    def begin(self) -> Snapshot:
        pinned = self._store.pinned()
        if pinned is not None:
            return pinned
        self._engine = engine = self._store.engine.read().within(self)
        db = engine.start()
        self._own = snapshot = Snapshot(db, read_clock(db))
        return snapshot

    def end(self, error: BaseException | None) -> None:
        if self._engine is not None:
            self._engine.leave(None, error, None)
        if self._own is not None:
            self._store.mirrors.leave(self._own)
            _blame_damage(self._store, error)

    def undo(self) -> None:
        if self._engine is not None:
            self._engine.abandon()


class StateScope(ReadScope):
    """A read that all reads inside it share.

    It stays in the context when it is given up: who looks it up asks whether it is over.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.outer = store.pinned_scope()
        self.snapshot: Snapshot | None = None
        self.now = store.now()

    def begin(self) -> Snapshot:
        self.snapshot = snapshot = super().begin()
        self._store.pin(self)
        return snapshot

    def end(self, error: BaseException | None) -> None:
        self._store.pin(self.outer)
        super().end(error)


class WriteScope(Scope[Transaction]):
    """One transaction, in its turn and under the lease, if there is one."""

    def __init__(self, store: Store, *, busy_timeout: float, max_bytes: int | None) -> None:
        super().__init__()
        self._store = store
        self._busy_timeout = busy_timeout
        self._max_bytes = max_bytes
        self._before = 0
        self._engine: Scope[Connection] | None = None
        self._rows: Connection | None = None
        self._tx: Transaction | None = None

    def begin(self) -> Transaction:
        deadline = time.monotonic() + self._busy_timeout
        while True:
            remaining = max(0.001, deadline - time.monotonic())
            self._engine = engine = self._store.engine.write(timeout=remaining).within(self)
            self._rows = rows = engine.start()
            if self._store.may_write(rows):
                if self._max_bytes is not None:
                    self._before = self._store.engine.size_bytes(rows)
                self._tx = tx = self._store.transaction(rows)
                if self._store.parts:
                    retire_expired(self._store, tx)
                return tx
            engine.leave(None, None, None)
            if time.monotonic() >= deadline:
                raise Busy(
                    f"Another writer held the lease for {self._busy_timeout:g} s.", hint="Try again later."
                )
            time.sleep(_LEASE_POLL_SECONDS)

    def end(self, error: BaseException | None) -> None:
        assert self._engine is not None
        assert self._rows is not None
        try:
            if error is None and not self._engine.was_given_up:  # else its end says so, and writes nothing
                assert self._tx is not None
                self._store.settle(self._tx)
                self._tx.store_counters()
                self._store.audit_log.append(self._store, self._tx)
                self._check_size(self._rows)
                lease = self._store.lease()
                if lease is not None:
                    lease.renew(self._rows)  # at the end: the transaction may have outlasted it
            self._engine.leave(None, error, None)
            if error is None and self._tx is not None and self._store.parts:
                self._store.expired_until = self._tx.now
        except OverBudget as refusal:
            self._engine.leave(None, refusal, None)  # the engine notes what the refused write had taken
            self._store.shrink()
            raise
        if isinstance(error, OverBudget):
            self._store.shrink()
        _blame_damage(self._store, error)

    def undo(self) -> None:
        if self._engine is not None:
            self._engine.abandon()

    def _check_size(self, db: Connection) -> None:
        if self._max_bytes is None:
            return
        after = self._store.engine.size_bytes(db)
        if after > max(self._max_bytes, self._before):
            raise OverBudget(
                f"The store would grow to {after} bytes; max_bytes={self._max_bytes}. Nothing was written.",
                hint="Make room with maintain() or erase(), or allow more bytes.",
            )


class LeaseScope(Scope[None]):
    """The writer lease, for the current thread or task."""

    def __init__(
        self, lease: Lease, policy: LeasePolicy, enter: Callable[[LeaseScope | None], object]
    ) -> None:
        super().__init__()
        self.lease = lease
        self._policy = policy
        self._enter = enter

    def begin(self) -> None:
        self.lease.acquire(self._policy, scope=self)
        self._enter(self)

    def end(self, error: BaseException | None) -> None:
        self._enter(None)
        self.lease.release()

    def undo(self) -> None:
        self.lease.give_up()
