"""How many rows each canonical table has and what their checksums add up to: a missing row is noticed.

A row's own checksum says that the row is sound, not that it is there. SQLite tells us of every row that our
writer changes; what was added up in a transaction goes into `store_account` with its commit. Changes by other
programs are not counted, on purpose: `verify(deep=True)` adds everything up again and finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Final

import apsw

from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection, Row
from longmind.store.tables import ADDED, CANONICAL, DROPPED

FORMAT: Final = 9
"""The first format of files that has accounts."""

TABLES: Final = tuple(table for table in CANONICAL if table != "store_clock")
"""The clock is one row that changes with every commit and that every read asks for: it cannot be missed."""

_BY_ID: Final = ("frame_text",)
"""Texts have their hash in the frame, and would have to be read whole: their ids are added up."""

_HASHED: Final = ("ingest_source",)
"""Tables whose rows have no checksum: it is made when a row is counted. Elsewhere it is the last column."""

_HINT: Final = (
    "Restore a backup: longmind restore BACKUP TO. "
    "To keep what is there, export it and import it into a new store."
)


Account = tuple[int, int]
"""The number of rows, and the sum of their checksums as a signed number of 64 bits."""


class Accounts:
    """Follows the rows that one connection changes."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._sums = {table: [0, 0] for table in TABLES}
        """What the transaction has changed so far in the count and the total of each table."""
        self._seen = [0]
        self._before = 0
        self._ready = False
        self._sound: frozenset[Row] = frozenset()
        """Accounts as last written here: while nobody else writes, they need not be checked again."""
        # Before the first statement: a DELETE without a condition that was prepared earlier tells nothing.
        connection.preupdate_hook(_follower(self._sums, self._seen))

    def begin(self) -> None:
        """Count from here; whatever an earlier transaction left behind was rolled back."""
        for sums in self._sums.values():
            sums[0] = sums[1] = 0
        self._seen[0] = 0
        self._before = self._connection.total_changes()

    def count_all(self, db: Connection) -> None:
        """Open the accounts of a store that has none yet; what this transaction did before is in them."""
        dropped = [table for table, number in DROPPED.items() if _format(db) < number]
        write(db, {table: add_up(db, table) for table in (*_present(db), *dropped)})
        self.begin()

    def open_new(self, db: Connection, formats: Container[int]) -> None:
        """Accounts for the tables that these formats brought; what this transaction put into them follows."""
        new = {table: (0, 0) for table, number in ADDED.items() if number in formats}
        if new:
            write(db, new)

    def settle(self, db: Connection) -> None:
        """Write down what changed, as the last thing before the commit."""
        changed = [table for table, (count, total) in self._sums.items() if count or total]
        if not changed or not self._has_accounts(db):
            return
        # A statement that failed half-way was undone after its rows had been counted here, and SQLite has not
        # counted them. The tables are then added up anew: rare, and as dear as a look at each of their rows.
        if self._connection.total_changes() - self._before != self._seen[0]:
            write(db, {table: add_up(db, table) for table in changed})
            return
        accounts = read(db, changed, self._sound)
        for table in changed:
            before, (count, total) = accounts[table], self._sums[table]
            accounts[table] = (before[0] + count, _signed(before[1] + total))
        self._sound = frozenset(write(db, accounts))

    def _has_accounts(self, db: Connection) -> bool:
        """False while a file is brought to an older format than ours, for tests."""
        self._ready = self._ready or has_accounts(db)
        return self._ready


def _follower(sums: dict[str, list[int]], seen: list[int]) -> Callable[[apsw.PreUpdate], None]:
    """A closure, and little in it: it is called for every row, those of the index too."""
    account_of = sums.get

    def follow(change: apsw.PreUpdate) -> None:
        seen[0] += 1
        table = change.table_name
        account = account_of(table)
        if account is None:
            return
        kind = change.op
        if kind != "DELETE":
            account[0] += 1
            account[1] += change.rowid_new if table in _BY_ID else _weight(table, change.new)
        if kind != "INSERT":
            account[0] -= 1
            account[1] -= change.rowid if table in _BY_ID else _weight(table, change.old)

    return follow


