"""Reads SRT and WebVTT files as transcripts: each hit points to a second, and speakers keep their names."""

from __future__ import annotations

from typing import Final

from longmind.base.frame import Kind
from longmind.ingest.encoding import decode
from longmind.ingest.source import Document, Limits, Source, Unreadable, recording_beside, title_of
from longmind.media.segments import segments_of, timed_document
from longmind.media.subtitles import is_subtitles, read_cues

MEDIA_TYPES: Final = frozenset({"application/x-subrip", "text/vtt"})


class TranscriptReader:
    """Subtitles on their own. Those beside a video are read with it."""

    name = "transcript"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in MEDIA_TYPES

    def read(self, data: bytes, source: Source) -> Document:
        recording = recording_beside(source.path) if source.path is not None else None
        if recording is not None:
            raise Unreadable("subtitles", f"It is read with {recording.name}, whose subtitles it has.")
        decoded = decode(data)
        if len(decoded.text) > self._limits.text:
            raise Unreadable("too_large", f"It holds more than {self._limits.text:,} characters of text.")
        cues = read_cues(decoded.text) if is_subtitles(decoded.text) else []
        if not cues:
            raise Unreadable(
                "damaged",
                "It is called a subtitle file, and no line of it has a time and a text.",
                hint="A cue is a line such as 00:00:01,000 --> 00:00:04,000 with text below it.",
            )
        title = title_of(source)
        text, pieces = timed_document("", segments_of(cues), title=title)
        speakers = sorted({cue.speaker for cue in cues if cue.speaker is not None})
        return Document(
            uri=source.uri,
            title=title,
            text=text,
            media_type=source.media_type,
            metadata={
                "encoding": decoded.encoding,
                "duration_ms": max(cue.end for cue in cues),
                **({"speakers": speakers} if speakers else {}),
            },
            warnings=tuple(decoded.warnings),
            kind=Kind.TRANSCRIPT,
            pieces=pieces,
        )
