"""The rows that a SQLite connection changes: it tells of each before it happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import apsw

from longmind.store.changes import TABLES, TEXTS, Changes, Layout

_COLUMNS: Final = (
    "SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p "
    "WHERE m.type = 'table' ORDER BY m.name, p.cid"
)


class SqliteChanges(Changes):
    """Follows one connection. Changes by other programs are not seen, on purpose: checks find them."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(Layout({}))
        self._connection = connection
        self._seen = [0]
        self._before = 0
        # Before the first statement: a DELETE without a condition that was prepared earlier tells nothing.
        connection.preupdate_hook(_follower(self, self._seen))

    def begin(self) -> None:
        """Count from here; whatever an earlier transaction left behind was rolled back."""
        self.clear()
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
        self._places = self.layout.spaces

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
