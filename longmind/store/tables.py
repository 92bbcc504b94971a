"""The tables of a store: which there are, and how those whose rows have checksums are read and written.

A part describes each of its tables as a named tuple of columns. `Tables` writes every row with a checksum
over its columns, and checks it whenever the row is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, TypeVar

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum, sum_of
from longmind.store.engine import Connection, Row, Value
from longmind.store.parts import Problem
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

CANONICAL: Final = (
    "store_clock",
    "store_counter",
    "store_setting",
    "store_snapshot",
    "store_rollback",
    "erasure",
    "frame",
    "frame_text",
    "frame_tag",
    "frame_meta",
    "frame_key",
    "frame_expiry",
    "frame_absence",
    "frame_staged",
    "fact_entity",
    "fact_alias",
    "fact_predicate",
    "fact",
    "fact_span",
    "fact_assertion",
    "fact_support",
    "fact_evidence",
    "fact_premise",
    "fact_ruling",
    "fact_same",
    "fact_expiry",
    "fact_lapse",
    "ingest_source",
    "ingest_progress",
    "media_thumbnail",
    "media_vector",
    "conversation_memory",
    "conversation_version",
    "conversation_state",
    "conversation_link",
    "conversation_run",
    "conversation_decision",
    "conversation_tombstone",
    "conversation_outcome",
    "llm_call",
    "experience_evidence",
    "experience_record_evidence",
    "experience_record",
    "experience_attempt",
    "experience_fact_update",
    "experience_vote",
    "experience_voter",
    "experience_archive",
    "experience_revision",
    "space_record",
    "space_object",
    "space_audit",
    "space_link",
    "audit_user",
    "audit_entry",
)
"""What cannot be made anew, each table after those it refers to."""

LOG: Final = ("audit_user", "audit_entry")
"""Who did what: an import replaces all of it by what it brings along."""

DROPPED: Final = {"space_spending": 10}
"""Canonical tables of earlier formats, and the format that no longer has them."""

DERIVED: Final = (
    "text_doc",
    "text_posting",
    "text_field",
    "text_word",
    "frame_vector",
    "frame_token",
    "frame_time",
    "surrogate",
    "conversation_current",
    "frame_hidden",
    "segment_block",
)
"""What `reindex` makes of the rest."""

PASSING: Final = (
    "store_lease",
    "store_erasing",
    "erasure_pending",
    "rebuild",
    "text_doc_next",
    "text_posting_next",
    "frame_vector_next",
    "frame_token_next",
    "store_change",
)
"""What concerns only who has the store open, or is building an index."""

DERIVED_SETTINGS: Final = ("text.", "vectors.")
"""How the names of settings begin that speak of derived rows."""

IMPORTED: Final = "import.source"
"""The setting that says what a store was filled from: the same import again, unanswered before, succeeds."""

OWN_SETTINGS: Final = ("schema_hash", IMPORTED)
"""Settings that speak of the file itself, and stay with it."""

_BATCH: Final = 500
"""Values of one `IN (...)`: older SQLite versions take no more than 999 parameters."""

_PAGE: Final = 1000
"""Rows that `verify` reads at a time."""

T = TypeVar("T")
Item = TypeVar("Item", bound=tuple[Any, ...])


def put_setting(db: Connection, name: str, value: str) -> None:
    """Write a setting of the store, without a system time of its own."""
    db.run(
        "INSERT INTO store_setting (name, value, checksum) VALUES (?, ?, ?) ON CONFLICT (name) "
        "DO UPDATE SET value = excluded.value, checksum = excluded.checksum",
        (name, value, checksum(name, value)),
    )


_CHECKSUM_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "erasure": (),
    "frame": (),
    "frame_key": ("key",),
    "frame_meta": ("meta",),
    "frame_tag": ("tag",),
    "store_clock": ("clock",),
    "store_counter": ("counter",),
    "store_setting": (),
}
"""What the checksum of a row begins with, where that is not the name of its table."""
_NOT_SUMMED: Final[Mapping[str, tuple[str, ...]]] = {
    "frame_meta": ("value_key", "value_number"),
    "store_clock": ("one",),
}
"""Columns that a checksum leaves out, besides itself: they follow from the others."""


def is_sealed(table: str, row: Mapping[str, Value]) -> bool:
    """Whether the checksum of a row fits; rows of tables without one always do."""
    if "checksum" not in row:
        return True
    left_out = ("checksum", *_NOT_SUMMED.get(table, ()))
    fields = [value for name, value in row.items() if name not in left_out]
    return checksum(*_CHECKSUM_NAMES.get(table, (table,)), *fields) == row["checksum"]


def batched(values: Iterable[T], size: int = _BATCH) -> Iterator[Sequence[T]]:
    """The values in order, as many at a time as one statement takes."""
    listed = values if type(values) is list or isinstance(values, Sequence) else list(values)
    if len(listed) <= size:
        if listed:
            yield listed
        return
    for first in range(0, len(listed), size):
        yield listed[first : first + size]


class Tables:
    """The tables of one part, each by the type of its rows; the column after theirs is `checksum`."""

    def __init__(
        self, names: Mapping[type[Any], str], *, keys: Mapping[type[Any], int] | None = None
    ) -> None:
        """`keys` says how many of a table's first columns are its key, where it is more than one."""
        self.names = names
        self._keys = keys or {}
        self._columns: dict[tuple[type[Any], str], str] = {}
        self._insertions: dict[type[Any], str] = {}
        self._selections: dict[type[Any], str] = {}

    def key(self, kind: type[Any]) -> tuple[str, ...]:
        names: tuple[str, ...] = kind._fields[: self._keys.get(kind, 1)]
        return names

    def seal(self, row: tuple[Any, ...]) -> int:
        return checksum(self.names[type(row)], *row)

    # Reading

    def columns(self, kind: type[Any], alias: str = "x") -> str:
        """The columns of a row and its checksum, for a SELECT."""
        key = (kind, alias)
        if key not in self._columns:
            self._columns[key] = ", ".join(f"{alias}.{name}" for name in (*kind._fields, "checksum"))
        return self._columns[key]

    def join(self, *parts: tuple[type[Any], str]) -> Joined:
        """The columns of several tables, each with its alias, for one SELECT."""
        return Joined(self, parts)

    def checked(self, kind: type[Item], row: Row) -> Item:
        """The columns of a row followed by its checksum, if they are what was written."""
        shape: Any = kind
        size = len(shape._fields)
        fields = row[:size]
        item: Any = tuple.__new__(shape, fields)  # `_make` counts them first
        if sum_of(ascii((self.names[kind], *fields))) != row[size]:
            named = ", ".join(map(repr, item[:2]))
            raise Corrupt(
                f"A row of {self.names[kind]} ({named}) is not what was written.",
                hint=RESTORE_HINT,
            )
        checked: Item = item
        return checked

    def select(
        self, db: Connection, kind: type[Item], condition: str, values: Iterable[Value] = ()
    ) -> list[Item]:
        """Checked rows of one table, called `x` in the condition."""
        begin = self._selections.get(kind)
        if begin is None:
            begin = f"SELECT {self.columns(kind)} FROM {self.names[kind]} x WHERE "
            self._selections[kind] = begin
        return [self.checked(kind, row) for row in db.all(begin + condition, tuple(values))]

    def select_among(
        self,
        db: Connection,
        kind: type[Item],
        column: str,
        values: Iterable[Value],
        also: Clause | None = None,
    ) -> list[Item]:
        """Checked rows whose column has one of many values."""
        distinct = _distinct(values)
        if not distinct:
            return []
        rows: list[Item] = []
        for batch in batched(distinct):
            clause = among(f"x.{column}", batch)
            if also is not None:
                clause = clause & also
            rows += self.select(db, kind, clause.sql, clause.values)
        return rows

    # Writing

    def insert(self, db: Connection, items: Sequence[Item]) -> None:
        """Write rows of one table."""
        if not items:
            return
        kind = type(items[0])
        begin = f"({self.names[kind]!r}, "
        rows: list[tuple[Any, ...]] = []
        encoded: list[str] = []
        for item in items:
            # Made once, for the checksum and for the audit log; the same as `seal` makes.
            columns = ascii(tuple(item))[1:-1]
            checksum_of_row = sum_of(f"{begin}{columns})")
            rows.append((*item, checksum_of_row))
            encoded.append(f"({columns}, {checksum_of_row})")
        db.many(self._insertion(kind), rows, encoded=encoded)

    def upsert(self, db: Connection, item: Item) -> None:
        """Write a row in place of the one with the same key."""
        kind: Any = type(item)
        key = self.key(kind)
        changed = ", ".join(f"{name} = excluded.{name}" for name in (*kind._fields[len(key) :], "checksum"))
        sql = f"{self._insertion(kind)} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}"
        db.run(sql, (*item, self.seal(item)))

    def update(self, db: Connection, items: Sequence[Any], columns: Sequence[str]) -> None:
        """Store these columns of rows that exist, with the checksum."""
        if items:
            kind = type(items[0])
            assignments = ", ".join(f"{name} = ?" for name in (*columns, "checksum"))
            db.many(
                f"UPDATE {self.names[kind]} SET {assignments} WHERE {self._keyed(kind)}",
                [
                    (*(getattr(item, name) for name in columns), self.seal(item), *self._key_of(item))
                    for item in items
                ],
            )

    def delete(self, db: Connection, items: Sequence[Any]) -> None:
        if items:
            kind = type(items[0])
            sql = f"DELETE FROM {self.names[kind]} WHERE {self._keyed(kind)}"
            db.many(sql, [self._key_of(item) for item in items])

    def delete_among(self, db: Connection, kind: type[Any], column: str, values: Iterable[Value]) -> int:
        """Remove the rows whose column has one of many values; returns how many there were."""
        count = 0
        for batch in batched(_distinct(values)):
            clause = among(column, batch)
            count += db.run(f"DELETE FROM {self.names[kind]} WHERE {clause.sql}", clause.values)
        return count

    def close(self, tx: Transaction, items: Sequence[Any]) -> None:
        """End dated rows now (`since`, `until`).

        Those that this very transaction opened were never visible, and go.
        """
        self.delete(tx.db, [item for item in items if item.since == tx.system])
        ended = [item._replace(until=tx.system) for item in items if item.since != tx.system]
        self.update(tx.db, ended, ("until",))

    def _insertion(self, kind: type[Any]) -> str:
        if kind not in self._insertions:
            names = (*kind._fields, "checksum")
            marks = ", ".join("?" * len(names))
            self._insertions[kind] = f"INSERT INTO {self.names[kind]} ({', '.join(names)}) VALUES ({marks})"
        return self._insertions[kind]

    def _keyed(self, kind: type[Any]) -> str:
        return " AND ".join(f"{name} = ?" for name in self.key(kind))

    def _key_of(self, item: Any) -> tuple[Any, ...]:
        key: tuple[Any, ...] = item[: len(self.key(type(item)))]
        return key

    # Checking

    def verify(
        self, db: Connection, kind: type[Item], problem: Callable[[Item], str] = lambda item: ""
    ) -> Iterator[Problem]:
        """Every row of a table that is not what was written, or in which `problem` sees one."""
        table, keys = self.names[kind], self.key(kind)
        ordered = ", ".join(f"x.{name}" for name in keys)
        after, last = "1 = 1", ()
        while True:
            sql = f"SELECT {self.columns(kind)} FROM {table} x WHERE {after} ORDER BY {ordered} LIMIT {_PAGE}"
            try:
                rows = db.all(sql, last)
            except Corrupt as error:
                yield Problem(table, error.message)
                return
            for row in rows:
                try:
                    detail = problem(self.checked(kind, row))
                except Corrupt as error:
                    detail = error.message
                if detail:
                    yield Problem(table, detail)
            if len(rows) < _PAGE:
                return
            after, last = f"({ordered}) > ({', '.join('?' * len(keys))})", tuple(rows[-1][: len(keys)])


