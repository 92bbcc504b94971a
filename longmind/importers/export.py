"""What is kept here, for other memories: a vault of Markdown, the graph of the MCP memory server, mem0."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from longmind.base.checks import check_choice
from longmind.base.errors import Conflict
from longmind.base.filters import View, Where
from longmind.base.frame import Frame, Kind
from longmind.base.parameters import PathLike
from longmind.base.partial import partial_folder, writing
from longmind.base.results import Written
from longmind.base.times import AsOf, format_ms
from longmind.facts import views
from longmind.facts.values import Entity, FactHit
from longmind.importers.formats import ExportFormat
from longmind.importers.graphiti import FACT
from longmind.importers.knowledge_graph import ENTITY, OBSERVATION, RELATION
from longmind.importers.write import origin_of
from longmind.store import frames
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot
from longmind.store.transfer import write_lines
from longmind.store.visible import partitions

_PAGE: Final = 500
_GRAPH: Final = (ENTITY, OBSERVATION, RELATION)
_MOST_FACTS: Final = 1000
_UNSAFE: Final = re.compile(r"[^\w \-.,]+")


def export_to(
    store: Store, target: str, path: PathLike, *, overwrite: bool, space: str, user: str | None
) -> Written:
    """Write one space, or one user's part of it, as it is now. All of it is one state of the store."""
    check_choice(target, "target", get_args(ExportFormat))
    view = View.of(space, AsOf.LATEST, user, now=store.now()).own()
    with store.one_state() as snapshot:
        if target == "vault":
            return _write_vault(store, snapshot, view, Path(path), overwrite=overwrite)
        lines = (
            _graph_lines(store, snapshot, view)
            if target == "mcp-memory"
            else _mem0_lines(store, snapshot, view)
        )
        return Written(str(path), write_lines(path, lines, overwrite=overwrite))


def _frames(store: Store, snapshot: Snapshot, view: View, where: Where | None = None) -> Iterator[Frame]:
    """Whole frames in the order of writing; a document's text, not its chunks."""
    cursor: str | None = None
    while True:
        page = frames.page(
            snapshot.db, store.engine.dialect, view, where or Where(), limit=_PAGE, cursor=cursor
        )
        yield from page.frames
        if page.cursor is None:
            return
        cursor = page.cursor


# The graph of the reference MCP memory server


@dataclass(slots=True)
class Graph:
    """Entities with their observations, and relations, in the order in which they came."""

    types: dict[str, str] = field(default_factory=dict)
    observations: dict[str, list[str]] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], None] = field(default_factory=dict)

    def add_entity(self, name: str, kind: str) -> None:
        if not self.types.get(name):
            self.types[name] = kind
        self.observations.setdefault(name, [])

    def add_observation(self, name: str, text: str) -> None:
        self.add_entity(name, self.types.get(name, ""))
        self.observations[name].append(text)

    def lines(self) -> Iterator[str]:
        for name, kind in self.types.items():
            yield _line(type="entity", name=name, entityType=kind, observations=self.observations[name])
        for start, relation, end in self.relations:
            yield _line(**{"type": "relation", "from": start, "to": end, "relationType": relation})


def graph_of(listed: Iterator[Frame]) -> Graph:
    """The graph that frames of entities, observations and relations hold."""
    graph = Graph()
    for frame in listed:
        about = frame.metadata
        if frame.kind == ENTITY:
            graph.add_entity(str(about.get("entity")), str(about.get("entity_type", "")))
        elif frame.kind == OBSERVATION:
            graph.add_observation(str(about.get("entity")), str(about.get("observation", frame.text)))
        elif frame.kind == RELATION:
            graph.relations[str(about.get("from")), str(about.get("relation_type")), str(about.get("to"))] = (
                None
            )
    return graph


