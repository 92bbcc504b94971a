"""What a statement does to the tables, read from its SQL: who counts rows need not be told of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from longmind.store.changes import TABLES
from longmind.store.engine import Row, Value
from longmind.store.tables import DERIVED, PASSING

_STATEMENT: Final = re.compile(r"\s*(INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)\s*(?:\(([^)]*)\))?")
_VALUES: Final = re.compile(r"VALUES \((\?(?:, \?)*)\)( ON CONFLICT|$)")
_CANONICAL: Final = frozenset(TABLES)
_NOT_COUNTED: Final = frozenset((*DERIVED, *PASSING))
_PLAIN: Final = frozenset((str, int, float, bytes, type(None)))


class Statement(NamedTuple):
    """What a statement does to a canonical table."""

    verb: str
    table: str
    columns: tuple[str, ...]
    may_update: bool
    """An insert that changes the row which is there already."""
    has_values: bool = True
    """Whether the rows of an insert are the statement's parameters."""


@lru_cache(maxsize=1024)
def read_statement(sql: str) -> Statement | None:
    """What a statement does to a canonical table; None if it does nothing to one."""
    match = _STATEMENT.match(sql)
    if match is None or match[2] not in _CANONICAL:
        return None
    verb, table, listed = match.groups()
    if verb != "INSERT INTO":
        return Statement(verb, table, (), may_update=False)
    values = _VALUES.search(sql)
    if values is None:
        return Statement(verb, table, (), may_update=False, has_values=False)
    columns = tuple(name.strip() for name in listed.split(",")) if listed else ()
    return Statement(verb, table, columns, may_update=bool(values[2]))


@lru_cache(maxsize=1024)
def adds_derived_rows(sql: str) -> bool:
    """Whether a statement only puts rows into a table that the accounts leave out."""
    match = _STATEMENT.match(sql)
    return match is not None and match[1] == "INSERT INTO" and match[2] in _NOT_COUNTED


def plain_row(values: Sequence[Any]) -> Row:
    """Values as a row that is read back holds them."""
    return tuple(values) if _PLAIN.issuperset(map(type, values)) else tuple(map(_plain, values))


def _plain(value: Any) -> Value:
    """A value as the server returns it: members of an enumeration and numbers of numpy are plain there."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, float):
        return float(value)
    return None if value is None else int(value)
