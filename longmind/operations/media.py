"""Operations on photos, videos and sound."""

from __future__ import annotations

from typing import Annotated, Final

from longmind.base.errors import InvalidInput
from longmind.base.filters import SpaceLike
from longmind.base.parameters import AsUser, Limit, MaybeFrameId, PathLike, WhereLike
from longmind.base.times import AsOf
from longmind.media.interface import Media, PhotoHits, SimilarPhotos
from longmind.memory import Memory
from longmind.operations.operation import Operation

_FRAME: Final = {"frame_id": "frame"}


def _media(memory: Memory) -> Media:
    return memory.media


def _similar(
    memory: Memory,
    path: Annotated[PathLike | None, "A picture."] = None,
    *,
    frame: MaybeFrameId = None,
    distance: Annotated[int, "In how many of 64 bits the looks may differ."] = 10,
    limit: Limit = 10,
    where: WhereLike = None,
    space: SpaceLike | None = None,
    user: AsUser = None,
    as_of: AsOf = AsOf.LATEST,
) -> SimilarPhotos:
    """Photos that look like a picture, the most alike first: copies, crops of a few pixels, bursts.

    It compares brightness, not what is shown: another photo of the same cat is not similar.
    """
    picture = path if frame is None else frame
    if picture is None or (path is not None and frame is not None):
        raise InvalidInput("Give a picture or the frame of a photo, and not both.")
    return memory.media.similar(
        picture, distance=distance, limit=limit, where=where, space=space, user=user, as_of=as_of
    )


def _search(
    memory: Memory,
    query: Annotated[str | None, "What the photo shows."] = None,
    *,
    path: Annotated[PathLike | None, "A picture that shows the like."] = None,
    frame: MaybeFrameId = None,
    limit: Limit = 10,
    where: WhereLike = None,
    space: SpaceLike | None = None,
    user: AsUser = None,
    as_of: AsOf = AsOf.LATEST,
) -> PhotoHits:
    """Photos that show what a text says, or what another picture shows, by the vectors of a model.

    It needs an image embedder: set LONGMIND_IMAGES to the folder of one. Text in photos, captions and labels
    are found by `search`, and copies of a picture by `media similar`, without one.
    """
    if path is not None and frame is not None:
        raise InvalidInput("Give a picture or the frame of a photo, and not both.")
    return memory.media.search(
        query,
        picture=path if frame is None else frame,
        limit=limit,
        where=where,
        space=space,
        user=user,
        as_of=as_of,
    )


OPERATIONS: Final = (
    *(
        Operation(
            name,
            method,
            receiver=_media,
            effect="write",
            begins=True,
            repeatable=True,
            lasting=True,
            example={"paths": [example]},
        )
        for name, method, example in (
            ("photos", Media.photos, "photos"),
            ("videos", Media.videos, "talks"),
            ("audio", Media.audio, "voice-notes"),
        )
    ),
    Operation("media.parts", Media.parts, receiver=_media, rename=_FRAME, example={"frame": 1}),
    Operation("media.similar", _similar, example={"path": "photos/cat.jpg"}),
    Operation("media.search", _search, example={"query": "a cat on a chair"}),
    Operation("media.thumbnail", Media.thumbnail, receiver=_media, rename=_FRAME, example={"frame": 1}),
    Operation(
        "media.refresh",
        Media.refresh,
        receiver=_media,
        effect="write",
        repeatable=True,
        lasting=True,
        example={"paths": ["photos"]},
    ),
    Operation("media.duplicates", Media.duplicates, receiver=_media),
)
