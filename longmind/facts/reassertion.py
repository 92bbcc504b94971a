"""A text said again: its frame is kept once, and what it says is asserted again where that matters."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from longmind.facts import write
from longmind.facts.rows import (
    AssertionRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    join,
    kind_of,
    load_qualifiers,
    stored_object,
)
from longmind.facts.statements import Claim
from longmind.facts.trust import Lineage
from longmind.facts.values import Entity, Evidence, Predicate, Typed
from longmind.store.transaction import Transaction

_COLUMNS: Final = join(
    (EvidenceRow, "v"),
    (AssertionRow, "x"),
    (FactRow, "c"),
    (EntityRow, "e"),
    (PredicateRow, "p"),
    (EntityRow, "o"),
)
# Said of the moment it was said at, by the frame itself or by one of its chunks, and not held now.
_SAID: Final = (
    f"SELECT {_COLUMNS.sql} FROM fact_evidence v JOIN fact_assertion x ON x.assertion_id = v.assertion_id "
    "JOIN frame f ON f.frame_id = v.frame_id JOIN fact c ON c.fact_id = x.fact_id "
    "JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
    "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
    "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
    "WHERE (f.frame_id = ? OR (f.parent_id = ? AND f.start_byte IS NOT NULL)) AND f.retired_at IS NULL "
    "AND x.action IN ('record', 'correct', 'end') AND x.held_back = 0 "
    "AND x.system_to IS NULL AND (x.valid_from = v.asserted_at OR x.valid_from >= f.occurred_at) "
    "AND (x.valid_to IS NULL OR x.valid_to > ?) ORDER BY x.assertion_id, v.evidence_id"
)


def assert_again(tx: Transaction, frame_id: int, *, moment: int, by_clock: bool) -> int:
    """Assert what a frame said of its own moment, of this moment; return how many assertions that were.

    Nothing is written where what it says is what is held.
    """
    claims: dict[int, tuple[AssertionRow, Claim]] = {}
    for row in tx.db.all(_SAID, (frame_id, frame_id, moment)):
        evidence, stored, fact, subject, predicate, entity = _COLUMNS.read(row)
        if _is_held(tx, stored, moment) == (stored.action != "end" and bool(stored.polarity)):
            continue
        piece = evidence.value()
        claims[fact.fact_id] = (
            stored,
            Claim(
                Entity(subject.key),
                Predicate(predicate.key),
                Typed(kind_of(fact), stored_object(fact, entity)),
                load_qualifiers(fact.qualifiers),
                action="end" if stored.action == "end" else "record",
                polarity=bool(stored.polarity),
                start=moment,
                end=stored.valid_to,
                evidence=(_at(piece, moment),),
                by_hand=False,
                lineage=Lineage(stored.channel, stored.speaker, stored.said_by, stored.trust),
                by_clock=by_clock,
                reason=stored.reason,
                lenient=True,
            ),
        )
    for stored, claim in claims.values():
        write.write(tx, [claim], ledger=stored.ledger, space=stored.space)
    return len(claims)


def _at(piece: Evidence, moment: int) -> Evidence:
    return replace(piece, asserted_at=moment)


def _is_held(tx: Transaction, said: AssertionRow, moment: int) -> bool:
    sql = (
        "SELECT 1 FROM fact_span s JOIN fact_support u ON u.span_id = s.span_id "
        "JOIN fact_assertion y ON y.assertion_id = u.assertion_id "
        "WHERE y.fact_id = ? AND s.system_to IS NULL AND s.valid_from <= ? "
        "AND (s.valid_to IS NULL OR s.valid_to > ?)"
    )
    return tx.db.one(sql, (said.fact_id, max(moment, said.valid_from), moment)) is not None
