"""Rows of the store in memory: each mirror is kept current by revision, and all share one memory limit.

A mirror (the frames' columns, the vectors, the terms, ...) holds rows in the form that answers fastest. Its
`Follower` brings it from the revision it is at to that of the snapshot in hand, and starts it afresh after
an erase that took some of its rows or when its generation changes (another embedder, a rebuilt index). No
answer depends on what is in memory: a mirror that was dropped is read again, and one that does not fit is
done without.

An exception may come at any bytecode (see `scope.py`). A mirror is therefore out of reach while it changes:
whatever is raised meanwhile leaves nothing behind, and the next read starts afresh.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from longmind.store.engine import Connection
from longmind.store.transaction import Snapshot

MEMORY_LIMIT: Final = 256 << 20
"""Enough for every mirror of 100,000 frames with vectors of 384 dimensions (about 170 MB)."""


class Mirror(Protocol):
    """Some rows of the store, in memory."""

    def advance(self, snapshot: Snapshot, since: int) -> None:
        """Take in what was committed after the revision `since`; -1 if nothing was read so far."""

    @property
    def nbytes(self) -> int:
        """How much memory it takes; an estimate is good enough."""


M = TypeVar("M", bound=Mirror)


class Mirrors:
    """Everything a store keeps in memory, under one limit.

    Beyond the limit, the mirrors that were used least recently are dropped. What a read in progress or the
    latest one used stays even if that alone is more: the next read is likely to need the same, and would
    have to load it before it can begin. Mirrors that can be done without get no such grace.
    """

    def __init__(self, limit: int = MEMORY_LIMIT) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        # Weak: a search engine that was replaced takes its mirrors with it.
        self._followers: list[weakref.ref[Follower[Mirror]]] = []
        # Weak: a read that was interrupted before it could leave is over when its snapshot is gone.
        self._reads: list[tuple[int, weakref.ref[Snapshot]]] = []
        self._latest = 0
        self._is_over = False
        self._estimate = 0
        """Bytes that followers said they keep; too many where one was interrupted or is gone."""

    def register(self, follower: Follower[M]) -> None:
        with self._lock:
            self._followers.append(weakref.ref(follower))  # type: ignore[arg-type]  # M is a Mirror

    def bytes_kept(self) -> dict[str, int]:
        """Bytes by the name of the mirror."""
        counts: Counter[str] = Counter()
        for follower in self._living():
            counts[follower.name] += follower.nbytes
        return {name: counts[name] for name in sorted(counts) if counts[name]}

    def room_beside(self, follower: Follower[M]) -> int:
        """What is left of the limit if everything but this one stays."""
        return self.limit - sum(other.nbytes for other in self._living() if other is not follower)

    @property
    def small(self) -> int:
        """So few bytes are kept by what is in use even where nothing is left of the limit.

        Without them a search of a large space would read rows for what is a few names, or nothing at all.
        """
        return self.limit // 1024

    def changed(self, before: int, after: int) -> None:
        """A follower keeps another number of bytes than it did."""
        with self._lock:
            self._estimate += after - before

    def enter(self, snapshot: Snapshot) -> int:
        """The number of the read that this snapshot belongs to, counting those that use a mirror."""
        with self._lock:
            for number, read in self._reads:
                if read() is snapshot:
                    return number
            self._latest += 1
            self._reads.append((self._latest, weakref.ref(snapshot)))
            return self._latest

    def leave(self, snapshot: Snapshot) -> None:
        """The read is over: what it used may be dropped, if there is too much."""
        if not self._reads:  # most reads use no mirror
            return
        with self._lock:
            self._reads = [(number, read) for number, read in self._reads if read() not in (None, snapshot)]
        if self._is_over:
            self.trim()

    def trim(self) -> None:
        """Drop mirrors that no read uses, least recently used first, until the rest is within the limit."""
        if self._estimate <= self.limit:  # there may be thousands of followers, and mostly there is room
            self._is_over = False
            return
        followers = sorted(self._living(), key=lambda follower: follower.last_read)
        total = sum(follower.nbytes for follower in followers)
        with self._lock:
            self._estimate = total
        if total > self.limit:
            with self._lock:
                first_read = min((number for number, read in self._reads if read() is not None), default=None)
            # Reads that run beside each other use the same mirrors in turn, so the one before the first that
            # is still running counts as well: it may have been the last to use what the others come to next.
            recent = self._latest if first_read is None else first_read - 1
            in_use = self._latest + 1 if first_read is None else first_read
            unused = [follower for follower in followers if follower.last_read < recent]
            spare = [one for one in followers if one.is_optional and one.nbytes > self.small]
            for follower, since in [(one, recent) for one in unused] + [(one, in_use) for one in spare]:
                if total <= self.limit:
                    break
                total -= follower.drop_unless_used(since)
        self._is_over = total > self.limit

    def _living(self) -> list[Follower[Mirror]]:
        with self._lock:
            self._followers = [reference for reference in self._followers if reference() is not None]
            return [follower for reference in self._followers if (follower := reference()) is not None]


@dataclass(frozen=True, slots=True)
class _Current(Generic[M]):
    """A mirror with what it is current with: replaced as a whole, so that the four always agree."""

    mirror: M
    revision: int
    generation: Hashable
    nbytes: int


class Follower(Generic[M]):
    """Keeps one mirror current. Safe to share between threads; mirrors see to readers of their own.

    `generation` names the state of what the mirror is made of besides its rows' revisions: when it changes,
    rows may be other than they were. With `size`, the bytes that it would take, the mirror is optional.
    `lost_rows` says whether an erase after a revision took some of its rows; without it, any erase may have.
    """

    def __init__(
        self,
        mirrors: Mirrors,
        name: str,
        new: Callable[[], M],
        *,
        generation: Callable[[Connection], Hashable] = lambda db: None,
        size: Callable[[Connection], int] | None = None,
        lost_rows: Callable[[Connection, int], bool] | None = None,
    ) -> None:
        self.name = name
        self.last_read = 0
        self.is_optional = size is not None
        self._mirrors = mirrors
        self._new = new
        self._generation = generation
        self._size = size
        self._lost_rows = lost_rows
        self._needs: int | None = None
        """Bytes that an optional mirror was found to take: counted once, as rows are rarely erased."""
        self._first_asked = 0
        """The read that first asked for an optional mirror."""
        self._current: _Current[M] | None = None
        self._counted = 0
        """The bytes that the mirrors were last told of."""
        self._lock = threading.Lock()
        mirrors.register(self)

    @property
    def revision(self) -> int:
        """Of the store, as it is in memory; -1 if nothing is."""
        current = self._current
        return -1 if current is None else current.revision

    @property
    def nbytes(self) -> int:
        current = self._current
        return 0 if current is None else current.nbytes

    def at(self, snapshot: Snapshot) -> M:
        """The mirror, current with the snapshot or with a later state: the mirror tells the two apart."""
        read = self._mirrors.enter(snapshot)
        with self._lock:
            self.last_read = max(self.last_read, read)
            current = self._current
            if current is not None and snapshot.revision <= current.revision:
                return current.mirror
            mirror = self._advance(current, snapshot)
        self._mirrors.trim()
        return mirror

    def at_if_kept(self, snapshot: Snapshot) -> M | None:
        """An optional mirror, or None: for the first to ask, and where there is no room for it.

        A command that asks once and ends is faster if it reads just the rows it needs.
        """
        if self._current is None:
            read = self._mirrors.enter(snapshot)
            self._first_asked = self._first_asked or read
            if read == self._first_asked:
                return None
            assert self._size is not None
            if self._needs is None:
                self._needs = self._size(snapshot.db)
            if self._needs > max(self._mirrors.room_beside(self), self._mirrors.small):
                return None
        return self.at(snapshot)

    def drop(self) -> None:
        self._current = None
        self._tell(0)

    def drop_unless_used(self, since: int) -> int:
        """Drop the mirror unless a read with this number or a later one used it; returns the bytes freed."""
        with self._lock:
            current = self._current
            if current is None or self.last_read >= since:
                return 0
            self._current = None
            self._needs = current.nbytes
            self._tell(0)
            return current.nbytes

    def _advance(self, current: _Current[M] | None, snapshot: Snapshot) -> M:
        db = snapshot.db
        self._current = None
        self._tell(0)
        generation = self._generation(db)
        if current is None or current.generation != generation or self._was_erased(db, current.revision):
            mirror, since = self._new(), -1
        else:
            mirror, since = current.mirror, current.revision
        mirror.advance(snapshot, since)
        self._current = _Current(mirror, snapshot.revision, generation, mirror.nbytes)
        self._tell(self._current.nbytes)
        return mirror

    def _was_erased(self, db: Connection, revision: int) -> bool:
        """Whether rows of the mirror may be gone."""
        return erased_since(db, revision) and (self._lost_rows is None or self._lost_rows(db, revision))

    def _tell(self, nbytes: int) -> None:
        self._mirrors.changed(self._counted, nbytes)
        self._counted = nbytes


def settings_generation(*names: str) -> Callable[[Connection], Hashable]:
    """The values of these settings of the store, as a generation."""
    sql = f"SELECT name, value FROM store_setting WHERE name IN ({', '.join('?' * len(names))}) ORDER BY name"
    return lambda db: tuple(map(tuple, db.all(sql, names)))


def erased_since(db: Connection, revision: int) -> bool:
    """Whether anything was erased after a revision: the last erasure is the latest."""
    last = db.one("SELECT erased_at FROM erasure ORDER BY erasure_id DESC LIMIT 1")
    return last is not None and int(last[0]) > revision
