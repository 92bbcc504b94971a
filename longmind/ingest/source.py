"""What comes in: a source, the document a reader makes of it, and the reasons why one cannot be read."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args, runtime_checkable

from longmind.base.errors import InvalidInput
from longmind.base.store_files import StoreFile, open_user_file, unreadable
from longmind.store.drafts import Attachment, Piece

Reason = Literal[
    "binary",
    "encoding",
    "encrypted",
    "damaged",
    "too_large",
    "too_small",
    "missing_extra",
    "unsupported",
    "store",
    "subtitles",
    "interrupted",
]
SectionKind = Literal["heading", "definition", "row", "page"]

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PLAIN = "text/plain"
_UNKNOWN = "application/octet-stream"

EXTENSIONS: Mapping[str, str] = {
    extension: media_type
    for media_type, extensions in {
        PLAIN: ".txt .text .log .out .ini .cfg .conf .env .properties .tex .org .adoc",
        "text/markdown": ".md .markdown .mdown .mkd .mdx",
        "text/x-rst": ".rst .rest",
        "text/html": ".html .htm .xhtml .xht",
        "application/pdf": ".pdf",
        WORD: ".docx .docm",
        "application/msword": ".doc",
        "text/csv": ".csv",
        "text/tab-separated-values": ".tsv .tab",
        "application/json": ".json .geojson .webmanifest",
        "application/jsonl": ".jsonl .ndjson",
        "application/x-ipynb+json": ".ipynb",
        "text/x-python": ".py .pyi .pyw",
        "text/javascript": ".js .mjs .cjs .jsx",
        "text/typescript": ".ts .tsx .mts .cts",
        "text/x-java": ".java",
        "text/x-kotlin": ".kt .kts",
        "text/x-scala": ".scala .sc",
        "text/x-csharp": ".cs",
        "text/x-swift": ".swift",
        "text/x-go": ".go",
        "text/x-rust": ".rs",
        "text/x-c": ".c .h .cc .cpp .cxx .hpp .hh .hxx .m .mm .cu",
        "text/x-php": ".php",
        "text/x-ruby": ".rb .rake .gemspec",
        "text/x-lua": ".lua",
        "text/x-shellscript": ".sh .bash .zsh .ksh",
        "text/x-sql": ".sql",
        "text/x-dart": ".dart",
        "text/x-elixir": ".ex .exs",
        "image/jpeg": ".jpg .jpeg",
        "image/png": ".png",
        "image/gif": ".gif",
        "image/webp": ".webp",
        "image/tiff": ".tif .tiff",
        "image/heic": ".heic .heif",
        "image/avif": ".avif",
        "video/mp4": ".mp4 .m4v",
        "video/webm": ".webm",
        "video/quicktime": ".mov",
        "video/x-matroska": ".mkv",
        "audio/mpeg": ".mp3",
        "audio/wav": ".wav",
        "audio/mp4": ".m4a",
        "audio/ogg": ".ogg .oga .opus",
        "audio/flac": ".flac",
        "video/x-msvideo": ".avi",
        "application/x-subrip": ".srt",
        "text/vtt": ".vtt",
    }.items()
    for extension in extensions.split()
}


class Unreadable(InvalidInput):
    """A source that no document can be made of; `reason` is the code under which it is skipped."""

    def __init__(self, reason: Reason, message: str, *, hint: str | None = None) -> None:
        if reason not in get_args(Reason):
            raise InvalidInput(f"{reason!r} is not a reason for a source to be unreadable.")
        super().__init__(message, hint=hint)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unreadable, (self.reason, self.message, self.hint))


def _unreadable(reason: str, message: str, hint: str | None) -> Unreadable:
    return Unreadable(cast(Reason, reason), message, hint=hint)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one source is taken: past `data` or `text` it is refused, past the rest it is cut."""

    data: int = 64 * 2**20
    """Bytes of the source, and of each part of it once unpacked."""
    text: int = 64 * 2**20
    """Characters of the document's text."""
    sections: int = 100_000
    pages: int = 10_000


