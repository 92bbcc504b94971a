"""The tables of the ledger as rows: their columns, their checksums, and how they are read and written."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.base.names import ALL, AllSpaces
from longmind.facts.canonical import ObjectKind, Stored
from longmind.facts.values import Evidence, Qualifier
from longmind.store.engine import Connection, Row, Value
from longmind.store.visible import Clause, among

GLOBAL: Final = "*"
"""The ledger that every space sees; no space can have this name."""

_BATCH: Final = 500


class EntityRow(NamedTuple):
    entity_id: int
    ledger: str
    key: str
    key_norm: str
    kind: str
    by_hand: int
    created_at: int


class AliasRow(NamedTuple):
    alias_id: int
    entity_id: int
    alias: str
    alias_norm: str
    frame_id: int | None
    since: int
    until: int | None


class PredicateRow(NamedTuple):
    predicate_id: int
    ledger: str
    key: str
    key_norm: str
    cardinality: str
    exact: int
    declared: int
    created_at: int


class FactRow(NamedTuple):
    fact_id: int
    ledger: str
    subject_entity_id: int
    predicate_id: int
    object_kind: int
    object_text: str | None
    object_norm: str | None
    object_int: int | None
    object_real: float | None
    object_bool: int | None
    object_blob: bytes | None
    object_time: int | None
    object_entity_id: int | None
    qualifiers: str | None
    qualifiers_hash: bytes | None
    fact_hash: bytes
    created_at: int


class SpanRow(NamedTuple):
    span_id: int
    fact_id: int
    space: str
    valid_from: int
    valid_to: int | None
    system_from: int
    system_to: int | None
    by_hand: int
    derived: int
    reason: str | None
    span_key_hash: bytes
    created_at: int


class EvidenceRow(NamedTuple):
    evidence_id: int
    span_id: int | None
    fact_id: int | None
    frame_id: int
    chunk: int | None
    start_byte: int | None
    end_byte: int | None
    extractor: str
    extractor_version: str
    confidence: float | None
    asserted_at: int
    recorded_at: int
    created_at: int

    def value(self) -> Evidence:
        """The row as a reader gets it."""
        return Evidence(
            frame=self.frame_id,
            start=self.start_byte,
            end=self.end_byte,
            chunk=self.chunk,
            extractor=self.extractor,
            version=self.extractor_version,
            confidence=self.confidence,
            asserted_at=self.asserted_at,
        )

    def place(self) -> tuple[object, ...]:
        """What makes two rows the same piece of evidence."""
        return (
            self.frame_id,
            self.chunk,
            self.start_byte,
            self.end_byte,
            self.extractor,
            self.extractor_version,
        )


class PremiseRow(NamedTuple):
    span_id: int
    ordinal: int
    premise_fact_id: int | None


AnyRow = TypeVar("AnyRow", EntityRow, AliasRow, PredicateRow, FactRow, SpanRow, EvidenceRow, PremiseRow)

TABLES: Final[dict[type[Any], str]] = {
    EntityRow: "fact_entity",
    AliasRow: "fact_alias",
    PredicateRow: "fact_predicate",
    FactRow: "fact",
    SpanRow: "fact_span",
    EvidenceRow: "fact_evidence",
    PremiseRow: "fact_premise",
}
"""In the order in which rows may be inserted; the reverse is the order of removal."""


class Columns:
    """The columns of some tables in one SELECT, each followed by its checksum, and how to take them apart."""

    def __init__(self, *parts: tuple[type[Any], str]) -> None:
        names: list[str] = []
        self._slices: list[tuple[type[Any], int, int]] = []
        for kind, alias in parts:
            first = len(names)
            names += [f"{alias}.{name}" for name in (*kind._fields, "checksum")]
            self._slices.append((kind, first, len(names) - 1))
        self.sql = ", ".join(names)
        self.width = len(names)

    def read(self, row: Row) -> list[Any]:
        """Each table's row, checked; None where an outer join found nothing."""
        return [
            None if row[first] is None else checked(kind, row[first : last + 1])
            for kind, first, last in self._slices
        ]


def checked(kind: type[AnyRow], row: Sequence[Any]) -> AnyRow:
    """Columns followed by their checksum, as a row; `Corrupt` if they are not what was written."""
    if hash_row(kind, row[:-1]) != row[-1]:
        raise Corrupt(
            f"The row {row[0]} of {TABLES[kind]} is not what was written.",
            hint="Restore a backup: longmind restore BACKUP TO.",
        )
    return kind(*row[:-1])


