"""Photos, videos and sound, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from longmind.cli.output import Block, Table, minute, one_line

if TYPE_CHECKING:
    from longmind.base.frame import FrameList
    from longmind.media.interface import DuplicateList, SimilarPhotos


def parts(listing: FrameList) -> Iterator[Block]:
    if not listing.frames:
        yield "It has no parts: no text was seen in it, and nothing was heard."
        return
    yield Table(
        ("frame", "where", "text"),
        [(frame.id, frame.citation or frame.kind, one_line(frame.text)) for frame in listing.frames],
    )


def similar(listing: SimilarPhotos) -> Iterator[Block]:
    if not listing.photos:
        yield "No photo looks like it. A larger --distance finds more."
        return
    yield Table(
        ("frame", "bits apart", "when (UTC)", "photo"),
        [
            (photo.frame.id, photo.distance, minute(photo.frame.occurred_at), photo.frame.uri or "")
            for photo in listing.photos
        ],
    )


def duplicates(listing: DuplicateList) -> Iterator[Block]:
    if not listing.duplicates:
        yield "No file is there twice."
        return
    yield Table(
        ("frame", "same as frame", "by", "file"),
        [(item.frame.id, item.of, item.by, item.frame.uri or "") for item in listing.duplicates],
    )


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "media.parts": parts,
    "media.similar": similar,
    "media.duplicates": duplicates,
}
