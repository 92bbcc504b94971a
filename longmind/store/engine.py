"""The contract of a storage engine: snapshots to read, transactions to write, and what only it can do.

Everything above speaks one SQL with `?` for parameters; an engine translates where it must.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from longmind.base.errors import InvalidInput
from longmind.store.scope import Scope

if TYPE_CHECKING:
    from longmind.store.changes import Changes

Value = str | int | float | bytes | None
Row = tuple[Any, ...]


class Connection(Protocol):
    """One connection inside one transaction."""

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]: ...

    def one(self, sql: str, values: Sequence[Value] = ()) -> Row | None: ...

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Execute, and return the number of rows changed."""
        ...

    def many(
        self,
        sql: str,
        rows: Iterable[Sequence[Value]],
        *,
        encoded: Sequence[str] | None = None,
        replaced: Sequence[Row | None] | None = None,
    ) -> None:
        """Execute once per row of values.

        `encoded` is `ascii` of each row, all columns of the table in their order: whoever has made it for the
        checksums spares it to be made again for the accounts. `replaced` is for an upsert of counters: the
        value and checksum that each has now, Nones for a new one.
        """
        ...

    def run_each(self, statements: Iterable[str]) -> None:
        """Execute several statements that neither take values nor change rows."""
        ...


def scalar(db: Connection, sql: str, values: Sequence[Value] = ()) -> int:
    """The whole number that a query answers with, such as a count; 0 if it has no row."""
    row = db.one(sql, values)
    return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True)
class Dialect:
    """The few expressions that the two engines spell differently."""

    name: str
    wall_ms: str
    """The engine's own wall clock in unix milliseconds: for leases, never for data."""
    slice_bytes: str
    """Bytes of a text as text; `{text}`, `{start}` (from 0) and `{length}` are filled in."""
    columns: str
    """A query for the names of a table's columns in their order."""
    tables: str
    """A query for the names of the store's tables."""


@dataclass(frozen=True, slots=True)
class EngineReport:
    """What an engine can say of its own health."""

    problems: tuple[tuple[str, str], ...]
    """Pairs of a code and a detail."""
    notes: tuple[str, ...] = ()
    """What is not damage, but worth knowing."""


def unsendable() -> InvalidInput:
    """For a text that no database takes as a value: part of a character outside of Unicode's texts."""
    return InvalidInput(
        "A text has half of a character (a lone surrogate), which cannot be looked up or stored.",
        hint="Remove it, or decode the text anew from its bytes.",
    )


class Engine(Protocol):
    """Where the rows live."""

    dialect: Dialect
    location: str
    """For people: a path, or a URL without its password."""
    read_only: bool
    has_log: bool
    """Whether the store has an audit log; not while it is kept at an older format, for tests."""

    def read(self) -> Scope[Connection]:
        """One snapshot; never waits for a writer."""
        ...

    def write(self, *, timeout: float) -> Scope[Connection]:
        """One transaction; commits on leaving without an error, leaves no trace otherwise.

        Raises `Busy` when no turn came within `timeout` seconds.
        """
        ...

    def changes(self, db: Connection) -> Changes:
        """What the transaction behind `db` has done to canonical rows so far."""
        ...

    def migrate(self) -> None:
        """Bring the schema to this version's format, or refuse."""
        ...

    def format(self) -> int: ...

    def check(self, *, deep: bool) -> EngineReport: ...

    def size_bytes(self, db: Connection) -> int:
        """Bytes the store would occupy if the transaction behind `rows` were committed now."""
        ...

    def free_bytes(self) -> int:
        """Bytes held but unused, that `compact` would give back."""
        ...

    def shrink(self) -> None:
        """Give back what a transaction that was undone had taken, where undoing it does not."""
        ...

    def scrub(self, *, patience: float = 5.0) -> bool:
        """Make deleted content unreachable in the stored bytes; True when that is certain.

        Waits up to `patience` seconds for readers that are in the way.
        """
        ...

    def flush(self, *, patience: float = 5.0) -> None: ...

    def compact(self) -> None: ...

    def backup(self, path: Path, *, overwrite: bool) -> int:
        """Write a consistent copy and return its size in bytes."""
        ...

    def close(self) -> None: ...