def hash_row(kind: type[Any], fields: Sequence[Any]) -> int:
    return checksum(TABLES[kind], *fields)


def select(db: Connection, kind: type[AnyRow], clause: Clause) -> list[AnyRow]:
    """The checked rows of one table, which is called `x` in the clause."""
    sql = f"SELECT {Columns((kind, 'x')).sql} FROM {TABLES[kind]} x WHERE {clause.sql}"
    return [checked(kind, row) for row in db.all(sql, clause.values)]


def select_among(
    db: Connection, kind: type[AnyRow], column: str, values: Iterable[Value], *, also: Clause | None = None
) -> list[AnyRow]:
    """The rows whose `column` is one of the values, in batches."""
    rows: list[AnyRow] = []
    for batch in batched(sorted(set(values))):  # type: ignore[type-var]
        clause = among(f"x.{column}", batch)
        rows += select(db, kind, clause if also is None else clause & also)
    return rows


def insert(db: Connection, new: Sequence[Any]) -> None:
    """Rows of one table."""
    if not new:
        return
    kind = type(new[0])
    names = (*kind._fields, "checksum")
    db.many(
        f"INSERT INTO {TABLES[kind]} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        [(*row, hash_row(kind, row)) for row in new],
    )


def update(db: Connection, changed: Sequence[Any], columns: Sequence[str], *, key: Sequence[str]) -> None:
    """Store these columns of rows that exist, with the checksum."""
    if not changed:
        return
    kind = type(changed[0])
    assignments = ", ".join(f"{name} = ?" for name in (*columns, "checksum"))
    conditions = " AND ".join(f"{name} = ?" for name in key)
    db.many(
        f"UPDATE {TABLES[kind]} SET {assignments} WHERE {conditions}",
        [
            (
                *(getattr(row, name) for name in columns),
                hash_row(kind, row),
                *(getattr(row, name) for name in key),
            )
            for row in changed
        ],
    )


def delete_among(db: Connection, kind: type[Any], column: str, values: Iterable[int]) -> int:
    count = 0
    for batch in batched(sorted(set(values))):
        clause = among(column, batch)
        count += db.run(f"DELETE FROM {TABLES[kind]} WHERE {clause.sql}", clause.values)
    return count


T = TypeVar("T")


def batched(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for first in range(0, len(values), _BATCH):
        yield values[first : first + _BATCH]


def ledgers(spaces: tuple[str, ...] | AllSpaces, column: str) -> Clause:
    """The ledgers that a view reads: those of its spaces, and the global one."""
    return Clause("1 = 1") if spaces is ALL else among(column, [*spaces, GLOBAL])


_OBJECT_COLUMNS: Final = {
    ObjectKind.TEXT: "object_text",
    ObjectKind.INT: "object_int",
    ObjectKind.DOUBLE: "object_real",
    ObjectKind.BOOL: "object_bool",
    ObjectKind.DATA: "object_blob",
    ObjectKind.TIME: "object_time",
}


def stored_object(fact: FactRow, entity: EntityRow | None) -> Stored:
    """The value in the one column that holds it."""
    if fact.object_kind == ObjectKind.ENTITY:
        if entity is None:
            raise Corrupt(
                f"The fact {fact.fact_id} names an entity that is missing.",
                hint="Restore a backup: longmind restore BACKUP TO.",
            )
        return entity.key
    value: Stored = getattr(fact, _OBJECT_COLUMNS[ObjectKind(fact.object_kind)])
    return value


def object_columns(
    kind: ObjectKind, stored: Stored, entity_id: int | None, norm: str | None
) -> dict[str, Any]:
    """The columns of a fact that hold its value."""
    if kind == ObjectKind.ENTITY:
        return {"object_entity_id": entity_id}
    columns: dict[str, Any] = {_OBJECT_COLUMNS[kind]: stored}
    if kind == ObjectKind.TEXT and norm != stored:
        columns["object_norm"] = norm
    return columns


def dump_qualifiers(qualifiers: Sequence[Qualifier]) -> str | None:
    """JSON in one spelling: [key, kind, value], bytes in base64."""
    if not qualifiers:
        return None
    listed = [
        [key, int(kind), base64.b64encode(value).decode() if isinstance(value, bytes) else value]
        for key, kind, value in qualifiers
    ]
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":"))


def load_qualifiers(text: str | None) -> tuple[Qualifier, ...]:
    if text is None:
        return ()
    return tuple(
        (key, ObjectKind(kind), base64.b64decode(value) if kind == ObjectKind.DATA else value)
        for key, kind, value in json.loads(text)
    )
