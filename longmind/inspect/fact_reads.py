"""What the pages of facts need: lists of entities, the graph as a whole, dependents, likely duplicates."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any, Final

from longmind.base.checks import check_limit, check_text
from longmind.base.errors import InvalidInput
from longmind.base.filters import SpaceLike, View
from longmind.base.parameters import AsUser, Limit
from longmind.base.partitions import split_partition
from longmind.base.times import FOREVER, AsOf
from longmind.facts.canonical import ObjectKind, canonical_text
from longmind.facts.hits import SOURCE, as_fact, held, of_predicates, seen, select_spans
from longmind.facts.rows import GLOBAL, ledgers
from longmind.facts.values import Predicate, shown
from longmind.inspect.reads import OBJECT_COLUMNS, value_of
from longmind.inspect.results import (
    Count,
    Dependent,
    Dependents,
    EntityPage,
    EntityRow,
    Graph,
    GraphNode,
    History,
    Likeness,
    Likenesses,
)
from longmind.inspect.scope import MOST, view_of
from longmind.memory import Memory
from longmind.store.engine import Connection, Row, scalar
from longmind.store.letters import like_pattern
from longmind.store.visible import Clause, both

MOST_EDGES: Final = 10_000
_BOXES: Final = 400
"""Of one predicate: a picture with more of them shows nothing any more."""
_COMPARED: Final = 2_000
"""Names that are compared with each other, the best known first: the pairs grow with the square."""
_NUMBER: Final = re.compile(r"\d+")
_ALIKE: Final = 88
"""From here on two names are often one thing, misspelled or shortened; below, mostly two things."""


def entities(
    memory: Memory,
    *,
    text: Annotated[str | None, "Only with these letters in the name or an alias."] = None,
    limit: Limit = 100,
    offset: Annotated[int, "Leave out as many."] = 0,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> EntityPage:
    """Entities with how much is known of each, the best known first."""
    check_limit(limit, "limit", most=MOST)
    view = view_of(memory, space, user, as_of)
    with memory.store.read() as snapshot:
        return _entities(snapshot.db, view, text, limit, max(0, offset))


def _entities(db: Connection, view: View, text: str | None, limit: int, offset: int) -> EntityPage:
    system = view.as_of.system
    tests = [
        ledgers(view, "e.ledger"),
        Clause("e.created_at <= ?", (system,)),
        Clause(
            "NOT EXISTS (SELECT 1 FROM fact_same m WHERE m.entity_id = e.entity_id AND m.since <= ? "
            "AND (m.until IS NULL OR m.until > ?))",
            (system, system),
        ),
    ]
    if text:
        norm = canonical_text(check_text(text, "text"))
        pattern = like_pattern(norm)
        tests.append(
            Clause(
                "(e.key_norm LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM fact_alias a "
                "WHERE a.entity_id = e.entity_id AND a.alias_norm LIKE ? ESCAPE '!'))",
                (pattern, pattern),
            )
        )
    clause = both(tests)
    now_held = held(view.as_of)
    sql = (
        f"SELECT e.key, e.kind, count(CASE WHEN {now_held.sql} THEN 1 END) AS held, count(s.span_id), "
        "coalesce(max(coalesce(s.system_to, s.system_from)), e.created_at), e.ledger "
        "FROM fact_entity e LEFT JOIN fact c ON c.subject_entity_id = e.entity_id "
        "LEFT JOIN fact_span s ON s.fact_id = c.fact_id AND s.system_from <= ? "
        f"WHERE {clause.sql} GROUP BY e.entity_id, e.key, e.kind, e.key_norm, e.created_at, e.ledger "
        f"ORDER BY held DESC, e.key_norm, e.ledger LIMIT {limit + 1} OFFSET {offset}"
    )
    rows = db.all(sql, (*now_held.values, system, *clause.values))
    total = scalar(db, f"SELECT count(*) FROM fact_entity e WHERE {clause.sql}", clause.values)
    entity_rows = tuple(
        EntityRow(key, kind, facts, periods, changed_at, *split_partition("" if ledger == GLOBAL else ledger))
        for key, kind, facts, periods, changed_at, ledger in rows[:limit]
    )
    return EntityPage(entity_rows, offset + limit if len(rows) > limit else None, total)


def graph(
    memory: Memory,
    *,
    predicates: Annotated[list[str] | None, "Only these predicates."] = None,
    values: Annotated[bool, "Also facts whose value is a text or a number."] = False,
    limit: Limit = 5000,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Graph:
    """The facts that link entities, newest first, as one graph."""
    check_limit(limit, "limit", most=MOST_EDGES)
    view = view_of(memory, space, user, as_of)
    kind = Clause("1 = 1" if values else f"c.object_kind = {ObjectKind.ENTITY:d}")
    every = both([kind, seen(view)])
    some = both([every, of_predicates([Predicate(key) for key in predicates or ()])])
    with memory.store.read() as snapshot:
        db = snapshot.db
        # Only what is drawn: whole rows with their checksums would take most of the time.
        rows = db.all(
            f"SELECT p.key, e.key, e.kind, o.key, o.kind, {OBJECT_COLUMNS} FROM {SOURCE} "
            f"WHERE {some.sql} ORDER BY s.system_from DESC, c.fact_id LIMIT {limit + 1}",
            some.values,
        )
        if predicates or len(rows) > limit:
            counts = db.all(
                f"SELECT min(p.key), count(*) FROM {SOURCE} WHERE {every.sql} GROUP BY p.key_norm "
                "ORDER BY 2 DESC, 1",
                every.values,
            )
        else:
            # All of them are here: counting them again in the store would take as long as finding them.
            by_key = Counter(row[0] for row in rows)
            counts = sorted(by_key.items(), key=lambda item: (-item[1], item[0]))
    return _drawn(rows[:limit], counts, truncated=len(rows) > limit)


def _drawn(rows: Sequence[Row], counts: Sequence[Row], *, truncated: bool) -> Graph:
    predicates = {name: index for index, (name, _) in enumerate(counts)}
    nodes: dict[tuple[str, bool], GraphNode] = {}
    positions: dict[tuple[str, bool], int] = {}

    def position(name: str, kind: str, *, is_entity: bool) -> int:
        if (name, is_entity) not in positions:
            positions[name, is_entity] = len(nodes)
            nodes[name, is_entity] = GraphNode(name, kind or None, is_entity)
        return positions[name, is_entity]

    edges = []
    for predicate, subject, subject_kind, entity, entity_kind, *columns in rows:
        start = position(subject, subject_kind, is_entity=True)
        is_entity = entity is not None
        label = entity if is_entity else shown(value_of(columns))
        end = position(label, entity_kind if is_entity else "", is_entity=is_entity)
        # A predicate may be spelled in several ways; its count stands under one of them.
        number = predicates.setdefault(predicate, len(predicates))
        edges.append((start, number, end))
    listed: dict[str, int] = dict(counts)
    return Graph(
        tuple(nodes.values()),
        tuple(Count(name, listed.get(name, 0)) for name in predicates),
        tuple(edges),
        truncated=truncated,
    )


def history(
    memory: Memory,
    subject: Annotated[str, "The entity."],
    *,
    limit: Limit = 2000,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> History:
    """Every period of a subject with its evidence, and where each lies in the picture of its predicate."""
    timeline = memory.facts.timeline(subject, limit=limit, space=space, user=user)
    panels = timeline.panels(apart=True, now=memory.store.present(), most=_BOXES)
    return History(timeline.facts, panels, timeline.truncated)


def dependents(
    memory: Memory,
    fact: Annotated[int, "The id of a fact."],
    *,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Dependents:
    """The facts that were derived from one fact."""
    view = view_of(memory, space, user, as_of)
    system = view.as_of.system
    clause = both(
        [
            ledgers(view, "c.ledger"),
            Clause("s.system_from <= ?", (system,)),
            Clause(
                "EXISTS (SELECT 1 FROM fact_premise q JOIN fact_support u ON u.assertion_id = q.assertion_id "
                "WHERE q.premise_fact_id = ? AND u.span_id = s.span_id)",
                (fact,),
            ),
        ]
    )
    with memory.store.read() as snapshot:
        raw = select_spans(snapshot.db, view, clause, limit=MOST, flags=False)
    by_fact: dict[int, Dependent] = {}
    for hit in raw:
        value = as_fact(hit)
        is_held = hit.span.system_to is None or (system != FOREVER and hit.span.system_to > system)
        before = by_fact.get(hit.fact.fact_id)
        by_fact[hit.fact.fact_id] = Dependent(
            hit.fact.fact_id,
            str(value.subject),
            str(value.predicate),
            value.object,
            is_held or (before is not None and before.held),
        )
    return Dependents(tuple(by_fact.values()))


def duplicates(
    memory: Memory,
    *,
    limit: Limit = 50,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Likenesses:
    """Entities that may be the same thing: one name for several, or names that are nearly alike."""
    if limit < 1:
        raise InvalidInput("limit must be 1 or more.")
    view = view_of(memory, space, user, as_of)
    pairs: dict[tuple[str, str], Likeness] = {}
    for name in memory.facts.ambiguous(as_of=as_of, space=space, user=user, limit=MOST):
        for first, second in combinations(sorted(map(str, name.keys)), 2):
            pairs[first, second] = Likeness(first, second, f"both are called {name.name}", 1.0)
    with memory.store.read() as snapshot:
        page = _entities(snapshot.db, view, None, _COMPARED, 0)
    for likeness in _alike([row.key for row in page.entities], limit):
        pairs.setdefault((likeness.first, likeness.second), likeness)
    ranked = sorted(pairs.values(), key=lambda pair: (-pair.score, pair.first, pair.second))
    return Likenesses(tuple(ranked[:limit]))


def _alike(names: list[str], most: int) -> list[Likeness]:
    """The most similar pairs. Names with other numbers in them are other things: room 12 is not room 13."""
    from rapidfuzz import fuzz, process

    by_number: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        by_number[tuple(_NUMBER.findall(name))].append(name)
    alike = []
    for group in by_number.values():
        norms = [canonical_text(name) for name in group]
        scores: Any = process.cdist(norms, norms, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        rows, columns = scores.nonzero()
        above = rows < columns
        rows, columns = rows[above], columns[above]
        best = (-scores[rows, columns]).argsort(kind="stable")[:most]
        for row, column in zip(rows[best].tolist(), columns[best].tolist(), strict=True):
            first, second = sorted((group[row], group[column]))
            score = min(round(float(scores[row, column]) / 100, 2), 0.99)
            alike.append(Likeness(first, second, "their names are nearly the same", score))
    return alike
