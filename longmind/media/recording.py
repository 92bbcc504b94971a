"""Reads videos and sound: subtitles, else speech written down; text on the screen; where scenes change."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.arrays import np
from longmind.base.errors import LongmindError
from longmind.base.frame import Kind
from longmind.base.times import clock_time, format_ms, to_ms
from longmind.ingest.encoding import decode
from longmind.ingest.source import Document, Limits, Source, Unreadable, title_of
from longmind.media.segments import SEGMENT_MS, Segment, segments_of, timed_document
from longmind.media.subtitles import Cue, read_cues
from longmind.media.textblocks import join_lines
from longmind.media.tools import MediaTools, used

if TYPE_CHECKING:
    from av.container import InputContainer

VIDEO: Final = frozenset(
    {"video/mp4", "video/webm", "video/quicktime", "video/x-matroska", "video/x-msvideo"}
)
SOUND: Final = frozenset({"audio/mpeg", "audio/wav", "audio/mp4", "audio/ogg", "audio/flac"})
_SAMPLE_RATE: Final = 16_000
_PART_SECONDS: Final = 300
"""Speech is written down in parts of five minutes: a recording of ten hours takes no more memory than one."""
_SCENE: Final = 25.0
"""Mean difference of two small frames (0 to 255) from which on the scene is another one."""
_MOST_KEYFRAMES: Final = 20_000
_MOST_SCREENS: Final = 400
"""Frames whose text is read, those where the scene changes; a reader takes seconds for each."""
_PLACE: Final = re.compile(r"([+-]\d{1,2}(?:\.\d+)?)([+-]\d{1,3}(?:\.\d+)?)")


class RecordingReader:
    """One frame for the recording, with a chunk for every ten seconds in which something is said or shown."""

    name = "recording"

    def __init__(self, tools: MediaTools, limits: Limits | None = None) -> None:
        self._tools = tools
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in VIDEO or source.media_type in SOUND

    def read(self, data: bytes, source: Source) -> Document:
        return self._read(BytesIO(data), source)

    def read_file(self, path: Path, source: Source) -> Document:
        """Straight from the file: a video may be larger than memory."""
        return self._read(path, source)

    def _read(self, data: Path | BytesIO, source: Source) -> Document:
        seen = _Seen()
        with _opened(data) as container:
            metadata = {**self._about(container), "hash": _hash(data)}
            title = str(metadata.pop("title", "")) or title_of(source)
            cues = self._cues(container, data, source, seen)
            if container.streams.video and source.media_type in VIDEO:
                self._look(data, seen)
        segments = _with_shown(segments_of(cues), seen)
        kind = Kind.VIDEO if source.media_type in VIDEO else Kind.AUDIO
        when = metadata.pop("recorded_ms", None) or source.modified
        metadata |= seen.metadata
        if speakers := sorted({cue.speaker for cue in cues if cue.speaker is not None}):
            metadata["speakers"] = speakers
        head = _head(kind, title, metadata)
        text, pieces = timed_document(head, segments, title=title, kind=kind, happened_at=when)
        return Document(
            uri=source.uri,
            title=title,
            text=text,
            media_type=source.media_type,
            metadata=metadata,
            warnings=tuple(seen.notes),
            kind=kind,
            occurred_at=when,
            pieces=pieces if segments else (),
        )

    def _about(self, container: InputContainer) -> dict[str, Any]:
        tags = {key.lower(): str(value)[:1000] for key, value in container.metadata.items()}
        about: dict[str, Any] = {"format": container.format.name}
        if container.duration:
            about["duration_ms"] = int(container.duration // 1000)
        if title := tags.get("title", "").strip():
            about["title"] = title
        if comment := (tags.get("description") or tags.get("comment") or "").strip():
            about["caption"] = comment
        if artist := tags.get("artist", "").strip():
            about["artist"] = artist
        if moment := _moment(tags.get("creation_time", "")):
            about["recorded_ms"], about["taken_at"] = moment, format_ms(moment)
        place = _PLACE.match(tags.get("location", "") or tags.get("com.apple.quicktime.location.iso6709", ""))
        if place is not None and abs(float(place[1])) <= 90 and abs(float(place[2])) <= 180:
            about |= self._tools.kept_place({"lat": float(place[1]), "lon": float(place[2])})
        for stream in container.streams.video[:1]:
            about |= {"width": stream.width, "height": stream.height}
        return about

    def _cues(
        self, container: InputContainer, data: Path | BytesIO, source: Source, seen: _Seen
    ) -> list[Cue]:
        """What is said: by a subtitle file beside it, by its own subtitles, else by listening."""
        beside = source.subtitles
        if beside is not None:
            seen.metadata["subtitles"] = beside.name
            try:
                return read_cues(decode(beside.read_bytes()).text)
            except OSError as error:
                seen.notes.append(f"The subtitles beside it could not be read ({error.strerror}).")
        if container.streams.subtitles:
            cues = _embedded(container)
            if cues:
                seen.metadata["subtitles"] = "embedded"
                return cues
        if not container.streams.audio:
            return []
        transcriber = self._tools.transcriber()
        if isinstance(transcriber, str):
            seen.notes.append(transcriber)
            return []
        if transcriber is None:
            return []
        heard: list[Cue] = []
        for start, samples in _sound(data):
            part = used(transcriber, "speech", transcriber.transcribe, samples, seen.metadata, seen.notes)
            if part is None:
                break
            heard += [Cue(cue.start + start, cue.end + start, cue.text, cue.speaker) for cue in part]
        return heard

    def _look(self, data: Path | BytesIO, seen: _Seen) -> None:
        """Scene cuts among the keyframes, and the text on the first frame of each scene."""
        recognizer = self._tools.text_recognizer()
        if isinstance(recognizer, str):
            seen.notes.append(recognizer)
            recognizer = None
        before = None
        last_text = ""
        try:
            for number, (moment, frame) in enumerate(_keyframes(data)):
                if number >= _MOST_KEYFRAMES:
                    seen.notes.append(f"Only the first {_MOST_KEYFRAMES:,} keyframes were looked at.")
                    break
                small = np.asarray(frame.resize((32, 24)), dtype=np.int16)
                is_cut = before is None or float(np.abs(small - before).mean()) >= _SCENE
                before = small
                if not is_cut:
                    continue
                seen.cuts.append(moment)
                if recognizer is None or len(seen.cuts) > _MOST_SCREENS:
                    continue
                blocks = used(recognizer, "text", recognizer.read, frame, seen.metadata, seen.notes)
                if blocks is None:
                    recognizer = None
                    continue
                text = " ".join(block.text.replace("\n", " ") for block in join_lines(blocks))
                if text and text != last_text:
                    seen.shown.append((moment, text))
                    last_text = text
        except Unreadable as error:
            seen.notes.append(error.message)


@dataclass(slots=True)
class _Seen:
    """What was gathered on the way through a recording."""

    metadata: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    shown: list[tuple[int, str]] = field(default_factory=list)


def _with_shown(segments: Sequence[Segment], seen: _Seen) -> list[Segment]:
    by_number = {segment.start // SEGMENT_MS: segment for segment in segments}
    for moment, text in seen.shown:
        number = moment // SEGMENT_MS
        start = number * SEGMENT_MS
        by_number.setdefault(number, Segment(start, start + SEGMENT_MS)).shown.append(text)
    for moment in seen.cuts:
        segment = by_number.get(moment // SEGMENT_MS)
        if segment is not None:
            segment.about.setdefault("scene_cuts_ms", []).append(moment)
    return [by_number[number] for number in sorted(by_number)]


def _head(kind: str, title: str, metadata: dict[str, Any]) -> str:
    lines = [f"{'Video' if kind == Kind.VIDEO else 'Recording'}: {title}"]
    if duration := metadata.get("duration_ms"):
        lines[0] += f" ({clock_time(duration)})"
    if caption := metadata.get("caption"):
        lines.append(f"Caption: {caption}")
    return "\n".join(lines)


@contextmanager
def _opened(data: Path | BytesIO) -> Iterator[InputContainer]:
    try:
        import av
    except ImportError:
        raise Unreadable(
            "missing_extra", "Reading videos and sound needs PyAV.", hint="Run: pip install 'longmind[media]'"
        ) from None
    if isinstance(data, BytesIO):
        data.seek(0)
    try:
        container = av.open(str(data) if isinstance(data, Path) else data, mode="r")
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise Unreadable("damaged", f"It cannot be opened as media ({type(error).__name__}).") from error
    try:
        yield container
    except av.error.FFmpegError as error:
        raise Unreadable("damaged", f"It is cut off or damaged ({type(error).__name__}).") from error
    finally:
        container.close()


def _keyframes(data: Path | BytesIO) -> Iterator[tuple[int, Any]]:
    with _opened(data) as container:
        stream = container.streams.video[0]
        stream.codec_context.skip_frame = "NONKEY"
        for frame in container.decode(stream):
            if frame.time is not None:
                yield round(frame.time * 1000), frame.to_image()  # type: ignore[no-untyped-call]


def _sound(data: Path | BytesIO) -> Iterator[tuple[int, Any]]:
    """Parts of the sound, 16 kHz mono, each with the millisecond at which it begins."""
    import av

    with _opened(data) as container:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=_SAMPLE_RATE)
        waiting: list[Any] = []
        count = start = 0
        for frame in container.decode(container.streams.audio[0]):
            for part in resampler.resample(frame):
                samples = part.to_ndarray()[0]
                waiting.append(samples)
                count += len(samples)
            if count >= _PART_SECONDS * _SAMPLE_RATE:
                yield start * 1000 // _SAMPLE_RATE, np.concatenate(waiting)
                start, count, waiting = start + count, 0, []
        if waiting:
            yield start * 1000 // _SAMPLE_RATE, np.concatenate(waiting)


def _embedded(container: InputContainer) -> list[Cue]:
    """Text subtitles inside the file; pictures of text, as on discs, are passed over."""
    stream = container.streams.subtitles[0]
    cues: list[Cue] = []
    for packet in container.demux(stream):
        if packet.pts is None or packet.time_base is None:
            continue
        start = round(float(packet.pts * packet.time_base) * 1000)
        length = round(float((packet.duration or 0) * packet.time_base) * 1000)
        text = _plain(bytes(packet))
        if text:
            cues.append(Cue(start, start + length, text))
    return cues


def _plain(data: bytes) -> str:
    """The text of a subtitle packet: MP4 puts two bytes of length before it, ASS eight fields."""
    if len(data) >= 2 and int.from_bytes(data[:2], "big") in {len(data) - 2, *range(1, len(data) - 1)}:
        size = int.from_bytes(data[:2], "big")
        if size <= len(data) - 2 and data[0] == 0:
            data = data[2 : 2 + size]
    text = data.decode(errors="replace")
    if text.count(",") >= 8 and text.split(",", 1)[0].isdigit():
        text = text.split(",", 8)[8]
    cues = read_cues(f"00:00:00,000 --> 00:00:01,000\n{text.replace(chr(92) + 'N', chr(10))}")
    return " ".join(cue.text if cue.speaker is None else f"{cue.speaker}: {cue.text}" for cue in cues)


def _hash(data: Path | BytesIO) -> str:
    """Of all its bytes, read in blocks: a video may be larger than memory."""
    if isinstance(data, BytesIO):
        return f"sha256:{hashlib.sha256(data.getbuffer()).hexdigest()}"
    with data.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _moment(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return to_ms(moment) if moment.tzinfo is not None and moment.year >= 1971 else None
    except (ValueError, LongmindError):
        return None
