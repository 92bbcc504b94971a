"""Memories of mem0: the JSON of `get_all`, and `history.db` with every version of them.

The vector store of mem0 is not read: the local one keeps pickles, which are programs. The JSON and the
history hold all that is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.importers.databases import SqliteTables, is_sqlite, sqlite_rows
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Options, text_hash
from longmind.importers.values import label_of, moment, text_of, unknown_fields
from longmind.ingest.report import Skip

_MEMORY: Final = (
    "id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id", "agent_id", "run_id", "score",
)  # fmt: skip
_HISTORY: Final = (
    "id",
    "memory_id",
    "old_memory",
    "new_memory",
    "event",
    "created_at",
    "updated_at",
    "is_deleted",
)
_MESSAGES: Final = ("id", "session_scope", "role", "content", "name", "created_at")


class Mem0Importer:
    name: ClassVar[str] = "mem0"
    about: ClassVar[str] = "The JSON of mem0's get_all(), its history.db, or a folder with both."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        documents: list[str] = []
        databases: list[str] = []
        for name in files.names(".json", ".db", ".sqlite") if files.is_folder else files.names():
            (databases if is_sqlite(files, name) else documents).append(name)
        records: dict[str, Mapping[str, Any]] = {}
        for name in documents:
            for number, record in enumerate(_memories(files, name), 1):
                memory_id = label_of(record.get("id")) if isinstance(record, Mapping) else None
                if memory_id is None:
                    yield Skip(f"{name}[{number}]", "unknown_entry", "it is not a memory with an id")
                else:
                    records[memory_id] = record
        versioned: set[str] = set()
        for name in databases:
            path = files.local(name)
            if path is None:
                yield Skip(name, "archive", "unpack the archive first: a database is not read inside of one")
                continue
            yield from _history(path, records, versioned)
        for memory_id, record in records.items():
            if memory_id not in versioned:
                yield _memory(memory_id, record)
        if not documents and not databases:
            yield Skip(str(files.path), "nothing_found", "it contains neither JSON nor a history.db")


def _memories(files: Files, name: str) -> list[Any]:
    document = files.document(name)
    listed = document.get("results") if isinstance(document, Mapping) else document
    if not isinstance(listed, list):
        raise InvalidInput(
            f"{name} holds no list of memories.", hint="Save what mem0's get_all() returns as JSON."
        )
    return listed


def _memory(memory_id: str, record: Mapping[str, Any]) -> Batch:
    item = _item(memory_id, text_of(record.get("memory")), 0, record, moment(record.get("created_at")))
    return Batch(item.text[:60] or memory_id, (item,), user=label_of(record.get("user_id")))


def _item(memory_id: str, text: str, repeats: int, record: Mapping[str, Any], happened: int | None) -> Item:
    """One version. The same text in the same memory is the same version, from the JSON or the history."""
    about = record.get("metadata")
    metadata = {"memory_id": memory_id}
    for name in ("agent_id", "run_id"):
        if (value := label_of(record.get(name))) is not None:
            metadata[name] = value
    unknown = unknown_fields(record, _MEMORY)
    if isinstance(about, Mapping):
        unknown = {**unknown, "metadata": unknown_fields(about, ())}
    # Written out again as they were: a version's own time is not when its memory was made.
    times = {name: label_of(record.get(name)) for name in ("created_at", "updated_at")}
    unknown = {**unknown, **{name: text for name, text in times.items() if text is not None}}
    return Item(
        f"{memory_id}:{text_hash(text)[:32]}:{repeats}",
        text,
        session=label_of(record.get("run_id")),
        uri=f"mem0:{memory_id}",
        replaces=True,
        occurred_at=happened,
        metadata=metadata,
        unknown=unknown,
    )


def _history(
    path: Path, records: Mapping[str, Mapping[str, Any]], versioned: set[str]
) -> Iterator[Batch | Skip]:
    with sqlite_rows(path) as tables:
        if not tables.has("history"):
            yield Skip(path.name, "unknown_file", "the database has no table history")
            return
        # By memory, and in it in the order of writing.
        events = tables.rows("history", _HISTORY, "memory_id, rowid")
        for memory_id, group in groupby(events, key=lambda row: label_of(row["memory_id"])):
            if memory_id is None:
                yield Skip(path.name, "no_id", "an event names no memory")
                continue
            versioned.add(memory_id)
            yield from _versions(memory_id, list(group), records.get(memory_id, {}))
        if tables.has("messages"):
            yield from _messages(tables)


def _versions(
    memory_id: str, events: list[dict[str, Any]], record: Mapping[str, Any]
) -> Iterator[Batch | Skip]:
    """Each version is a transaction of its own, so that reads as of in between show it."""
    user = label_of(record.get("user_id"))
    repeats: dict[str, int] = {}
    latest: Item | None = None
    for event in events:
        kind = str(event["event"]).upper()
        if kind == "DELETE":
            if latest is not None:
                yield Batch(f"{memory_id} deleted", retires=(latest.id,), user=user)
            continue
        if kind not in ("ADD", "UPDATE"):
            if kind != "NONE":
                yield Skip(memory_id, "unknown_event", f"the event {kind[:40]}")
            continue
        text = text_of(event["new_memory"])
        changed_at = moment(event["updated_at"] if kind == "UPDATE" else event["created_at"])
        number = repeats.get(text, 0)
        repeats[text] = number + 1
        fields = {**record, **{name: event[name] for name in ("actor_id", "role") if event.get(name)}}
        latest = _item(memory_id, text, number, fields, changed_at or moment(event["created_at"]))
        yield Batch(text[:60] or memory_id, (latest,), user=user)
    current = text_of(record.get("memory"))
    if current and (latest is None or latest.text != current):
        # The history was cut off or reset; the JSON has the last word.
        item = _item(memory_id, current, repeats.get(current, 0), record, moment(record.get("updated_at")))
        yield Batch(current[:60], (item,), user=user)


def _messages(tables: SqliteTables) -> Iterator[Batch | Skip]:
    rows = tables.rows("messages", _MESSAGES, "session_scope, rowid")
    for scope, group in groupby(rows, key=lambda row: text_of(row["session_scope"])):
        names = dict(parse_qsl(scope))
        items = [
            Item(
                f"message:{text_of(str(row['id']))}",
                text_of(row["content"]),
                kind=Kind.TURN,
                session=f"mem0:{names.get('run_id') or scope or 'messages'}",
                role=row["role"] if row["role"] in ("user", "assistant", "tool") else "user",
                speaker=label_of(row["name"]),
                occurred_at=moment(row["created_at"]),
                unknown=unknown_fields(row, (*_MESSAGES, "session_scope")),
            )
            for row in group
        ]
        yield Batch(scope or "messages", tuple(items), user=names.get("user_id"))


IMPORTERS: Final[Mapping[str, Importer]] = {"mem0": Mem0Importer()}
