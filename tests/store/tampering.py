"""How the tests of the audit log tamper with a store, and what they find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from longmind import Memory
from longmind.base.hashing import checksum
from longmind.store import audit_log
from longmind.store.engine import Connection
from longmind.store.scan import columns

PREFIXES = {
    "frame": (),
    "frame_tag": ("tag",),
    "frame_meta": ("meta",),
    "frame_key": ("key",),
    "store_counter": ("counter",),
    "store_setting": (),
    "erasure": (),
}
"""What the checksum of a row begins with, where that is not the name of its table."""


@contextmanager
def behind(memory: Memory) -> Iterator[Connection]:
    """A connection as somebody has it who knows the tables, and obeys neither triggers nor foreign keys."""
    engine: Any = memory.store.engine
    on_file = engine.dialect.name == "sqlite"
    switches = (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, apsw.SQLITE_DBCONFIG_ENABLE_FKEY)
    if on_file:
        for switch in switches:
            engine.writer_connection.config(switch, 0)
        engine.writer_connection.execute("PRAGMA ignore_check_constraints = ON")
    try:
        with engine.write(timeout=5) as db:
            if not on_file:
                db.run("SET LOCAL session_replication_role = replica")
            yield db
    finally:
        if on_file:
            for switch in switches:
                engine.writer_connection.config(switch, 1)
            engine.writer_connection.execute("PRAGMA ignore_check_constraints = OFF")


def found(memory: Memory) -> list[str]:
    with memory.store.read() as snapshot:
        return [
            item.detail for item in audit_log.problems(snapshot.db, memory.store.engine.dialect, deep=True)
        ]


def sealed(table: str, names: list[str], row: list[Any]) -> int:
    """The checksum that a row of this table has; anybody can compute it."""
    left_out = ("checksum", "value_key", "value_number") if table == "frame_meta" else ("checksum",)
    fields = [value for name, value in zip(names, row, strict=True) if name not in left_out]
    return checksum(*PREFIXES.get(table, (table,)), *fields)


def a_row(memory: Memory, table: str) -> tuple[list[str], list[Any]] | None:
    with memory.store.read() as snapshot:
        names = columns(snapshot.db, memory.store.engine.dialect, table)
        where = " WHERE name = 'store_id'" if table == "store_setting" else ""
        row = snapshot.db.one(f"SELECT {', '.join(names)} FROM {table}{where} LIMIT 1")
    return None if row is None else (names, list(row))


def same(names: list[str]) -> str:
    return " AND ".join(f"{name} IS NOT DISTINCT FROM ?" for name in names)


def altered(table: str, names: list[str], row: list[Any]) -> Iterator[list[Any]]:
    """The row with one column changed and a checksum that fits, for each column."""
    if "checksum" in names:
        assert sealed(table, names, row) == row[-1], table
    for index in reversed(range(len(names) - ("checksum" in names))):
        value = row[index]
        other = list(row)
        if isinstance(value, str):
            other[index] = value + "x"
        elif isinstance(value, int | float):
            other[index] = value + 1
        else:
            continue
        if "checksum" in names:
            other[-1] = sealed(table, names, other)
        yield other
