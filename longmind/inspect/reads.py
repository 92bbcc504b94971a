"""What the pages need beyond the operations: counts over time, conversations, what was learned from what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from longmind.base.checks import check_limit
from longmind.base.errors import InvalidInput
from longmind.base.filters import SpaceLike, View
from longmind.base.parameters import AsUser, Limit
from longmind.base.partitions import split_partition
from longmind.base.times import FOREVER, AsOf
from longmind.facts.canonical import ObjectKind
from longmind.facts.rows import ledgers
from longmind.facts.values import Value, untyped
from longmind.inspect.frame_counts import (
    DAY,
    FrameBounds,
    frame_bounds,
    frame_counts,
    latest_sessions,
    step_of,
)
from longmind.inspect.results import (
    Axes,
    Count,
    Learned,
    LearnedFact,
    LearnedMemory,
    Overview,
    SessionPage,
    SpaceCount,
)
from longmind.inspect.scope import MOST, view_of
from longmind.memory import Memory
from longmind.store.engine import Connection, scalar
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both, during, partitions, visible_by_id

_STORED: Final = (ObjectKind.TEXT, ObjectKind.INT, ObjectKind.DOUBLE, ObjectKind.BOOL, ObjectKind.TIME)
"""Whose columns `OBJECT_COLUMNS` names, in its order."""


def overview(
    memory: Memory, *, as_of: AsOf = AsOf.LATEST, space: SpaceLike | None = None, user: AsUser = None
) -> Overview:
    """What is in a part of the store: frames over time and by kind, facts, memories, what changed today."""
    view = view_of(memory, space, user, as_of)
    now = memory.store.present()
    with memory.store.read() as snapshot:
        db = snapshot.db
        since = min(as_of.system, now) - DAY
        catalog = memory.store.catalog.at(snapshot, view)
        bounds = frame_bounds(catalog, view, since)
        step = step_of(bounds)
        counts = frame_counts(catalog, view, step)
        layers = _layers(db, view)
        return Overview(
            frames=sum(counts.kinds.values()),
            chunks=counts.chunks,
            retired=bounds.retired,
            kinds=tuple(Count(name, count) for name, count in counts.kinds.most_common()),
            places=tuple(
                SpaceCount(*split_partition(name), count)
                for name, count in counts.partitions.most_common(MOST)
            ),
            activity=counts.activity,
            step=step,
            recorded_today=bounds.recorded_since,
            retired_today=bounds.retired_since,
            **_fact_counts(db, view, since),
            memories=tuple(Count(name, count) for name, count in sorted(layers.items())),
            axes=_axes(db, view, bounds, now),
            revision=snapshot.revision,
        )


def axes(memory: Memory, *, space: SpaceLike | None = None, user: AsUser = None) -> Axes:
    """Where the two time axes of a part of the store begin and end."""
    view = view_of(memory, space, user, AsOf.LATEST)
    now = memory.store.present()
    with memory.store.read() as snapshot:
        bounds = frame_bounds(memory.store.catalog.at(snapshot, view), view, now)
        return _axes(snapshot.db, view, bounds, now)


def _axes(db: Connection, view: View, frames: FrameBounds, now: int) -> Axes:
    own = ledgers(view, "c.ledger")
    spans = db.one(
        "SELECT min(s.system_from), max(s.system_from), min(s.valid_from), max(s.valid_from) "
        f"FROM fact_span s JOIN fact c ON c.fact_id = s.fact_id WHERE {own.sql}",
        own.values,
    ) or (None, None, None, None)
    low, high = (
        [
            function([moment for moment in pair if moment is not None], default=None)
            for pair in zip(frames[:4], spans, strict=True)
        ]
        for function in (min, max)
    )
    # The earliest valid time of all is what has always been so: not a moment that a slider could start at.
    earliest = low[2] if low[2] is not None and low[2] > -(2**61) else frames.occurred_from
    return Axes(low[0], high[1], earliest, high[3], now)


def _fact_counts(db: Connection, view: View, since: int) -> dict[str, int]:
    spans = "fact_span s JOIN fact c ON c.fact_id = s.fact_id"
    here = ledgers(view, "c.ledger")
    system, valid = view.as_of.system, view.as_of.valid
    current = both([here, _known_at(system), _valid_at(valid)])
    pending = Clause(
        "x.held_back = 1 AND NOT EXISTS (SELECT 1 FROM fact_ruling r WHERE r.assertion_id = x.assertion_id "
        "AND r.until IS NULL)"
    )
    return {
        "entities": _count(db, "fact_entity e", ledgers(view, "e.ledger")),
        "facts": _count(db, spans, current),
        "learned_today": _count(db, spans, here & Clause("s.system_from > ?", (since,))),
        "ended_today": _count(db, spans, here & Clause("s.system_to > ?", (since,))),
        "quarantined": _count(db, "fact_assertion x", ledgers(view, "x.ledger") & pending),
    }


def _known_at(system: int) -> Clause:
    if system == FOREVER:
        return Clause("s.system_to IS NULL")
    return Clause("s.system_from <= ? AND (s.system_to IS NULL OR s.system_to > ?)", (system, system))


def _valid_at(valid: int) -> Clause:
    if valid == FOREVER:
        return Clause("s.valid_to IS NULL")
    return Clause("s.valid_from <= ? AND (s.valid_to IS NULL OR s.valid_to > ?)", (valid, valid))


def _layers(db: Connection, view: View) -> dict[str, int]:
    clause = both([partitions(view, "m.space"), during("t", view.as_of)])
    rows = db.all(
        "SELECT t.layer, t.status, count(*) FROM conversation_memory m "
        f"JOIN conversation_state t ON t.memory_id = m.memory_id WHERE {clause.sql} GROUP BY 1, 2",
        clause.values,
    )
    counts: Counter[str] = Counter()
    for layer, status, count in rows:
        counts[layer if status == "active" else status] += count
    return counts


def _count(db: Connection, source: str, clause: Clause) -> int:
    return scalar(db, f"SELECT count(*) FROM {source} WHERE {clause.sql}", clause.values)


def sessions(
    memory: Memory,
    *,
    limit: Limit = 100,
    offset: Annotated[int, "Leave out as many."] = 0,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> SessionPage:
    """Conversations, the one with the latest turn first."""
    check_limit(limit, "limit", most=MOST)
    view = view_of(memory, space, user, as_of)
    with memory.store.read() as snapshot:
        skipped = max(0, offset)
        catalog = memory.store.catalog.at(snapshot, view)
        rows = latest_sessions(catalog, view, most=skipped + limit + 1)[skipped:]
        openings = _beginnings(snapshot.db, [row.frame for row in rows[:limit]])
    shown = tuple(replace(row, opening=openings.get(row.frame, "")) for row in rows[:limit])
    return SessionPage(shown, skipped + limit if len(rows) > limit else None)


def _beginnings(db: Connection, ids: Sequence[int]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for batch in batched(ids):
        clause = among("x.frame_id", batch)
        sql = f"SELECT x.frame_id, substr(x.text, 1, 120) FROM frame_text x WHERE {clause.sql}"
        texts.update((row[0], row[1]) for row in db.all(sql, clause.values))
    return texts


def learned(
    memory: Memory,
    frames: Annotated[list[int], "The ids of frames."],
    *,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Learned:
    """What was learned from frames: the facts they speak for, and the memories made of them."""
    if len(frames) > MOST:
        raise InvalidInput(f"At most {MOST} frames at once.", hint="Ask for fewer.")
    view = view_of(memory, space, user, as_of)
    clause = among("f.frame_id", frames) & visible_by_id(view)
    with memory.store.read() as snapshot:
        seen = [
            row[0]
            for row in snapshot.db.all(f"SELECT f.frame_id FROM frame f WHERE {clause.sql}", clause.values)
        ]
        return Learned(
            tuple(_learned_facts(snapshot.db, view, seen)), tuple(_learned_memories(snapshot.db, view, seen))
        )


def _learned_facts(db: Connection, view: View, ids: Sequence[int]) -> Iterable[LearnedFact]:
    current = both([_known_at(view.as_of.system), _valid_at(view.as_of.valid)])
    clause = both([among("v.frame_id", ids), ledgers(view, "c.ledger")])
    sql = (
        f"SELECT v.frame_id, v.start_byte, v.end_byte, c.fact_id, e.key, p.key, {OBJECT_COLUMNS}, o.key, "
        "x.held_back, "
        "(SELECT r.confirmed FROM fact_ruling r WHERE r.assertion_id = x.assertion_id AND r.until IS NULL), "
        f"EXISTS (SELECT 1 FROM fact_span s WHERE s.fact_id = c.fact_id AND {current.sql}) "
        "FROM fact_evidence v LEFT JOIN fact_assertion x ON x.assertion_id = v.assertion_id "
        "JOIN fact c ON c.fact_id = coalesce(v.fact_id, x.fact_id) "
        "JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
        "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
        f"WHERE {clause.sql} ORDER BY v.frame_id, v.start_byte, c.fact_id"
    )
    listed: set[tuple[Any, ...]] = set()
    for row in db.all(sql, current.values + clause.values):
        frame_id, start, end, fact_id, subject, predicate = row[:6]
        if (frame_id, start, end, fact_id) not in listed:
            listed.add((frame_id, start, end, fact_id))
            state = _state(held_back=row[13], confirmed=row[14], is_held=row[15])
            yield LearnedFact(
                frame_id, start, end, fact_id, subject, predicate, value_of(row[6:12], row[12]), state
            )


def _state(*, held_back: Any, confirmed: Any, is_held: Any) -> str:
    if held_back and confirmed is None:
        return "quarantined"
    if held_back and not confirmed:
        return "rejected"
    return "held" if is_held else "ended"


OBJECT_COLUMNS: Final = (
    "c.object_kind, c.object_text, c.object_int, c.object_real, c.object_bool, c.object_time"
)


def value_of(columns: Sequence[Any], entity: str | None = None) -> Value:
    """The value of a fact from `OBJECT_COLUMNS`, or the entity that it names."""
    kind, *stored = columns
    if kind == ObjectKind.ENTITY:
        return untyped(kind, entity)
    if kind == ObjectKind.DATA:
        return "(bytes)"
    return untyped(kind, stored[_STORED.index(ObjectKind(kind))])


def _learned_memories(db: Connection, view: View, ids: Sequence[int]) -> Iterable[LearnedMemory]:
    clause = both(
        [
            among("l.frame_id", ids),
            partitions(view, "m.space"),
            during("t", view.as_of),
            Clause(
                "v.number = (SELECT max(w.number) FROM conversation_version w "
                "WHERE w.memory_id = v.memory_id)"
            ),
        ]
    )
    sql = (
        "SELECT l.frame_id, l.start_byte, l.end_byte, l.memory_id, x.text, t.layer, t.status, l.reason "
        "FROM conversation_link l JOIN conversation_memory m ON m.memory_id = l.memory_id "
        "JOIN conversation_state t ON t.memory_id = l.memory_id "
        "JOIN conversation_version v ON v.memory_id = l.memory_id "
        "JOIN frame_text x ON x.frame_id = v.frame_id "
        f"WHERE {clause.sql} ORDER BY l.frame_id, l.memory_id, l.reason"
    )
    return (LearnedMemory(*row) for row in db.all(sql, clause.values))
