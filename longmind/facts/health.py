"""Whether the ledger is sound: rows, names and hashes, and spans that follow from what was said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from longmind.base.errors import Corrupt
from longmind.facts.canonical import alias_norm, canonical_text, fact_hash, qualifiers_hash, span_key_hash
from longmind.facts.load import Loader
from longmind.facts.names import OVERLAPS
from longmind.facts.rows import (
    TABLES,
    AliasRow,
    AssertionRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    SpanRow,
    join,
    load_qualifiers,
    stored_object,
)
from longmind.facts.rows import verify as verify_rows
from longmind.facts.statements import Resolver
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Problem
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.upkeep import scan

_COUNTED: Final = (EntityRow, AliasRow, PredicateRow, FactRow, SpanRow, AssertionRow, EvidenceRow)


def find_problems(snapshot: Snapshot, *, deep: bool) -> Iterator[Problem]:
    """What is wrong with the ledger; without `deep`, only what a few queries can tell."""
    db = snapshot.db
    yield from _overlaps(db)
    yield from _loose_ends(db, snapshot.revision)
    if deep:
        for kind in TABLES:
            yield from verify_rows(db, kind, _abnormal)
        yield from _hashes(db)
        yield from _unfounded(db)


def count_rows(snapshot: Snapshot) -> Mapping[str, int]:
    db = snapshot.db
    counts = {TABLES[kind]: scalar(db, f"SELECT count(*) FROM {TABLES[kind]}") for kind in TABLES}
    return {
        "entities": counts["fact_entity"],
        "aliases": counts["fact_alias"],
        "predicates": counts["fact_predicate"],
        "facts": counts["fact"],
        "spans": counts["fact_span"],
        "open_spans": scalar(db, "SELECT count(*) FROM fact_span WHERE system_to IS NULL"),
        "assertions": counts["fact_assertion"],
        "evidence": counts["fact_evidence"],
    }


def _overlaps(db: Connection) -> Iterator[Problem]:
    single = f"SELECT p.key, min(e.key) {OVERLAPS} AND p.cardinality = 'one' GROUP BY p.predicate_id, p.key"
    for key, subject in db.all(single):
        yield Problem("fact_span", f"{subject} has two values of {key} at the same time")
    twice = (
        "SELECT s.fact_id FROM fact_span s JOIN fact_span r ON r.fact_id = s.fact_id "
        "AND r.span_id > s.span_id WHERE s.system_to IS NULL AND r.system_to IS NULL "
        "AND (r.valid_to IS NULL OR s.valid_from < r.valid_to) "
        "AND (s.valid_to IS NULL OR r.valid_from < s.valid_to) LIMIT 10"
    )
    for (fact_id,) in db.all(twice):
        yield Problem("fact_span", f"fact {fact_id} has two open periods that overlap")


def _loose_ends(db: Connection, revision: int) -> Iterator[Problem]:
    empty = (
        "SELECT c.fact_id FROM fact c "
        "WHERE NOT EXISTS (SELECT 1 FROM fact_span s WHERE s.fact_id = c.fact_id) "
        "AND NOT EXISTS (SELECT 1 FROM fact_assertion x WHERE x.fact_id = c.fact_id) LIMIT 10"
    )
    for (fact_id,) in db.all(empty):
        yield Problem("fact", f"nothing says fact {fact_id}")
    unfounded = (
        "SELECT s.span_id FROM fact_span s "
        "WHERE NOT EXISTS (SELECT 1 FROM fact_support u WHERE u.span_id = s.span_id) LIMIT 10"
    )
    for (span_id,) in db.all(unfounded):
        yield Problem("fact_span", f"period {span_id} rests on no assertion")
    late = db.one("SELECT max(system_from), max(system_to) FROM fact_span")
    if late is not None and max(late[0] or 0, late[1] or 0) > revision:
        yield Problem("clock", f"the clock says {revision}, a span of a fact is later")
    for kind in _COUNTED:
        table = TABLES[kind]
        highest = scalar(db, f"SELECT coalesce(max({kind._fields[0]}), 0) FROM {table}")
        if highest > scalar(db, "SELECT value FROM store_counter WHERE name = ?", (table,)):
            yield Problem("counter", f"the counter of {table} is behind its rows")
    strayed = (
        "SELECT c.fact_id FROM fact c JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
        "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
        "WHERE e.ledger <> c.ledger OR p.ledger <> c.ledger OR o.ledger <> c.ledger LIMIT 10"
    )
    for (fact_id,) in db.all(strayed):
        yield Problem("fact", f"fact {fact_id} mixes two ledgers")


def _abnormal(item: Any) -> str:
    if _is_normal(item):
        return ""
    return f"row {item[0]} of {TABLES[type(item)]} does not have the normal form of its name or period"


def _is_normal(item: Any) -> bool:
    """Whether what is derived from a row's own columns agrees with them."""
    if isinstance(item, EntityRow | PredicateRow):
        return item.key_norm == canonical_text(item.key)
    if isinstance(item, AliasRow):
        return item.alias_norm == alias_norm(item.alias)
    if isinstance(item, SpanRow):
        return item.span_key_hash == span_key_hash(
            item.fact_id, item.valid_from, item.valid_to, item.system_from
        )
    return True


def _hashes(db: Connection) -> Iterator[Problem]:
    columns = join((FactRow, "c"), (EntityRow, "e"), (PredicateRow, "p"), (EntityRow, "o"))
    sql = (
        f"SELECT {columns.sql} FROM fact c JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
        "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id WHERE {after}"
    )
    for row in scan(db, sql, "c.fact_id"):
        try:
            fact, subject, predicate, entity = columns.read(row)
        except Corrupt:
            continue  # already reported
        qualifiers = qualifiers_hash(load_qualifiers(fact.qualifiers))
        expected = fact_hash(
            subject.key_norm,
            predicate.key_norm,
            fact.object_kind,
            stored_object(fact, entity),
            qualifiers=qualifiers,
            exact=bool(predicate.exact),
        )
        if (fact.fact_hash, fact.qualifiers_hash) != (expected, qualifiers):
            yield Problem("fact", f"the hash of fact {fact.fact_id} does not fit what it says")


def _unfounded(db: Connection) -> Iterator[Problem]:
    """Slots whose open spans are not what follows from their assertions."""
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    sql = "SELECT DISTINCT ledger, subject_entity_id, predicate_id FROM fact_assertion ORDER BY 1, 2, 3"
    for ledger, subject, predicate in db.all(sql):
        pairs[ledger].append((subject, predicate))
    for ledger, listed in pairs.items():
        for batch in batched(listed):
            names = Resolver(Transaction(db, now=0), ledger)
            try:
                states = Loader(names).load_statements(batch)
            except (Corrupt, KeyError):  # rows that others refer to are missing
                continue  # already reported
            for state in states:
                if len(state.facts) > 1:
                    continue  # predicates that did not compete in earlier formats
                beliefs = {(item.value, item.start, item.end) for item in state.slot.belief()}
                stored = {(row.fact_id, row.valid_from, row.valid_to) for row in state.stored}
                for fact_id in sorted({item[0] for item in beliefs ^ stored}, key=str):
                    yield Problem("fact", f"the periods of fact {fact_id} do not follow from what was said")
