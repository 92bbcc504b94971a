"""Operations on frames: keep, read, list, change, retire, remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import (
    AsOfMoment,
    Conditions,
    FrameId,
    Kinds,
    Limit,
    Moment,
    Sessions,
    Space,
    Spaces,
    Tags,
)

if TYPE_CHECKING:
    from longmind.base.frame import Frame, Page
    from longmind.ingest.report import IngestReport
    from longmind.memory import Memory
    from longmind.operations.answers import Certificates, Forgotten, FrameList
    from longmind.store.erasure import ErasureCertificate, ErasureCheck

Source = Annotated[str, "Who writes: user, agent, tool, import or system."]
NewTags = Annotated[list[str] | None, "Tags for it."]
Metadata = Annotated[dict[str, Any] | None, "Keys with values.", Mark.PAIRS]
Scope = Annotated[Literal["space", "global"], "Who sees it: its space, or every space."]


@operation(
    "remember",
    effect="write",
    begins=True,
    repeatable=True,
    tool=True,
    example={"text": "Ana prefers trains to planes.", "tags": ["travel"]},
)
def remember(
    memory: Memory,
    text: Annotated[str, "The text to keep.", Mark.TEXT],
    *,
    title: Annotated[str | None, "A title for it."] = None,
    kind: Annotated[str, "What kind of thing it is."] = Kind.TEXT,
    tags: NewTags = None,
    metadata: Metadata = None,
    session: Annotated[str | None, "The session it belongs to."] = None,
    role: Annotated[str | None, "The role of who said it, such as user."] = None,
    speaker: Annotated[str | None, "The name of who said it."] = None,
    uri: Annotated[str | None, "Where it comes from."] = None,
    source: Source = "user",
    scope: Scope = "space",
    occurred_at: Annotated[Moment, "When it happened; now, if it is not given."] = None,
    idempotency_key: Annotated[str | None, "Write once for this key, however often it is tried."] = None,
    space: Space = None,
) -> IngestReport:
    """Keep a text for later. The same text in the same place is kept once.

    Use it for what should still be known in another session: decisions, preferences, findings, events.
    """
    return memory.remember(
        text,
        title=title,
        kind=kind,
        tags=tags or (),
        metadata=metadata,
        session=session,
        role=role,
        speaker=speaker,
        uri=uri,
        source=source,
        scope=scope,
        occurred_at=values.moment(occurred_at, "occurred_at"),
        idempotency_key=idempotency_key,
        space=space,
    )


@operation(
    "remember_many",
    effect="write",
    begins=True,
    repeatable=True,
    example={"items": [{"text": "Ana moved to Porto."}, {"text": "The build takes four minutes."}]},
)
def remember_many(
    memory: Memory,
    items: Annotated[list[dict[str, Any]], "Each with `text` and what else `remember` takes."],
    *,
    space: Space = None,
) -> IngestReport:
    """Keep several texts in one transaction: all of them or none."""
    return memory.remember_many([_item(item) for item in items], space=space)


@operation(
    "ingest",
    effect="write",
    begins=True,
    repeatable=True,
    lasting=True,
    example={"text": "# Notes\n\nOne.\n"},
)
def ingest(
    memory: Memory,
    path: Annotated[str | None, "A file or a folder.", Mark.FILE] = None,
    *,
    text: Annotated[str | None, "A document's text, instead of a path."] = None,
    uri: Annotated[
        str | None, "What a document given as text is called; the next one of that name replaces it."
    ] = None,
    media_type: Annotated[str | None, "What the text is, such as text/markdown."] = None,
    title: Annotated[str | None, "A title, instead of the one it has."] = None,
    tags: NewTags = None,
    metadata: Metadata = None,
    include: Annotated[list[str] | None, "Only files that match, as in .gitignore."] = None,
    exclude: Annotated[list[str] | None, "No files that match, as in .gitignore."] = None,
    all_files: Annotated[bool, "Also what .gitignore ignores."] = False,
    scope: Scope = "space",
    space: Space = None,
    progress: Annotated[Any, Mark.INSIDE] = None,
) -> IngestReport:
    """Read a file, a folder or a text into documents with chunks.

    A second run reads only what changed, and retires what is gone.
    """
    return memory.ingest(
        path,
        text=text,
        uri=uri,
        media_type=media_type,
        title=title,
        tags=tags or (),
        metadata=metadata,
        include=include or (),
        exclude=exclude or (),
        ignore=not all_files,
        scope=scope,
        space=space,
        progress=progress,
    )


@operation("get", example={"frame": 1})
def get(memory: Memory, frame: FrameId, *, as_of: AsOfMoment = None, space: Spaces = None) -> Frame:
    """One frame, whole."""
    return memory.get(frame, as_of=values.as_of(memory, as_of), space=values.spaces(space))


@operation("list", example={"limit": 20})
def list_frames(
    memory: Memory,
    *,
    kinds: Kinds = None,
    sessions: Sessions = None,
    tags: Tags = None,
    where: Conditions = None,
    limit: Limit = 100,
    cursor: Annotated[str | None, "Where the page before ended."] = None,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> Page:
    """Frames by id, a page at a time."""
    return memory.list(
        where=values.where(where, kinds=kinds, sessions=sessions, tags=tags),
        limit=limit,
        cursor=cursor,
        as_of=values.as_of(memory, as_of),
        space=values.spaces(space),
    )


@operation("timeline", example={"limit": 20, "since": "2025-01-01"})
def timeline(
    memory: Memory,
    *,
    limit: Limit = 20,
    since: Annotated[Moment, "What happened then or later."] = None,
    until: Annotated[Moment, "What happened before then."] = None,
    kinds: Kinds = None,
    sessions: Sessions = None,
    tags: Tags = None,
    where: Conditions = None,
    oldest_first: Annotated[bool, "Begin with the oldest."] = False,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> FrameList:
    """What happened when, newest first."""
    from longmind.operations.answers import FrameList

    return FrameList(
        memory.timeline(
            where=values.where(where, kinds=kinds, sessions=sessions, tags=tags),
            since=values.moment(since, "since"),
            until=values.moment(until, "until"),
            limit=limit,
            newest_first=not oldest_first,
            as_of=values.as_of(memory, as_of),
            space=values.spaces(space),
        )
    )


@operation("update", effect="write", repeatable=True, example={"frame": 1, "tags": ["travel", "checked"]})
def update(
    memory: Memory,
    frame: FrameId,
    *,
    tags: Annotated[list[str] | None, "The tags it shall have, as a whole."] = None,
    metadata: Annotated[dict[str, Any] | None, "The metadata it shall have, as a whole.", Mark.PAIRS] = None,
    space: Spaces = None,
) -> Frame:
    """Set a frame's tags or metadata; what held before stays visible as of before."""
    if tags is None and metadata is None:
        raise InvalidInput("There is nothing to change.", hint="Give tags or metadata.")
    return memory.update(frame, tags=tags, metadata=metadata, space=values.spaces(space))


