"""What a caller hands over to be kept (texts, a file, a folder, bytes), checked and sent to the pipeline."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from longmind.base.checks import (
    check_metadata,
    check_names,
    check_tags,
    check_text,
    optional_label,
    with_place,
)
from longmind.base.errors import InvalidInput
from longmind.base.expiry import expiry
from longmind.base.partitions import partition_name
from longmind.base.times import to_ms
from longmind.ingest import pipeline
from longmind.ingest.budget import IngestBudget
from longmind.ingest.plan import Cutting, Labels, cut_if_long
from longmind.ingest.report import IngestReport
from longmind.ingest.source import Readers
from longmind.ingest.sources import FolderOptions, Progress, given_sources, ingest_folder, ingest_sources
from longmind.store.drafts import Draft, draft
from longmind.store.store import Store

_LISTED: Final = (*inspect.signature(draft).parameters, "ttl")
_FIELDS: Final = frozenset(_LISTED)
"""What an item of `remember_many` may say of itself."""


def remember(store: Store, drafts: Sequence[Draft], *, settle: pipeline.Settle | None = None) -> IngestReport:
    """Write texts in one transaction; those that are too long for a frame are cut into chunks."""
    ready = [cut_if_long(item) for item in store.redaction.drafts(drafts)]
    return pipeline.remember(store, ready, settle=settle)


def drafts_of(
    items: Iterable[str | Mapping[str, Any]], *, space: str, user: str | None = None, now: int
) -> list[Draft]:
    """Several texts, or the arguments of `remember` for each."""
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise InvalidInput(
            "remember_many takes a list of texts or mappings.", hint="For one text, use remember."
        )
    drafts: list[Draft] = []
    plain: Draft | None = None
    for item in items:
        if plain is not None and type(item) is str:  # says nothing but its text, as the first one did
            drafts.append(Draft(check_text(item, "text"), plain.space, plain.kind))
            continue
        drafts.append(_draft(item, space, user, now))
        if type(item) is str:
            plain = drafts[-1]
    return drafts


def _draft(item: str | Mapping[str, Any], space: str, user: str | None, now: int) -> Draft:
    fields = {"text": item} if isinstance(item, str) else item
    if not (type(fields) is dict or isinstance(fields, Mapping)) or "text" not in fields:
        raise InvalidInput(
            "An item to remember is a text, or a mapping with 'text'.",
            hint="Write it as 'text' or {'text': '...', 'tags': [...]}.",
        )
    arguments = with_place(fields, space=space, user=user)
    if not _FIELDS.issuperset(arguments):
        check_names(arguments, _LISTED, "fields of an item to remember")
    if "expires_at" in arguments or "ttl" in arguments:
        arguments["expires_at"] = expiry(
            arguments.pop("expires_at", None), arguments.pop("ttl", None), now=now
        )
    make: Callable[..., Draft] = draft
    return make(**arguments)


def ingest(
    store: Store,
    readers: Readers,
    source: str | os.PathLike[str] | bytes | None,
    *,
    text: str | None,
    uri: str | None,
    media_type: str | None,
    title: str | None,
    tags: Iterable[str],
    metadata: Mapping[str, Any] | None,
    session: str | None,
    occurred_at: datetime | int | None,
    space: str,
    scope: str,
    cutting: Cutting,
    files: FolderOptions,
    budget: IngestBudget,
    cancelled: Callable[[], bool] | None,
    progress: Callable[[Progress], None] | None,
    expires_at: int | None = None,
) -> IngestReport:
    """Read a path, bytes or a text; of a folder, only what changed since the last time."""
    labels = Labels(
        space=partition_name(space),
        scope=scope,
        session=optional_label(session, "session"),
        tags=check_tags(tags),
        metadata=check_metadata(metadata or {}),
        occurred_at=None if occurred_at is None else to_ms(occurred_at, "occurred_at"),
        title=optional_label(title, "title"),
        expires_at=expires_at,
    )
    target = given_sources(
        source,
        text=text,
        uri=optional_label(uri, "uri"),
        media_type=optional_label(media_type, "media_type"),
    )
    run: dict[str, Any] = {
        "readers": readers, "labels": labels, "cutting": cutting,
        "budget": budget, "cancelled": cancelled, "progress": progress,
    }  # fmt: skip
    if isinstance(target, Path):
        return ingest_folder(store, target, options=files, **run)
    return ingest_sources(store, [target], **run)
