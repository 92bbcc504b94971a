"""Vaults of Markdown notes: Obsidian, basic-memory, and any other folder of notes that link to each other.

A note is a document. Its links become facts that rest on it, and lines such as `- [decision] We use SQLite
#storage (2025)` become observations of their own, as basic-memory writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, ClassVar, Final

from longmind.base.frame import Kind
from longmind.facts.values import Entity
from longmind.importers.files import Files
from longmind.importers.knowledge_graph import observation_fields
from longmind.importers.records import Batch, Importer, Item, Name, Options, Statement, text_hash
from longmind.importers.values import kept, label_of, moment, tags_of, text_of
from longmind.ingest.readers.markdown import split_front_matter
from longmind.ingest.report import Skip

LINKS_TO: Final = "links_to"
EMBEDS: Final = "embeds"
_LINK: Final = re.compile(r"(!?)\[\[([^\[\]|#^\n]+)(?:[#^][^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
_OBSERVATION: Final = re.compile(r"^[ \t]*[-*] \[([^\[\]\n]{2,60})\] (.+)$", re.MULTILINE)
_RELATION: Final = re.compile(
    r"^[ \t]*[-*] ([\w][^\[\]\n]{0,80}?) \[\[([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]", re.MULTILINE
)
_TAG: Final = re.compile(r"(?<![\w/&#])#([^\W\d_][\w/-]{0,80})")
_CONTEXT: Final = re.compile(r"\s*\(([^()\n]{1,200})\)\s*$")
_BLOCK_ID: Final = re.compile(r"\s+\^[\w-]+\s*$")
_FENCED: Final = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE: Final = re.compile(r"`[^`\n]*`")
_TIMES: Final = ("created", "created_at", "date", "modified", "updated", "updated_at")


class VaultImporter:
    name: ClassVar[str] = "vault"
    about: ClassVar[str] = "A folder (or zip) of Markdown notes: Obsidian, basic-memory and others."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        notes = files.names(".md", ".markdown")
        for name in files.names():
            if name not in notes:
                yield Skip(name, "not_a_note", "read it with longmind ingest if it is wanted")
        if not notes:
            yield Skip(str(files.path), "nothing_found", "there is no Markdown note in it")
        titles = {PurePosixPath(name).stem.casefold() for name in notes}
        for name in notes:
            yield _note(files, name, titles)


def _note(files: Files, path: str, titles: set[str]) -> Batch:
    written = files.text(path).replace("\r\n", "\n")
    front, text = split_front_matter(text_of(written))
    title = label_of(front.get("title")) or PurePosixPath(path).stem
    happened = next((when for name in _TIMES if (when := moment(front.get(name))) is not None), None)
    prose = _CODE.sub(" ", _FENCED.sub(" ", text))
    tags = dict.fromkeys((*tags_of(front.get("tags")), *tags_of(front.get("tag")), *_TAG.findall(prose)))
    note_id = f"{path}:{text_hash(written)[:32]}"
    note = Item(
        note_id,
        text if text.strip() else title,
        kind=Kind.DOCUMENT,
        title=title,
        uri=f"vault:{path}",
        replaces=True,
        tags=tuple(tags)[:100],
        occurred_at=happened if happened is not None else files.modified(path),
        metadata={"path": path},
        unknown={"front_matter": kept(front)} if front else {},
    )
    items = [note, *_observations(prose, title, path, note)]
    aliases = [alias for name in ("aliases", "alias", "permalink") for alias in _names(front.get(name))]
    name = Name(title, label_of(front.get("type")) or "note", tuple(dict.fromkeys(aliases)))
    return Batch(path, tuple(items), tuple(_relations(prose, title, note_id)), names=(name,))


def _names(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [label for label in map(label_of, listed) if label is not None]


def _observations(prose: str, title: str, path: str, note: Item) -> Iterator[Item]:
    for match in _OBSERVATION.finditer(prose):
        category, text = match[1].strip(), _BLOCK_ID.sub("", match[2])
        context = _CONTEXT.search(text)
        tags = tags_of(_TAG.findall(text))
        plain = _TAG.sub("", _CONTEXT.sub("", text)).strip()
        if category.lower() in ("x", "todo") or not plain:
            continue
        fields = observation_fields(title, " ".join(plain.split()))
        fields["metadata"] |= {"category": category, **({"context": context[1]} if context else {})}
        # The uri names this very observation: a note that changes keeps those that it still has.
        key = text_hash(f"{path}\0{category}\0{text}")[:32]
        yield Item(f"observation:{key}", tags=tags, occurred_at=note.occurred_at, **fields)


def _relations(prose: str, title: str, note_id: str) -> Iterator[Statement]:
    """What a note says of others: named relations first, then plain links and embedded notes."""
    seen: set[str] = set()
    for match in _RELATION.finditer(prose):
        relation, target = " ".join(match[1].split()), _target(match[2])
        if target:
            seen.add(target.casefold())
            yield Statement(title, relation.rstrip(":"), Entity(target), (note_id,))
    for match in _LINK.finditer(prose):
        target = _target(match[2])
        if target and target.casefold() not in seen and target.casefold() != title.casefold():
            seen.add(target.casefold())
            yield Statement(title, EMBEDS if match[1] else LINKS_TO, Entity(target), (note_id,))


def _target(link: str) -> str:
    """The note that a link means: by its name, without folder and heading."""
    return PurePosixPath(text_of(link).partition("#")[0].partition("^")[0].strip()).name.removesuffix(".md")


IMPORTERS: Final[Mapping[str, Importer]] = {"vault": VaultImporter()}
