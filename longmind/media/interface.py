"""Photos, videos and sound of one memory: reading them, their parts, and pictures that look alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict, Unpack

from longmind.base.checks import check_limit
from longmind.base.errors import InvalidInput
from longmind.base.filters import SpaceLike, UserLike, View, Where
from longmind.base.frame import Frame, FrameList, Kind
from longmind.base.parameters import (
    AsUser,
    FrameId,
    Limit,
    Mark,
    Metadata,
    PathLike,
    Tags,
    User,
    WhereLike,
    WriteSpace,
)
from longmind.base.results import Listing
from longmind.base.times import AsOf
from longmind.ingest.budget import IngestBudget
from longmind.ingest.duplicates import look_of
from longmind.ingest.report import IngestReport, merged
from longmind.ingest.source import EXTENSIONS, Source, media_type_of
from longmind.media.tools import MediaTools
from longmind.store import frames
from longmind.store.edit import check_frame_id
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.ingest.sources import Progress

_MOST_PARTS: Final = 100_000
_PAGE: Final = 10_000
_MOST_BITS: Final = 20
"""Of 64. Pictures that differ in more are as far apart as any two."""
_PREFIXES: Final = {Kind.PHOTO: "image/", Kind.VIDEO: "video/", Kind.AUDIO: "audio/"}

Paths = Annotated[Iterable[PathLike], "Files or folders.", Mark.FILE]


@dataclass(frozen=True, slots=True)
class SimilarPhoto:
    """A photo, and in how many of 64 bits its look differs from the picture asked for."""

    frame: Frame
    distance: int


@dataclass(frozen=True, slots=True, eq=False)
class SimilarPhotos(Listing[SimilarPhoto]):
    """Photos that look alike, the most alike first."""

    photos: tuple[SimilarPhoto, ...]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A file that was there already when it came: as `frame`, and before as the frame `of`."""

    frame: Frame
    of: int
    by: str
    """'bytes' (the same file) or 'look' (a copy that was resized or compressed)."""


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateList(Listing[Duplicate]):
    """Files that are there more than once, by frame."""

    duplicates: tuple[Duplicate, ...]


class ReadOptions(TypedDict, total=False):
    """Keyword arguments that `photos`, `videos` and `audio` share, as `ingest` has them."""

    tags: Tags
    metadata: Metadata
    exclude: Annotated[Iterable[str], "No files that match, as in .gitignore."]
    space: WriteSpace
    user: User
    budget: IngestBudget
    cancelled: Callable[[], bool] | None
    progress: Callable[[Progress], None] | None