def _graph_lines(store: Store, snapshot: Snapshot, view: View) -> Iterator[str]:
    graph = graph_of(_frames(store, snapshot, view, Where(kind=_GRAPH)))
    for frame in _frames(store, snapshot, view):
        if frame.kind not in (*_GRAPH, Kind.TURN, FACT):
            graph.add_entity(_heading(frame), frame.kind)
            graph.add_observation(_heading(frame), frame.text)
    for hit in _facts(store, snapshot, view):
        value = hit.fact.object
        if isinstance(value, Entity):
            for name in (hit.fact.subject, str(value)):
                graph.add_entity(str(name), graph.types.get(str(name), ""))
            graph.relations[str(hit.fact.subject), str(hit.fact.predicate), str(value)] = None
        else:
            graph.add_observation(str(hit.fact.subject), _sentence(hit))
    yield from graph.lines()


def _facts(store: Store, snapshot: Snapshot, view: View) -> Iterator[FactHit]:
    """What is held, less what frames of the graph say: those are exported themselves."""
    db = snapshot.db
    where = partitions(view, "ledger")
    keys = [
        str(row[0])
        for row in db.all(f"SELECT key FROM fact_entity WHERE {where.sql} ORDER BY entity_id", where.values)
    ]
    for batch in batched(keys):
        entities = [Entity(key) for key in batch]
        about = views.about_each(db, view, entities, predicates=(), limit=_MOST_FACTS, evidence=5)
        hits = [hit for subject in about for hit in about[subject]]
        cited = sorted({piece.frame for hit in hits for piece in hit.evidence})
        kinds = {frame_id: row.kind for frame_id, row in frames.stored(db, cited).items()}
        for hit in hits:
            if not any(kinds.get(piece.frame) in _GRAPH for piece in hit.evidence):
                yield hit


def _sentence(hit: FactHit) -> str:
    value = hit.fact.object
    return f"{hit.fact.predicate}: {value.hex() if isinstance(value, bytes) else value}"


def _heading(frame: Frame) -> str:
    """What a note is called: its title, or how it begins."""
    first = frame.text.strip().partition("\n")[0]
    return frame.title or (first if len(first) <= 60 else f"{first[:59].rstrip()}…")


def _line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


# mem0


