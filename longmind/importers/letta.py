"""Agent files of Letta (`.af`), of both generations: memory blocks, archival passages and messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.importers.chats import Place, turn_items
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Options, text_hash
from longmind.importers.values import label_of, list_of, moment, text_of, unknown_fields
from longmind.ingest.report import Skip

_BLOCK: Final = ("id", "label", "value", "description", "created_at", "updated_at")
_MESSAGE: Final = (
    "id", "type", "role", "content", "text", "name", "tool_calls", "tool_call_id", "tool_returns",
    "created_at", "agent_id", "model",
)  # fmt: skip
_PACKED: Final = ("message", "user_message")
"""Older agents wrap what a user says as JSON, beside events such as a login."""
_NOT_MEMORY: Final = ("tools", "groups", "mcp_servers", "skills")


class LettaImporter:
    name: ClassVar[str] = "letta"
    about: ClassVar[str] = "Agent files of Letta (.af): one file, or a folder of them."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        names = files.names(".af", ".json") if files.is_folder or files.is_archive else files.names()
        if not names:
            yield Skip(str(files.path), "nothing_found", "there is no .af file in it")
        for name in names:
            try:
                document = files.document(name)
            except InvalidInput as error:
                if len(names) == 1:
                    raise
                yield Skip(name, "invalid_json", error.message)
                continue
            if not isinstance(document, Mapping):
                yield Skip(name, "unknown_file", "it is not an agent file")
            elif isinstance(document.get("agents"), list):
                yield from _second(document, name)
            elif "agent_type" in document or "core_memory" in document:
                yield from _first(document, name)
            else:
                yield Skip(name, "unknown_file", "it is not an agent file")


def _second(document: Mapping[str, Any], file: str) -> Iterator[Batch | Skip]:
    blocks = {
        str(block.get("id")): block for block in list_of(document.get("blocks")) if isinstance(block, Mapping)
    }
    used: set[str] = set()
    for number, agent in enumerate(document["agents"]):
        if not isinstance(agent, Mapping):
            yield Skip(f"{file} agent {number}", "unknown_entry", "it is not an agent")
            continue
        ids = [str(block_id) for block_id in list_of(agent.get("block_ids")) if isinstance(block_id, str)]
        used.update(ids)
        own = [blocks[block_id] for block_id in ids if block_id in blocks]
        own += [block for block in list_of(agent.get("memory_blocks")) if isinstance(block, Mapping)]
        yield from _agent(agent, own, file)
    shared = [block for block_id, block in blocks.items() if block_id not in used]
    if shared:
        items = tuple(_block(block, _stem(file), "shared") for block in shared)
        yield Batch(f"{file}: shared blocks", items)
    for kind in ("files", "sources"):
        for entry in list_of(document.get(kind)):
            shown = (
                label_of(entry.get("file_name", entry.get("name"))) if isinstance(entry, Mapping) else None
            )
            yield from _file(entry, file, shown)
    yield from _left_out(document, file)


def _first(document: Mapping[str, Any], file: str) -> Iterator[Batch | Skip]:
    blocks = document.get("core_memory")
    yield from _agent(document, [block for block in list_of(blocks) if isinstance(block, Mapping)], file)
    yield from _left_out(document, file)


def _left_out(document: Mapping[str, Any], file: str) -> Iterator[Skip]:
    for name in _NOT_MEMORY:
        if count := len(list_of(document.get(name))):
            yield Skip(file, name, f"{count} {name} are not memory")


def _agent(agent: Mapping[str, Any], blocks: list[Mapping[str, Any]], file: str) -> Iterator[Batch | Skip]:
    # Ids inside an agent file count from zero in every file, so the file's own name is part of ours.
    name = label_of(agent.get("name")) or _stem(file)
    origin = f"{_stem(file)}:{label_of(agent.get('id')) or name}"
    if blocks:
        yield Batch(f"{name}: memory blocks", tuple(_block(block, origin, name) for block in blocks))
    for number, passage in enumerate(
        list_of(agent.get("archival_memory")) or list_of(agent.get("passages")), 1
    ):
        text = text_of(passage.get("text")) if isinstance(passage, Mapping) else text_of(passage)
        about = passage if isinstance(passage, Mapping) else {}
        item = Item(f"{origin}:passage:{about.get('id') or number}:{text_hash(text)[:16]}", text,
                    title=f"{name}: archival memory", occurred_at=moment(about.get("created_at")),
                    unknown=unknown_fields(about, ("id", "text", "created_at", "embedding")))  # fmt: skip
        yield Batch(item.title or name, (item,))
    items: list[Item] = []
    for number, message in enumerate(list_of(agent.get("messages"))):
        if not isinstance(message, Mapping):
            yield Skip(f"{file} message {number}", "unknown_message", "it is not an object")
            continue
        for record in _message(message, f"{origin}:{message.get('id') or number}:{number}", name, origin):
            if isinstance(record, Skip):
                yield record
            else:
                items.append(record)
    if items:
        yield Batch(name, tuple(items))


def _block(block: Mapping[str, Any], origin: str, agent: str) -> Item:
    label = label_of(block.get("label")) or "block"
    text = text_of(block.get("value")).strip()
    return Item(
        f"{origin}:block:{label}:{text_hash(text)[:32]}",
        text,
        title=f"{agent}: {label}",
        uri=f"letta:{origin}:{label}",
        replaces=True,
        tags=("core-memory",),
        occurred_at=moment(block.get("updated_at")) or moment(block.get("created_at")),
        metadata={
            "block": label,
            **({"about": about} if (about := label_of(block.get("description"))) else {}),
        },
        unknown=unknown_fields(block, _BLOCK),
    )


def _message(message: Mapping[str, Any], message_id: str, agent: str, origin: str) -> Iterator[Item | Skip]:
    context = Place(
        f"letta:{origin}", agent, moment(message.get("created_at")), unknown=unknown_fields(message, _MESSAGE)
    )
    content = message.get("content", message.get("text"))
    parts = content if isinstance(content, list) else [{"type": "text", "text": text_of(content)}]
    texts = [
        text_of(part.get("text"))
        for part in parts
        if isinstance(part, Mapping) and part.get("type") == "text"
    ]
    text = "\n\n".join(part for part in texts if part)
    role = message.get("role")
    if role == "user" and text.startswith("{"):
        event, text = _unpacked(text)
        if event is not None:
            yield Skip(f"{context.session}: {message_id}", "event", f"the event {event}")
            return
    written = {
        "role": role,
        "content": text,
        "name": message.get("name") if role == "user" else None,
        "tool_calls": message.get("tool_calls"),
        "tool_call_id": message.get("tool_call_id"),
    }
    yield from turn_items(written, message_id, context)


def _unpacked(text: str) -> tuple[str | None, str]:
    """What a user says in a packed message; or the name of the event that it is instead."""
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        return None, text
    if not isinstance(packed, Mapping) or not isinstance(packed.get("type"), str):
        return None, text
    packed_text = next((packed[name] for name in _PACKED if isinstance(packed.get(name), str)), None)
    return (
        (None, packed_text)
        if packed["type"] == "user_message" and packed_text is not None
        else (packed["type"], text)
    )


def _file(entry: Any, file: str, shown: str | None) -> Iterator[Batch | Skip]:
    text = text_of(entry.get("content")) if isinstance(entry, Mapping) else ""
    if not text.strip():
        yield Skip(f"{file}: {shown or '?'}", "file", "its content is not in the agent file")
        return
    item = Item(f"{_stem(file)}:file:{shown}:{text_hash(text)[:16]}", text, kind=Kind.DOCUMENT, title=shown)
    yield Batch(shown or file, (item,))


def _stem(file: str) -> str:
    return file.removesuffix(".af").removesuffix(".json")


IMPORTERS: Final[Mapping[str, Importer]] = {"letta": LettaImporter()}
