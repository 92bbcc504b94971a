"""What ledgers hold, kept in memory from one write to the next: every turn is compared with all of it.

The mirror is brought up to date by the facts that each transaction changed. The end of the audit log, a hash
over all that was ever written, tells whether anybody else has written since the last transaction that it
followed: then the log and the numbers of spans say which facts those writes changed. Where they cannot say
it, and after a transaction that was given up, the mirror begins anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple

from longmind.facts.canonical import ObjectKind
from longmind.facts.ledger_names import LedgerNames
from longmind.facts.rows import EntityRow, FactRow, PredicateRow, SpanRow, join, stored_object
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.facts.words import words_of
from longmind.store.audit_log import row_counts_since
from longmind.store.engine import Connection, scalar
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

MOST: Final = 2000
"""Facts of one subject; who has more is compared with the newest."""
_MOST_KEPT: Final = 20_000
"""Facts of all subjects and ledgers; beyond it the mirror begins anew."""
_MOST_LEDGERS: Final = 100
"""Of which names are kept."""
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
_HELD: Final = Clause("s.system_to IS NULL AND s.valid_to IS NULL")
_READ_FROM: Final = ("fact", "fact_entity", "fact_predicate")
"""Beside the spans: while nothing was taken out of these tables or changed there, what was read holds."""
_MOST_COMMITS: Final = 1000
"""Of others: after more, beginning anew is as quick."""


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


_Spans = dict[int, HeldFact]
"""By span."""
_by_span: Final = itemgetter(0)


def held_of(
    db: Connection, ledger: str, norm: str, *, predicates: Collection[str] = (), most: int = MOST
) -> list[HeldFact]:
    """What is held of a subject, the newest first."""
    clause = Clause("e.ledger = ? AND e.key_norm = ?", (ledger, norm)) & _HELD
    if predicates:
        named = among("key_norm", sorted(predicates))
        ids = f"SELECT predicate_id FROM fact_predicate WHERE ledger = ? AND {named.sql}"
        clause &= Clause(f"f.predicate_id IN ({ids})", (ledger, *named.values))
    return list(_read(db, clause, f"ORDER BY s.span_id DESC LIMIT {most}"))


def latest_of(db: Connection, ledger: str, most: int) -> list[HeldFact]:
    """What was recorded last in a ledger, the newest first.

    Spans are looked at from the last one backwards. Where others have written much since, only what is held
    of the user is found: nothing leads from a ledger to its spans, and all of them are too many.
    """
    clause = Clause("f.ledger = ?", (ledger,)) & _HELD & Clause("p.key_norm <> 'session_id'")
    recent = Clause(f"s.span_id > (SELECT max(span_id) FROM fact_span) - {_WINDOW}")
    rows = list(_read(db, clause & recent, f"ORDER BY s.span_id DESC LIMIT {most}"))
    if len(rows) < most:
        spans = {row.span_id: row for row in (*rows, *held_of(db, ledger, USER, most=most))}
        rows = sorted(spans.values(), key=_by_span, reverse=True)[:most]
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


def _read(db: Connection, clause: Clause, tail: str = "") -> Iterator[HeldFact]:
    sql = f"SELECT {_ROWS.sql} FROM {_FROM} WHERE {clause.sql} {tail}"
    for fact, span, predicate, subject, named in _ROWS.read_all(db.all(sql, clause.values)):
        if fact.object_kind in (ObjectKind.TEXT, ObjectKind.ENTITY):
            yield _held(fact, span, predicate, subject, named)


def _held(
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


class HeldMirror:
    """What is held of the subjects that were asked for, and what was recorded last; used by writers only."""

    def __init__(self) -> None:
        self._tx: Transaction | None = None
        self._changed: set[int] = set()
        """Facts that have changed since they were read."""
        self._left: dict[int, list[HeldFact]] = {}
        """What is held of them now, where the transaction that changed them has left it."""
        self._names: dict[str, LedgerNames] = {}
        self._subjects: dict[tuple[str, str], _Spans] = {}
        self._latest: dict[str, tuple[_Spans, bool]] = {}
        """By ledger, with whether that is all there is."""
        self._places: dict[int, set[tuple[str, str]]] = {}
        """By fact, the subjects under which it is kept."""
        self._listed: dict[tuple[str, str], list[HeldFact]] = {}
        self._settled: dict[tuple[str, bytes, int], tuple[int, int]] = {}
        """By ledger, hash of a fact and how much evidence it rests on at least: the fact, and since when."""
        self._spans_before = self._time_before = 0
        """The last number of a span, and the system time, before the transaction that was followed last."""

    def clear(self) -> None:
        self._tx = None
        self._changed.clear()
        self._left.clear()
        self._names.clear()
        self._subjects.clear()
        self._latest.clear()
        self._places.clear()
        self._listed.clear()
        self._settled.clear()

    def follow(self, tx: Transaction) -> None:
        """Go on in a transaction, with what is known if nobody else has written since; before each look."""
        if self._tx is tx:
            self._refresh()
            return
        head = None if self._tx is None else self._tx.head_after
        if self._tx is None or head is None or len(self._places) > _MOST_KEPT:
            self.clear()
        elif head == tx.head_before:
            self._note_changes(self._tx)
        else:
            self._note_changes_of_others(self._tx, tx)
        self._tx = tx
        self._spans_before, self._time_before = tx.last_number("fact_span"), tx.before
        self._refresh()

    def _note_changes(self, tx: Transaction) -> None:
        changed = tx.changed_facts | tx.settled_facts
        self._changed |= changed
        for fact_id in changed:
            self._left.pop(fact_id, None)
            if fact_id in tx.open_spans and fact_id in tx.fact_rows:
                fact, subject, predicate, named = tx.fact_rows[fact_id]
                is_listed = fact.object_kind in (ObjectKind.TEXT, ObjectKind.ENTITY)
                spans = tx.open_spans[fact_id] if is_listed else ()
                self._left[fact_id] = [_held(fact, span, predicate, subject, named) for span in spans]

    def _note_changes_of_others(self, last: Transaction, tx: Transaction) -> None:
        """Facts with new spans are read again, if these are all that changed from before our last commit on.

        A span is added, or gets the end of its system time; a fact whose span ends nearly always gets another
        one for the period that is left. The log counts rows, a changed one as taken out and added: so the
        counts tell whether spans were taken out, or ended in other facts than those.
        """
        counts = row_counts_since(tx, last.head_before, most=_MOST_COMMITS)
        if counts is None or any(counts.get(table, (0, 0))[1] for table in _READ_FROM):
            self.clear()
            return
        added, removed = counts.get("fact_span", (0, 0))
        rows = tx.db.all("SELECT fact_id FROM fact_span WHERE span_id > ?", (self._spans_before,))
        facts = {int(fact_id) for (fact_id,) in rows}
        ended = 0
        for batch in batched(sorted(facts)):
            clause = among("fact_id", batch)
            sql = f"SELECT count(*) FROM fact_span WHERE system_to > ? AND {clause.sql}"
            ended += scalar(tx.db, sql, (self._time_before, *clause.values))
        if len(rows) != added - removed or ended != removed:
            self.clear()
            return
        self._settled.clear()
        self._changed |= facts

    def names(self, ledger: str) -> LedgerNames:
        """What the things of a ledger are called."""
        assert self._tx is not None
        names = self._names.get(ledger)
        if names is None:
            if len(self._names) >= _MOST_LEDGERS:
                self._names.clear()
            names = self._names[ledger] = LedgerNames(ledger)
        names.advance(self._tx)
        return names

    def held(self, ledger: str, norm: str) -> list[HeldFact] | None:
        """All that is held of a subject, the newest first; None where that is too much to keep."""
        key = (ledger, norm)
        spans = self._subjects.get(key)
        if spans is None and not self.names(ledger).keys_among([norm]):
            return []
        if spans is None:
            rows = held_of(self._db, ledger, norm)
            if len(rows) == MOST:
                return None
            spans = self._subjects[key] = {}
            self._keep(spans, key, rows)
        if key not in self._listed:
            self._listed[key] = sorted(spans.values(), key=_by_span, reverse=True)
        return self._listed[key]

    def latest(self, ledger: str) -> list[HeldFact]:
        spans, is_all = self._latest.get(ledger, ({}, False))
        if len(spans) < LATEST and not is_all:
            rows = latest_of(self._db, ledger, 2 * LATEST)
            spans = {row.span_id: row for row in rows}
            self._latest[ledger] = (spans, len(rows) < 2 * LATEST)
        return sorted(spans.values(), key=_by_span, reverse=True)[:LATEST]

    def is_settled(self, ledger: str, hashed: bytes, *, at: int, max_evidence: int) -> bool:
        """Whether a fact holds at an instant, and on as much evidence as is kept."""
        key = (ledger, hashed, max_evidence)
        if key not in self._settled or at < self._settled[key][1]:
            fact_id = settled_fact(self._db, hashed, ledger=ledger, at=at, max_evidence=max_evidence)
            if fact_id is None:
                return False
            self._settled[key] = (fact_id, at)
        return True

    @property
    def _db(self) -> Connection:
        assert self._tx is not None
        return self._tx.db

    def _keep(self, spans: _Spans, key: tuple[str, str], rows: Iterable[HeldFact]) -> None:
        self._listed.pop(key, None)
        for row in rows:
            spans[row.span_id] = row
            self._places.setdefault(row.fact_id, set()).add(key)

    def _refresh(self) -> None:
        """Read the facts that changed once more."""
        assert self._tx is not None
        self._note_changes(self._tx)
        if any(fact_id in self._changed for fact_id, _ in self._settled.values()):
            self._settled.clear()
        if not self._changed or not (self._subjects or self._latest):
            self._changed.clear()
            self._left.clear()
            return
        changed, self._changed = self._changed, set()
        left, self._left = self._left, {}
        for fact_id in changed:
            for key in self._places.pop(fact_id, ()):
                spans = self._subjects[key]
                self._listed.pop(key, None)
                for span_id in [number for number, row in spans.items() if row.fact_id == fact_id]:
                    del spans[span_id]
        for spans, _ in self._latest.values():
            for span_id in [number for number, row in spans.items() if row.fact_id in changed]:
                del spans[span_id]
        for rows in left.values():
            self._put(rows)
        for batch in batched(sorted(changed - left.keys())):
            self._put(_read(self._db, among("f.fact_id", batch) & _HELD))

    def _put(self, rows: Iterable[HeldFact]) -> None:
        for row in rows:
            key = (row.ledger, row.subject)
            if key in self._subjects:
                self._keep(self._subjects[key], key, [row])
            if row.ledger in self._latest and row.predicate != "session_id":
                self._latest[row.ledger][0][row.span_id] = row
