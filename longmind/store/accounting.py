"""How many rows each canonical table has and what their hashes add up to: a missing row is noticed.

A row's own checksum says that the row is sound, not that it is there. What a transaction adds and removes
goes into `store_account` with its commit, by table, and into the audit log as one sum over all tables.
Changes by other programs are not counted, on purpose: `verify(deep=True)` adds everything up again and finds
them. The accounts name the table; the log is what an exported head can vouch for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.store.changes import TABLES, TEXTS, Changes, is_local, plus, row_hash
from longmind.store.engine import Connection, Dialect
from longmind.store.scan import columns, rows_in_order
from longmind.store.tables import DROPPED

FORMAT: Final = 11
"""The first format with these accounts and the log. Formats 9 and 10 had accounts by other sums."""

EARLIER: Final = 9
"""The first format that counted rows."""

HINT: Final = (
    "Restore a backup: longmind restore BACKUP TO. "
    "To keep what is there, export it and import it into a new store."
)


Account = tuple[int, int]
"""The number of rows, and the sum of their hashes as a signed number of 64 bits."""


def added_up(db: Connection, dialect: Dialect, tables: Sequence[str] = TABLES) -> dict[str, tuple[int, int]]:
    """For each table the number of its rows and the whole sum of their hashes; reads all of them."""
    sums: dict[str, tuple[int, int]] = {}
    for table in tables:
        names = ["frame_id"] if table == TEXTS else columns(db, dialect, table)
        count = total = 0
        for row in rows_in_order(db, table, names):
            if table == "store_setting" and is_local(row[0]):
                continue
            count += 1
            total += row_hash(table, row)
        sums[table] = (count, total)
    return sums


def read(db: Connection, tables: Sequence[str] = TABLES) -> dict[str, Account]:
    """The accounts of these tables; each must be there, and be what was written."""
    marks = ", ".join("?" * len(tables))
    sql = f"SELECT table_name, rows, total, checksum FROM store_account WHERE table_name IN ({marks})"
    accounts: dict[str, Account] = {}
    for table, count, total, seal in db.all(sql, tables):
        if checksum("account", table, count, total) != seal:
            raise Corrupt(f"The account of the rows of {table} is not what was written.", hint=HINT)
        accounts[table] = (count, total)
    missing = sorted(set(tables) - set(accounts))
    if missing:
        raise Corrupt(f"The store has lost the account of the rows of {missing[0]}.", hint=HINT)
    return accounts


def write(db: Connection, accounts: Mapping[str, Account]) -> None:
    db.many(
        "INSERT INTO store_account (table_name, rows, total, checksum) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (table_name) DO UPDATE "
        "SET rows = excluded.rows, total = excluded.total, checksum = excluded.checksum",
        [(table, *account, checksum("account", table, *account)) for table, account in accounts.items()],
    )


def changed(accounts: Mapping[str, Account], changes: Changes) -> dict[str, Account]:
    """The accounts of those tables that were changed, as they are now."""
    after = {}
    for table in changes.touched:
        count, total = accounts[table]
        more, fewer, difference = changes.sums[table]
        after[table] = (count + more - fewer, signed(total + difference))
    return after


def of_sums(sums: Mapping[str, tuple[int, int]]) -> tuple[dict[str, Account], bytes]:
    """Accounts, and the sum over all tables, of tables that were added up."""
    accounts = {table: (count, signed(total)) for table, (count, total) in sums.items()}
    return accounts, plus(b"", sum(total for _, total in sums.values()))


def check_on_opening(db: Connection) -> None:
    """What can be asked without reading the tables: all accounts are whole, and no table is empty or full
    against its account. A page that was lost at the top of a table shows here.
    """
    accounts = read(db)
    filled = ", ".join(f"EXISTS (SELECT 1 FROM {table})" for table in TABLES)
    for table, some in zip(TABLES, db.all(f"SELECT {filled}")[0], strict=True):
        count = accounts[table][0]
        if (count > 0 and not some) or (count == 0 and some and table != "store_setting"):  # some are not counted
            raise Corrupt(_difference(table, accounts[table][0], "some" if some else "none"), hint=HINT)


def differences(accounts: Mapping[str, Account], actual: Mapping[str, Account]) -> Iterator[str]:
    """For each table that does not add up, what is wrong."""
    for table in TABLES:
        count, total = actual[table]
        if count != accounts[table][0]:
            yield _difference(table, accounts[table][0], str(count))
        elif total != accounts[table][1]:
            yield f"rows of {table} were changed by something other than this library"


def check_earlier(db: Connection) -> None:
    """Before a file of format 9 or 10 gets new accounts: no row that it counted may be missing."""
    known = {*TABLES, *DROPPED}  # nothing that a file says becomes part of a statement
    for table, count in db.all("SELECT table_name, rows FROM store_account ORDER BY table_name"):
        row = db.one(f"SELECT count(*) FROM {table}") if table in known else None
        if row is not None and row[0] != count:
            raise Corrupt(_difference(str(table), int(count), str(row[0])), hint=HINT)


def signed(total: int) -> int:
    return (total + 2**63) % 2**64 - 2**63


def _difference(table: str, written: int, count: str) -> str:
    return f"{table} has {count} of the rows that were written; there should be {written}"
