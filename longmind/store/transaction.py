"""What a read and a write are handed: rows, and the store's time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection, Row
from longmind.store.kept import Kept

if TYPE_CHECKING:
    from longmind.store.audit_log import Note
    from longmind.store.changes import Changes

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Snapshot:
    """One state of the store. `revision` is the system time of the last commit in it."""

    db: Connection
    revision: int


class Left(NamedTuple):
    """What a transaction says of a table: counts only if it has changed as many rows when it ends."""

    changed: tuple[int, ...]
    answers: Mapping[Hashable, Any]


class Transaction:
    """One write. Its system time is taken when first asked for: a write that changes nothing takes none."""

    def __init__(
        self,
        db: Connection,
        *,
        now: int,
        has_log: bool = False,
        defers: bool = False,
        kept: Kept | None = None,
        changes: Changes | None = None,
    ) -> None:
        """`defers`: whoever ends the transaction calls `store_counters`; until then they are not stored.

        `kept` are the answers of earlier transactions, and `changes` what this one has changed so far.
        """
        self.db = db
        self._kept = kept
        self._changes = changes
        self.now = now
        """The clock's reading: the default for `occurred_at`, `created_at` and the like."""
        self.note: Note | None = None
        """What the audit log is to say beside what the rows tell."""
        self.changed_facts: set[int] = set()
        """Facts whose periods changed; before the commit, the parts that follow them are told."""
        self.settled_facts: set[int] = set()
        """Those of which the parts have been told."""
        self.lapsed_facts: set[int] = set()
        """Facts that were to hold until a moment that has come since the last commit: told as well."""
        self.fact_rows: dict[int, tuple[Any, ...]] = {}
        """Rows of such facts and of what they name, as far as whoever changed them had them at hand: who
        follows them need not read them again."""
        self.open_spans: dict[int, tuple[Any, ...]] = {}
        """By fact, the periods without an end that it has now, where whoever changed it knows all of them."""
        self.placed_facts: dict[int, tuple[Any, ...]] = {}
        """By frame, what it says as the ledger has it: under which predicate, and of whom."""
        self.log_was_replaced = False
        """The rows of the log came with this transaction, as in an import: it goes on from there."""
        clock, self.head = _read(db, HEAD) if has_log else _read(db)
        """The end of the audit log before this transaction, as columns: read with the clock, in one query."""
        self.head_before = tuple(self.head[:2])
        self.head_after: tuple[Any, ...] | None = None
        """Number and hash of the last entry of the audit log: as this transaction found it, and as it leaves
        it if it is committed. They name a state of the store: where they are equal, so are all rows."""
        self._last = clock
        self._system: int | None = None
        self._defers = defers
        self._counters: dict[str, tuple[int, int]] | None = None
        """The stored counters and their checksums, from when a number is first asked for."""
        self.left: dict[str, Left] = {}
        """By table, what it says once this transaction is committed."""
        self._given_out: dict[str, int] = {}
        self._unstored: dict[str, int] = {}

    @property
    def system(self) -> int:
        """This transaction's place on the system axis: later than every one before it."""
        if self._system is None:
            self._system = max(self.now, self._last + 1)
            self.db.run(
                "UPDATE store_clock SET last_system = ?, checksum = ? WHERE one = 1",
                (self._system, checksum("clock", self._system)),
            )
        return self._system

    def not_before(self, moment: int) -> None:
        """Let this write come after a moment on the system axis, as rows from elsewhere may say one."""
        assert self._system is None
        self._last = max(self._last, moment)

    @property
    def before(self) -> int:
        """System time of the commit before this one."""
        return self._last

    @property
    def revision(self) -> int:
        """The system time of this transaction once it has one, and of the commit before it until then."""
        return self._last if self._system is None else self._system

    @property
    def snapshot(self) -> Snapshot:
        """The state inside this transaction, for code that reads."""
        return Snapshot(self.db, self.revision)

    def known(self, table: str, question: Hashable, read: Callable[[], T]) -> T:
        """What a small table says: as it was read before, by whichever transaction, unless it has changed."""
        if self._kept is None or not self.keeps(table):
            return read()
        return self._kept.answer(self.head_before, table, question, read)

    def keeps(self, table: str) -> bool:
        """Whether what a table says is kept: this transaction has changed nothing in it so far."""
        changes = self._changes
        return (
            self._kept is not None
            and changes is not None
            and bool(self.head_before)
            and not changes.may_have_touched(table)
        )

    def all_known(self, table: str) -> Mapping[Hashable, Any]:
        """All that is kept of a table, by question; nothing once this transaction has changed it."""
        if self._kept is None or not self.keeps(table):
            return {}
        return self._kept.all_of(self.head_before, table)

    def leave(self, table: str, answers: Mapping[Hashable, Any]) -> None:
        """Say what a table says now, for the transactions after this one, if nothing else changes it."""
        if self._changes is not None:
            self.left[table] = Left(tuple(self._changes.sums[table][:2]), answers)

    def allocate(self, name: str, count: int = 1) -> int:
        """The first of `count` numbers never given out before."""
        return self.allocate_all({name: count})[name]

    def allocate_all(self, counts: Mapping[str, int]) -> dict[str, int]:
        """`allocate` for several counters at once; those of which nothing is needed are left out."""
        first: dict[str, int] = {}
        for name, count in counts.items():
            if count:
                last = self.last_number(name)
                first[name] = last + 1
                self._given_out[name] = self._unstored[name] = last + count
        if not self._defers:
            self.store_counters()
        elif "frame" in first:
            # Whoever reads ids of frames holds them against their counter, also inside a transaction.
            self.store_counters(only="frame")
        return first

    def last_number(self, name: str) -> int:
        """The number that a counter gave out last, in this transaction or before it."""
        given_out = self._given_out.get(name)
        if given_out is not None:
            return given_out
        if self._counters is None:
            self._counters = dict(self.known("store_counter", "", self._read_counters))
        if name not in self._counters:
            return 0
        value, seal = self._counters[name]
        if seal != _counter_seal(name, value):
            raise Corrupt(f"The counter {name} is damaged.", hint=RESTORE_HINT)
        return int(value)

    def _read_counters(self) -> dict[str, tuple[int, int]]:
        rows = self.db.all("SELECT name, value, checksum FROM store_counter")
        return {row[0]: (row[1], row[2]) for row in rows}

    def store_counters(self, *, only: str | None = None) -> None:
        """Store how far the counters have come: once a transaction, and not once for each number."""
        if only is None:
            changed, self._unstored = self._unstored, {}
        else:
            changed = {only: self._unstored.pop(only)}
        if changed:
            assert self._counters is not None  # read when the first number was asked for
            rows = [(name, value, _counter_seal(name, value)) for name, value in changed.items()]
            self.db.many(
                "INSERT INTO store_counter (name, value, checksum) VALUES (?, ?, ?) ON CONFLICT (name) "
                "DO UPDATE SET value = excluded.value, checksum = excluded.checksum",
                rows,
                replaced=[self._counters.get(name, (None, None)) for name in changed],
            )
            self._counters.update((name, (value, seal)) for name, value, seal in rows)
        if only is None and self._counters is not None:
            self.leave("store_counter", {"": self._counters})


@lru_cache(maxsize=256, typed=True)
def _counter_seal(name: str, value: int) -> int:
    """Every transaction checks the counters that the one before it has stored."""
    return checksum("counter", name, value)


HEAD: Final = "audit_entries, audit_hash, audit_total, audit_rows, audit_checksum"
"""The columns of the clock's row that say where the audit log ends."""


def read_clock(db: Connection) -> int:
    """System time of the last commit."""
    return _read(db)[0]


def _read(db: Connection, more: str = "") -> tuple[int, Row]:
    """The system time of the last commit, and further columns of its row."""
    columns = f"last_system, checksum, {more}" if more else "last_system, checksum"
    row = db.one(f"SELECT {columns} FROM store_clock WHERE one = 1")
    if row is None or row[1] != checksum("clock", row[0]):
        raise Corrupt("The store's clock is damaged.", hint=RESTORE_HINT)
    return int(row[0]), row[2:]
