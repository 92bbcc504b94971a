"""Graphs of Graphiti and Zep: entities, episodes and edges with their two time axes, as JSON or JSON Lines.

`valid_at` and `invalid_at` are when an edge held in the world: our valid time. `created_at` and `expired_at`
are when the graph believed it: ours is the time of the import, and theirs is kept with the frame of the edge.
An edge that expired without having become invalid was taken back, so it is recorded and then retired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.facts.values import Entity
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Name, Options, Statement, text_hash
from longmind.importers.values import label_of, moment, text_of, unknown_fields
from longmind.ingest.report import Skip

FACT: Final = "fact"
"""The kind of a frame that is one edge of a graph, in a sentence."""
_NODE: Final = ("uuid", "name", "labels", "summary", "created_at", "group_id")
_EPISODE: Final = (
    "uuid",
    "name",
    "content",
    "source",
    "source_description",
    "valid_at",
    "created_at",
    "role",
)
_EDGE: Final = (
    "uuid", "source_node_uuid", "target_node_uuid", "name", "fact", "episodes", "created_at", "expired_at",
    "valid_at", "invalid_at",
)  # fmt: skip
_LISTS: Final = (
    "nodes",
    "entities",
    "entity_nodes",
    "episodes",
    "episodic_nodes",
    "edges",
    "entity_edges",
    "facts",
)
Record = Mapping[str, Any]


class GraphitiImporter:
    name: ClassVar[str] = "graphiti"
    about: ClassVar[str] = "Nodes, episodes and edges of Graphiti or Zep, as JSON or JSON Lines."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        nodes: dict[str, Record] = {}
        episodes: list[tuple[str, Record]] = []
        edges: list[tuple[str, Record]] = []
        names = files.names(".json", ".jsonl") if files.is_folder or files.is_archive else files.names()
        for name in names:
            for where, record in _records(files, name):
                if isinstance(record, Skip):
                    yield record
                elif not isinstance(record, Mapping) or label_of(record.get("uuid")) is None:
                    yield Skip(where, "unknown_entry", "it has no uuid")
                elif "source_node_uuid" in record and "target_node_uuid" in record:
                    edges.append((where, record))
                elif "content" in record:
                    episodes.append((where, record))
                elif "name" in record:
                    nodes[str(record["uuid"])] = record
                else:
                    yield Skip(where, "unknown_entry", "it is neither a node, an episode nor an edge")
        for node in nodes.values():
            yield _node(node)
        for _, episode in episodes:
            yield _episode(episode)
        for where, edge in edges:
            yield from _edge(edge, nodes, where)
        if not (nodes or episodes or edges):
            yield Skip(str(files.path), "nothing_found", "there are no nodes, episodes or edges in it")


def _records(files: Files, name: str) -> Iterator[tuple[str, Any]]:
    if files.is_list(name):
        yield from ((f"{name}[{number}]", entry) for number, entry in files.entries(name))
        return
    if name.endswith(".jsonl"):
        yield from ((f"{name}:{number}", entry) for number, entry in files.lines(name))
        return
    try:
        document = files.document(name)
    except InvalidInput:
        yield from ((f"{name}:{number}", entry) for number, entry in files.lines(name))
        return
    lists = (
        {key: document[key] for key in _LISTS if isinstance(document.get(key), list)}
        if isinstance(document, Mapping)
        else {}
    )
    if not lists:
        yield f"{name}:1", document
    for key, entries in lists.items():
        yield from ((f"{name} {key}[{number}]", entry) for number, entry in enumerate(entries, 1))


def _node(node: Record) -> Batch:
    name = text_of(node["name"]) or str(node["uuid"])
    labels = node.get("labels")
    kinds = (
        [label for label in labels if isinstance(label, str) and label not in ("Entity", "Episodic")]
        if (isinstance(labels, list))
        else []
    )
    summary = text_of(node.get("summary")).strip()
    items: tuple[Item, ...] = ()
    if summary:
        items = (
            Item(f"node:{node['uuid']}:{text_hash(summary)[:16]}", summary, title=name,
                 uri=f"graphiti:{node['uuid']}", replaces=True, occurred_at=moment(node.get("created_at")),
                 unknown=unknown_fields(node, _NODE)),
        )  # fmt: skip
    return Batch(name, items, names=(Name(name, kinds[0].lower() if kinds else ""),))


def _episode(episode: Record) -> Batch:
    happened = moment(episode.get("valid_at")) or moment(episode.get("created_at"))
    # A message is text somebody wrote; whose "I" is unknown, so it is not stored as a turn of the user.
    item = Item(
        f"episode:{episode['uuid']}",
        text_of(episode.get("content")),
        kind=Kind.TEXT,
        title=label_of(episode.get("name")),
        session=label_of(episode.get("group_id")) or label_of(episode.get("session_id")),
        speaker=label_of(episode.get("role")),
        occurred_at=happened,
        metadata={"episode": str(episode.get("source") or "text")},
        unknown=unknown_fields(episode, _EPISODE),
    )
    return Batch(item.title or item.text[:60] or item.id, (item,))


def _edge(edge: Record, nodes: Mapping[str, Record], where: str) -> Iterator[Batch | Skip]:
    ends = []
    for field in ("source_node_uuid", "target_node_uuid"):
        node = nodes.get(str(edge[field]))
        name = text_of(node["name"]) if node is not None else text_of(edge.get(field.replace("uuid", "name")))
        if not name.strip():
            yield Skip(where, "missing_node", f"the node {edge[field]} is not in the export")
            return
        ends.append(name)
    relation = (label_of(edge.get("name")) or "related_to").lower()
    sentence = text_of(edge.get("fact")).strip() or f"{ends[0]} {relation} {ends[1]}"
    known_from, known_to = moment(edge.get("created_at")), moment(edge.get("expired_at"))
    begins, ends_at = moment(edge.get("valid_at")), moment(edge.get("invalid_at"))
    start = begins if begins is not None else known_from
    item = Item(
        f"edge:{edge['uuid']}",
        sentence,
        kind=FACT,
        title=f"{ends[0]} — {ends[1]}",
        occurred_at=start,
        unknown={
            **unknown_fields(edge, _EDGE),
            **{
                name: edge[name]
                for name in ("created_at", "expired_at", "valid_at", "invalid_at")
                if edge.get(name)
            },
        },
    )
    listed = edge.get("episodes")
    cited = tuple(f"episode:{episode}" for episode in listed) if isinstance(listed, list) else ()
    if start is not None and ends_at is not None and ends_at <= start:
        yield Skip(where, "empty_period", "it became invalid before it was valid; its sentence is kept")
        yield Batch(sentence[:60], (item,))
        return
    taken_back = known_to is not None and ends_at is None
    # What was taken back must not go on resting on its episodes, which stay.
    evidence = (item.id,) if taken_back else (item.id, *cited)
    statement = Statement(ends[0], relation, Entity(ends[1]), evidence, valid_from=start, valid_to=ends_at)
    yield Batch(sentence[:60], (item,), (statement,))
    if taken_back:
        # Its own transaction: until then it was believed, and reads as of in between show it.
        yield Batch(f"{sentence[:50]} (expired)", retires=(item.id,))


IMPORTERS: Final[Mapping[str, Importer]] = {"graphiti": GraphitiImporter()}
