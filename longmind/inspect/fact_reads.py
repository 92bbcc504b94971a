"""What the pages of facts need: lists of entities, the graph as a whole, dependents, likely duplicates."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Annotated, Any, Final

from longmind.base.checks import check_limit, check_text
from longmind.base.errors import InvalidInput
from longmind.base.filters import SpaceLike, View
from longmind.base.parameters import AsUser, Limit
from longmind.base.partitions import split_partition
from longmind.base.times import FOREVER, AsOf
from longmind.facts.canonical import canonical_text
from longmind.facts.hits import SOURCE, as_fact, held, of_predicates, seen, select_spans
from longmind.facts.rows import GLOBAL, ledgers
from longmind.facts.values import Predicate, shown
from longmind.inspect.reads import view_of
from longmind.inspect.results import (
    Count,
    Dependent,
    Dependents,
    EntityPage,
    EntityRow,
    Graph,
    GraphEdge,
    Likeness,
    Likenesses,
)
from longmind.memory import Memory
from longmind.store.engine import Connection, scalar
from longmind.store.visible import Clause, both

MOST_EDGES: Final = 10_000
_MOST: Final = 500
_COMPARED: Final = 2_000
"""Names that are compared with each other, the best known first: the pairs grow with the square."""
_ALIKE: Final = 88
"""From here on two names are often one thing, misspelled or shortened; below, mostly two things."""
_STILL: Final = "s.system_from <= ? AND (s.system_to IS NULL OR s.system_to > ?)"


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
    check_limit(limit, "limit", most=_MOST)
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
        pattern = "%" + norm.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
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
    found = tuple(
        EntityRow(key, kind, facts, periods, changed_at, *split_partition("" if ledger == GLOBAL else ledger))
        for key, kind, facts, periods, changed_at, ledger in rows[:limit]
    )
    return EntityPage(found, offset + limit if len(rows) > limit else None, total)


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
    kind = Clause("1 = 1" if values else "c.object_kind = 7")
    every = both([kind, seen(view)])
    some = both([every, of_predicates([Predicate(key) for key in predicates or ()])])
    with memory.store.read() as snapshot:
        db = snapshot.db
        raw = select_spans(
            db, view, some, order="s.system_from DESC, c.fact_id", limit=limit + 1, flags=False
        )
        if predicates or len(raw) > limit:
            counts = db.all(
                f"SELECT min(p.key), count(*) FROM {SOURCE} WHERE {every.sql} GROUP BY p.key_norm "
                "ORDER BY 2 DESC, 1",
                every.values,
            )
        else:
            # All of them are here: counting them again in the store would take as long as finding them.
            seen_keys = Counter(hit.predicate.key for hit in raw)
            counts = sorted(seen_keys.items(), key=lambda item: (-item[1], item[0]))
    edges, kinds = [], {}
    for hit in raw[:limit]:
        fact = as_fact(hit)
        kinds[str(fact.subject)] = hit.subject.kind
        if hit.object is not None:
            kinds[hit.object.key] = hit.object.kind
        edges.append(
            GraphEdge(
                hit.fact.fact_id,
                str(fact.subject),
                str(fact.predicate),
                shown(fact.object),
                hit.object is not None,
                hit.span.valid_from,
                hit.span.valid_to,
            )
        )
    return Graph(
        tuple(edges),
        tuple(Count(name, count) for name, count in counts),
        {name: kind for name, kind in kinds.items() if kind},
        truncated=len(raw) > limit,
    )


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
        raw = select_spans(snapshot.db, view, clause, limit=_MOST, flags=False)
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
    for name in memory.facts.ambiguous(as_of=as_of, space=space, user=user, limit=_MOST):
        for first, second in combinations(sorted(map(str, name.keys)), 2):
            pairs[first, second] = Likeness(first, second, f"both are called {name.name}", 1.0)
    with memory.store.read() as snapshot:
        page = _entities(snapshot.db, view, None, _COMPARED, 0)
    for likeness in _alike([row.key for row in page.entities]):
        pairs.setdefault((likeness.first, likeness.second), likeness)
    ranked = sorted(pairs.values(), key=lambda pair: (-pair.score, pair.first, pair.second))
    return Likenesses(tuple(ranked[:limit]))


def _alike(names: list[str]) -> list[Likeness]:
    from rapidfuzz import fuzz, process

    norms = [canonical_text(name) for name in names]
    found = []
    scores: Any = process.cdist(norms, norms, scorer=fuzz.ratio, score_cutoff=_ALIKE) if norms else []
    for row, line in enumerate(scores):
        for column in line.nonzero()[0].tolist():
            if column > row:
                first, second = sorted((names[row], names[column]))
                score = round(float(line[column]) / 100, 2)
                found.append(Likeness(first, second, "their names are nearly the same", min(score, 0.99)))
    return found
