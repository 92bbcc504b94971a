"""One person under two names: "Priya" and "Priya Nair" are the same where only one candidate fits."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from longmind.facts.canonical import alias_norm
from longmind.facts.extraction import Extraction, FoundEntity, FoundFact
from longmind.facts.rows import AliasRow, EntityRow, select_among
from longmind.facts.values import Entity
from longmind.store.engine import Connection
from longmind.store.visible import Clause

_NAME: Final = re.compile(r"[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,3}")
_PERSON: Final = "person"


def with_first_name(entity: FoundEntity) -> FoundEntity:
    """A person who is called by a full name also goes by the first one."""
    words = entity.key.split()
    if (
        entity.kind != _PERSON
        or len(words) < 2
        or not _NAME.fullmatch(entity.key)
        or not words[0][0].isupper()
    ):
        return entity
    return replace(entity, aliases=tuple(dict.fromkeys((*entity.aliases, words[0]))))


def known_persons(
    db: Connection, ledger: str, entities: Iterable[FoundEntity], existing: Mapping[str, EntityRow]
) -> dict[str, str]:
    """For names that no entity has as its key, the key of the one person whom they fit.

    A first name fits the person that goes by it; a full name fits a person known by the first name alone.
    """
    unknown = {
        Entity(entity.key).norm: entity
        for entity in entities
        if entity.kind == _PERSON and _NAME.fullmatch(entity.key) and Entity(entity.key).norm not in existing
    }
    if not unknown:
        return {}
    wanted = {alias_norm(entity.key) for entity in unknown.values()}
    wanted |= {alias_norm(entity.key.split()[0]) for entity in unknown.values()}
    candidates = _named(db, ledger, wanted)
    found: dict[str, str] = {}
    for norm, entity in unknown.items():
        fitting = {row.entity_id: row for row in candidates[alias_norm(entity.key)]}
        if not fitting and len(entity.key.split()) > 1:
            first = alias_norm(entity.key.split()[0])
            alone = [row for row in candidates[first] if alias_norm(row.key) == first]
            taken = _with_full_names(db, [row.entity_id for row in alone])
            fitting = {row.entity_id: row for row in alone if row.entity_id not in taken}
        if len(fitting) == 1:
            [row] = fitting.values()
            found[norm] = row.key
    return found


def renamed(item: Extraction, keys: Mapping[str, str]) -> Extraction:
    """The same, said of the entities that are known; the name that was used becomes an alias."""
    if not keys:
        return item
    entities = tuple(
        replace(entity, key=keys[norm], aliases=tuple(dict.fromkeys((*entity.aliases, entity.key))))
        if (norm := Entity(entity.key).norm) in keys
        else entity
        for entity in item.entities
    )
    return replace(item, entities=entities, facts=tuple(_renamed_fact(fact, keys) for fact in item.facts))


def _renamed_fact(fact: FoundFact, keys: Mapping[str, str]) -> FoundFact:
    value = fact.value
    if isinstance(value, Entity) and value.norm in keys:
        value = Entity(keys[value.norm])
    return replace(fact, subject=keys.get(Entity(fact.subject).norm, fact.subject), value=value)


def _named(db: Connection, ledger: str, norms: Iterable[str]) -> dict[str, list[EntityRow]]:
    aliases = select_among(db, AliasRow, "alias_norm", norms, also=Clause("x.until IS NULL"))
    also = Clause("x.ledger = ? AND x.kind = 'person'", (ledger,))
    owners = select_among(db, EntityRow, "entity_id", {row.entity_id for row in aliases}, also=also)
    by_id = {row.entity_id: row for row in owners}
    found: dict[str, list[EntityRow]] = defaultdict(list)
    for alias in aliases:
        if alias.entity_id in by_id:
            found[alias.alias_norm].append(by_id[alias.entity_id])
    return found


def _with_full_names(db: Connection, entity_ids: Iterable[int]) -> set[int]:
    rows = select_among(db, AliasRow, "entity_id", entity_ids, also=Clause("x.until IS NULL"))
    return {row.entity_id for row in rows if " " in row.alias_norm}
