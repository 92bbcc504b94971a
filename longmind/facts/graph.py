"""Walking from entity to entity along facts, breadth first, within budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from longmind.base.filters import View
from longmind.facts.hits import RawHit, of_predicates, seen, select_spans
from longmind.facts.results import Edge, EdgesResult
from longmind.facts.rows import GLOBAL, ledgers
from longmind.facts.values import Entity, Predicate
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both

Direction = Literal["out", "in", "both"]

_TIES: Final = "s.valid_from DESC, c.fact_id"
_ORDERS: Final = {"out": f"p.key_norm, o.key_norm, {_TIES}", "in": f"p.key_norm, e.key_norm, {_TIES}"}


def neighbors(
    db: Connection,
    view: View,
    start: str,
    *,
    predicates: Sequence[Predicate],
    direction: Direction,
    depth: int,
    max_edges: int,
    limit: int,
) -> EdgesResult:
    """Edges reached from the entity with the canonical key `start`, each fact once, nearest first."""
    condition = both([Clause("c.object_kind = 7"), of_predicates(predicates), seen(view)])
    sides: tuple[Literal["out", "in"], ...] = ("out", "in") if direction == "both" else (direction,)
    edges: list[Edge] = []
    walked: set[int] = set()
    visited = {start}
    frontier = [start]
    left = max_edges
    truncated = False
    for level in range(1, depth + 1):
        reached: list[tuple[Edge, str]] = []
        for side in sides:
            # A fact that was walked already may come back from its other end: it costs nothing.
            raw = _edges_at(db, view, frontier, side, condition, limit=left + len(walked) + 1)
            fresh = [hit for hit in raw if hit.fact.fact_id not in walked]
            truncated = truncated or len(fresh) > left
            for hit in fresh[:left]:
                left -= 1
                walked.add(hit.fact.fact_id)
                reached.append(_edge(hit, side, level))
        edges += [edge for edge, _ in sorted(reached, key=_order)]
        frontier = sorted({norm for _, norm in reached} - visited)
        visited.update(frontier)
        if truncated or not frontier or len(edges) > limit:
            break
    else:
        truncated = _goes_on(db, view, frontier, sides, condition, walked)
    return EdgesResult(tuple(edges[:limit]), truncated=truncated or len(edges) > limit)


def _goes_on(
    db: Connection,
    view: View,
    frontier: Sequence[str],
    sides: Sequence[str],
    condition: Clause,
    walked: set[int],
) -> bool:
    """Whether the walk would find more if it went a step further."""
    return any(
        hit.fact.fact_id not in walked
        for side in sides
        for hit in _edges_at(db, view, frontier, side, condition, limit=len(walked) + 1)
    )


def _edges_at(
    db: Connection, view: View, frontier: Sequence[str], side: str, condition: Clause, *, limit: int
) -> list[RawHit]:
    near = "e" if side == "out" else "o"
    raw: list[RawHit] = []
    for batch in batched(frontier):
        clause = both([among(f"{near}.key_norm", batch), ledgers(view, f"{near}.ledger"), condition])
        raw += select_spans(db, view, clause, order=_ORDERS[side], limit=limit, flags=False)
    return raw[:limit]


def _edge(hit: RawHit, side: Literal["out", "in"], depth: int) -> tuple[Edge, str]:
    assert hit.object is not None
    origin, neighbor = (hit.subject, hit.object) if side == "out" else (hit.object, hit.subject)
    edge = Edge(
        fact_id=hit.fact.fact_id,
        predicate=Predicate(hit.predicate.key),
        direction=side,
        origin=Entity(origin.key),
        neighbor=Entity(neighbor.key),
        depth=depth,
        valid_from=hit.span.valid_from,
        valid_to=hit.span.valid_to,
        scope="global" if hit.fact.ledger == GLOBAL else "space",
    )
    return edge, neighbor.key_norm


def _order(item: tuple[Edge, str]) -> tuple[object, ...]:
    edge, norm = item
    return edge.predicate.norm, norm, -edge.valid_from, edge.fact_id
