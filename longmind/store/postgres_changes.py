"""The rows that a PostgreSQL transaction changes.

New rows are known here: their values pass through this process. Rows that are changed or removed, also by
cascades of foreign keys, are noted by triggers in `store_change`, which a commit empties of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from secrets import randbits
from typing import Any, Final

from longmind.store.changes import COUNTERS, TABLES, TEXTS, Changes, Layout
from longmind.store.engine import Connection, Row, Value
from longmind.store.statements import Statement, plain_row, read_statement

_TAKE: Final = (
    "DELETE FROM store_change WHERE xact = {writer} RETURNING table_name, before::text, after::text"
)
_THIS_TRANSACTION: Final = "pg_current_xact_id()::text::bigint"
_ON_WORKERS: Final = """
CREATE OR REPLACE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO store_change VALUES (
    coalesce(nullif(current_setting('longmind.writer', true), ''), pg_current_xact_id()::text)::bigint,
    TG_ARGV[0],
    CASE WHEN TG_ARGV[0] = 'frame_text' THEN to_jsonb(OLD) - 'text' ELSE to_jsonb(OLD) END,
    CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(NEW) END
  );
  RETURN NULL;
END $$
"""
"""On Citus the trigger runs on the worker that has the rows. There the table is a shard with a number in its
name, and the transaction has another id: the writer names both."""
_COLUMNS: Final = (
    "SELECT relname::text, attname::text, format_type(atttypid, NULL) "
    "FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid "
    "WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r' "
    "AND attnum > 0 AND NOT attisdropped ORDER BY relname, attnum"
)
_TABLES: Final = frozenset(TABLES)


_HAS_CITUS: Final = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
_OLD: Final = "(SELECT o.{} FROM store_counter o WHERE o.name = store_counter.name)"


def returning(statement: Statement) -> str:
    """What is added to an upsert to learn what it did.

    The version of a row that replaces another names the transaction in xmax. A query in RETURNING sees the
    rows as they were before the statement.
    """
    if statement.table == COUNTERS:
        return f" RETURNING {_OLD.format('value')}, {_OLD.format('checksum')}"
    return " RETURNING (xmax = 0)"


class PostgresLayout(Layout):
    """The columns of each canonical table, in order, and which of them hold bytes."""

    def __init__(self, db: Connection) -> None:
        self.columns: dict[str, list[str]] = {}
        self.binary: set[tuple[str, str]] = set()
        for table, name, kind in db.all(_COLUMNS):
            if table in _TABLES:
                self.columns.setdefault(str(table), []).append(str(name))
                if kind == "bytea":
                    self.binary.add((table, name))
        super().__init__(self.columns)
        self.is_distributed = db.one(_HAS_CITUS) is not None

    def row(self, table: str, values: Mapping[str, Any]) -> Row:
        """A row as the server wrote it to JSON, in the order of its columns."""
        if table == TEXTS:
            return (values["frame_id"],)
        return tuple(
            bytes.fromhex(values[name][2:])
            if (table, name) in self.binary and values[name] is not None
            else values[name]
            for name in self.columns[table]
        )


class PostgresChanges(Changes):
    """Follows the statements of one transaction."""

    layout: PostgresLayout

    def __init__(self, layout: PostgresLayout) -> None:
        super().__init__(layout)
        self._has_noted = False
        """Whether triggers may have noted something that was not counted yet."""
        self._is_exact = True
        self._writer = _THIS_TRANSACTION

    def begin(self, db: Connection) -> None:
        """Name this writer to the workers of a cluster, for what their triggers note."""
        if self.layout.is_distributed:
            self._writer = str(randbits(62))
            db.run_each(
                (
                    "SET LOCAL citus.propagate_set_commands TO 'local'",
                    f"SET LOCAL longmind.writer TO '{self._writer}'",
                )
            )

    def may_have_touched(self, table: str) -> bool:
        return self._has_noted or table in self.touched

    def is_exact(self) -> bool:
        return self._is_exact

    def statement(self, sql: str) -> Statement | None:
        """What a statement does to a canonical table; None if it does nothing to one."""
        statement = read_statement(sql)
        if statement is not None and statement.verb == "INSERT INTO" and not statement.has_values:
            # Rows of other forms cannot be counted here, so everything is added up at the commit.
            self._miscount(statement.table)
            return None
        if (
            statement is not None
            and statement.table != COUNTERS
            and (statement.verb != "INSERT INTO" or statement.may_update)
        ):
            self._has_noted = True
        return statement

    def old_counters(
        self, db: Connection, statement: Statement, rows: Sequence[Sequence[Value]]
    ) -> list[Row | None] | None:
        """The rows that an upsert of counters replaces, on Citus: it takes no query in RETURNING."""
        if statement.table != COUNTERS or not self.layout.is_distributed:
            return None
        stored = {name: old for name, *old in db.all(f"SELECT name, value, checksum FROM {COUNTERS}")}
        return [tuple(stored.get(values[0], (None, None))) for values in rows]

    def upserted(self, statement: Statement, values: Sequence[Value], returned: Row | None) -> None:
        """Count an upsert by what it returned: whether the row is new, or the old one of a counter."""
        if returned is None:
            return
        if statement.table != COUNTERS:
            if returned[0]:
                self.inserted(statement, values)
            return
        if returned[0] is not None:
            self.removed(COUNTERS, (values[0], *returned))
        self.inserted(statement, values)

    def inserted(self, statement: Statement, values: Sequence[Value]) -> None:
        table = statement.table
        by_column = dict(zip(statement.columns, values, strict=True)) if statement.columns else None
        names = self.layout.columns[table]
        if table == TEXTS:
            self.added(table, (values[0] if by_column is None else by_column["frame_id"],))
            return
        if by_column is not None:
            if len(by_column) < len(names):  # the server fills in the rest, in ways of its own
                self._miscount(table)
                return
            values = [by_column[name] for name in names]
        self.added(table, plain_row(values))

    def _miscount(self, table: str) -> None:
        self._is_exact = False
        self.touched.add(table)

    def take(self, db: Connection) -> None:
        """Count what the triggers have noted so far."""
        if not self._has_noted:
            return
        self._has_noted = False
        for table, before, after in db.all(_TAKE.format(writer=self._writer)):
            self.removed(table, self.layout.row(table, json.loads(before)))
            if after is not None:
                self.added(table, self.layout.row(table, json.loads(after)))


def install(db: Connection) -> None:
    """Let the server note which rows of canonical tables are changed or removed."""
    followed = (table for table in TABLES if table != COUNTERS)
    triggers = [
        f"CREATE TRIGGER {table}_noted AFTER UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION note_change('{table}')"
        for table in followed
    ]
    is_distributed = db.one(_HAS_CITUS) is not None
    db.run_each([_ON_WORKERS, *triggers] if is_distributed else triggers)
