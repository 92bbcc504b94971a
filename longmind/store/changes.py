"""What a transaction changes in canonical rows, as sums of hashes that do not depend on the order.

Every row has a hash of 1,024 bits over its table and all its columns. The hashes of all rows, added up, stand
for the whole set of rows: a commit adds the hashes of its new rows and subtracts those of the rows that it
removed, and a check adds everything up again. Sums need longer hashes than lists do: with 256 bits, other
rows of the same sum could be found with some 2^32 steps (Wagner's generalised birthday attack). With 1,024
bits that takes 2^65 steps and 2^41 stored hashes, and leaves 16 million forged rows in the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import Any, Final

from longmind.store.engine import Connection, Row
from longmind.store.tables import CANONICAL, DERIVED_SETTINGS, OWN_SETTINGS

TABLES: Final = tuple(table for table in CANONICAL if table not in ("store_clock", "audit_entry"))
"""What is added up. The clock changes with every commit and is asked for by every read: it cannot be missed.
The log is a chain of its own."""

TEXTS: Final = "frame_text"
"""Texts have their hash in the frame, and would have to be read whole: their ids are added up."""

WITH_FLOATS: Final = frozenset(
    ("frame_meta", "fact", "fact_evidence", "conversation_state", "experience_record", "experience_vote")
)
"""Tables with columns of floats; to look for some in every row would take a tenth of its hash."""

COUNTERS: Final = "store_counter"
"""Changed by nearly every commit, and by upserts alone."""

HASH_BYTES: Final = 128
_MODULUS: Final = 1 << (8 * HASH_BYTES)
_STARTS: Final = {table: table.encode() + b"\0" for table in TABLES}
"""Every hash begins with the name of the table."""

_SPACES: Final = ("space", "ledger", "repo")
"""What the column with the space of a row is called."""

_OWNERS: Final = {
    "frame_id": "SELECT DISTINCT space FROM frame WHERE frame_id",
    "memory_id": "SELECT DISTINCT space FROM conversation_memory WHERE memory_id",
    "entity_id": "SELECT DISTINCT ledger FROM fact_entity WHERE entity_id",
    "fact_id": "SELECT DISTINCT ledger FROM fact WHERE fact_id",
    "assertion_id": "SELECT DISTINCT space FROM fact_assertion WHERE assertion_id",
    "span_id": "SELECT DISTINCT space FROM fact_span WHERE span_id",
    "record_id": "SELECT DISTINCT repo FROM experience_record WHERE record_id",
}
"""Where rows without a space say whose they are, and how its space is found."""

_MOST_OWNERS: Final = 200
"""Ids that are looked up; a commit that touches more has told its space by other rows."""

_COUNT: Final = '"%s":[%d,%d]'

Sums = list[int]
"""Rows added, rows removed, and by how much the sum of hashes has changed."""


class Layout:
    """Where in the rows of each table the space is, or what leads to it."""

    def __init__(self, columns: Mapping[str, Sequence[str]]) -> None:
        self.spaces: dict[str, int] = {}
        self.owners: dict[str, tuple[str, int]] = {}
        for table, names in columns.items():
            space = next((name for name in _SPACES if name in names), None)
            owner = next((name for name in _OWNERS if name in names), None)
            if space is not None:
                self.spaces[table] = names.index(space)
            elif table.startswith("experience_"):  # links of records begin with the id of one
                self.owners[table] = ("record_id", 0 if owner != "record_id" else names.index(owner))
            elif owner is not None:
                self.owners[table] = (owner, names.index(owner))


class Changes:
    """What one transaction has added to and removed from the canonical tables so far."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._places = layout.spaces
        self.sums: dict[str, Sums] = {table: [0, 0, 0] for table in TABLES}
        self.touched: set[str] = set()
        """Tables of which rows were added or removed."""
        self._names: set[str] = set()
        self._owners: dict[str, set[Any]] = {}

    def clear(self) -> None:
        for table in self.touched:  # noted before its rows are counted, so that an interrupt leaves none out
            self.sums[table][:] = (0, 0, 0)
        self.touched.clear()
        self._names.clear()
        self._owners.clear()

    def added(self, table: str, row: Row) -> None:
        if table == "store_setting" and is_local(row[0]):
            return
        self._concerns(table, row)
        sums = self.sums[table]
        sums[0] += 1
        sums[2] += row_hash(table, row)

    def removed(self, table: str, row: Row) -> None:
        if table == "store_setting" and is_local(row[0]):
            return
        self._concerns(table, row)
        sums = self.sums[table]
        sums[1] += 1
        sums[2] -= row_hash(table, row)

    def added_all(self, table: str, rows: Sequence[Row], encoded: Sequence[str] | None = None) -> None:
        """`added` for many rows of a table; `encoded` is `ascii` of each, where whoever made them has it."""
        if not rows:
            return
        if table == "store_setting":
            for row in rows:
                self.added(table, row)
            return
        start = _STARTS[table]
        if encoded is None:
            hashes = sum([row_hash(table, row) for row in rows])
        elif table not in WITH_FLOATS:
            hashes = sum([_hash(start, text) for text in encoded])
        else:
            hashes = sum(
                [
                    row_hash(table, row) if float in map(type, row) else _hash(start, text)
                    for row, text in zip(rows, encoded, strict=True)
                ]
            )
        self._concerns(table, rows[0])
        sums = self.sums[table]
        sums[0] += len(rows)
        sums[2] += hashes
        if len(rows) == 1:
            return
        position = self._places.get(table)
        if position is not None:
            self._names.update([row[position] for row in rows])
        elif not self._names:
            for row in rows[1 : 1 + _MOST_OWNERS]:
                self._concerns(table, row)

    def _concerns(self, table: str, row: Row) -> None:
        self.touched.add(table)
        position = self._places.get(table)
        if position is not None:
            self._names.add(row[position])
        elif not self._names and table in self.layout.owners:
            column, position = self.layout.owners[table]
            owners = self._owners.setdefault(column, set())
            if row[position] is not None and len(owners) < _MOST_OWNERS:
                owners.add(row[position])

    def may_have_touched(self, table: str) -> bool:
        """Whether rows of a table were added or removed so far; also where that is not known yet."""
        return table in self.touched

    def is_exact(self) -> bool:
        """Whether every change was seen, and nothing that was undone."""
        return True

    def removals(self, table: str) -> int:
        """How many rows fewer a table has."""
        return self.sums[table][1] - self.sums[table][0]

    def counts(self) -> str:
        """Rows added and removed by table, as JSON; counters are left out."""
        tables = ((table, *self.sums[table][:2]) for table in sorted(self.touched) if table != COUNTERS)
        return f"{{{','.join([_COUNT % (table, more, fewer) for table, more, fewer in tables])}}}"

    def spaces(self, db: Connection) -> set[str]:
        """The spaces whose rows were changed."""
        names = set(self._names)
        if not names:
            for column, owners in self._owners.items():
                marks = ", ".join("?" * len(owners))
                rows = db.all(f"{_OWNERS[column]} IN ({marks})", sorted(owners)) if owners else ()
                names.update(str(name) for (name,) in rows)
        return names


