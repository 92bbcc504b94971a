"""The nine tools of the reference MCP memory server, over a Longmind memory: the profile `memory`.

An agent that was set up for that server finds the same tools with the same answers. What it writes are frames
of entities, observations and relations, so that everything else of Longmind (search, recall, history, users)
works on them too. `importers/knowledge_graph.py` has their format.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from longmind.base.errors import LongmindError, NotFound
from longmind.base.filters import Where
from longmind.base.frame import Frame
from longmind.facts.values import Entity, Evidence
from longmind.importers.knowledge_graph import (
    ENTITY,
    OBSERVATION,
    RELATION,
    entity_fields,
    observation_fields,
    relation_fields,
)
from longmind.mcp.graph_schemas import (
    ANSWERS,
    DESCRIPTIONS,
    TITLES,
    EntityInput,
    GraphArguments,
    Named,
    Observed,
    RelationInput,
)
from longmind.mcp.listing import CallContext, entry_of
from longmind.memory import Memory
from longmind.operations.operation import Effect, Operation

Json = dict[str, Any]
_PAGE: Final = 10_000
_KINDS: Final = (ENTITY, OBSERVATION, RELATION)
_EXTRACTOR: Final = "mcp-memory"


@dataclass(slots=True)
class _Node:
    """An entity with the frames that hold it and its observations."""

    frame: int
    name: str
    entity_type: str
    observations: list[tuple[int, str]] = field(default_factory=list)

    def shown(self) -> Json:
        texts = [text for _, text in self.observations]
        return {"name": self.name, "entityType": self.entity_type, "observations": texts}


@dataclass(slots=True)
class _Graph:
    nodes: list[_Node] = field(default_factory=list)
    relations: list[tuple[int, Json]] = field(default_factory=list)

    def node(self, name: str) -> _Node | None:
        return next((node for node in self.nodes if node.name == name), None)

    def shown(self, nodes: Sequence[_Node] | None = None) -> Json:
        """Some entities with every relation that begins or ends at one of them; by default all."""
        if nodes is None:
            relations = [relation for _, relation in self.relations]
            return {"entities": [node.shown() for node in self.nodes], "relations": relations}
        names = {node.name for node in nodes}
        near = [it for _, it in self.relations if it["from"] in names or it["to"] in names]
        return {"entities": [node.shown() for node in nodes], "relations": near}


def _frames(memory: Memory) -> Iterator[Frame]:
    cursor: str | None = None
    while True:
        page = memory.list(where=Where(kind=_KINDS), limit=_PAGE, cursor=cursor)
        # A user's graph is their own: what all share is not theirs to delete.
        yield from (frame for frame in page if frame.user == memory.default_user)
        if page.cursor is None:
            return
        cursor = page.cursor


def _load(memory: Memory) -> _Graph:
    graph = _Graph()
    by_uid: dict[str, _Node] = {}
    for frame in _frames(memory):
        about = frame.metadata
        if frame.kind == ENTITY:
            node = _Node(frame.id, str(about["entity"]), str(about["entity_type"]))
            by_uid[str(about.get("uid", node.name))] = node
            graph.nodes.append(node)
        elif frame.kind == RELATION:
            relation = {"from": about["from"], "to": about["to"], "relationType": about["relation_type"]}
            graph.relations.append((frame.id, relation))
        else:
            owner = by_uid.get(str(about.get("of", about["entity"]))) or graph.node(str(about["entity"]))
            if owner is not None:
                owner.observations.append((frame.id, str(about.get("observation", frame.text))))
    return graph


def create_entities(memory: Memory, entities: list[EntityInput]) -> Json:
    with memory.session(mode="write"):
        graph = _load(memory)
        new = [entity for entity in entities if graph.node(entity["name"]) is None]
        items: list[Json] = []
        for entity in new:
            uid = secrets.token_hex(8)  # two entities of one call may have the same name
            items.append(_repeatable(entity_fields(entity["name"], entity["entityType"]), uid=uid))
            items += [
                _repeatable(observation_fields(entity["name"], text), of=uid)
                for text in entity["observations"]
            ]
        if items:
            memory.remember_many(items)
        for entity in new:
            if entity["name"].strip():
                memory.facts.upsert_entity(entity["name"], kind=entity["entityType"].strip())
    return {"entities": [dict(entity) for entity in new]}


def create_relations(memory: Memory, relations: list[RelationInput]) -> Json:
    with memory.session(mode="write"):
        existing = [relation for _, relation in _load(memory).relations]
        new = [relation for relation in relations if dict(relation) not in existing]
        if new:
            items = [_repeatable(relation_fields(it["from"], it["to"], it["relationType"])) for it in new]
            report = memory.remember_many(items)
            created = [
                {"subject": it["from"], "predicate": it["relationType"], "value": Entity(it["to"]),
                 "evidence": [Evidence(frame_id, extractor=_EXTRACTOR)]}
                for it, frame_id in zip(new, report.ids, strict=True)
                if all(it[name].strip() for name in ("from", "to", "relationType"))
            ]  # fmt: skip
            memory.facts.record_many(created)
    return {"relations": [dict(relation) for relation in new]}


def add_observations(memory: Memory, observations: list[Observed]) -> Json:
    with memory.session(mode="write"):
        graph = _load(memory)
        items: list[Json] = []
        results = []
        for observed in observations:
            name = observed["entityName"]
            node = graph.node(name)
            if node is None:
                raise NotFound(f"Entity with name {name} not found")
            existing = {text for _, text in node.observations}
            new = [text for text in observed["contents"] if text not in existing]
            node.observations += [(0, text) for text in new]
            uid = memory.get(node.frame).metadata.get("uid")
            items += [
                _repeatable(observation_fields(name, text), **({"of": uid} if uid else {})) for text in new
            ]
            results.append({"entityName": name, "addedObservations": new})
        if items:
            memory.remember_many(items)
    return {"results": results}


def delete_entities(memory: Memory, entityNames: list[str]) -> Json:  # noqa: N803 - the tool's own name
    with memory.session(mode="write"):
        graph = _load(memory)
        gone = [node for node in graph.nodes if node.name in entityNames]
        frames = [frame for node in gone for frame in (node.frame, *(it for it, _ in node.observations))]
        frames += [
            frame for frame, it in graph.relations if it["from"] in entityNames or it["to"] in entityNames
        ]
        _forget(memory, frames)
    return {"success": True, "message": "Entities deleted successfully"}


def delete_observations(memory: Memory, deletions: list[Named]) -> Json:
    with memory.session(mode="write"):
        graph = _load(memory)
        frames: list[int] = []
        for deletion in deletions:
            node = graph.node(deletion["entityName"])
            if node is not None:
                frames += [frame for frame, text in node.observations if text in deletion["observations"]]
        _forget(memory, frames)
    return {"success": True, "message": "Observations deleted successfully"}


def delete_relations(memory: Memory, relations: list[RelationInput]) -> Json:
    with memory.session(mode="write"):
        gone = [dict(relation) for relation in relations]
        _forget(memory, [frame for frame, relation in _load(memory).relations if relation in gone])
    return {"success": True, "message": "Relations deleted successfully"}


def read_graph(memory: Memory) -> Json:
    return _load(memory).shown()


def search_nodes(memory: Memory, query: str) -> Json:
    graph, words = _load(memory), query.lower()
    matching = [
        node
        for node in graph.nodes
        if any(
            words in text.lower()
            for text in (node.name, node.entity_type, *(text for _, text in node.observations))
        )
    ]
    return graph.shown(matching)


def open_nodes(memory: Memory, names: list[str]) -> Json:
    graph = _load(memory)
    return graph.shown([node for node in graph.nodes if node.name in names])


def _repeatable(fields: Json, **metadata: Any) -> Json:
    """The same observation may be made twice, as the reference server allows."""
    return {**fields, "metadata": {**fields["metadata"], **metadata}, "source": "agent", "repeatable": True}


def _forget(memory: Memory, frames: Sequence[int]) -> None:
    if frames:
        memory.forget(where=Where(ids=frames))


class GraphTool:
    """One of the nine tools, as the reference server shows and answers it."""

    def __init__(self, function: Callable[..., Json], operation: Operation) -> None:
        self.name = function.__name__
        self.operation = operation

    @cached_property
    def arguments(self) -> GraphArguments:
        return GraphArguments(self.name)

    @cached_property
    def shown(self) -> Json:
        return entry_of(
            self.operation,
            name=self.name,
            title=TITLES[self.name],
            description=DESCRIPTIONS[self.name],
            inputs=self.arguments.schema,
            answer=ANSWERS[self.name],
        )

    def call(self, inputs: Mapping[str, Any] | None, context: CallContext) -> Json:
        """Do it. Answers are never shortened: clients of the reference server expect the whole graph."""
        try:
            read = self.arguments.read(inputs)
            try:
                memory = context.holder.memory(begins=self.operation.effect != "read")
            except NotFound:
                return _result(self.name, {"entities": [], "relations": []})
            answer: Json = context.ask(memory, self.operation, read)
        except LongmindError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
        return _result(self.name, answer)


def _result(name: str, answer: Json) -> Json:
    """The answer, and its text: what was made or found as JSON, or what a deletion says."""
    inner = answer[next(iter(answer))] if name.startswith(("create_", "add_")) else answer
    text = answer["message"] if "message" in answer else json.dumps(inner, ensure_ascii=False, indent=2)
    return {"content": [{"type": "text", "text": text}], "structuredContent": answer}


_TOOLS: Final[tuple[tuple[Callable[..., Json], Effect], ...]] = (
    (create_entities, "write"),
    (create_relations, "write"),
    (add_observations, "write"),
    (delete_entities, "destroy"),
    (delete_observations, "destroy"),
    (delete_relations, "destroy"),
    (read_graph, "read"),
    (search_nodes, "read"),
    (open_nodes, "read"),
)


def graph_tools() -> Iterator[GraphTool]:
    """All nine, in the order of the reference server."""
    for function, effect in _TOOLS:
        name, is_write = function.__name__, effect == "write"
        operation = Operation(name, function, effect=effect, begins=is_write, repeatable=not is_write)
        yield GraphTool(function, operation)