class Media:
    """What a memory does with photos, videos and sound beside searching them."""

    def __init__(
        self,
        store: Store,
        space: str,
        tools: MediaTools,
        ingest: Callable[..., IngestReport],
        *,
        user: str | None = None,
    ) -> None:
        self._store = store
        self._space = space
        self._user = user
        self._ingest = ingest
        self.tools = tools
        """What reads text in pictures and speech; set its fields before the first ingest."""

    def photos(self, paths: Paths, **options: Unpack[ReadOptions]) -> IngestReport:
        """Read photos: when and where they were taken, captions, the text in them.

        Of a folder, only photos are read; a second run reads what changed.
        """
        return self._read(Kind.PHOTO, paths, options)

    def videos(self, paths: Paths, **options: Unpack[ReadOptions]) -> IngestReport:
        """Read videos: what is said (from subtitles, or written down), and the text on the screen.

        Of a folder, only videos are read; a second run reads what changed.
        """
        return self._read(Kind.VIDEO, paths, options)

    def audio(self, paths: Paths, **options: Unpack[ReadOptions]) -> IngestReport:
        """Read recordings and voice notes: what is said, from subtitles or written down.

        Of a folder, only sound is read; a second run reads what changed.
        """
        return self._read(Kind.AUDIO, paths, options)

    def parts(
        self,
        frame_id: FrameId,
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> FrameList:
        """The blocks of text in a photo with their boxes, or the seconds of a recording, in order."""
        view, number = self._view(space, user, as_of), check_frame_id(frame_id)
        dialect = self._store.engine.dialect
        with self._store.read() as snapshot:
            frames.get(snapshot.db, dialect, number, view)  # refuses what is not there
            page = frames.page(
                snapshot.db, dialect, view, Where(parent=number), limit=_MOST_PARTS, cursor=None, chunks=True
            )
        return FrameList(page.frames)

    def similar(
        self,
        picture: Annotated[PathLike | bytes | Frame | int, "A file, a photo's frame, or its id."],
        *,
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
        check_limit(distance, "distance", least=0, most=_MOST_BITS)
        check_limit(limit, "limit", most=_PAGE)
        view = self._view(space, user, as_of)
        look, asked = self._look(picture, view)
        condition = Where.of(where).with_kinds([Kind.PHOTO])
        near: list[SimilarPhoto] = []
        for frame in self._frames(condition, view):
            own = look_of(frame.metadata)
            if own is not None and frame.id != asked and (own ^ look).bit_count() <= distance:
                near.append(SimilarPhoto(frame, (own ^ look).bit_count()))
        near.sort(key=lambda photo: (photo.distance, photo.frame.id))
        return SimilarPhotos(tuple(near[:limit]))

    def duplicates(
        self, *, space: SpaceLike | None = None, user: AsUser = None, as_of: AsOf = AsOf.LATEST
    ) -> DuplicateList:
        """Files that were there already when they were read: the same bytes, or the same picture."""
        condition = Where(metadata={"duplicate_of": {"gt": 0}})
        return DuplicateList(
            tuple(
                Duplicate(
                    frame, int(frame.metadata["duplicate_of"]), str(frame.metadata.get("duplicate_by", ""))
                )
                for frame in self._frames(condition, self._view(space, user, as_of))
            )
        )

    # Steps

    def _read(self, kind: str, paths: Iterable[PathLike], options: ReadOptions) -> IngestReport:
        prefix = _PREFIXES[kind]
        chosen = [paths] if isinstance(paths, str) or not isinstance(paths, Iterable) else list(paths)
        files = [Path(path).expanduser() for path in chosen]
        if not files:
            raise InvalidInput("Name a file or a folder.")
        for path in files:
            if path.is_file() and not _type_of(path).startswith(prefix):
                raise InvalidInput(
                    f"{path.name} is not a {prefix.rstrip('/')} file.",
                    hint="Use photos, videos or audio for each; ingest takes all of them.",
                )
        include = [_any_case(ending) for ending, media in EXTENSIONS.items() if media.startswith(prefix)]
        return merged(
            self._ingest(path, **options, **({"include": include} if path.is_dir() else {})) for path in files
        )

    def _look(self, picture: PathLike | bytes | Frame | int, view: View) -> tuple[int, int | None]:
        """The hash of a picture, and its frame if it is one."""
        if isinstance(picture, Frame):
            picture = picture.id
        if isinstance(picture, int):
            with self._store.read() as snapshot:
                frame = frames.get(snapshot.db, self._store.engine.dialect, check_frame_id(picture), view)
            look = look_of(frame.metadata)
            if look is None:
                raise InvalidInput(
                    f"Frame {frame.id} is not a photo that could be looked at.",
                    hint="Name a photo; list them with: longmind list --kind photo",
                )
            return look, frame.id if frame.parent is None else frame.parent
        from longmind.media.pictures import look_hash, open_picture, upright

        data = picture if isinstance(picture, bytes) else Source.from_path(Path(picture).expanduser()).load()
        return int(look_hash(upright(open_picture(data))), 16), None

    def _frames(self, condition: Where, view: View) -> Iterable[Frame]:
        cursor: str | None = None
        dialect = self._store.engine.dialect
        with self._store.read() as snapshot:
            while True:
                page = frames.page(snapshot.db, dialect, view, condition, limit=_PAGE, cursor=cursor)
                yield from page.frames
                cursor = page.cursor
                if cursor is None:
                    return

    def _view(self, space: SpaceLike | None, user: UserLike, as_of: AsOf) -> View:
        return View.of(self._space if space is None else space, as_of, self._user if user is None else user)


def _type_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return media_type_of(path.name, file.read(1024))
    except OSError:
        return media_type_of(path.name)


def _any_case(ending: str) -> str:
    """`*.[jJ][pP][gG]`: cameras write their endings in capitals."""
    letters = (
        f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in ending.removeprefix(".")
    )
    return "*." + "".join(letters)
