"""The writer lease: the store for one writer for a longer stretch, first come, first served."""

from __future__ import annotations

import os
import re
import threading
import time
import uuid
import weakref
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from longmind.base.errors import Busy, InvalidInput, LongmindError
from longmind.base.processes import host_name, is_alive
from longmind.store.engine import Connection, Engine
from longmind.store.scope import Scope

LEASE_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.02
_GIVE_UP_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class LeasePolicy:
    """How long to queue for the lease: None for as long as it takes, 0 for not at all."""

    seconds: float | None

    @classmethod
    def of(cls, policy: LeasePolicy | str | float) -> LeasePolicy:
        if isinstance(policy, LeasePolicy):
            return policy
        if isinstance(policy, int | float) and not isinstance(policy, bool) and 0 <= policy < 1e9:
            return cls(float(policy))
        if policy == "wait":
            return cls(None)
        if policy == "fail":
            return cls(0.0)
        match = re.fullmatch(r"timeout\((\d{1,9}(?:\.\d+)?)\)", policy) if isinstance(policy, str) else None
        if match:
            return cls(float(match[1]))
        raise InvalidInput(
            f"{policy!r} is not a lease policy.",
            hint="Use 'wait', 'fail', 'timeout(5)' or a number of seconds.",
        )


def timeout(seconds: float) -> LeasePolicy:
    """Queue for the lease at most this long."""
    return LeasePolicy.of(seconds)


class Lease:
    """One holder's place in the queue, kept alive by a heartbeat until it is released."""

    def __init__(self, engine: Engine, *, seconds: float = LEASE_SECONDS) -> None:
        self.holder = uuid.uuid4().hex
        self._engine = engine
        self._seconds = seconds
        self._queued = False
        self._released = threading.Event()
        self._pulse: threading.Thread | None = None
        self._scope: weakref.ref[Scope[None]] | None = None

    def acquire(self, policy: LeasePolicy, *, scope: Scope[None] | None = None) -> None:
        """Queue for it. It is not kept alive any longer than the scope it is for, if there is one."""
        self._scope = None if scope is None else weakref.ref(scope)
        deadline = None if policy.seconds is None else time.monotonic() + policy.seconds
        try:
            while not self._advance(deadline):
                if deadline is not None and time.monotonic() >= deadline:
                    raise Busy(
                        f"Another writer holds the lease; waited {policy.seconds:g} s.",
                        hint="Try again later.",
                    )
                time.sleep(_POLL_SECONDS)
        except BaseException:  # also Ctrl-C: the place in the queue is given back
            self.give_up()
            raise
        self._pulse = threading.Thread(target=self._beat, name="longmind-lease", daemon=True)
        self._pulse.start()

    def give_up(self) -> None:
        """Release it if that can be done now; if not, the place in the queue expires."""
        if self._queued:
            with suppress(LongmindError):
                self.release(patience=_GIVE_UP_SECONDS)

    def release(self, *, patience: float | None = None) -> None:
        self._released.set()
        if self._pulse is not None and self._pulse.is_alive():  # an interrupt may come before it starts
            self._pulse.join()
        with self._engine.write(timeout=self._seconds if patience is None else patience) as db:
            db.run("DELETE FROM store_lease WHERE holder = ?", (self.holder,))
        self._queued = False

    def _advance(self, deadline: float | None) -> bool:
        """Queue or stay queued, drop the dead, and say whether it is our turn."""
        patience = self._seconds
        if deadline is not None:
            patience = min(patience, max(_POLL_SECONDS, deadline - time.monotonic()))
        try:
            with self._engine.write(timeout=patience) as db:
                drop_dead(db, self._engine)
                self._queued = True  # before it is so: what is not there can be released too
                self.renew(db)
                return current_holder(db, self._engine) == self.holder
        except Busy:
            return False  # a long transaction elsewhere; the policy says how long to put up with it

    def renew(self, db: Connection) -> None:
        expires = f"{self._engine.dialect.wall_ms} + {int(self._seconds * 1000)}"
        db.run(
            f"INSERT INTO store_lease (holder, host, pid, expires_at) VALUES (?, ?, ?, {expires}) "
            "ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at",
            (self.holder, host_name(), os.getpid()),
        )

    def _beat(self) -> None:
        while not self._released.wait(self._seconds / 3):
            if self._is_forsaken():
                return  # it expires
            try:
                wall = self._engine.dialect.wall_ms
                with self._engine.write(timeout=self._seconds) as db:
                    # An expired lease stays so: another writer may have had it since.
                    db.run(
                        f"UPDATE store_lease SET expires_at = {wall} + {int(self._seconds * 1000)} "
                        f"WHERE holder = ? AND expires_at > {wall}",
                        (self.holder,),
                    )
            except LongmindError:
                continue  # the next write of the holder notices if the lease was lost meanwhile

    def _is_forsaken(self) -> bool:
        """Whether the block that it was acquired for is gone without having released it."""
        scope = None if self._scope is None else self._scope()
        return self._scope is not None and (scope is None or scope.is_over)


def current_holder(db: Connection, engine: Engine) -> str | None:
    row = db.one(
        f"SELECT holder FROM store_lease WHERE expires_at > {engine.dialect.wall_ms} ORDER BY ticket LIMIT 1"
    )
    return str(row[0]) if row else None


def drop_dead(db: Connection, engine: Engine) -> None:
    """Take expired places out of the queue, and those of processes of this machine that are gone."""
    db.run(f"DELETE FROM store_lease WHERE expires_at <= {engine.dialect.wall_ms}")
    for ticket, pid in db.all("SELECT ticket, pid FROM store_lease WHERE host = ?", (host_name(),)):
        if not is_alive(pid):
            db.run("DELETE FROM store_lease WHERE ticket = ?", (ticket,))
