"""How many rows each canonical table has and what their hashes add up to: a missing row is noticed.

A row's own checksum says that the row is sound, not that it is there. What a transaction adds and removes is
written with its commit, by table, and as one sum over all tables into the audit log. Changes by other
programs are not counted, on purpose: `verify(deep=True)` adds everything up again and finds them. The
accounts name the table; the log is what an exported head can vouch for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.store.changes import TABLES, TEXTS, Changes, is_local, plus, row_hash
from longmind.store.engine import Connection, Dialect
from longmind.store.scan import columns, rows_in_order
from longmind.store.tables import DROPPED

FORMAT: Final = 11
"""The first format with these accounts and the log. Formats 9 and 10 had accounts by other sums."""

EARLIER: Final = 9
"""The first format that counted rows."""

_NONE: Final = (0, 0)
HINT: Final = f"{RESTORE_HINT} To keep what is there, export it and import it into a new store."


class Accounts:
    """For each table the number of its rows, and the sum of their hashes as a signed number of 64 bits."""

    def __init__(self, accounts: Mapping[str, tuple[int, int]]) -> None:
        self._accounts = {table: accounts.get(table, _NONE) for table in TABLES}
        self._texts = {table: _written(table, account) for table, account in self._accounts.items()}

    @classmethod
    def read(cls, text: str) -> Accounts:
        """As they were written; tables without rows are not named."""
        return cls({table: (count, total) for table, (count, total) in json.loads(text).items()})

    def text(self) -> str:
        """As JSON, the same for the same accounts."""
        return f"{{{','.join(filter(None, self._texts.values()))}}}"

    def count(self, table: str) -> int:
        return self._accounts[table][0]

    def changed(self, changes: Changes) -> Accounts:
        """As they are after these changes."""
        after = object.__new__(Accounts)
        after._accounts, after._texts = dict(self._accounts), dict(self._texts)
        for table in changes.touched:
            count, total = self._accounts[table]
            more, fewer, difference = changes.sums[table]
            account = (count + more - fewer, _signed(total + difference))
            after._accounts[table], after._texts[table] = account, _written(table, account)
        return after

    def check_on_opening(self, db: Connection) -> None:
        """What can be asked without reading the tables: no table is empty or full against its account.

        A page that was lost at the top of a table shows here.
        """
        filled = set(_with_rows(db, TABLES))
        for table in TABLES:
            count, some = self.count(table), table in filled
            if (count > 0 and not some) or (
                count == 0 and some and table != "store_setting"
            ):  # not all count
                raise Corrupt(_difference(table, count, "some" if some else "none"), hint=HINT)

    def differences(self, actual: Accounts, tables: Iterable[str] = TABLES) -> Iterator[str]:
        """For each table that does not add up, what is wrong."""
        for table in tables:
            if actual.count(table) != self.count(table):
                yield _difference(table, self.count(table), str(actual.count(table)))
            elif actual._accounts[table] != self._accounts[table]:
                yield f"rows of {table} were changed by something other than this library"


def added_up(db: Connection, dialect: Dialect, tables: Iterable[str] = TABLES) -> tuple[bytes, Accounts]:
    """The sum of the hashes of all rows, and the accounts of the tables; reads every row."""
    accounts: dict[str, tuple[int, int]] = {}
    whole = 0
    for table in _with_rows(db, tables):
        names = ["frame_id"] if table == TEXTS else columns(db, dialect, table)
        count = total = 0
        for row in rows_in_order(db, table, names):
            if table == "store_setting" and is_local(row[0]):
                continue
            count += 1
            total += row_hash(table, row)
        accounts[table] = (count, _signed(total))
        whole += total
    return plus(b"", whole), Accounts(accounts)


def _with_rows(db: Connection, tables: Iterable[str]) -> list[str]:
    """Those of the tables that hold rows, asked for in one statement: in a new store nearly all are empty."""
    names = list(tables)
    row = db.one(f"SELECT {', '.join(f'EXISTS (SELECT 1 FROM {name})' for name in names)}")
    assert row is not None  # a SELECT without FROM returns one row
    return [name for name, has_rows in zip(names, row, strict=True) if has_rows]


def check_earlier(db: Connection) -> None:
    """Before a file of format 9 or 10 gets new accounts: no row that it counted may be missing."""
    table_names = {*TABLES, *DROPPED}  # nothing that a file says becomes part of a statement
    for table, count in db.all("SELECT table_name, rows FROM store_account ORDER BY table_name"):
        row = db.one(f"SELECT count(*) FROM {table}") if table in table_names else None
        if row is not None and row[0] != count:
            raise Corrupt(_difference(str(table), int(count), str(row[0])), hint=HINT)


def _written(table: str, account: tuple[int, int]) -> str:
    return f'"{table}":[{account[0]},{account[1]}]' if account[0] else ""


def _signed(total: int) -> int:
    return (total + 2**63) % 2**64 - 2**63


def _difference(table: str, written: int, count: str) -> str:
    return f"{table} has {count} of the rows that were written; there should be {written}"
