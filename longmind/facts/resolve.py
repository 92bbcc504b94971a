"""Which entity does a name mean? Exact normal form first; near names only on request, ranked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from longmind.base.errors import Conflict
from longmind.base.filters import View
from longmind.base.partitions import split_partition
from longmind.facts import identity
from longmind.facts.canonical import alias_norm
from longmind.facts.rows import GLOBAL, AliasRow, EntityRow, join, ledgers
from longmind.facts.values import Entity
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both, during, unexpired

if TYPE_CHECKING:
    from longmind.facts.results import EntityMatch

_COLUMNS: Final = join((AliasRow, "a"), (EntityRow, "e"))
_NEAR_ENOUGH: Final = 70.0


def named(db: Connection, view: View, norms: Iterable[str]) -> list[tuple[AliasRow, EntityRow]]:
    """Aliases with one of these normal forms, and their entities, as the view sees them."""
    pairs: list[tuple[AliasRow, EntityRow]] = []
    for batch in batched(sorted(set(norms))):
        pairs += _select(db, view, among("a.alias_norm", batch))
    return pairs


def resolve(db: Connection, view: View, name: str, *, near: bool, limit: int) -> list[EntityMatch]:
    """Entities called so; with `near`, also those called much like it, best first."""
    norm = alias_norm(name)
    matches: dict[tuple[str, str], EntityMatch] = {}
    exact = sorted(
        named(db, view, [norm]),
        key=lambda pair: (alias_norm(pair[1].key) != norm, pair[1].key_norm, pair[1].ledger),
    )
    for alias, entity in exact:
        matches.setdefault((entity.key_norm, entity.ledger), _match(alias, entity, 1.0, exact=True))
    if near:
        for alias, entity, score in _near(db, view, norm):
            matches.setdefault((entity.key_norm, entity.ledger), _match(alias, entity, score, exact=False))
    return list(matches.values())[:limit]


def one_key(db: Connection, view: View, name: str) -> str | None:
    """The one canonical key that a name means, None if it means none, `Conflict` if it means several."""
    return one_key_each(db, view, [name])[name]


def one_key_each(db: Connection, view: View, names: Sequence[str]) -> dict[str, str | None]:
    """`one_key` for many names at once. A name that is itself a key means that entity."""
    meant: dict[str, set[str]] = defaultdict(set)
    for alias, entity in named(db, view, map(alias_norm, names)):
        meant[alias.alias_norm].add(entity.key_norm)
    key_of: dict[str, str | None] = {}
    for name in names:
        keys = sorted(meant[alias_norm(name)])
        own = Entity(name).norm
        if own not in keys and len(keys) > 1:
            raise Conflict(
                f"{name!r} may mean {', '.join(keys[:5])}{' and others' if len(keys) > 5 else ''}.",
                hint="Ask by key; resolve() lists them.",
            )
        key_of[name] = own if own in keys else keys[0] if keys else None
    return key_of


def _near(db: Connection, view: View, norm: str) -> list[tuple[AliasRow, EntityRow, float]]:
    from rapidfuzz import fuzz, process

    pairs = _select(db, view, Clause("1 = 1"))
    names = [alias.alias_norm for alias, _ in pairs]
    scored = process.extract(norm, names, scorer=fuzz.WRatio, limit=None, score_cutoff=_NEAR_ENOUGH)
    ranked = [(*pairs[index], round(float(score) / 100, 4)) for _, score, index in scored]
    return sorted(ranked, key=lambda item: (-item[2], item[1].key_norm, item[1].ledger, item[0].alias_norm))


def _select(db: Connection, view: View, condition: Clause) -> list[tuple[AliasRow, EntityRow]]:
    clause = both(
        [condition, ledgers(view, "e.ledger"), during("a", view.as_of), unexpired(view, "a.frame_id")]
    )
    sql = (
        f"SELECT {_COLUMNS.sql} FROM fact_alias a JOIN fact_entity e ON e.entity_id = a.entity_id "
        f"WHERE {clause.sql} ORDER BY a.alias_id"
    )
    pairs = [(alias, entity) for alias, entity in map(_COLUMNS.read, db.all(sql, clause.values))]
    whole = identity.standing_for(db, view.as_of, [entity for _, entity in pairs])
    return [(alias, whole.get(entity.entity_id, entity)) for alias, entity in pairs]


def _match(alias: AliasRow, entity: EntityRow, score: float, *, exact: bool) -> EntityMatch:
    from longmind.facts.results import EntityMatch  # a search looks names up, and needs none of these

    space, user = (None, None) if entity.ledger == GLOBAL else split_partition(entity.ledger)
    return EntityMatch(
        key=Entity(entity.key),
        kind=entity.kind,
        alias=alias.alias,
        score=score,
        exact=exact,
        space=space,
        user=user,
    )
