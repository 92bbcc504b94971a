"""The knowledge graph of the reference MCP memory server: JSON Lines of entities and relations.

An entity, an observation and a relation are a frame each, so that all three are found by search, dated and
forgotten like everything else. The tools of `longmind mcp --profile memory` write the same frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from longmind.facts.values import Entity
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Name, Options, Statement, text_hash
from longmind.importers.values import moment, tags_of, text_of, unknown_fields
from longmind.ingest.report import Skip

ENTITY: Final = "entity"
OBSERVATION: Final = "observation"
RELATION: Final = "relation"
_EMPTY: Final = "(empty)"
"""Stands for a text without words, which a frame cannot have; the metadata has what it was."""
_OF_ENTITY: Final = (
    "type", "name", "entityType", "observations", "createdAt", "created_at", "updatedAt", "updated_at",
    "tags",
)  # fmt: skip
_OF_RELATION: Final = (
    "type", "from", "to", "relationType", "createdAt", "created_at", "validFrom", "valid_from", "validTo",
    "valid_to",
)  # fmt: skip


def entity_fields(name: str, entity_type: str) -> dict[str, Any]:
    """An entity as the fields of a frame."""
    return {
        "kind": ENTITY,
        "text": f"{name} ({entity_type})",
        "title": name if name.strip() else None,
        "metadata": {"entity": name, "entity_type": entity_type},
    }


def observation_fields(name: str, observation: str) -> dict[str, Any]:
    """What was observed of an entity."""
    return {
        "kind": OBSERVATION,
        "text": observation if observation.strip() else _EMPTY,
        "title": name if name.strip() else None,
        "metadata": {"entity": name, **({} if observation.strip() else {"observation": observation})},
    }


def relation_fields(start: str, end: str, relation_type: str) -> dict[str, Any]:
    """A relation between two entities."""
    return {
        "kind": RELATION,
        "text": f"{start} {relation_type} {end}",
        "metadata": {"from": start, "to": end, "relation_type": relation_type},
    }


class KnowledgeGraphImporter:
    name: ClassVar[str] = "mcp-memory"
    about: ClassVar[str] = "The memory.jsonl of the reference MCP memory server."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        names = files.names(".jsonl", ".json") if files.is_folder or files.is_archive else files.names()
        for name in names:
            seen: dict[str, int] = {}
            listed = files.entries(name) if files.is_list(name) else files.lines(name)
            for number, record in listed:
                where = f"{name}:{number}"
                if isinstance(record, Skip):
                    yield record
                elif not isinstance(record, Mapping):
                    yield Skip(where, "unknown_line", "it is not an object")
                elif "from" in record and "to" in record:
                    yield _relation(record, where)
                elif "name" in record:
                    yield from _entity(record, where, seen)
                else:
                    yield Skip(where, "unknown_line", "it is neither an entity nor a relation")


def _entity(record: Mapping[str, Any], where: str, seen: dict[str, int]) -> Iterator[Batch | Skip]:
    name, kind = text_of(record["name"]), text_of(record.get("entityType"))
    if not name.strip():
        yield Skip(where, "no_name", "the entity has no name")
        return
    happened = moment(record.get("createdAt", record.get("created_at")))
    observations = record.get("observations")
    if not isinstance(observations, list):
        observations = [] if observations is None else [observations]
    items = [
        Item(
            f"entity:{name}", occurred_at=happened, tags=tags_of(record.get("tags")),
            unknown=unknown_fields(record, _OF_ENTITY), **entity_fields(name, kind),
        )
    ]  # fmt: skip
    for observation in observations:
        if not isinstance(observation, str):
            text = text_of(observation.get("content")) if isinstance(observation, Mapping) else ""
            if not text:
                yield Skip(where, "unknown_observation", f"an observation of {name} is not a text")
                continue
            observation = text
        text = text_of(observation)
        base = f"observation:{text_hash(name)[:16]}:{text_hash(text)}"
        seen[base] = seen.get(base, 0) + 1
        items.append(Item(f"{base}:{seen[base]}", occurred_at=happened, **observation_fields(name, text)))
    yield Batch(name, tuple(items), names=(Name(name, kind),))


def _relation(record: Mapping[str, Any], where: str) -> Batch | Skip:
    start, end = text_of(record["from"]), text_of(record["to"])
    kind = text_of(record.get("relationType", record.get("type")))
    if not (start.strip() and end.strip() and kind.strip()):
        return Skip(where, "no_name", "the relation lacks from, to or relationType")
    item = Item(
        f"relation:{text_hash(chr(0).join((start, kind, end)))}",
        occurred_at=moment(record.get("createdAt", record.get("created_at"))),
        unknown=unknown_fields(record, _OF_RELATION),
        **relation_fields(start, end, kind),
    )
    statement = Statement(
        start,
        kind,
        Entity(end),
        (item.id,),
        valid_from=moment(record.get("validFrom", record.get("valid_from"))),
        valid_to=moment(record.get("validTo", record.get("valid_to"))),
    )
    return Batch(item.text, (item,), (statement,))


IMPORTERS: Final[Mapping[str, Importer]] = {"mcp-memory": KnowledgeGraphImporter()}