class Steps(Protocol):
    """Keeps the results of a long read; one that was interrupted finds them again."""

    def check(self) -> None:
        """Raise Unreadable if the call was cancelled; ask between two pieces of work."""

    def done(self, step: str) -> dict[int, Any]: ...

    def keep(self, step: str, number: int, result: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class Source:
    """Where bytes come from: a file, or the bytes themselves."""

    uri: str
    media_type: str
    size: int
    modified: int | None = None
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    subtitles: Path | None = None
    """The subtitle file beside a recording, which is read with it."""
    subtitles_modified: int = 0
    steps: Steps | None = field(default=None, repr=False, compare=False)
    """Where a reader that takes long keeps what it has done so far."""

    @classmethod
    def from_path(cls, path: Path | str, *, uri: str | None = None, media_type: str | None = None) -> Source:
        """A file as it is now; only its head is read, and that only if its name does not say what it is."""
        path = Path(path)
        try:
            status = path.stat()
            guessed = media_type or media_type_of(path.name)
            if guessed == _UNKNOWN and path.is_file():
                with open_user_file(path) as file:
                    guessed = media_type_of(path.name, file.read(1024))
            beside = subtitles_beside(path) if guessed.startswith(("video/", "audio/")) else None
            beside_modified = 0 if beside is None else beside.stat().st_mtime_ns // 1_000_000
        except OSError as error:
            raise unreadable(error, path) from error
        return cls(
            uri=path.as_posix() if uri is None else uri,
            media_type=guessed,
            size=status.st_size,
            modified=status.st_mtime_ns // 1_000_000,
            path=path,
            subtitles=beside,
            subtitles_modified=beside_modified,
        )

    @classmethod
    def from_bytes(
        cls, data: bytes, *, uri: str = "", media_type: str | None = None, modified: int | None = None
    ) -> Source:
        guessed = media_type or media_type_of(uri, data[:1024])
        return cls(uri=uri, media_type=guessed, size=len(data), modified=modified, data=data)

    @property
    def changed(self) -> int:
        """When it or the subtitles beside it last changed, in unix milliseconds; 0 if that is not known."""
        return max(self.modified or 0, self.subtitles_modified)

    @property
    def name(self) -> str:
        """The last part of the uri."""
        return posixpath.basename(self.uri.split("?", 1)[0].rstrip("/"))

    @property
    def extension(self) -> str:
        return posixpath.splitext(self.name)[1].lower()

    def load(self, limits: Limits | None = None) -> bytes:
        """All its bytes, or Unreadable("too_large")."""
        most = (limits or Limits()).data
        data = self.data
        if data is None:
            if self.path is None:
                raise InvalidInput(
                    "A source has bytes or a path; this one has neither.",
                    hint="Make it with Source.from_bytes() or Source.from_path().",
                )
            try:
                with open_user_file(self.path) as file:
                    data = file.read(most + 1)
            except StoreFile as error:
                raise Unreadable("store", error.message, hint=error.hint) from None
            except OSError as error:
                raise unreadable(error, self.path) from error
        if len(data) > most:
            raise Unreadable(
                "too_large",
                f"{self.uri or 'The source'} is larger than {most:,} bytes.",
                hint="Split it into smaller files.",
            )
        return data


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document's text, `[start, end)` in UTF-8 bytes.

    Sections are in order and do not overlap: a heading's section ends where the next one of any level begins.
    `level` (1 is the top) says what it lies under; text outside every section belongs to the document itself.
    """

    title: str
    level: int
    start: int
    end: int
    kind: SectionKind = "heading"


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of a source: its text, where its parts begin, and what was odd about it."""

    uri: str
    title: str
    text: str = field(repr=False)
    media_type: str = PLAIN
    metadata: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = ()
    kind: str | None = None
    """Of the frame, where the caller names none: a photo is not a document."""
    occurred_at: int | None = None
    """When it happened, where the source itself says so, as a photo does."""
    pieces: tuple[Piece, ...] = ()
    """The chunks, where the source has parts of its own (seconds of a video); else the text is cut."""
    attached: tuple[Attachment, ...] = ()
    """What is stored with it and is not text, such as a small copy of a picture."""


@runtime_checkable
class Reader(Protocol):
    """Makes a document of bytes: pure, bounded, raising nothing but Unreadable whatever the bytes are."""

    @property
    def name(self) -> str: ...

    def accepts(self, source: Source) -> bool: ...

    def read(self, data: bytes, source: Source) -> Document: ...


@runtime_checkable
class FileReader(Reader, Protocol):
    """A reader that takes a file as it lies on disk, however large: a video is not loaded first."""

    def read_file(self, path: Path, source: Source) -> Document: ...


class Readers:
    """Readers in the order in which they are asked: higher priority first, then the one registered later.

    The first ones may come from a function, which is called when a reader is first looked for.
    """

    def __init__(
        self, readers: Iterable[Reader] | Callable[[], Iterable[Reader]] = (), *, limits: Limits | None = None
    ) -> None:
        self.limits = limits or Limits()
        self._first = readers
        self._later: list[tuple[int, Reader]] = []
        self._ordered: tuple[Reader, ...] | None = None

    def register(self, reader: Reader, *, priority: int = 0) -> None:
        """Ask this reader before those of the same or a lower priority; one of the same name is replaced."""
        self._later.append((priority, reader))
        self._ordered = None

    def __iter__(self) -> Iterator[Reader]:
        if self._ordered is None:
            if callable(self._first):
                self._first = tuple(self._first())
            by_name = {reader.name: (0, reader) for reader in reversed(tuple(self._first))}
            for priority, reader in self._later:
                by_name.pop(reader.name, None)
                by_name[reader.name] = (priority, reader)
            newest_first = reversed(by_name.values())
            self._ordered = tuple(reader for _, reader in sorted(newest_first, key=lambda pair: -pair[0]))
        return iter(self._ordered)

    def find(self, source: Source) -> Reader:
        for reader in self:
            if reader.accepts(source):
                return reader
        raise Unreadable(
            "unsupported",
            f"No reader takes {source.uri or 'this source'} ({source.media_type}).",
            hint="Convert it to text, Markdown, HTML, PDF, Word or CSV, or register a reader for it.",
        )

    def read(self, source: Source) -> Document:
        reader = self.find(source)
        if isinstance(reader, FileReader) and source.path is not None:
            return reader.read_file(source.path, source)
        return reader.read(source.load(self.limits), source)


def media_type_of(name: str, head: bytes = b"") -> str:
    """The media type that a file's name says, else its first bytes, else `application/octet-stream`."""
    extension = posixpath.splitext(name)[1].lower()
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if head.startswith(b"PK\x03\x04") and (b"word/" in head or b"[Content_Types].xml" in head):
        return WORD
    if (media_type := _by_signature(head)) is not None:
        return media_type
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    if start.startswith(b"#!"):
        return "text/x-python" if b"python" in start.split(b"\n")[0] else "text/x-shellscript"
    return _UNKNOWN


_SIGNATURES: Mapping[bytes, str] = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
    b"\x1aE\xdf\xa3": "video/x-matroska",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
    b"ID3": "audio/mpeg",
}
_RIFF: Mapping[bytes, str] = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS: Mapping[bytes, str] = {
    b"avif": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
}