def is_local(setting: str) -> bool:
    """Whether a setting speaks of the file or of derived rows: copies have their own."""
    return setting in OWN_SETTINGS or setting.startswith(DERIVED_SETTINGS)


def row_hash(table: str, row: Row) -> int:
    """A number of 1,024 bits, the same on both engines; for a text, its id."""
    if table == TEXTS:
        number: int = row[0]
        return number
    if table == COUNTERS:
        return counter_hash(*row)
    if table in WITH_FLOATS:
        # SQLite shows a whole number in a column of floats as it was given, the server as a float.
        row = tuple(int(value) if type(value) is float and value.is_integer() else value for value in row)
    # `ascii` of a tuple of plain values is injective, the same in every version of Python, and fast.
    return _hash(_STARTS[table], ascii(row))


@lru_cache(maxsize=256, typed=True)
def counter_hash(*row: Any) -> int:
    """Of a counter: nearly every commit takes back the row that the one before it has added."""
    return _hash(_STARTS[COUNTERS], ascii(row))


def _hash(start: bytes, text: str) -> int:
    half = blake2b(start + text.encode()).digest()
    return int.from_bytes(half + blake2b(half).digest(), "little")


def plus(total: bytes, change: int) -> bytes:
    """A sum of hashes with something added or taken away."""
    return ((int.from_bytes(total, "little") + change) % _MODULUS).to_bytes(HASH_BYTES, "little")


def state_of(total: bytes) -> bytes:
    """A sum of hashes as an entry of the log holds it."""
    return sha256(b"longmind rows\0" + total).digest()
