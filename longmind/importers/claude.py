"""A Claude data export: conversations, the documents of projects, and what its own memory holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from longmind.base.frame import Kind
from longmind.importers.chats import Place, branch_places, branches, turn_items
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Options, text_hash
from longmind.importers.values import label_of, moment, text_of, unknown_fields
from longmind.ingest.report import Skip

_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
_CONVERSATION: Final = ("uuid", "name", "created_at", "updated_at", "account", "chat_messages")
_MESSAGE: Final = (
    "uuid", "text", "content", "sender", "created_at", "updated_at", "attachments", "files",
    "parent_message_uuid",
)  # fmt: skip
_ROOT: Final = "00000000-0000-4000-8000-000000000000"
"""What messages without a parent name as theirs."""


class ClaudeImporter:
    name: ClassVar[str] = "claude"
    about: ClassVar[str] = "A Claude export: the zip file, its folder, or conversations.json."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        names = files.names(".json")
        if not (files.is_folder or files.is_archive):
            names = files.names()
        read = 0
        for name in names:
            reader = _READERS.get(name.rpartition("/")[2])
            if reader is None and len(names) == 1:
                reader = _conversation  # a file of conversations under a name of the user's
            if reader is None:
                yield Skip(name, "unknown_file", "nothing is imported from it")
                continue
            read += 1
            for number, entry in files.entries(name):
                where = f"{name}[{number}]"
                if isinstance(entry, Skip):
                    yield entry
                elif not isinstance(entry, Mapping):
                    yield Skip(where, "unknown_entry", "it is not an object")
                else:
                    yield from reader(entry, where)
        if not read:
            yield Skip(str(files.path), "nothing_found", "there is no conversations.json in it")


def _conversation(entry: Mapping[str, Any], where: str) -> Iterator[Batch | Skip]:
    name = label_of(entry.get("uuid"))
    listed = entry.get("chat_messages")
    if name is None or not isinstance(listed, list):
        yield Skip(where, "unknown_entry", "it is not a conversation: uuid or chat_messages is missing")
        return
    messages: dict[str, Mapping[str, Any]] = {}
    parents: dict[str, str | None] = {}
    before: str | None = None
    for number, message in enumerate(listed, 1):
        if not isinstance(message, Mapping):
            yield Skip(f"{where} message {number}", "unknown_message", "it is not an object")
            continue
        key = label_of(message.get("uuid")) or f"{name}:{number}"
        parent = label_of(message.get("parent_message_uuid"))
        messages[key] = message
        # Older exports name no parents: their messages follow one another.
        parents[key] = before if parent is None else None if parent == _ROOT else parent
        before = key
    title = label_of(entry.get("name"))
    unknown = unknown_fields(entry, _CONVERSATION)
    items: list[Item] = []
    skips: list[Skip] = []

    def add(message_id: str, session: str, tags: tuple[str, ...]) -> None:
        message = messages[message_id]
        said_at = moment(message.get("created_at")) or moment(entry.get("created_at"))
        own = unknown_fields(message, _MESSAGE)
        context = Place(
            session, title, said_at, tags, unknown={**own, **({"conversation": unknown} if unknown else {})}
        )
        for record in _message(message, f"{name}:{message_id}", context):
            (items if isinstance(record, Item) else skips).append(record)  # type: ignore[arg-type]

    branch_places(f"claude:{name}", branches(parents, before), add)
    yield from skips
    if items:
        yield Batch(title or name, tuple(items))


def _message(message: Mapping[str, Any], message_id: str, context: Place) -> Iterator[Item | Skip]:
    listed = message.get("content")
    blocks = (
        [dict(block) for block in listed if isinstance(block, Mapping)] if isinstance(listed, list) else []
    )
    # Older exports have the text alone.
    has_text = any(block.get("type") in ("text", "tool_use", "tool_result") for block in blocks)
    content = blocks if has_text else message.get("text")
    role = _ROLES.get(str(message.get("sender")), message.get("sender"))
    yield from turn_items({"role": role, "content": content}, message_id, context)
    attached = message.get("attachments")
    for number, attachment in enumerate(attached if isinstance(attached, list) else (), 1):
        if isinstance(attachment, Mapping) and text_of(attachment.get("extracted_content")).strip():
            yield Item(
                f"{message_id}:attachment:{number}",
                text_of(attachment["extracted_content"]),
                kind=Kind.DOCUMENT,
                title=label_of(attachment.get("file_name")),
                session=context.session,
                occurred_at=context.occurred_at,
                unknown=unknown_fields(attachment, ("file_name", "extracted_content")),
            )
    named = message.get("files")
    for file in named if isinstance(named, list) else ():
        shown = label_of(file.get("file_name")) if isinstance(file, Mapping) else None
        yield Skip(
            f"{context.session}: {message_id}", "file", f"the file {shown or '?'} is not in the export"
        )


def _project(entry: Mapping[str, Any], where: str) -> Iterator[Batch | Skip]:
    project = label_of(entry.get("name")) or label_of(entry.get("uuid")) or where
    items: list[Item] = []
    documents = entry.get("docs")
    for number, document in enumerate(documents if isinstance(documents, list) else (), 1):
        if isinstance(document, Mapping):
            items.append(
                Item(
                    label_of(document.get("uuid")) or f"{where}:{number}",
                    text_of(document.get("content")),
                    kind=Kind.DOCUMENT,
                    title=label_of(document.get("filename")),
                    occurred_at=moment(document.get("created_at")),
                    metadata={"project": project},
                    unknown=unknown_fields(document, ("uuid", "content", "filename", "created_at")),
                )
            )
    for name in ("prompt_template", "description"):
        text = text_of(entry.get(name)).strip()
        if text:
            items.append(
                Item(f"{entry.get('uuid')}:{name}:{text_hash(text)[:16]}", text, title=f"{project}: {name}",
                     occurred_at=moment(entry.get("updated_at")), metadata={"project": project})
            )  # fmt: skip
    if items:
        yield Batch(project, tuple(items))


def _memory(entry: Mapping[str, Any], where: str) -> Iterator[Batch | Skip]:
    """What Claude's own memory holds, as text: of all conversations, and of each project."""
    projects = entry.get("project_memories")
    texts = {"conversations": entry.get("conversations_memory")}
    texts |= (
        {f"project {key}": value for key, value in projects.items()} if isinstance(projects, Mapping) else {}
    )
    items = [
        Item(f"memory:{name}:{text_hash(text)[:16]}", text, title=f"Claude's memory ({name})", replaces=True,
             uri=f"claude:memory:{name}")
        for name, text in ((name, text_of(value)) for name, value in texts.items())
        if text.strip()
    ]  # fmt: skip
    if items:
        yield Batch("memory", tuple(items))
    else:
        yield Skip(where, "unknown_entry", "no memory was found in it")


_READERS: Final = {"conversations.json": _conversation, "projects.json": _project, "memories.json": _memory}
IMPORTERS: Final[Mapping[str, Importer]] = {"claude": ClaudeImporter()}
