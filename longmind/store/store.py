"""The store: an engine, a clock, and the parts that follow the frames; snapshots, transactions, sessions."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Final, Literal

from longmind.base.caller import acting, check_actor
from longmind.base.checks import check_choice, check_limit
from longmind.base.errors import RESTORE_HINT, Conflict, Corrupt, Forbidden, InvalidInput, Unsupported
from longmind.base.hashing import checksum
from longmind.base.secret import KeyLike, Secret, secret_of
from longmind.base.times import Clock, SystemClock, to_ms
from longmind.store.audit_log import AuditLog
from longmind.store.catalog import Catalog
from longmind.store.engine import Connection, Engine
from longmind.store.follower import MEMORY_LIMIT, Mirrors
from longmind.store.kept import Kept
from longmind.store.lease import Lease, LeasePolicy, current_holder, drop_dead
from longmind.store.parts import Part
from longmind.store.rules import Redaction
from longmind.store.scope import Mapped, Scope
from longmind.store.store_scopes import LeaseScope, ReadScope, StateScope, WriteScope
from longmind.store.tables import put_setting
from longmind.store.tasks import Tasks, begin_stage
from longmind.store.transaction import Snapshot, Transaction

POSTGRES_SCHEMES: Final = ("postgresql://", "postgres://")
BUSY_SECONDS: Final = 30.0
_MOST_BUSY_SECONDS: Final = 86_400
_END_OF_TIME: Final = 2**62


class Store:
    """One memory, on a file or in a schema. Safe to share between threads, not across a fork."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Clock,
        max_bytes: int | None = None,
        memory_limit: int = MEMORY_LIMIT,
        busy_timeout: float = BUSY_SECONDS,
        secret: Secret | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        actor: str | None = None,
    ) -> None:
        self.secret = secret
        """What opened the file, if it is encrypted: copies and exports of it are, too."""
        self.engine = engine
        self.clock = clock
        self.entropy = entropy
        self.actor = actor
        """Who works with this handle, for the audit log; an interface may know better."""
        self.audit_log = AuditLog()
        self.kept = Kept()
        self.parts: list[Part] = []
        self.mirrors = Mirrors(memory_limit)
        self.catalog = Catalog(self.mirrors)
        """The small columns of the frames, in memory: of the parts that reads have named."""
        self.tasks = Tasks(clock)
        self.redaction = Redaction(self)
        self.expired_until = -_END_OF_TIME
        """Up to this moment, writes of this process have retired what had expired."""
        self._max_bytes = max_bytes
        self._busy_timeout = busy_timeout
        self._process = os.getpid()
        self._leased: ContextVar[LeaseScope | None] = ContextVar("leased", default=None)
        self._pinned: ContextVar[StateScope | None] = ContextVar("pinned", default=None)

    # Reading and writing

    def read(self) -> Scope[Snapshot]:
        """One state of the store; inside a read session, always the session's."""
        self.check_process()
        return ReadScope(self)

    def write(self, *, makes_room: bool = False) -> Scope[Transaction]:
        """One transaction: all of it or nothing. Waits its turn, and for a lease held elsewhere.

        One that `makes_room`, by forgetting or erasing, is not held to `max_bytes`.
        """
        self.check_process()
        if self.pinned() is not None:
            raise Forbidden("A read session does not write.", hint="Leave it first.")
        most = None if makes_room else self._max_bytes
        return WriteScope(self, busy_timeout=self._busy_timeout, max_bytes=most)

    def transaction(self, db: Connection) -> Transaction:
        return Transaction(
            db,
            now=_reading(self.clock),
            has_log=self.engine.has_log,
            defers=True,
            kept=self.kept,
            changes=self.engine.changes(db) if self.engine.has_log else None,
        )

    def settle(self, tx: Transaction) -> None:
        """Let the parts follow the facts that changed, until nothing more does."""
        while tx.changed_facts or tx.lapsed_facts:
            facts, tx.changed_facts = tx.changed_facts, set()
            lapsed, tx.lapsed_facts = tx.lapsed_facts, set()
            tx.settled_facts |= facts
            for part in self.parts:
                part.settled(tx, facts | lapsed)

    def now(self) -> int:
        """The clock's reading, by which reads judge what has expired; inside a read session, as it began."""
        scope = self.pinned_scope()
        return _reading(self.clock) if scope is None else scope.now

    def present(self) -> int:
        """The clock's reading, and never earlier than the last commit: a clock may be set back."""
        return max(_reading(self.clock), self.revision())

    def revision(self) -> int:
        """System time of the last commit: changes exactly when the store does."""
        with self.read() as snapshot:
            return snapshot.revision

    def may_write(self, db: Connection) -> bool:
        holder = current_holder(db, self.engine)
        lease = self.lease()
        if lease is None:
            if holder is not None:
                drop_dead(db, self.engine)
                holder = current_holder(db, self.engine)
            return holder is None
        if holder != lease.holder:
            raise Conflict("The writer lease was lost: this process was silent for too long.", hint="Retry.")
        return True

    def shrink(self) -> None:
        """A write refused for its size may leave the space it had taken; give that back."""
        if self._max_bytes is not None:
            self.engine.shrink()

    def check_process(self) -> None:
        if os.getpid() != self._process:
            raise Unsupported(
                "This store was opened before a fork, and connections do not survive one.",
                hint="Open it again in the child process.",
            )

    # Sessions

    def session(
        self,
        *,
        mode: Literal["read", "write"],
        policy: LeasePolicy | str | float = "wait",
        lease_seconds: float = 10,
    ) -> Scope[None]:
        """`read`: every read inside sees one state. `write`: no one else writes until it ends.

        Both hold for the current thread (or task): work handed to another thread is outside.
        """
        check_choice(mode, "mode", ("read", "write"))
        chosen = LeasePolicy.of(policy)
        if self.pinned() is not None or self.lease() is not None:
            raise Conflict("A session is already open here.", hint="End it before beginning another.")
        self.check_process()
        if mode == "read":
            return Mapped(self.one_state(), lambda _: None)
        if lease_seconds <= 0:
            raise InvalidInput("lease_seconds must be positive.")
        return LeaseScope(Lease(self.engine, seconds=lease_seconds), chosen, self._leased.set)

    def lease(self) -> Lease | None:
        """The lease of the session this thread or task is in."""
        scope = self._leased.get()
        return None if scope is None or scope.is_over else scope.lease

    def one_state(self) -> Scope[Snapshot]:
        """Every read inside sees the same state, also those of code called from here."""
        self.check_process()
        return StateScope(self)

    def pinned(self) -> Snapshot | None:
        """The state that this thread or task is to see."""
        scope = self.pinned_scope()
        return None if scope is None else scope.snapshot

    def pinned_scope(self) -> StateScope | None:
        scope = self._pinned.get()
        while scope is not None and scope.is_over:  # given up without being taken out of the context
            scope = scope.outer
        return scope

    def pin(self, scope: StateScope | None) -> None:
        self._pinned.set(scope)

    # The file as a whole

    def flush(self) -> None:
        self.check_process()
        self.engine.flush()

    def compact(self) -> None:
        self.check_process()
        with self.tasks.running("compact", ["file"]):
            begin_stage("file")
            self.engine.compact()

    def backup(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> int:
        self.check_process()
        return self.engine.backup(file_path(path), overwrite=overwrite)

    # Settings

    def setting(self, db: Connection, name: str) -> str | None:
        row = db.one("SELECT value, checksum FROM store_setting WHERE name = ?", (name,))
        if row is None:
            return None
        if row[1] != checksum(name, row[0]):
            raise Corrupt(f"The setting {name} is damaged.", hint=RESTORE_HINT)
        return str(row[0])

    def set_setting(self, tx: Transaction, name: str, value: str) -> None:
        assert tx.system
        put_setting(tx.db, name, value)

    @property
    def id(self) -> str:
        """A random name that tells this store from every other, wherever its file goes."""
        with self.read() as snapshot:
            return self.setting(snapshot.db, "store_id") or ""

    def close(self) -> None:
        if os.getpid() == self._process:
            self.engine.close()


def open_store(
    location: str | os.PathLike[str],
    *,
    clock: Clock | None = None,
    read_only: bool = False,
    create: bool = True,
    durability: str = "normal",
    max_bytes: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    busy_timeout: float = BUSY_SECONDS,
    accept_lost_log: bool = False,
    key: KeyLike | None = None,
    parts: Sequence[Part] = (),
    actor: str | None = None,
) -> Store:
    """Open a file, `:memory:`, or a `postgresql://` URL; create and migrate it where allowed."""
    check_choice(durability, "durability", ("normal", "full"))
    if max_bytes is not None:
        check_limit(max_bytes, "max_bytes", most=2**62)
    check_limit(memory_limit, "memory_limit", most=2**62)
    number = isinstance(busy_timeout, int | float) and not isinstance(busy_timeout, bool)
    if not number or not 0 <= busy_timeout <= _MOST_BUSY_SECONDS:
        raise InvalidInput(f"busy_timeout must be a number of seconds from 0 to {_MOST_BUSY_SECONDS}.")
    named = None if actor is None else check_actor(actor)
    time_source = SystemClock() if clock is None else clock
    _reading(time_source)
    secret = None if key is None else secret_of(key)
    engine = _open_engine(
        location,
        time_source,
        read_only=read_only,
        create=create,
        durability=durability,
        accept_lost_log=accept_lost_log,
        secret=secret,
    )
    try:
        engine.migrate()
        store = Store(
            engine,
            clock=time_source,
            max_bytes=max_bytes,
            memory_limit=memory_limit,
            busy_timeout=busy_timeout,
            actor=named,
            secret=secret,
        )
        store.parts.extend(parts)
        if not read_only and not store.id:
            with acting("create"), store.write() as tx:
                if store.setting(tx.db, "store_id") is None:
                    store.set_setting(tx, "store_id", store.entropy(16).hex())
        if accept_lost_log and not read_only:
            engine.flush()  # says that the file holds everything there is, so that the next open passes
        return store
    except BaseException:  # also Ctrl-C: nobody else would close the engine
        engine.close()
        raise


def _open_engine(
    location: str | os.PathLike[str],
    clock: Clock,
    *,
    read_only: bool,
    create: bool,
    durability: str,
    accept_lost_log: bool,
    secret: Secret | None,
) -> Engine:
    if isinstance(location, str) and location.startswith(POSTGRES_SCHEMES):
        if secret is not None:
            raise Unsupported(
                "A store on PostgreSQL is not encrypted by Longmind, and a key was given for it.",
                hint="Encrypt the server's disk (LUKS, or your provider's volume encryption), connect with "
                "sslmode=verify-full, and open the store without a key.",
            )
        from longmind.store.postgres import PostgresEngine

        return PostgresEngine(location, clock=clock, read_only=read_only, create=create)
    if isinstance(location, str) and "://" in location:
        scheme = location.split("://")[0]
        raise InvalidInput(f"{scheme}:// is not an address of a store.", hint="Give a path or postgresql://…")
    from longmind.store.sqlite import SqliteEngine

    path = location if location == ":memory:" else str(file_path(location))
    return SqliteEngine(
        path,
        clock=clock,
        read_only=read_only,
        create=create,
        durability=durability,
        accept_lost_log=accept_lost_log,
        key=secret,
    )


def _reading(clock: Clock) -> int:
    read = getattr(clock, "now", None)  # asked at every write: a check against the protocol takes longer
    if read is None:
        raise InvalidInput(
            f"A clock has a method now(); {type(clock).__name__} has none.",
            hint="Leave clock out for the system's, or pass longmind.testing.FrozenClock.",
        )
    now = to_ms(read(), "The clock's reading")
    if abs(now) >= _END_OF_TIME:
        raise InvalidInput(
            f"The clock reads {now}, which leaves no room for later writes.",
            hint="Set the clock right; times are milliseconds since 1970.",
        )
    return now


def file_path(path_like: str | os.PathLike[str]) -> Path:
    """Absolute, so that it names the same file after the process changes its folder."""
    name = os.fspath(path_like) if isinstance(path_like, str | os.PathLike) else path_like
    if not isinstance(name, str):
        raise InvalidInput(
            f"A file is named by a path, not {type(path_like).__name__}.",
            hint="Pass a str or a pathlib.Path.",
        )
    if not name:
        raise InvalidInput("The path is empty.", hint="Name a file, such as agent.mind, or ':memory:'.")
    try:
        path = Path(name).expanduser().absolute()
        # SQLite takes names as UTF-8, and the layer that checks its pages can open no other.
        usable = "\0" not in str(path).encode().decode()
    except (RuntimeError, ValueError, OSError):
        usable = False
    if not usable:
        raise InvalidInput(
            f"{name!r} is not a valid path.", hint="Choose a name that is valid UTF-8 and has no NUL."
        )
    return path
