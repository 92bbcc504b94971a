"""A frame before it is written: checked once, complete, and with a name for its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recollect.base.checks import (
    check_choice,
    check_label,
    check_limit,
    check_metadata,
    check_tags,
    check_text,
    optional_label,
)
from recollect.base.errors import InvalidInput
from recollect.base.frame import SCOPES, SOURCES, Kind
from recollect.base.hashing import digest
from recollect.base.names import canonical_space
from recollect.base.times import to_ms


@dataclass(frozen=True, slots=True)
class Draft:
    """What `put` writes. Made by `draft`, which checks; or by `chunked`, which cuts."""

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
    """Canonical JSON by top-level key."""
    occurred_at: int | None = None
    """None: the clock's reading at the time of writing."""
    ordinal: int | None = None
    start: int | None = None
    end: int | None = None
    chunks: tuple[Draft, ...] = ()
    repeatable: bool = False
    """True where the same content may stand more than once, as in a conversation."""
    idempotency_key: str | None = None

    def flat(self) -> tuple[Draft, ...]:
        return (self, *self.chunks)

    def content_hash(self, parent_hash: bytes | None = None) -> bytes:
        return content_hash(
            space=self.space,
            scope=self.scope,
            kind=self.kind,
            session=self.session,
            role=self.role,
            speaker=self.speaker,
            uri=self.uri,
            parent_hash=parent_hash,
            start=self.start,
            title=self.title,
            text=self.text,
            occurred_at=self.occurred_at,
        )


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
    return digest(
        "frame", space, scope, kind, session, role, speaker, uri, parent_hash, start, title, text, occurred_at
    )


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
) -> Draft:
    """Check everything a caller may say of a frame."""
    if ordinal is not None:
        ordinal = check_limit(ordinal, "ordinal", least=0, most=2**62)
    if not isinstance(repeatable, bool):
        raise InvalidInput(f"repeatable must be True or False, not {repeatable!r}.")
    return Draft(
        text=check_text(text, "text"),
        space=canonical_space(space),
        kind=check_label(kind, "kind"),
        scope=check_choice(scope, "scope", SCOPES),
        title=optional_label(title, "title"),
        session=optional_label(session, "session"),
        role=optional_label(role, "role"),
        speaker=optional_label(speaker, "speaker"),
        uri=optional_label(uri, "uri"),
        source=check_choice(source, "source", SOURCES),
        tags=check_tags(tags),
        metadata=check_metadata({} if metadata is None else metadata),
        occurred_at=None if occurred_at is None else to_ms(occurred_at, "occurred_at"),
        ordinal=ordinal,
        repeatable=repeatable,
        idempotency_key=optional_label(idempotency_key, "idempotency_key"),
    )


def chunked(whole: Draft, ranges: Iterable[tuple[int, int, str | None]]) -> Draft:
    """The same draft with chunks: byte ranges of its text, each with a title of its own if it has one."""
    raw = whole.text.encode()
    chunks = []
    for ordinal, (start, end, title) in enumerate(ranges):
        if not 0 <= start < end <= len(raw):
            raise InvalidInput(
                f"The chunk [{start}, {end}) does not lie within the {len(raw)} bytes of the text."
            )
        try:
            text = raw[start:end].decode()
        except UnicodeDecodeError:
            raise InvalidInput(f"The chunk [{start}, {end}) cuts a character in two.") from None
        chunks.append(
            replace(
                whole,
                text=text,
                kind=Kind.CHUNK,
                title=title if title is not None else whole.title,
                ordinal=ordinal,
                start=start,
                end=end,
                tags=(),
                metadata={},
                chunks=(),
                idempotency_key=None,
            )
        )
    return replace(whole, chunks=tuple(chunks))