class Joined:
    """The columns of some tables in one SELECT, each with its checksum, and how to take them apart."""

    def __init__(self, tables: Tables, parts: Sequence[tuple[type[Any], str]]) -> None:
        self.sql = ", ".join(tables.columns(kind, alias) for kind, alias in parts)
        self.width = sum(len(kind._fields) + 1 for kind, _ in parts)
        self._tables = tables
        self._kinds: list[Any] = [kind for kind, _ in parts]

    def read(self, row: Row) -> list[Any]:
        """Each table's row, checked; None where an outer join found nothing."""
        items: list[Any] = []
        first = 0
        for kind in self._kinds:
            last = first + len(kind._fields) + 1
            items.append(None if row[first] is None else self._tables.checked(kind, row[first:last]))
            first = last
        return items

    def read_all(self, rows: Sequence[Row]) -> list[list[Any]]:
        """The same for many rows, and for rows that are read again and again, such as a predicate's."""
        tables: list[list[Any]] = []
        for row in rows:
            items: list[Any] = []
            first = 0
            for kind in self._kinds:
                last = first + len(kind._fields) + 1
                part = tuple(row[first:last])
                items.append(None if part[0] is None else _checked_before(self._tables, kind, part))
                first = last
            tables.append(items)
        return tables


@lru_cache(maxsize=2048)
def _checked_before(tables: Tables, kind: type[Any], row: Row) -> Any:
    """A row with its checksum, checked once: to compare it with one that fits is ten times as fast.

    What was checked is what is returned, since 1 and 1.0 are equal, but not the same.
    """
    return tables.checked(kind, row)