def read(db: Connection, tables: Sequence[str], sound: Container[Row] = ()) -> dict[str, Account]:
    """The accounts of these tables; each must be there, and be what was written or among the `sound`."""
    marks = ", ".join("?" * len(tables))
    sql = f"SELECT table_name, rows, total, checksum FROM store_account WHERE table_name IN ({marks})"
    accounts: dict[str, Account] = {}
    for row in db.all(sql, tables):
        table, count, total, seal = row
        if row not in sound and checksum("account", table, count, total) != seal:
            raise Corrupt(f"The account of the rows of {table} is not what was written.", hint=_HINT)
        accounts[table] = (count, total)
    missing = sorted(set(tables) - set(accounts))
    if missing:
        raise Corrupt(f"The store has lost the account of the rows of {missing[0]}.", hint=_HINT)
    return accounts


def write(db: Connection, accounts: Mapping[str, Account]) -> list[Row]:
    rows = [(table, *account, checksum("account", table, *account)) for table, account in accounts.items()]
    db.many(
        "INSERT INTO store_account (table_name, rows, total, checksum) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (table_name) DO UPDATE "
        "SET rows = excluded.rows, total = excluded.total, checksum = excluded.checksum",
        rows,
    )
    return rows


def check_on_opening(db: Connection) -> None:
    """What can be asked without reading the tables: all accounts are whole, and no table is empty or full
    against its account. A page that was lost at the top of a table shows here.
    """
    if not has_accounts(db):
        return
    tables = _present(db)
    accounts = read(db, tables)
    filled = ", ".join(f"EXISTS (SELECT 1 FROM {table})" for table in tables)
    for table, some in zip(tables, db.all(f"SELECT {filled}")[0], strict=True):
        if bool(some) != (accounts[table][0] > 0):
            raise Corrupt(_difference(table, accounts[table][0], "some" if some else "none"), hint=_HINT)


def differences(db: Connection) -> Iterator[tuple[str, str]]:
    """For each table that does not add up its name and what is wrong."""
    tables = _present(db)
    accounts = read(db, tables)
    for table in tables:
        count, total = add_up(db, table)
        if count != accounts[table][0]:
            yield table, _difference(table, accounts[table][0], str(count))
        elif total != accounts[table][1]:
            yield table, f"rows of {table} were changed by something other than this library"


def add_up(db: Connection, table: str) -> Account:
    """Read a whole table; in two halves, because SQLite's sum refuses to pass 64 bits."""
    if table in _HASHED:
        hashes = [checksum(*row) for row in db.all(f"SELECT * FROM {table}")]
        return len(hashes), _signed(sum(hashes))
    column = "rowid" if table in _BY_ID else "checksum"
    halves = f"coalesce(sum({column} & 4294967295), 0), coalesce(sum({column} >> 32), 0)"
    sums = db.one(f"SELECT count(*), {halves} FROM {table}")
    assert sums is not None
    return int(sums[0]), _signed(int(sums[1]) + (int(sums[2]) << 32))


def has_accounts(db: Connection) -> bool:
    return _format(db) >= FORMAT


def _present(db: Connection) -> list[str]:
    """The tables that a file of this format has."""
    number = _format(db)
    return [table for table in TABLES if ADDED.get(table, 0) <= number]


def _format(db: Connection) -> int:
    version = db.one("PRAGMA user_version")
    return 0 if version is None else int(version[0])


def _weight(table: str, row: Row | None) -> int:
    assert row is not None
    if table in _HASHED:
        return checksum(*row)
    weight: int = row[-1]
    return weight


def _signed(total: int) -> int:
    return (total + 2**63) % 2**64 - 2**63


def _difference(table: str, written: int, count: str) -> str:
    return f"{table} has {count} of the rows that were written; there should be {written}"
