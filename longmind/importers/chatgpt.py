"""A ChatGPT data export: `conversations.json`, or its parts `conversations-000.json` and so on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from longmind.base.frame import Kind
from longmind.importers.chats import Place, branch_places, branches, turn_items
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Options
from longmind.importers.values import label_of, moment, text_of, unknown_fields
from longmind.ingest.report import Skip

_PARTS: Final = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_CONVERSATION: Final = (
    "id",
    "conversation_id",
    "title",
    "create_time",
    "update_time",
    "mapping",
    "current_node",
)
_MESSAGE: Final = (
    "id",
    "author",
    "content",
    "create_time",
    "update_time",
    "recipient",
    "metadata",
    "channel",
)
_HIDDEN: Final = "is_visually_hidden_from_conversation"
_THOUGHTS: Final = ("thoughts", "reasoning_recap", "model_editable_context")


class ChatGptImporter:
    name: ClassVar[str] = "chatgpt"
    about: ClassVar[str] = "A ChatGPT export: the zip file, its folder, or conversations.json."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        names = [name for name in files.names(".json") if _PARTS.search(name)]
        if not names and not files.is_folder and not files.is_archive:
            names = files.names()
        if not names:
            yield Skip(str(files.path), "nothing_found", "there is no conversations.json in it")
        for name in names:
            for number, entry in files.entries(name):
                if isinstance(entry, Skip):
                    yield entry
                elif not isinstance(entry, Mapping) or not isinstance(entry.get("mapping"), Mapping):
                    yield Skip(f"{name}[{number}]", "unknown_entry", "it is not a conversation")
                else:
                    yield from _conversation(entry, f"{name}[{number}]")


def _conversation(entry: Mapping[str, Any], where: str) -> Iterator[Batch | Skip]:
    name = label_of(entry.get("conversation_id")) or label_of(entry.get("id"))
    if name is None:
        yield Skip(where, "no_id", "the conversation has no id")
        return
    nodes = {str(key): node for key, node in entry["mapping"].items() if isinstance(node, Mapping)}
    in_order = sorted(nodes, key=lambda key: _time(nodes[key]) or 0)
    parents = {key: label_of(nodes[key].get("parent")) for key in in_order}
    items: list[Item] = []
    skips: list[Skip] = []
    unknown = unknown_fields(entry, _CONVERSATION)

    def add(node_id: str, session: str, tags: tuple[str, ...]) -> None:
        message = nodes[node_id].get("message")
        if not isinstance(message, Mapping):
            return  # the root of every tree is empty
        context = Place(
            session=session,
            title=label_of(entry.get("title")),
            occurred_at=moment(message.get("create_time")) or moment(entry.get("create_time")),
            tags=tags,
            metadata=_about(message),
            unknown={**unknown_fields(message, _MESSAGE), **({"conversation": unknown} if unknown else {})},
        )
        for record in _message(message, f"{name}:{label_of(message.get('id')) or node_id}", context):
            (items if isinstance(record, Item) else skips).append(record)  # type: ignore[arg-type]

    branch_places(f"chatgpt:{name}", branches(parents, label_of(entry.get("current_node"))), add)
    yield from skips
    if items:
        yield Batch(label_of(entry.get("title")) or name, tuple(items))


def _time(node: Mapping[str, Any]) -> int | None:
    message = node.get("message")
    return moment(message.get("create_time")) if isinstance(message, Mapping) else None


def _about(message: Mapping[str, Any]) -> dict[str, Any]:
    about = message.get("metadata")
    model = label_of(about.get("model_slug")) if isinstance(about, Mapping) else None
    return {} if model is None else {"model": model}


def _message(message: Mapping[str, Any], message_id: str, context: Place) -> Iterator[Item | Skip]:
    where = f"{context.session}: {message_id}"
    author = message.get("author")
    role = author.get("role") if isinstance(author, Mapping) else None
    content = message.get("content")
    if not isinstance(content, Mapping):
        yield Skip(where, "unknown_message", "its content is not an object")
        return
    kind = str(content.get("content_type"))
    about = message.get("metadata")
    if kind == "user_editable_context":
        yield from _instructions(content, message_id, context)
        return
    if isinstance(about, Mapping) and about.get(_HIDDEN):
        yield Skip(where, "hidden", "the chat did not show it")
        return
    if kind in _THOUGHTS:
        yield Skip(where, "left_out", f"the model's own notes ({kind})")
        return
    texts, pictures = _texts(content)
    if not any(text.strip() for text in texts):
        if role not in ("system", None):
            yield Skip(where, "no_text", f"there is no text in it ({kind})")
        return
    tool = author.get("name") if isinstance(author, Mapping) else None
    written = {"role": role, "content": "\n\n".join(texts), "name": tool}
    if pictures:
        context = Place(context.session, context.title, context.occurred_at, context.tags, context.metadata,
                      {**context.unknown, "attachments": pictures})  # fmt: skip
    yield from turn_items(written, message_id, context)


def _texts(content: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The texts of a message, and the addresses of what else is in it, such as pictures."""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return [text_of(content.get("text")) or text_of(content.get("result"))], []
    texts: list[str] = []
    pictures: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(text_of(part))
        elif isinstance(part, Mapping):
            texts += [text_of(part["text"])] if isinstance(part.get("text"), str) else []
            pictures += [text_of(part["asset_pointer"])] if isinstance(part.get("asset_pointer"), str) else []
    return texts, pictures


def _instructions(content: Mapping[str, Any], message_id: str, context: Place) -> Iterator[Item]:
    """What the user told ChatGPT about themselves and how to answer; repeated in every conversation."""
    text = "\n\n".join(
        text_of(content.get(name)).strip() for name in ("user_profile", "user_instructions")
    ).strip()
    if text:
        yield Item(f"instructions:{text}", text, kind=Kind.TEXT, title="Custom instructions for ChatGPT",
                   occurred_at=context.occurred_at, unknown={"first_seen": message_id})  # fmt: skip


IMPORTERS: Final[Mapping[str, Importer]] = {"chatgpt": ChatGptImporter()}
