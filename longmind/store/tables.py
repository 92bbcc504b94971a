"""Tables as named tuples: every row is written with its checksum, and checked when it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection, Row, Value

Item = TypeVar("Item", bound=tuple[Any, ...])


class Tables:
    """The tables of one part; `tables` names that of each kind of row, whose last column is `checksum`."""

    def __init__(self, tables: Mapping[type[Any], str]) -> None:
        self.tables = tables

    def columns(self, kind: type[Any], alias: str = "x") -> str:
        """The columns of a row and its checksum, for a SELECT."""
        return ", ".join(f"{alias}.{name}" for name in (*kind._fields, "checksum"))

    def seal(self, row: tuple[Any, ...]) -> int:
        return checksum(self.tables[type(row)], *row)

    def checked(self, kind: type[Item], row: Row) -> Item:
        """The columns of a row followed by its checksum, if they are what was written."""
        shape: Any = kind
        found: Item = shape._make(row[: len(shape._fields)])
        if self.seal(found) != row[len(found)]:
            named = ", ".join(map(repr, found[:2]))
            raise Corrupt(
                f"A row of {self.tables[kind]} ({named}) is not what was written.",
                hint="Restore a backup: longmind restore BACKUP TO.",
            )
        return found

    def select(
        self, db: Connection, kind: type[Item], condition: str, values: Iterable[Value] = ()
    ) -> list[Item]:
        """Checked rows of one table, called `x` in the condition."""
        sql = f"SELECT {self.columns(kind)} FROM {self.tables[kind]} x WHERE {condition}"
        return [self.checked(kind, row) for row in db.all(sql, tuple(values))]

    def insert(self, db: Connection, items: Sequence[Item]) -> None:
        """Write rows of one table."""
        if items:
            db.many(self.insertion(type(items[0])), [(*item, self.seal(item)) for item in items])

    def insertion(self, kind: type[Any]) -> str:
        names = (*kind._fields, "checksum")
        return f"INSERT INTO {self.tables[kind]} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