@operation("supersede", effect="write", example={"old": 1, "new": 2})
def supersede(
    memory: Memory,
    old: Annotated[int, "The frame that no longer holds."],
    new: Annotated[int, "The frame that holds instead."],
    *,
    space: Spaces = None,
) -> Forgotten:
    """Retire a frame in favour of another; the history links them."""
    from longmind.operations.answers import Forgotten

    memory.supersede(old, new, space=values.spaces(space))
    return Forgotten((old,))


@operation("forget", effect="destroy", repeatable=True, tool=True, example={"frame": 1})
def forget(
    memory: Memory,
    frame: Annotated[int | None, "The id of a frame."] = None,
    *,
    kinds: Kinds = None,
    sessions: Sessions = None,
    tags: Tags = None,
    where: Conditions = None,
    space: Spaces = None,
) -> Forgotten:
    """Retire a frame, or all that match: gone from answers, still there as of before.

    Use it when something was wrong, is no longer wanted, or the user asks to forget it.
    """
    from longmind.operations.answers import Forgotten

    condition = values.where(where, kinds=kinds, sessions=sessions, tags=tags)
    return Forgotten(memory.forget(frame, where=condition or None, space=values.spaces(space)))


@operation("erase", effect="destroy", example={"frame": 1})
def erase(
    memory: Memory,
    frame: Annotated[int | None, "The id of a frame."] = None,
    *,
    kinds: Kinds = None,
    sessions: Sessions = None,
    tags: Tags = None,
    where: Conditions = None,
    space: Spaces = None,
) -> ErasureCertificate:
    """Remove a frame, or all that match, with everything derived from it, and prove it by a certificate."""
    condition = values.where(where, kinds=kinds, sessions=sessions, tags=tags)
    return memory.erase(frame, where=condition or None, space=values.spaces(space))


@operation("verify_erasure")
def verify_erasure(
    memory: Memory, certificate: Annotated[str, "The certificate, as JSON.", Mark.TEXT]
) -> ErasureCheck:
    """Check that a certificate was issued here and that nothing of it is back."""
    from longmind.store.erasure import ErasureCertificate

    return memory.verify_erasure(ErasureCertificate.from_json(certificate))


@operation("unfinished_erasures", effect="write", lasting=True)
def unfinished_erasures(memory: Memory) -> Certificates:
    """Complete erasures that were cut off by a kill or held up by a reader, and return their certificates.

    Each certificate is given once. One that says `"scrubbed": false` could not be completed because another
    process is still reading; it is given again by a later call.
    """
    from longmind.operations.answers import Certificates

    return Certificates(memory.unfinished_erasures())


def _item(item: dict[str, Any]) -> dict[str, Any]:
    """Times in it may be written out."""
    if isinstance(item.get("occurred_at"), str):
        return {**item, "occurred_at": values.moment(item["occurred_at"], "occurred_at")}
    return item
