"""What an importer reads from its source: items, statements and names, in batches of one transaction each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

from longmind.base.checks import MAX_LABEL_BYTES
from longmind.base.frame import Kind
from longmind.facts.values import Value
from longmind.importers.files import Files
from longmind.ingest.report import Skip

CHANNEL: Final = "import"
"""How facts read from imported frames came in: believed less than what the user says here."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to keep. Its id is the source's own: an id that was imported before is not written again."""

    id: str
    text: str
    kind: str = Kind.TEXT
    title: str | None = None
    session: str | None = None
    role: str | None = None
    speaker: str | None = None
    uri: str | None = None
    replaces: bool = False
    """It is a new version of the frame that has its `uri`, which is superseded."""
    tags: tuple[str, ...] = ()
    occurred_at: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the source that mean nothing here; kept under `import` in the metadata."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact, resting on items by their ids."""

    subject: str
    predicate: str
    value: Value
    evidence: tuple[str, ...]
    valid_from: int | None = None
    valid_to: int | None = None
    qualifiers: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Name:
    """An entity of the facts, with its kind and its other names."""

    key: str
    kind: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written in one transaction: a conversation, a note, or an entity with its facts."""

    name: str
    items: tuple[Item, ...] = ()
    statements: tuple[Statement, ...] = ()
    names: tuple[Name, ...] = ()
    retires: tuple[str, ...] = ()
    """Ids of items that the source has deleted since."""
    user: str | None = None
    """Whose it is, as the source says."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller says about a source."""

    mapping: Mapping[str, Any] = field(default_factory=dict)


class Importer(Protocol):
    """Reads one format: pure, and raising nothing but errors of ours, whatever the bytes are."""

    name: ClassVar[str]
    about: ClassVar[str]

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]: ...


def source_key(source: str, item_id: str) -> str:
    """The idempotency key of an item; the hash of its id where that is too long for a label."""
    key = f"{CHANNEL}:{source}:{item_id}"
    if len(key.encode("utf-8", "replace")) <= MAX_LABEL_BYTES and key.isprintable():
        return key
    return f"{CHANNEL}:{source}:sha256:{text_hash(item_id)}"


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
