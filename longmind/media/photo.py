"""Reads a photo: what its camera wrote, what somebody wrote about it, the text in it, what is seen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.base.frame import Kind
from longmind.base.places import NAMES
from longmind.base.times import format_ms
from longmind.ingest.duplicates import LOOK_PREFIX
from longmind.ingest.source import Document, Limits, Source, Unreadable, title_of
from longmind.media.exif import camera, named_place, place, read_exif, read_gps, taken, written_about
from longmind.media.pictures import look_hash, open_picture, picture_vector, small_copy, upright
from longmind.media.protocols import Box, TextBlock
from longmind.media.textblocks import join_lines
from longmind.media.tools import MediaTools, used
from longmind.store.drafts import Attachment, Piece

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES: Final = frozenset(
    {"image/jpeg", "image/png", "image/gif", "image/webp", "image/tiff", "image/heic", "image/avif"}
)
_ICON: Final = 96
"""Pixels of the longer side below which a picture is decoration: folders of programs are full of them."""


class PhotoReader:
    """One frame for the photo, with a chunk for each block of text in it."""

    name = "photo"

    def __init__(self, tools: MediaTools, limits: Limits | None = None) -> None:
        self._tools = tools
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in PICTURES

    def read(self, data: bytes, source: Source) -> Document:
        picture = open_picture(data)
        if max(picture.size) < _ICON:
            width, height = picture.size
            raise Unreadable("too_small", f"With {width} by {height} pixels it is an icon, not a photo.")
        tags, gps = read_exif(picture), read_gps(picture)
        about: dict[str, Any] = written_about(picture, tags)
        when = taken(tags, gps, source.modified)
        metadata: dict[str, Any] = {
            "format": picture.format or "",
            **self._tools.placed(place(gps), named_place(picture)),
        }
        metadata["hash"] = f"sha256:{hashlib.sha256(data).hexdigest()}"
        notes: list[str] = []
        if when is not None:
            metadata["taken_at"], metadata["taken_from"] = format_ms(when.at), when.source
            if when.offset is not None:
                metadata["taken_offset"] = when.offset
        if name := camera(tags):
            metadata["camera"] = name
        if keywords := about.get("keywords"):
            metadata["keywords"] = keywords
        if getattr(picture, "is_animated", False):
            metadata["frames"] = int(getattr(picture, "n_frames", 1))
            notes.append("It is animated; its first frame was read.")
        title = about.get("title") or title_of(source)
        blocks: Sequence[TextBlock] = ()
        extra: list[str] = []
        attached: list[Attachment] = []
        try:
            image = upright(picture)
        except Unreadable as error:
            notes.append(error.message)  # what its header says is kept all the same
        else:
            metadata |= {"width": image.width, "height": image.height}
            metadata["dhash"] = LOOK_PREFIX + look_hash(image)
            blocks, extra = self._seen(image, metadata, notes)
            attached = self._attached(image, metadata, notes)
        head = _head(title, metadata, about, extra)
        text, pieces = _with_blocks(head, join_lines(blocks), title)
        return Document(
            uri=source.uri,
            title=title,
            text=text,
            media_type=source.media_type,
            metadata=metadata,
            warnings=tuple(notes),
            kind=Kind.PHOTO,
            occurred_at=None if when is None else when.at,
            pieces=pieces,
            attached=tuple(attached),
        )

    def _attached(self, image: Image, metadata: dict[str, Any], notes: list[str]) -> list[Attachment]:
        """A small copy, if one is to be stored, and a vector, if there is a model for it."""
        attached: list[Attachment] = []
        if (side := self._tools.thumbnails) is not None:
            attached.append(small_copy(image, side))
        if (embedder := self._tools.images) is not None:
            vector = used(
                embedder, "vector", lambda picture: picture_vector(picture, embedder), image, metadata, notes
            )
            if vector is not None:
                attached.append(vector)
        return attached

    def _seen(
        self, image: Image, metadata: dict[str, Any], notes: list[str]
    ) -> tuple[Sequence[TextBlock], list[str]]:
        """The text in the picture, and lines of what tools say of it; a tool that fails is noted."""
        blocks: Sequence[TextBlock] = ()
        lines: list[str] = []
        tools = self._tools
        recognizer = tools.text_recognizer()
        if isinstance(recognizer, str):
            notes.append(recognizer)
        elif recognizer is not None:
            blocks = used(recognizer, "text", recognizer.read, image, metadata, notes) or ()
        if (labeler := tools.labels) is not None:
            labels = used(labeler, "labels", labeler.label, image, metadata, notes)
            if labels:
                metadata["labels"] = {label.name: round(label.score, 2) for label in labels}
                lines.append("Objects seen: " + ", ".join(label.name for label in labels))
        if (captioner := tools.captions) is not None:
            caption = used(captioner, "caption", captioner.caption, image, metadata, notes)
            if caption and caption.strip():
                lines.append(f"Described by {captioner.name}: {caption.strip()}")
        return blocks, lines


def _head(title: str, metadata: dict[str, Any], about: dict[str, Any], extra: Sequence[str]) -> str:
    lines = [f"Photo: {title}"]
    if metadata.get("taken_from") in {"offset", "gps", "local"}:
        lines[0] += f", taken {metadata['taken_at'][:10]}"
    if caption := about.get("caption"):
        lines.append(f"Caption: {caption}")
    lines += [f"{label}{metadata[name]}" for name, label in NAMES.items() if name in metadata]
    if keywords := metadata.get("keywords"):
        lines.append("Keywords: " + ", ".join(keywords))
    return "\n".join([*lines, *extra])


def _with_blocks(head: str, blocks: Sequence[TextBlock], title: str) -> tuple[str, tuple[Piece, ...]]:
    """The photo's text; its first chunk is all of it, so that words of two blocks are found together."""
    if not blocks:
        return head, ()
    text = head + "\nText in the picture:"
    pieces = []
    for block in blocks:
        start = len(text.encode()) + 1
        text += "\n" + block.text
        box = {"box": list(block.box), "score": round(block.score, 2)}
        end = start + len(block.text.encode())
        pieces.append(Piece(start, end, title, Kind.PHOTO_TEXT, None, None, box))
    around: Box = (
        min(block.box[0] for block in blocks),
        min(block.box[1] for block in blocks),
        max(block.box[2] for block in blocks),
        max(block.box[3] for block in blocks),
    )
    whole = Piece(0, len(text.encode()), title, Kind.PHOTO, None, None, {"box": list(around)})
    return text, (whole, *pieces)
