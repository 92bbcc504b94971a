"""What a ledger holds to no known end, read from the store: of a subject, of late, or as good as proven."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple

from longmind.facts.canonical import ObjectKind
from longmind.facts.rows import EntityRow, FactRow, PredicateRow, SpanRow, join, stored_object
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.facts.words import words_of
from longmind.store.engine import Connection
from longmind.store.visible import Clause, among

MOST: Final = 2000
"""Facts of one subject that a text is compared with, the newest of all or of some predicates."""
LATEST: Final = 20
_WINDOW: Final = 5000
"""Spans among which the last ones of a ledger are looked for."""
_ROWS: Final = join((FactRow, "f"), (SpanRow, "s"), (PredicateRow, "p"), (EntityRow, "e"), (EntityRow, "o"))
_FROM: Final = (
    "fact f JOIN fact_span s ON s.fact_id = f.fact_id "
    "JOIN fact_predicate p ON p.predicate_id = f.predicate_id "
    "JOIN fact_entity e ON e.entity_id = f.subject_entity_id "
    "LEFT JOIN fact_entity o ON o.entity_id = f.object_entity_id"
)
HELD: Final = Clause(
    "s.system_to IS NULL AND s.valid_to IS NULL AND f.object_kind IN (?, ?)",
    (ObjectKind.TEXT, ObjectKind.ENTITY),
)
"""To no known end, and with a value that texts may name."""


_ENDED: Final = Clause(
    "s.system_to IS NULL AND s.valid_to IS NOT NULL AND f.object_kind IN (?, ?)",
    (ObjectKind.TEXT, ObjectKind.ENTITY),
)


@dataclass(frozen=True, slots=True)
class CurrentFact:
    """A fact that the ledger holds now, to no known end."""

    subject: str
    predicate: str
    value: str | Entity
    cardinality: str
    said: int
    recorded: int

    @property
    def words(self) -> frozenset[str]:
        return words_of(f"{self.predicate.replace('_', ' ')} {self.value!s}")


class HeldFact(NamedTuple):
    """A period without an end of a fact whose value is a text or an entity."""

    span_id: int
    fact_id: int
    ledger: str
    subject: str
    """In normal form, as is the predicate."""
    predicate: str
    fact: CurrentFact


by_span: Final = itemgetter(0)


def held_of(
    db: Connection, ledger: str, norm: str, *, predicates: Collection[str] = (), most: int = MOST
) -> list[HeldFact]:
    """What is held of a subject, the newest first."""
    clause = Clause("e.ledger = ? AND e.key_norm = ?", (ledger, norm))
    if predicates:
        named = among("key_norm", sorted(predicates))
        ids = f"SELECT predicate_id FROM fact_predicate WHERE ledger = ? AND {named.sql}"
        clause &= Clause(f"f.predicate_id IN ({ids})", (ledger, *named.values))
    return list(read(db, clause, f"ORDER BY s.span_id DESC LIMIT {most}"))


def ended_of(db: Connection, ledger: str, norm: str, words: frozenset[str]) -> list[HeldFact]:
    """What was held of a subject and is no more, of which the value has just these words; the last first."""
    if not words:
        return []
    clause = Clause("e.ledger = ? AND e.key_norm = ?", (ledger, norm)) & _ENDED
    sql = f"SELECT {_ROWS.sql} FROM {_FROM} WHERE {clause.sql} ORDER BY s.span_id DESC LIMIT {MOST}"
    rows = (held_fact(*rows) for rows in _ROWS.read_all(db.all(sql, clause.values)))
    return [row for row in rows if words_of(str(row.fact.value)) == words]


def once_told_of(
    db: Connection, ledger: str, norm: str, words: frozenset[str]
) -> list[tuple[CurrentFact, int]]:
    """What was held of a subject and is no more, and speaks of some words, with its end; the last first."""
    clause = Clause("e.ledger = ? AND e.key_norm = ?", (ledger, norm)) & _ENDED
    sql = f"SELECT {_ROWS.sql} FROM {_FROM} WHERE {clause.sql} ORDER BY s.span_id DESC LIMIT {MOST}"
    periods = [
        (held_fact(fact, span, *named).fact, span.valid_to or 0)
        for fact, span, *named in _ROWS.read_all(db.all(sql, clause.values))
    ]
    return [(fact, until) for fact, until in periods if words <= fact.words]


def latest_of(db: Connection, ledger: str, most: int) -> list[HeldFact]:
    """What was recorded last in a ledger, the newest first.

    Spans are looked at from the last one backwards. Where others have written much since, only what is held
    of the user is found: nothing leads from a ledger to its spans, and all of them are too many.
    """
    clause = Clause("f.ledger = ?", (ledger,)) & Clause("p.key_norm <> 'session_id'")
    recent = Clause(f"s.span_id > (SELECT max(span_id) FROM fact_span) - {_WINDOW}")
    rows = list(read(db, clause & recent, f"ORDER BY s.span_id DESC LIMIT {most}"))
    if len(rows) < most:
        spans = {row.span_id: row for row in (*rows, *held_of(db, ledger, USER, most=most))}
        rows = sorted(spans.values(), key=by_span, reverse=True)[:most]
    return rows


_SETTLED: Final = (
    "SELECT c.fact_id FROM fact c "
    "JOIN fact_entity e ON e.entity_id = c.subject_entity_id AND e.kind <> '' "
    "JOIN fact_predicate p ON p.predicate_id = c.predicate_id AND p.exact = 0 "
    "JOIN fact_span s ON s.fact_id = c.fact_id AND s.system_to IS NULL AND s.valid_to IS NULL "
    "WHERE c.fact_hash = ? AND c.ledger = ? AND s.valid_from <= ? "
    "AND (SELECT count(*) FROM fact_support u JOIN fact_evidence v ON v.assertion_id = u.assertion_id "
    "WHERE u.span_id = s.span_id) >= ?"
)


def settled_fact(db: Connection, hashed: bytes, *, ledger: str, at: int, max_evidence: int) -> int | None:
    """The fact of which another claim would write nothing: it holds, on as much evidence as is kept."""
    row = db.one(_SETTLED, (hashed, ledger, at, max_evidence))
    return None if row is None else int(row[0])


def read(db: Connection, clause: Clause, tail: str = "") -> Iterator[HeldFact]:
    sql = f"SELECT {_ROWS.sql} FROM {_FROM} WHERE {(clause & HELD).sql} {tail}"
    for rows in _ROWS.read_all(db.all(sql, (clause & HELD).values)):
        yield held_fact(*rows)


def held_fact(
    fact: FactRow, span: SpanRow, predicate: PredicateRow, subject: EntityRow, named: EntityRow | None
) -> HeldFact:
    text = str(stored_object(fact, named))
    current = CurrentFact(
        subject.key,
        predicate.key,
        text if named is None else Entity(text),
        predicate.cardinality,
        span.valid_from,
        span.system_from,
    )
    return HeldFact(span.span_id, fact.fact_id, fact.ledger, subject.key_norm, predicate.key_norm, current)
