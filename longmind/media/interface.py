"""Photos, videos and sound of one memory: reading them, their parts, and pictures that look alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict, Unpack

from longmind.base.checks import check_limit, check_text
from longmind.base.errors import InvalidInput, NotFound, Unsupported
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
from longmind.ingest.report import IngestReport, Skip, merged
from longmind.ingest.source import EXTENSIONS, Source, media_type_of
from longmind.ingest.sources import Progress
from longmind.media.nearest import identity, nearest, vector_of
from longmind.media.part import TABLES, ThumbnailRow
from longmind.media.protocols import ImageEmbedder
from longmind.media.tools import MediaTools
from longmind.store import frames
from longmind.store.edit import check_frame_id
from longmind.store.store import Store

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_PARTS: Final = 100_000
_PAGE: Final = 10_000
_MOST_BITS: Final = 20
"""Of 64. Pictures that differ in more are as far apart as any two."""
_PREFIXES: Final = {Kind.PHOTO: "image/", Kind.VIDEO: "video/", Kind.AUDIO: "audio/"}

Picture = Annotated[PathLike | bytes | Frame | int, "A file, a photo's frame, or its id."]
Paths = Annotated[Iterable[PathLike], "Files or folders.", Mark.FILE]


@dataclass(frozen=True, slots=True)
class SimilarPhoto:
    """A photo, and in how many of 64 bits its look differs from the picture asked for."""

    frame: Frame
    distance: int


@dataclass(frozen=True, slots=True)
class PhotoHit:
    """A photo, and how near its vector is to what was asked for: a cosine, 1 for the same."""

    frame: Frame
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class PhotoHits(Listing[PhotoHit]):
    """Photos by what they show, the nearest first."""

    photos: tuple[PhotoHit, ...]
    embedder: str
    without_vector: int
    """Photos that could not be compared: they have no vector of this model. `media.refresh` makes them."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small copy of a picture."""

    frame_id: int
    media_type: str
    width: int
    height: int
    picture: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What was made of the files of photos that are there already."""

    thumbnails: int
    vectors: int
    skipped: tuple[Skip, ...] = ()
    """Photos whose file is gone, has changed since, or cannot be read."""


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
        picture: Picture,
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
        look, own_id = self._look(picture, view)
        condition = Where.of(where).with_kinds([Kind.PHOTO])
        near: list[SimilarPhoto] = []
        for frame in self._frames(condition, view):
            own = look_of(frame.metadata)
            if own is not None and frame.id != own_id and (own ^ look).bit_count() <= distance:
                near.append(SimilarPhoto(frame, (own ^ look).bit_count()))
        near.sort(key=lambda photo: (photo.distance, photo.frame.id))
        return SimilarPhotos(tuple(near[:limit]))

    def search(
        self,
        query: Annotated[str | None, "What the photo shows."] = None,
        *,
        picture: Annotated[PathLike | bytes | Frame | int | None, "A picture that shows the like."] = None,
        limit: Limit = 10,
        where: WhereLike = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> PhotoHits:
        """Photos that show what a text says, or what another picture shows, by the vectors of a model.

        It needs an image embedder: `MediaTools(images=…)` or LONGMIND_IMAGES. Text in photos, captions and
        labels are found by the search for everything, and copies of a picture by `similar`, without one.
        """
        if (query is None) == (picture is None):
            raise InvalidInput("Give a text or a picture to search for, and not both.")
        view, query_vector = self._view(space, user, as_of), None
        if picture is not None:
            vector, query_vector = self._vector(picture, view)
        else:
            [vector] = self._embedder().embed_texts([check_text(query, "query")])
        return self._nearest(vector, limit, Where.of(where), view, without=query_vector)

    def thumbnail(
        self,
        frame_id: FrameId,
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Thumbnail:
        """The stored small copy of a photo or a video."""
        view, number = self._view(space, user, as_of), check_frame_id(frame_id)
        with self._store.read() as snapshot:
            frame = frames.get(snapshot.db, self._store.engine.dialect, number, view)
            whole = frame.id if frame.parent is None else frame.parent
            rows = TABLES.select(snapshot.db, ThumbnailRow, "x.frame_id = ?", (whole,))
        if not rows:
            raise NotFound(
                f"No thumbnail of frame {number} is stored.",
                hint="Set LONGMIND_THUMBNAILS=256 or MediaTools(thumbnails=256), and run media.refresh.",
            )
        return Thumbnail(number, rows[0].media_type, rows[0].width, rows[0].height, rows[0].picture)

    def refresh(
        self,
        paths: Paths,
        *,
        limit: Annotated[int | None, "At most so many photos."] = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> RefreshReport:
        """Make thumbnails and vectors that photos lack, from their files below these paths.

        For photos that were read before thumbnails or an image embedder were set, or with another embedder.
        """
        from longmind.media.refresh import refresh

        if limit is not None:
            check_limit(limit, "limit", most=10**9)
        view = self._view(space, user, AsOf.LATEST)
        refreshed = refresh(self._store, self.tools, view, _given(paths), limit)
        return RefreshReport(refreshed.thumbnails, refreshed.vectors, tuple(refreshed.skipped))

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
        files = _given(paths)
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

    def _embedder(self) -> ImageEmbedder:
        if self.tools.images is None:
            raise Unsupported(
                "No image embedder is set, so photos cannot be compared by what they show.",
                hint="Set LONGMIND_IMAGES to the folder of a CLIP model in ONNX, or MediaTools(images=…).",
            )
        return self.tools.images

    def _nearest(
        self, vector: Any, limit: int, where: Where, view: View, *, without: int | None = None
    ) -> PhotoHits:
        check_limit(limit, "limit", most=_PAGE)
        embedder, condition = self._embedder(), where.with_kinds([Kind.PHOTO])
        with self._store.read() as snapshot:
            scores, lacking = nearest(snapshot.db, view, condition, identity(embedder), vector)
            best = sorted(scores, key=lambda pair: (-pair[1], pair[0]))
            chosen = [(number, score) for number, score in best if number != without][:limit]
            by_id = {
                frame.id: frame
                for frame in frames.fetch(
                    snapshot.db, self._store.engine.dialect, [number for number, _ in chosen], view
                )
            }
        hits = tuple(PhotoHit(by_id[number], round(score, 4)) for number, score in chosen)
        return PhotoHits(hits, identity(embedder), lacking)

    def _vector(self, picture: PathLike | bytes | Frame | int, view: View) -> tuple[Any, int | None]:
        """The vector of a picture, and its frame if it is one."""
        embedder = self._embedder()
        number = picture.id if isinstance(picture, Frame) else picture
        if isinstance(number, int):
            with self._store.read() as snapshot:
                frame = frames.get(snapshot.db, self._store.engine.dialect, check_frame_id(number), view)
                whole = frame.id if frame.parent is None else frame.parent
                stored = vector_of(snapshot.db, whole, identity(embedder))
            if stored is None:
                raise NotFound(
                    f"Frame {number} has no vector of {identity(embedder)}.",
                    hint="Run: longmind media refresh FOLDER",
                )
            return stored, whole
        from longmind.media.pictures import upright

        [vector] = embedder.embed_images([upright(_opened(number))])
        return vector, None

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
        from longmind.media.pictures import look_hash, upright

        return int(look_hash(upright(_opened(picture))), 16), None

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
        whose = self._user if user is None else user
        return View.of(self._space if space is None else space, as_of, whose, now=self._store.now())


def _given(paths: PathLike | Iterable[PathLike]) -> list[Path]:
    chosen = [paths] if isinstance(paths, str) or not isinstance(paths, Iterable) else list(paths)
    if not chosen:
        raise InvalidInput("Name a file or a folder.", hint="Pass its path.")
    return [Path(path).expanduser() for path in chosen]


def _opened(picture: PathLike | bytes) -> Image:
    from longmind.media.pictures import open_picture

    data = picture if isinstance(picture, bytes) else Source.from_path(Path(picture).expanduser()).load()
    return open_picture(data)


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
