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
from longmind.base.errors import LongmindError, run_install
from longmind.base.frame import Kind
from longmind.base.places import NAMES
from longmind.base.times import clock_time, format_ms, to_ms
from longmind.ingest.encoding import decode
from longmind.ingest.source import Document, Limits, Source, Steps, Unreadable, title_of
from longmind.media.part import SmallCopy
from longmind.media.pictures import small_copy
from longmind.media.protocols import Transcriber
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
_QUIET_SECONDS: Final = 10
"""How much of the end of a part is searched for a pause."""
_SCENE: Final = 25.0
"""Mean difference of two small frames (0 to 255) from which on the scene is another one."""
_TEXT_SUBTITLES: Final = frozenset({"subrip", "srt", "ass", "ssa", "mov_text", "webvtt", "text"})
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
                is_long = metadata.get("duration_ms", 0) > self._tools.part_seconds * 1000
                self._look(data, seen, source.steps if is_long else None)
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
            attached=() if seen.thumbnail is None else (seen.thumbnail,),
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
        coordinates = _PLACE.match(
            tags.get("location", "") or tags.get("com.apple.quicktime.location.iso6709", "")
        )
        if coordinates is not None and abs(float(coordinates[1])) <= 90 and abs(float(coordinates[2])) <= 180:
            about |= self._tools.placed({"lat": float(coordinates[1]), "lon": float(coordinates[2])})
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
        return self._heard(transcriber, data, source.steps, seen)

    def _heard(
        self, transcriber: Transcriber, data: Path | BytesIO, steps: Steps | None, seen: _Seen
    ) -> list[Cue]:
        """What a transcriber hears, part by part; what an earlier read has heard is taken from there."""
        step = f"speech {transcriber.name} {transcriber.version}"
        before = steps.done(step) if steps is not None else {}
        heard: list[Cue] = []
        for start, samples, is_last in _sound(data, self._tools.part_seconds):
            if steps is not None:
                steps.check()
            if start in before:
                heard += [Cue(*values) for values in before[start]]
                seen.metadata["speech_by"] = f"{transcriber.name} {transcriber.version}".strip()
                continue
            part = used(transcriber, "speech", transcriber.transcribe, samples, seen.metadata, seen.notes)
            if part is None:
                break
            cues = [Cue(cue.start + start, cue.end + start, cue.text, cue.speaker) for cue in part]
            if steps is not None and not is_last:
                steps.keep(step, start, [[cue.start, cue.end, cue.text, cue.speaker] for cue in cues])
            heard += cues
        return heard

    def _look(self, data: Path | BytesIO, seen: _Seen, steps: Steps | None) -> None:
        """Scene cuts among the keyframes, and the text on the first frame of each scene."""
        recognizer = self._tools.text_recognizer()
        if isinstance(recognizer, str):
            seen.notes.append(recognizer)
            recognizer = None
        step = "" if recognizer is None else f"screen {recognizer.name} {recognizer.version}"
        read_before = {} if steps is None or recognizer is None else steps.done(step)
        before = None
        last_text = ""
        try:
            for number, (moment, frame) in enumerate(_keyframes(data)):
                if steps is not None:
                    steps.check()
                if number >= _MOST_KEYFRAMES:
                    seen.notes.append(f"Only the first {_MOST_KEYFRAMES:,} keyframes were looked at.")
                    break
                small = np.asarray(frame.resize((32, 24)), dtype=np.int16)
                is_cut = before is None or float(np.abs(small - before).mean()) >= _SCENE
                before = small
                if not is_cut:
                    continue
                seen.cuts.append(moment)
                if seen.thumbnail is None and (side := self._tools.thumbnails) is not None:
                    seen.thumbnail = small_copy(frame, side)
                if recognizer is None or len(seen.cuts) > _MOST_SCREENS:
                    continue
                if moment in read_before:
                    text = str(read_before[moment])
                    seen.metadata["text_by"] = f"{recognizer.name} {recognizer.version}".strip()
                else:
                    blocks = used(recognizer, "text", recognizer.read, frame, seen.metadata, seen.notes)
                    if blocks is None:
                        recognizer = None
                        continue
                    text = " ".join(block.text.replace("\n", " ") for block in join_lines(blocks))
                    if steps is not None:
                        steps.keep(step, moment, text)
                if text and text != last_text:
                    seen.shown.append((moment, text))
                    last_text = text
        except Unreadable as error:
            if error.reason == "interrupted":
                raise
            seen.notes.append(error.message)


@dataclass(slots=True)
class _Seen:
    """What was gathered on the way through a recording."""

    metadata: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    shown: list[tuple[int, str]] = field(default_factory=list)
    thumbnail: SmallCopy | None = None


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
    lines += [f"{label}{metadata[name]}" for name, label in NAMES.items() if name in metadata]
    return "\n".join(lines)


@contextmanager
def _opened(data: Path | BytesIO) -> Iterator[InputContainer]:
    try:
        import av
    except ImportError:
        raise Unreadable(
            "missing_extra", "Reading videos and sound needs PyAV.", hint=run_install("media")
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


def _sound(data: Path | BytesIO, seconds: int) -> Iterator[tuple[int, Any, bool]]:
    """Parts of the sound, 16 kHz mono: the millisecond of its start, its samples, is it the last.

    A part ends where it is quiet, so that no word is cut in two.
    """
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
            if count >= seconds * _SAMPLE_RATE:
                whole = np.concatenate(waiting)
                cut = _quiet_moment(whole)
                yield start * 1000 // _SAMPLE_RATE, whole[:cut], False
                start, count, waiting = start + cut, count - cut, [whole[cut:]]
        if count:
            yield start * 1000 // _SAMPLE_RATE, np.concatenate(waiting), True


def _quiet_moment(samples: Any) -> int:
    """Where the quietest fifth of a second ends in the last seconds of a part; the last, of several."""
    window = _SAMPLE_RATE // 5
    count = min(len(samples) // 2, _QUIET_SECONDS * _SAMPLE_RATE) // window
    tail = samples[len(samples) - count * window :].reshape(count, window)
    loudness = np.square(tail, dtype=np.float64).mean(axis=1)[::-1]
    return len(samples) - int(np.argmin(loudness)) * window


def _embedded(container: InputContainer) -> list[Cue]:
    """Text subtitles inside the file; pictures of text, as on discs, are passed over."""
    written = (it for it in container.streams.subtitles if it.codec_context.name in _TEXT_SUBTITLES)
    stream = next(written, None)
    if stream is None:
        return []
    cues: list[Cue] = []
    for packet in container.demux(stream):
        if packet.pts is None or packet.time_base is None:
            continue
        start = round(float(packet.pts * packet.time_base) * 1000)
        length = round(float((packet.duration or 0) * packet.time_base) * 1000)
        cues += [Cue(start, start + length, cue.text, cue.speaker) for cue in _cues_in(bytes(packet))]
    return cues


def _cues_in(data: bytes) -> list[Cue]:
    """What a subtitle packet says: MP4 puts two bytes of length before it, ASS eight fields."""
    size = int.from_bytes(data[:2], "big")
    if data[:1] == b"\0" and 0 < size <= len(data) - 2:
        data = data[2 : 2 + size]
    text = data.decode(errors="replace")
    if text.count(",") >= 8 and text.split(",", 1)[0].isdigit():
        text = text.split(",", 8)[8]
    return read_cues(f"00:00:00,000 --> 00:00:01,000\n{text.replace(chr(92) + 'N', chr(10))}")


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