def _by_signature(head: bytes) -> str | None:
    """The media type of a picture or a recording, by its first bytes."""
    for signature, media_type in _SIGNATURES.items():
        if head.startswith(signature):
            return media_type
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    return _BRANDS.get(head[8:12], "video/mp4") if head[4:8] == b"ftyp" else None


_RECORDINGS = tuple(
    extension for extension, media_type in EXTENSIONS.items() if media_type.startswith(("video/", "audio/"))
)
_SUBTITLES = (".srt", ".vtt", ".en.srt", ".en.vtt")
_MOST_SUBTITLES = 16 * 2**20


def subtitles_beside(path: Path) -> Path | None:
    """The subtitle file that belongs to a recording: of the same name, in the same folder."""
    for suffix in _SUBTITLES:
        beside = path.with_suffix(suffix)
        if beside.is_file() and beside.stat().st_size < _MOST_SUBTITLES:
            return beside
    return None


def recording_beside(path: Path) -> Path | None:
    """The recording that a subtitle file belongs to, if it is in the same folder."""
    suffix = next((ending for ending in reversed(_SUBTITLES) if path.name.lower().endswith(ending)), "")
    if not suffix:
        return None
    stem = path.name[: -len(suffix)]
    for extension in _RECORDINGS:
        for ending in (extension, extension.upper()):
            recording = path.with_name(stem + ending)
            if recording.is_file() and subtitles_beside(recording) == path:
                return recording
    return None


def title_of(source: Source) -> str:
    """A title for a document that states none: its file's name without the extension."""
    return posixpath.splitext(source.name)[0] or source.name or source.uri
