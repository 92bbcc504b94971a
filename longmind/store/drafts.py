"""A frame before it is written: checked once, complete, and with a name for its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from longmind.base.checks import (
    check_choice,
    check_label,
    check_limit,
    check_metadata,
    check_tags,
    check_text,
)
from longmind.base.errors import InvalidInput
from longmind.base.frame import SCOPES, SOURCES, Kind
from longmind.base.hashing import Field, encode_fields
from longmind.base.partitions import partition_name, split_partition
from longmind.base.times import to_ms

_SHORT_LABEL: Final = 200


class Attachment:
    """Base of what is stored with a frame and is not text, such as a small copy of a picture."""

    __slots__ = ()


@dataclass(slots=True)
class Draft:
    """What `put` writes. Made by `draft`, which checks; or by `chunked`, which cuts.

    Nobody changes one: use `replace`. It is not frozen, since setting so many fields of a frozen object would
    take longer than checking them.
    """

    text: str
    space: str
    kind: str = Kind.TEXT
    scope: str = "space"
    title: str | None = None
    session: str | None = None
    role: str | None = None
    speaker: str | None = None
    uri: str | None = None
    source: str = "user"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Canonical JSON by top-level key. A chunk answers with that of its document, and with its own on top."""
    occurred_at: int | None = None
    """None: the clock's reading at the time of writing."""
    ordinal: int | None = None
    start: int | None = None
    end: int | None = None
    chunks: tuple[Draft, ...] = ()
    repeatable: bool = False
    """True where the same content may stand more than once, as in a conversation."""
    idempotency_key: str | None = None
    expires_at: int | None = None
    """From when on no read shows it; None: it stays."""
    ruled: str = ""
    """The redaction rules that were applied, by name; see `store/rules.py`."""
    attached: tuple[Attachment, ...] = ()
    """What its reader made beside the text, for the part of the store that keeps such things."""
    notes: tuple[str, ...] = ()
    """What its reader could not do, for the report; not stored with the frame."""

    def flat(self) -> tuple[Draft, ...]:
        return (self, *self.chunks)

    def content_hash(self, parent_hash: bytes | None = None) -> bytes:
        labels = (self.space, self.scope, self.kind, self.session, self.role, self.speaker, self.uri)
        return _content_hash(labels, (parent_hash, self.start, self.title, self.text, self.occurred_at))


def content_hash(
    *,
    space: str,
    scope: str,
    kind: str,
    session: str | None,
    role: str | None,
    speaker: str | None,
    uri: str | None,
    parent_hash: bytes | None,
    start: int | None,
    title: str | None,
    text: str,
    occurred_at: int | None,
) -> bytes:
    """What makes two frames the same. `occurred_at` counts only where the caller gave it.

    A chunk is named by its parent's hash, not by its number, so that no name depends on the order of writing.
    """
    labels = (space, scope, kind, session, role, speaker, uri)
    return _content_hash(labels, (parent_hash, start, title, text, occurred_at))


def _content_hash(labels: tuple[str | None, ...], fields: tuple[Field, ...]) -> bytes:
    # The encoding of several fields is that of each in turn, and the first ones repeat from frame to frame.
    return hashlib.sha256(_encoded_labels(labels) + encode_fields(fields)).digest()


@lru_cache(maxsize=1024)
def _encoded_labels(labels: tuple[str | None, ...]) -> bytes:
    return encode_fields(("frame", *labels))


def draft(
    text: str,
    *,
    space: str,
    kind: str = Kind.TEXT,
    scope: str = "space",
    title: str | None = None,
    session: str | None = None,
    role: str | None = None,
    speaker: str | None = None,
    uri: str | None = None,
    source: str = "user",
    tags: Iterable[str] = (),
    metadata: Mapping[str, Any] | None = None,
    occurred_at: datetime | int | None = None,
    ordinal: int | None = None,
    repeatable: bool = False,
    idempotency_key: str | None = None,
    user: str | None = None,
    expires_at: int | None = None,
) -> Draft:
    """Check everything a caller may say of a frame."""
    partition = partition_name(space, user)
    if scope == "global":
        check_shared(partition)
    if ordinal is not None:
        ordinal = check_limit(ordinal, "ordinal", least=0, most=2**62)
    if not isinstance(repeatable, bool):
        raise InvalidInput(f"repeatable must be True or False, not {repeatable!r}.")
    return Draft(  # by place: to name so many fields takes twice as long
        check_text(text, "text"),
        partition,
        _label(kind, "kind"),
        check_choice(scope, "scope", SCOPES),
        None if title is None else _label(title, "title"),
        None if session is None else _label(session, "session"),
        None if role is None else _label(role, "role"),
        None if speaker is None else _label(speaker, "speaker"),
        None if uri is None else _label(uri, "uri"),
        check_choice(source, "source", SOURCES),
        () if type(tags) in (tuple, list) and not tags else check_tags(tags),
        {} if metadata is None else check_metadata(metadata),
        None if occurred_at is None else to_ms(occurred_at, "occurred_at"),
        ordinal,
        None,
        None,
        (),
        repeatable,
        None if idempotency_key is None else check_label(idempotency_key, "idempotency_key"),
        expires_at,
    )


def check_shared(partition: str) -> None:
    """What every space sees is nobody's alone."""
    if split_partition(partition)[1] is not None:
        raise InvalidInput(
            "scope='global' is seen by every user, and user= keeps it to one.", hint="Leave one of them out."
        )


def _label(value: object, name: str) -> str:
    """`check_label`, once for each of the labels that repeat from frame to frame."""
    if type(value) is str and len(value) <= _SHORT_LABEL:
        return _short_label(value, name)
    return check_label(value, name)


@lru_cache(maxsize=1024)
def _short_label(value: str, name: str) -> str:
    return check_label(value, name)


class Piece(NamedTuple):
    """A byte range of a document's text that becomes a chunk; what is None is as in the document."""

    start: int
    end: int
    title: str | None = None
    kind: str = Kind.CHUNK
    speaker: str | None = None
    occurred_at: int | None = None
    metadata: Mapping[str, Any] | None = None


def chunked(whole: Draft, pieces: Iterable[Piece | tuple[int, int, str | None]]) -> Draft:
    """The same draft with chunks."""
    raw = whole.text.encode()
    chunks = []
    for ordinal, values in enumerate(pieces):
        piece = Piece(*values)
        start, end = piece.start, piece.end
        if not 0 <= start < end <= len(raw):
            raise InvalidInput(
                f"The chunk [{start}, {end}) does not lie within the {len(raw)} bytes of the text.",
                hint="Chunks count UTF-8 bytes: measure them with len(text.encode()).",
            )
        try:
            text = raw[start:end].decode()
        except UnicodeDecodeError:
            raise InvalidInput(
                f"The chunk [{start}, {end}) cuts a character in two.",
                hint="Chunks count UTF-8 bytes: measure them with len(text.encode()).",
            ) from None
        chunks.append(
            replace(
                whole,
                text=text,
                kind=_label(piece.kind, "kind"),
                title=piece.title if piece.title is not None else whole.title,
                speaker=whole.speaker if piece.speaker is None else _label(piece.speaker, "speaker"),
                occurred_at=whole.occurred_at if piece.occurred_at is None else piece.occurred_at,
                ordinal=ordinal,
                start=start,
                end=end,
                tags=(),
                metadata={} if piece.metadata is None else check_metadata(piece.metadata),
                chunks=(),
                idempotency_key=None,
                attached=(),
                notes=(),
            )
        )
    return replace(whole, chunks=tuple(chunks))