def _distinct(values: Iterable[Value]) -> list[Any]:
    """In order: a set of texts has another one in every process."""
    distinct: set[Any] = set(values)
    return sorted(distinct)


_HINT: Final = "Run verify; reindex makes what is derived anew."

Kind = type | tuple[type, ...]
NULLABLE_TEXT: Final = (str, type(None))
NUMBER: Final = (int, bool)
"""A condition in SQL is a number on SQLite, and a boolean on PostgreSQL."""


def typed(rows: Sequence[Row], table: str, *kinds: Kind) -> Sequence[Row]:
    """The rows, if each column holds values of its kind only."""
    for index, kind in enumerate(kinds):
        allowed = kind if isinstance(kind, tuple) else (kind,)
        if not {*map(type, map(itemgetter(index), rows))} <= {*allowed}:
            raise damaged(table)
    return rows


def damaged(table: str) -> Corrupt:
    return Corrupt(f"A row of {table} is not what was written.", hint=_HINT)


Shape = TypeVar("Shape", list[Any], dict[str, Any])


def stored_json(text: object, shape: type[Shape], table: str) -> Shape:
    """What a column holds as JSON; `Corrupt` for anything else, also under a checksum that fits."""
    try:
        value = json.loads(text)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError):
        raise damaged(table) from None
    if not isinstance(value, shape):
        raise damaged(table)
    return value


def stored_names(text: object, table: str) -> list[str]:
    """A column that lists names, such as tags."""
    names = stored_json(text, list, table)
    if not all(isinstance(name, str) for name in names):
        raise damaged(table)
    return names


def check_frame_id(db: Connection, frame_id: int, table: str) -> int:
    """An id that was given out; arrays that are indexed by ids would grow to any other, however large."""
    row = db.one("SELECT value, checksum FROM store_counter WHERE name = 'frame'")
    if row is None or row[1] != checksum("counter", "frame", row[0]):
        raise Corrupt("The counter of frames is damaged.", hint=RESTORE_HINT)
    if not 0 < frame_id <= row[0]:
        raise damaged(table)
    return frame_id
