"""What was said, one assertion at a time, with its lineage; and what is not believed until confirmed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import View
from longmind.base.times import FOREVER
from longmind.facts.expiry import stands
from longmind.facts.hits import frames_known
from longmind.facts.load import SUPPORTED, Loader
from longmind.facts.removal import store_again
from longmind.facts.results import Stated, StatedResult
from longmind.facts.rows import (
    AssertionRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    PremiseRow,
    RulingRow,
    close,
    insert,
    join,
    kind_of,
    ledgers,
    select,
    select_among,
    stored_object,
)
from longmind.facts.statements import Resolver
from longmind.facts.trust import NAMES
from longmind.facts.values import Entity, Evidence, Predicate, untyped
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among, both

_COLUMNS = join((AssertionRow, "x"), (EntityRow, "e"), (PredicateRow, "p"), (FactRow, "c"), (EntityRow, "o"))
_SOURCE = (
    "fact_assertion x JOIN fact_entity e ON e.entity_id = x.subject_entity_id "
    "JOIN fact_predicate p ON p.predicate_id = x.predicate_id LEFT JOIN fact c ON c.fact_id = x.fact_id "
    "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id"
)
_PENDING = (
    "x.held_back = 1 AND NOT EXISTS (SELECT 1 FROM fact_ruling r "
    "WHERE r.assertion_id = x.assertion_id AND r.until IS NULL)"
)


def waiting(db: Connection, view: View, *, limit: int) -> StatedResult:
    """Assertions in quarantine that nobody has decided on, oldest first."""
    return stated(db, view, Clause(_PENDING), limit=limit)


def stated(db: Connection, view: View, condition: Clause, *, limit: int) -> StatedResult:
    """Assertions under a condition, in the order in which they were made."""
    in_view = Clause("1 = 1")
    if view.as_of.system != FOREVER:
        in_view = Clause("x.system_from <= ?", (view.as_of.system,))
    clause = both([condition, ledgers(view, "x.ledger"), in_view, stands(view)])
    sql = (
        f"SELECT {_COLUMNS.sql}, CASE WHEN {SUPPORTED} THEN 1 ELSE 0 END FROM {_SOURCE} "
        f"WHERE {clause.sql} ORDER BY x.assertion_id LIMIT {limit + 1}"
    )
    rows = db.all(sql, clause.values)
    read = [(*_COLUMNS.read(row), bool(row[_COLUMNS.width])) for row in rows[:limit]]
    numbers = [row.assertion_id for row, *_ in read]
    evidence = _evidence(db, view, numbers)
    rulings = {row.assertion_id: row for row in select_among(
        db, RulingRow, "assertion_id", numbers, also=Clause("x.until IS NULL"))}  # fmt: skip
    premises: dict[int, list[int]] = defaultdict(list)
    for premise in sorted(select_among(db, PremiseRow, "assertion_id", numbers), key=lambda item: item[:2]):
        premises[premise.assertion_id].append(premise.premise_fact_id or 0)
    return StatedResult(
        tuple(
            Stated(
                id=row.assertion_id,
                subject=Entity(subject.key),
                predicate=Predicate(predicate.key),
                object=None if fact is None else untyped(kind_of(fact), stored_object(fact, entity)),
                fact_id=row.fact_id,
                action=row.action,
                polarity=bool(row.polarity),
                valid_from=None if row.valid_from == -FOREVER else row.valid_from,
                valid_to=row.valid_to,
                said_at=row.system_from,
                channel=row.channel,
                speaker=row.speaker,
                user=row.said_by,
                trust=NAMES[row.trust],
                by_hand=bool(row.by_hand),
                state=_state(row, rulings.get(row.assertion_id), supported),
                evidence=tuple(evidence[row.assertion_id]),
                derived_from=tuple(premises[row.assertion_id]),
                reason=row.reason,
                space=row.space,
            )
            for row, subject, predicate, fact, entity, supported in read
        ),
        truncated=len(rows) > limit,
    )


def _state(row: AssertionRow, ruling: RulingRow | None, supported: bool) -> str:
    if row.held_back and ruling is None:
        return "quarantined"
    if ruling is not None and not ruling.confirmed:
        return "rejected"
    return "live" if supported and row.system_to is None else "retired"


def _evidence(db: Connection, view: View, numbers: Sequence[int]) -> dict[int, list[Evidence]]:
    columns = join((EvidenceRow, "v"))
    by_assertion: dict[int, list[Evidence]] = defaultdict(list)
    for batch in batched(numbers):
        clause = among("v.assertion_id", batch) & frames_known(view)
        sql = (
            f"SELECT {columns.sql} FROM fact_evidence v JOIN frame f ON f.frame_id = v.frame_id "
            f"WHERE {clause.sql} ORDER BY v.evidence_id"
        )
        for [row] in map(columns.read, db.all(sql, clause.values)):
            by_assertion[row.assertion_id].append(row.value())
    return by_assertion


def decide(tx: Transaction, view: View, assertion_id: int, *, confirmed: bool) -> bool:
    """Believe an assertion in quarantine from now on, or never; True if that changes anything."""
    if isinstance(assertion_id, bool) or not isinstance(assertion_id, int) or not 0 < assertion_id < 2**63:
        raise InvalidInput(
            f"{assertion_id!r} is not the id of an assertion.", hint="facts.quarantine() lists them."
        )
    clause = Clause("x.assertion_id = ?", (assertion_id,)) & ledgers(view, "x.ledger")
    row = next(iter(select(tx.db, AssertionRow, clause.sql, clause.values)), None)
    if row is None or not row.held_back:
        raise NotFound(
            f"There is no assertion {assertion_id} in quarantine here.", hint="facts.quarantine() lists them."
        )
    before = select(tx.db, RulingRow, "x.assertion_id = ? AND x.until IS NULL", (assertion_id,))
    if before and bool(before[0].confirmed) == confirmed:
        return False
    close(tx, before)
    insert(tx.db, [RulingRow(tx.allocate("fact_ruling"), assertion_id, int(confirmed), tx.system, None)])
    loaded = Loader(Resolver(tx, row.ledger))
    states = loaded.load_whole([row])
    fact_ids = {row.fact_id} if row.fact_id is not None else set()
    joining = {assertion_id: row} if confirmed else {}
    store_again(
        tx, loaded, states, said=fact_ids, reason="superseded" if confirmed else "rejected", new=joining
    )
    return True
