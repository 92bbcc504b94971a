"""Hits that say nothing new beside another: values that were replaced, and words that are kept twice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from longmind.base.times import AsOf
from longmind.facts.hits import held
from longmind.search.results import Hit
from longmind.store.engine import Connection
from longmind.store.visible import among

_ASKS_PAST: Final = re.compile(
    r"\b(?:used\s+to|before|previous(?:ly)?|former(?:ly)?|earlier|ever|history|originally|original|old|first|"
    r"past|once|change[ds]?|changing|back\s+then|was|were|did|had|until|since|ago)\b",
    re.IGNORECASE,
)


def outdated(db: Connection, hits: Sequence[Hit], as_of: AsOf, query: str) -> dict[int, int]:
    """Hits whose statements were all replaced, each with the hit that holds the value now.

    Only of predicates that have one value at a time, and not where the question is about the past.
    """
    if len(hits) < 2 or _ASKS_PAST.search(query):
        return {}
    frames, now = among("v.frame_id", [hit.frame.id for hit in hits]), held(as_of)
    rows = db.all(
        "SELECT v.frame_id, a.subject_entity_id, a.predicate_id, "
        "CASE WHEN EXISTS (SELECT 1 FROM fact_support u JOIN fact_span s ON s.span_id = u.span_id "
        f"WHERE u.assertion_id = a.assertion_id AND {now.sql}) THEN 1 ELSE 0 END "
        "FROM fact_evidence v JOIN fact_assertion a ON a.assertion_id = v.assertion_id "
        "JOIN fact_predicate p ON p.predicate_id = a.predicate_id "
        # Without bytes it is about the text (its session, its author), and not said in it.
        f"WHERE {frames.sql} AND v.start_byte IS NOT NULL AND p.cardinality = 'one' "
        "AND a.polarity = 1 AND a.held_back = 0 "
        "AND a.action IN ('record', 'correct', 'replace')",
        (*now.values, *frames.values),
    )
    slots: dict[int, set[tuple[int, int]]] = defaultdict(set)
    holders: dict[tuple[int, int], int] = {}
    standing: set[int] = set()
    for frame_id, subject, predicate, is_held in rows:
        slots[int(frame_id)].add((int(subject), int(predicate)))
        if is_held:
            standing.add(int(frame_id))
            holders.setdefault((int(subject), int(predicate)), int(frame_id))
    # A text that says something else beside what was replaced still says that.
    return {
        frame_id: holders[min(slot)]
        for frame_id, slot in slots.items()
        if frame_id not in standing and slot <= holders.keys()
    }


def told_twice(db: Connection, hits: Sequence[Hit]) -> dict[int, int]:
    """Memories beside the turn they were made of: the lower of the two, with the other."""
    places = {hit.frame.id: position for position, hit in enumerate(hits)}
    if len(places) < 2:
        return {}
    frames = among("v.frame_id", list(places))
    rows = db.all(
        "SELECT v.frame_id, l.frame_id FROM conversation_version v "
        f"JOIN conversation_link l ON l.memory_id = v.memory_id WHERE {frames.sql}",
        frames.values,
    )
    repeated: dict[int, int] = {}
    for memory, turn in ((int(row[0]), int(row[1])) for row in rows):
        if turn in places and turn != memory:
            first, second = sorted((memory, turn), key=places.__getitem__)
            if first not in repeated:
                repeated.setdefault(second, first)
    return repeated
