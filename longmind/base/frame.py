"""The frame: every remembered thing, as a reader gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import unquote

from longmind.base.notebook import html_table, shortened
from longmind.base.partitions import Partition, partition_name
from longmind.base.results import Listing
from longmind.base.times import clock_time, format_ms, from_ms

SCOPES: Final = ("space", "global")
SOURCES: Final = ("user", "agent", "tool", "import", "system")


class Kind:
    """Kinds the product itself writes. Kinds are open-world: any short string may be one."""

    TEXT: Final = "text"
    DOCUMENT: Final = "document"
    CHUNK: Final = "chunk"
    TURN: Final = "turn"
    MEMORY: Final = "memory"
    TRANSCRIPT: Final = "transcript"
    SEGMENT: Final = "segment"
    """A few seconds of a transcript."""
    PHOTO: Final = "photo"
    PHOTO_TEXT: Final = "photo_text"
    """A block of text in a photo."""
    VIDEO: Final = "video"
    VIDEO_SEGMENT: Final = "video_segment"
    AUDIO: Final = "audio"
    AUDIO_SEGMENT: Final = "audio_segment"


PARTS: Final[Mapping[str, str]] = {
    Kind.PHOTO: Kind.PHOTO_TEXT,
    Kind.VIDEO: Kind.VIDEO_SEGMENT,
    Kind.AUDIO: Kind.AUDIO_SEGMENT,
    Kind.TRANSCRIPT: Kind.SEGMENT,
}
"""The kind of the chunks of media. Who searches for photos means the text in them as well."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One remembered thing, as it stood at the `as_of` it was read with."""

    id: int
    kind: str
    space: str
    scope: str
    text: str
    title: str | None
    session: str | None
    role: str | None
    speaker: str | None
    uri: str | None
    source: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    parent: int | None
    start: int | None
    """With `end`, the bytes of the parent's text (UTF-8) that this chunk is."""
    end: int | None
    ordinal: int | None
    occurred_at: int
    recorded_at: int
    retired_at: int | None
    superseded_by: int | None
    content_hash: str
    user: str | None = None
    """Whose part of the space it is in; None for the part that all share."""

    expires_at: int | None = None
    """From then on no read shows it; None: it stays."""

    def __repr__(self) -> str:
        who = f", {self.role or self.speaker}" if self.role or self.speaker else ""
        gone = ", retired" if self.retired_at is not None else ""
        day = format_ms(self.occurred_at)[:10]
        return f"<Frame {self.id} {self.kind} in {self.space}, {day}{who}{gone}: {shortened(self.text)}>"

    @property
    def partition(self) -> Partition:
        """The name of the part of the space that it is in."""
        return partition_name(self.space, self.user)

    @property
    def occurred(self) -> datetime:
        """`occurred_at` as an aware datetime."""
        return from_ms(self.occurred_at)

    @property
    def recorded(self) -> datetime:
        """`recorded_at` as an aware datetime."""
        return from_ms(self.recorded_at)

    @property
    def citation(self) -> str | None:
        """Where to look in a photo or a recording: 'talk.mp4 at 1:10'; None for other frames."""
        return cited(self.kind, self.uri, self.title, self.metadata)


@dataclass(frozen=True, slots=True, eq=False)
class Page(Listing[Frame]):
    """Part of a listing; `cursor` asks for the next part, and is None at the end."""

    frames: tuple[Frame, ...]
    cursor: str | None

    def _repr_html_(self) -> str:
        return _html(self.frames)


@dataclass(frozen=True, slots=True, eq=False)
class FrameList(Listing[Frame]):
    """Frames in an order that the call says."""

    frames: tuple[Frame, ...]

    def _repr_html_(self) -> str:
        return _html(self.frames)


@dataclass(frozen=True, slots=True, eq=False)
class Forgotten(Listing[int]):
    """The ids of the frames that are retired now."""

    frames: tuple[int, ...]


def cited(kind: str, uri: str | None, title: str | None, metadata: Mapping[str, Any]) -> str | None:
    """The file, with the second or the box (left, top, right, bottom in pixels) where there is one."""
    if kind not in PARTS and kind not in PARTS.values():
        return None
    name = unquote((uri or "").rstrip("/").rsplit("/", 1)[-1]) or title or kind
    start, box = metadata.get("start_ms"), metadata.get("box")
    if isinstance(start, int) and start >= 0:
        return f"{name} at {clock_time(start)}"
    if isinstance(box, list) and len(box) == 4 and all(isinstance(side, int) for side in box):
        return f"{name} [box {','.join(map(str, box))}]"
    return name


def _html(frames: tuple[Frame, ...]) -> str:
    rows = ((frame.id, format_ms(frame.occurred_at)[:16], frame.kind, frame.text) for frame in frames)
    return html_table(("frame", "when (UTC)", "kind", "text"), rows)