def _mem0_lines(store: Store, snapshot: Snapshot, view: View) -> Iterator[str]:
    """What `get_all` of mem0 returns, one memory a line inside of its list."""
    yield '{"results": ['
    separator = "\n"
    for frame in _frames(store, snapshot, view):
        if frame.kind in (Kind.TURN, RELATION, ENTITY):
            continue
        yield separator + json.dumps(_mem0_memory(frame), ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


def _mem0_memory(frame: Frame) -> dict[str, Any]:
    origin = origin_of(frame)
    own = origin.get("source") == "mem0"
    happened = format_ms(frame.occurred_at)
    record: dict[str, Any] = {
        "id": frame.metadata.get("memory_id", f"longmind-{frame.id}"),
        "memory": frame.text,
        "hash": hashlib.md5(frame.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": origin.get("metadata") if own else _mem0_metadata(frame),
        "created_at": origin.get("created_at", happened) if own else happened,
        "updated_at": origin.get("updated_at") if own else None,
    }
    for name in ("agent_id", "run_id"):
        if frame.metadata.get(name) is not None:
            record[name] = frame.metadata[name]
    if frame.session is not None and "run_id" not in record:
        record["run_id"] = frame.session
    if own:
        record |= {name: origin[name] for name in ("actor_id", "role", "user_id") if name in origin}
    if frame.user is not None:
        record["user_id"] = frame.user
    return record


def _mem0_metadata(frame: Frame) -> dict[str, Any] | None:
    metadata = {key: value for key, value in frame.metadata.items() if key not in ("import", "channel")}
    if frame.tags:
        metadata["tags"] = list(frame.tags)
    if frame.title:
        metadata["title"] = frame.title
    return metadata or None


# A vault of Markdown


class _Vault:
    """Notes in a folder, under names that a file system takes and that no other note has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bytes = 0
        self._taken: set[str] = set()

    def write(self, group: str, name: str, front: Mapping[str, Any], text: str) -> None:
        stem = _UNSAFE.sub(" ", name).strip(" .")[:80].strip(" .") or "note"
        number, path = 1, f"{group}/{stem}.md"
        while path.casefold() in self._taken:
            number += 1
            path = f"{group}/{stem} {number}.md"
        self._taken.add(path.casefold())
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        lines = ["---", *(f"{key}: {_yaml(value)}" for key, value in front.items() if value), "---", "", text]
        raw = ("\n".join(lines).rstrip("\n") + "\n").encode()
        target.write_bytes(raw)
        self.bytes += len(raw)


def _yaml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(str(part).replace(",", " ") for part in value) + "]"
    return " ".join(str(value).split())


def _write_vault(store: Store, snapshot: Snapshot, view: View, target: Path, *, overwrite: bool) -> Written:
    if target.exists() and not (target.is_dir() and not any(target.iterdir())) and not overwrite:
        raise Conflict(f"{target} exists.", hint="Choose another folder, or overwrite it: --overwrite.")
    with writing(target), partial_folder(target) as folder:
        vault = _Vault(folder)
        _write_entities(store, snapshot, view, vault)
        for frame in _frames(store, snapshot, view):
            if frame.kind in (*_GRAPH, Kind.TURN):
                continue
            group = "documents" if frame.kind == Kind.DOCUMENT else "notes"
            vault.write(group, _heading(frame), _front(frame), frame.text)
        _write_conversations(store, snapshot, view, vault)
        _move_into(folder, target)
    return Written(str(target), vault.bytes)


def _move_into(folder: Path, target: Path) -> None:
    """Replace the notes of an earlier export one by one; other files in the folder are the user's own."""
    if not target.exists():
        folder.chmod(0o755)
        folder.replace(target)
        folder.mkdir()  # what the caller removes
        return
    for source in sorted(folder.rglob("*.md")):
        destination = target / source.relative_to(folder)
        destination.parent.mkdir(parents=True, exist_ok=True)
        source.replace(destination)


def _front(frame: Frame) -> dict[str, Any]:
    return {
        "title": frame.title,
        "type": frame.kind,
        "created": format_ms(frame.occurred_at),
        "tags": list(frame.tags),
        "session": frame.session,
        "speaker": frame.speaker,
        "source": frame.uri,
    }


def _write_entities(store: Store, snapshot: Snapshot, view: View, vault: _Vault) -> None:
    graph = graph_of(_frames(store, snapshot, view, Where(kind=_GRAPH)))
    for hit in _facts(store, snapshot, view):
        value = hit.fact.object
        if isinstance(value, Entity):
            graph.add_entity(str(hit.fact.subject), "")
            graph.relations[str(hit.fact.subject), str(hit.fact.predicate), str(value)] = None
        else:
            graph.add_observation(str(hit.fact.subject), _sentence(hit))
    links: dict[str, list[str]] = {}
    for start, relation, end in graph.relations:
        links.setdefault(start, []).append(f"- {relation} [[{end}]]")
    for name, kind in graph.types.items():
        lines = [f"- [fact] {' '.join(text.split())}" for text in graph.observations[name]]
        body = [f"# {name}", "", *(["## Observations", *lines, ""] if lines else [])]
        body += ["## Relations", *links[name]] if name in links else []
        vault.write("entities", name, {"title": name, "type": kind or "entity"}, "\n".join(body))


def _write_conversations(store: Store, snapshot: Snapshot, view: View, vault: _Vault) -> None:
    sessions: dict[str, list[Frame]] = {}
    for frame in _frames(store, snapshot, view, Where(kind=Kind.TURN)):
        sessions.setdefault(frame.session or "conversation", []).append(frame)
    for session, turns in sessions.items():
        turns.sort(key=lambda turn: (turn.occurred_at, turn.id))
        body = [
            f"**{turn.speaker or turn.role or 'someone'}** ({format_ms(turn.occurred_at)})\n\n{turn.text}\n"
            for turn in turns
        ]
        front = {"title": turns[0].title or session, "type": "conversation", "session": session,
                 "created": format_ms(turns[0].occurred_at)}  # fmt: skip
        vault.write("conversations", turns[0].title or session, front, "\n".join(body))
