"""What the tools of the reference MCP memory server take and answer, in its own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from longmind.base.errors import InvalidInput

_Name = Annotated[str, Field(description="The name of the entity")]


class EntityInput(TypedDict):
    name: _Name
    entityType: Annotated[str, Field(description="The type of the entity")]
    observations: Annotated[list[str], Field(description="What is known of the entity")]


RelationInput = TypedDict(
    "RelationInput",
    {
        "from": Annotated[str, Field(description="The name of the entity where the relation starts")],
        "to": Annotated[str, Field(description="The name of the entity where the relation ends")],
        "relationType": Annotated[str, Field(description="The type of the relation")],
    },
)


class Observed(TypedDict):
    entityName: _Name
    contents: list[str]


class Named(TypedDict):
    entityName: _Name
    observations: list[str]


_INPUTS: Final[dict[str, dict[str, Any]]] = {
    "create_entities": {"entities": list[EntityInput]},
    "create_relations": {"relations": list[RelationInput]},
    "add_observations": {"observations": list[Observed]},
    "delete_entities": {"entityNames": list[str]},
    "delete_observations": {"deletions": list[Named]},
    "delete_relations": {"relations": list[RelationInput]},
    "read_graph": {},
    "search_nodes": {"query": str},
    "open_nodes": {"names": list[str]},
}


class GraphArguments:
    """The arguments of one tool; like the reference server, it passes over those that it does not know."""

    def __init__(self, tool: str) -> None:
        make: Any = TypedDict
        self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(make("Arguments", _INPUTS[tool]))

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {}, **self._adapter.json_schema()}

    def read(self, inputs: Mapping[str, Any] | None) -> dict[str, Any]:
        try:
            return self._adapter.validate_python(dict(inputs or {}))
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()[:5]
            )
            raise InvalidInput(f"Invalid arguments: {problems}.") from None


TITLES: Final = {
    name: name.replace("_", " ").title()
    for name in (
        "create_entities create_relations add_observations delete_entities delete_observations "
        "delete_relations read_graph search_nodes open_nodes"
    ).split()
}
DESCRIPTIONS: Final = {
    "create_entities": "Create multiple new entities in the knowledge graph",
    "create_relations": "Create multiple new relations between entities in the knowledge graph. Relations "
    "should be in active voice",
    "add_observations": "Add new observations to existing entities in the knowledge graph",
    "delete_entities": "Delete multiple entities and their associated relations from the knowledge graph",
    "delete_observations": "Delete specific observations from entities in the knowledge graph",
    "delete_relations": "Delete multiple relations from the knowledge graph",
    "read_graph": "Read the entire knowledge graph",
    "search_nodes": "Search for nodes in the knowledge graph based on a query",
    "open_nodes": "Open specific nodes in the knowledge graph by their names",
}

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**properties)}


_ENTITIES: Final = _list(name=_TEXT, entityType=_TEXT, observations=_TEXTS)
_RELATIONS: Final = _list(**{"from": _TEXT, "to": _TEXT, "relationType": _TEXT})
_DELETED: Final = _object(success={"type": "boolean"}, message=_TEXT)
_GRAPH: Final = _object(entities=_ENTITIES, relations=_RELATIONS)

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "create_entities": _object(entities=_ENTITIES),
    "create_relations": _object(relations=_RELATIONS),
    "add_observations": _object(results=_list(entityName=_TEXT, addedObservations=_TEXTS)),
    "delete_entities": _DELETED,
    "delete_observations": _DELETED,
    "delete_relations": _DELETED,
    "read_graph": _GRAPH,
    "search_nodes": _GRAPH,
    "open_nodes": _GRAPH,
}
"""The schema of each answer."""
