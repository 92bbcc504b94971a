"""Photos, videos and sound, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from longmind.cli.output import Block, Table, counted, minute, one_line

if TYPE_CHECKING:
    from longmind.base.frame import FrameList
    from longmind.media.interface import (
        DuplicateList,
        PhotoHits,
        RefreshReport,
        SimilarPhotos,
        Thumbnail,
    )


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


def search(listing: PhotoHits) -> Iterator[Block]:
    if listing.photos:
        yield Table(
            ("frame", "score", "when (UTC)", "photo"),
            [
                (photo.frame.id, f"{photo.score:.3f}", minute(photo.frame.occurred_at), photo.frame.uri or "")
                for photo in listing.photos
            ],
        )
    else:
        yield "No photo has a vector to compare."
    if listing.without_vector:
        yield (
            f"{counted(listing.without_vector, 'photo has', 'photos have')} no vector of {listing.embedder}. "
            "To make them, run: longmind media refresh FOLDER"
        )


def thumbnail(copy: Thumbnail) -> Iterator[Block]:
    size = f"{copy.width} by {copy.height} pixels, {len(copy.picture):,} bytes of {copy.media_type}"
    yield f"Frame {copy.frame_id}: {size}. With --json, `picture` holds it as base64."


def refresh(report: RefreshReport) -> Iterator[Block]:
    yield f"{counted(report.thumbnails, 'thumbnail')} and {counted(report.vectors, 'vector')} made."
    if report.skipped:
        yield Table(
            ("skipped", "why", "detail"), [(skip.uri, skip.code, skip.detail) for skip in report.skipped]
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
    "media.search": search,
    "media.thumbnail": thumbnail,
    "media.refresh": refresh,
    "media.duplicates": duplicates,
}
