"""The rows that a SQLite connection changes: it tells of each before it happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import apsw

from longmind.store.changes import COUNTERS, TABLES, TEXTS, Changes, Layout, counter_hash
from longmind.store.engine import Row, Value
from longmind.store.statements import adds_derived_rows, plain_row, read_statement

_COLUMNS: Final = (
    "SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p "
    "WHERE m.type = 'table' ORDER BY m.name, p.cid"
)


_DERIVED: Final = "(derived)"
_OTHER: Final = "(other)"


class SqliteChanges(Changes):
    """Follows one connection. Changes by other programs are not seen, on purpose: checks find them."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(Layout({}))
        self._connection = connection
        self._seen = [0]
        self._before = 0
        self._columns: dict[str, tuple[str, ...]] = {}
        self._targets: dict[str, str] = {}
        """What inserts do, by their SQL."""
        self._hook = _follower(self, self._seen)
        # Before the first statement: a DELETE without a condition that was prepared earlier tells nothing.
        connection.preupdate_hook(self._hook)
        self._is_following = True

    def begin(self) -> None:
        """Count from here; whatever an earlier transaction left behind was rolled back."""
        self.clear()
        self._follow()
        self._seen[0] = 0
        self._before = self._connection.total_changes()
        if len(self.layout.spaces) < 2:
            self.learn()

    def learn(self) -> None:
        """Read which columns the tables have; again after a migration."""
        columns: dict[str, list[str]] = {}
        for table, name in self._connection.execute(_COLUMNS):
            if table in self.sums:
                columns.setdefault(str(table), []).append(str(name))
        self.layout = Layout(columns)
        self._columns = {table: tuple(names) for table, names in columns.items()}
        self._targets.clear()
        self._places = self.layout.spaces

    def insert(self, sql: str, rows: Sequence[Sequence[Value]], encoded: Sequence[str] | None) -> bool:
        """Run an insert for many rows without being told of each; False if they must be followed one by one.

        The rows are known here, or of no concern. If anything about them is not as it seems (an insert that
        failed half-way, a trigger that nobody knows), SQLite has counted other changes than are counted here,
        and the commit adds up everything anew.
        """
        table = self._targets.get(sql)
        if table is None:
            table = self._targets[sql] = self._target(sql)
        if table == _DERIVED:
            before = self._connection.total_changes()
            self._unfollowed(sql, rows, None)
            self._seen[0] += self._connection.total_changes() - before
            return True
        if table == _OTHER:
            return False
        self._unfollowed(sql, rows, table)
        if table == TEXTS:
            sums = self.sums[TEXTS]
            sums[0] += len(rows)
            sums[2] += sum([row[0] for row in rows])  # type: ignore[misc]
        else:
            plain = rows if encoded is not None else [plain_row(row) for row in rows]
            self.added_all(table, plain, encoded)  # type: ignore[arg-type]
        self._seen[0] += len(rows)
        return True

    def _target(self, sql: str) -> str:
        """The canonical table whose whole rows an insert adds, or what else it does."""
        if adds_derived_rows(sql):
            return _DERIVED
        statement = read_statement(sql)
        if statement is None or statement.verb != "INSERT INTO" or not statement.has_values:
            return _OTHER
        if statement.may_update or statement.columns != self._columns.get(statement.table):
            return _OTHER
        return statement.table

    def replace_counters(
        self, sql: str, rows: Sequence[Sequence[Value]], replaced: Sequence[Row | None]
    ) -> None:
        """Run an upsert of counters of which the old rows are known, without being told of each."""
        self._unfollowed(sql, rows, COUNTERS)
        sums = self.sums[COUNTERS]
        for row, old in zip(rows, replaced, strict=True):
            if old is not None and old[0] is not None:
                sums[1] += 1
                sums[2] -= counter_hash(row[0], *old)
            sums[0] += 1
            sums[2] += counter_hash(*row)
        self._seen[0] += len(rows)

    def _unfollowed(self, sql: str, rows: Sequence[Sequence[Value]], table: str | None) -> None:
        connection = self._connection
        # Also if the insert fails half-way, or something interrupts it: then the commit has to add up.
        is_new = table is not None and table not in self.touched
        if table is not None:
            self.touched.add(table)
        self._is_following = False
        connection.preupdate_hook(None)
        try:
            connection.executemany(sql, rows)
        except BaseException:
            if is_new and table is not None and self.is_exact():
                self.touched.discard(table)
            raise
        finally:
            self._follow()

    def _follow(self) -> None:
        """Be told of every row again; also after something interrupted `insert` where it could not say so."""
        if not self._is_following:
            self._connection.preupdate_hook(self._hook)
            self._is_following = True

    def is_exact(self) -> bool:
        # A statement that failed half-way was undone after its rows had been counted here, and SQLite has not
        # counted them.
        return self._connection.total_changes() - self._before == self._seen[0]


def _follower(changes: Changes, seen: list[int]) -> Callable[[apsw.PreUpdate], None]:
    """A closure, and little in it: it is called for every row, those of the index too."""
    tables = frozenset(TABLES) - {TEXTS}
    added, removed, texts, touched = changes.added, changes.removed, changes.sums[TEXTS], changes.touched

    def follow(change: apsw.PreUpdate) -> None:
        seen[0] += 1
        table = change.table_name
        if table in tables:
            kind = change.op
            if kind != "DELETE":
                added(table, change.new)  # type: ignore[arg-type]
            if kind != "INSERT":
                removed(table, change.old)  # type: ignore[arg-type]
        elif table == TEXTS:  # without reading the text
            touched.add(TEXTS)
            if change.op == "DELETE":
                texts[1] += 1
                texts[2] -= change.rowid
            else:
                texts[0] += 1
                texts[2] += change.rowid_new

    return follow
