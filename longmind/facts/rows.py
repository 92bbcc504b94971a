"""The tables of the ledger as rows: their columns, their checksums, and how they are read and written."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.facts.canonical import ObjectKind, Stored
from longmind.facts.values import Evidence, Qualifier
from longmind.store.tables import Tables, damaged
from longmind.store.visible import Clause, among, either, partitions

GLOBAL: Final = "*"
"""The ledger that every space sees; no space can have this name."""


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


class AssertionRow(NamedTuple):
    assertion_id: int
    ledger: str
    space: str
    subject_entity_id: int
    predicate_id: int
    fact_id: int | None
    qualifiers_hash: bytes | None
    action: str
    polarity: int
    valid_from: int
    valid_to: int | None
    system_from: int
    system_to: int | None
    by_hand: int
    derived: int
    channel: str
    speaker: str | None
    said_by: str | None
    trust: int
    held_back: int
    reason: str | None
    created_at: int


class SupportRow(NamedTuple):
    span_id: int
    assertion_id: int


class RulingRow(NamedTuple):
    ruling_id: int
    assertion_id: int
    confirmed: int
    since: int
    until: int | None


class ExpiryRow(NamedTuple):
    assertion_id: int
    expires_at: int


class LapseRow(NamedTuple):
    """A stretch of system time in which an assertion does not count."""

    assertion_id: int
    since: int
    until: int | None
    reason: str


class SameRow(NamedTuple):
    same_id: int
    entity_id: int
    into_id: int
    since: int
    until: int | None


class EvidenceRow(NamedTuple):
    evidence_id: int
    assertion_id: int | None
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
    assertion_id: int
    ordinal: int
    premise_fact_id: int | None


TABLES: Final[dict[type[Any], str]] = {
    EntityRow: "fact_entity",
    AliasRow: "fact_alias",
    PredicateRow: "fact_predicate",
    FactRow: "fact",
    SpanRow: "fact_span",
    AssertionRow: "fact_assertion",
    SupportRow: "fact_support",
    EvidenceRow: "fact_evidence",
    PremiseRow: "fact_premise",
    RulingRow: "fact_ruling",
    SameRow: "fact_same",
    ExpiryRow: "fact_expiry",
    LapseRow: "fact_lapse",
}
"""In the order in which rows may be inserted; the reverse is the order of removal."""


_SEALED: Final = Tables(TABLES, keys={PremiseRow: 2, SupportRow: 2, LapseRow: 2})
checked, join, select, select_among = _SEALED.checked, _SEALED.join, _SEALED.select, _SEALED.select_among
insert, update, delete_among, close = _SEALED.insert, _SEALED.update, _SEALED.delete_among, _SEALED.close
verify = _SEALED.verify


def ledgers(view: View, column: str) -> Clause:
    """The ledgers that a view reads: those of its parts of spaces, and the global one."""
    if view.spaces is not ALL and view.user is not ALL:
        return among(column, [*view.spaces, GLOBAL])
    here = partitions(view, column)
    return here if here.is_true else either([here, Clause(f"{column} = '{GLOBAL}'")])


_OBJECT_COLUMNS: Final = {
    ObjectKind.TEXT: "object_text",
    ObjectKind.INT: "object_int",
    ObjectKind.DOUBLE: "object_real",
    ObjectKind.BOOL: "object_bool",
    ObjectKind.DATA: "object_blob",
    ObjectKind.TIME: "object_time",
}


_PLAIN_COLUMNS: Final = ("object_int", "object_real", "object_bool", "object_blob", "object_time")


def kind_of(fact: FactRow) -> ObjectKind:
    """What the value of a fact is; what stands for nothing is damage, also under a fitting checksum."""
    try:
        return ObjectKind(fact.object_kind)
    except ValueError:
        raise damaged("fact") from None


def stored_object(fact: FactRow, entity: EntityRow | None) -> Stored:
    """The value in the one column that holds it."""
    if fact.object_kind == ObjectKind.ENTITY:
        if entity is None:
            raise Corrupt(
                f"The fact {fact.fact_id} names an entity that is missing.",
                hint=RESTORE_HINT,
            )
        return entity.key
    value: Stored = getattr(fact, _OBJECT_COLUMNS[kind_of(fact)])
    return value


def object_columns(
    kind: ObjectKind, stored: Stored, entity_id: int | None, norm: str | None
) -> tuple[Any, Any, Any, Any, Any, Any, Any, Any]:
    """The columns of a fact that hold its value, in their order."""
    if kind == ObjectKind.ENTITY:
        return (None, None, None, None, None, None, None, entity_id)
    if kind == ObjectKind.TEXT:
        return (stored, None if norm == stored else norm, None, None, None, None, None, None)
    column = _OBJECT_COLUMNS[kind]
    integer, real, truth, data, moment = [stored if name == column else None for name in _PLAIN_COLUMNS]
    return (None, None, integer, real, truth, data, moment, None)


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
