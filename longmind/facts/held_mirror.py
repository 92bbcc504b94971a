"""What ledgers hold, kept in memory from one write to the next: every turn is compared with all of it.

The mirror is brought up to date by the facts that each transaction changed. The end of the audit log, a hash
over all that was ever written, tells whether anybody else has written since the last transaction that it
followed: then the log and the numbers of spans say which facts those writes changed. Where they cannot say
it, and after a transaction that was given up, the mirror begins anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from longmind.facts.canonical import ObjectKind
from longmind.facts.held_facts import LATEST, HeldFact, by_span, held_fact, latest_of, read, settled_fact
from longmind.facts.ledger_names import LedgerNames
from longmind.facts.subject_facts import SubjectFacts
from longmind.store.audit_log import row_counts_since
from longmind.store.engine import Connection, scalar
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import among

_MOST_KEPT: Final = 20_000
"""Facts of all subjects and ledgers; beyond it the mirror begins anew."""
_MOST_LEDGERS: Final = 100
"""Of which names are kept."""
_READ_FROM: Final = ("fact", "fact_entity", "fact_predicate")
"""Beside the spans: while nothing was taken out of these tables or changed there, what was read holds."""
_MOST_COMMITS: Final = 1000
"""Of others: after more, beginning anew is as quick."""

_Spans = dict[int, HeldFact]
"""By span."""


class HeldMirror:
    """What is held of the subjects that were asked for, and what was recorded last; used by writers only."""

    def __init__(self) -> None:
        self._tx: Transaction | None = None
        self._changed: set[int] = set()
        """Facts that have changed since they were read."""
        self._left: dict[int, list[HeldFact]] = {}
        """What is held of them now, where the transaction that changed them has left it."""
        self._names: dict[str, LedgerNames] = {}
        self._subjects: dict[tuple[str, str], SubjectFacts] = {}
        self._latest: dict[str, tuple[_Spans, bool]] = {}
        """By ledger, with whether that is all there is."""
        self._places: dict[int, tuple[str, str]] = {}
        """By fact, the subject under which it is kept."""
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
                self._left[fact_id] = [held_fact(fact, span, predicate, subject, named) for span in spans]

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

    def subject(self, ledger: str, norm: str, predicates: Collection[str] = ()) -> SubjectFacts:
        """What is held of a subject; all of some predicates, where they are named."""
        key = (ledger, norm)
        facts = self._subjects.get(key)
        if facts is None or facts.is_short:
            facts = SubjectFacts(ledger, norm)
            if not self.names(ledger).keys_among([norm]):
                return facts
            self._subjects[key] = facts
            self._note_places(key, facts.load(self._db))
        missing = facts.missing(predicates)
        if missing:
            self._note_places(key, facts.load_predicates(self._db, missing))
        return facts

    def latest(self, ledger: str) -> list[HeldFact]:
        spans, is_all = self._latest.get(ledger, ({}, False))
        if len(spans) < LATEST and not is_all:
            rows = latest_of(self._db, ledger, 2 * LATEST)
            spans = {row.span_id: row for row in rows}
            self._latest[ledger] = (spans, len(rows) < 2 * LATEST)
        return sorted(spans.values(), key=by_span, reverse=True)[:LATEST]

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

    def _note_places(self, key: tuple[str, str], rows: Iterable[HeldFact]) -> None:
        self._places.update((row.fact_id, key) for row in rows)

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
            if fact_id in self._places:
                self._subjects[self._places.pop(fact_id)].remove(fact_id)
        for spans, _ in self._latest.values():
            for span_id in [number for number, row in spans.items() if row.fact_id in changed]:
                del spans[span_id]
        for rows in left.values():
            self._put(rows)
        for batch in batched(sorted(changed - left.keys())):
            self._put(read(self._db, among("f.fact_id", batch)))

    def _put(self, rows: Iterable[HeldFact]) -> None:
        for row in rows:
            key = (row.ledger, row.subject)
            if key in self._subjects:
                self._subjects[key].add(row)
                self._places[row.fact_id] = key
            if row.ledger in self._latest and row.predicate != "session_id":
                spans, is_all = self._latest[row.ledger]
                spans[row.span_id] = row
                if len(spans) > 4 * LATEST:
                    newest = sorted(spans.values(), key=by_span, reverse=True)[: 2 * LATEST]
                    spans, is_all = {each.span_id: each for each in newest}, False
                self._latest[row.ledger] = (spans, is_all)
