"""Timed text as a document: one piece for every ten seconds in which something is said or shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.frame import PARTS, Kind
from longmind.base.times import clock_time
from longmind.media.subtitles import Cue
from longmind.store.drafts import Piece

SEGMENT_MS: Final = 10_000
"""Ten seconds: short enough that a hit leads to the moment, long enough to hold a sentence."""


@dataclass(slots=True)
class Segment:
    """What is said and shown in one stretch of ten seconds."""

    start: int
    end: int
    cues: list[Cue] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    """Text seen on the screen."""
    about: dict[str, Any] = field(default_factory=dict)
    """Further metadata, such as the times of scene cuts."""

    @property
    def text(self) -> str:
        lines: list[str] = []
        speaker: str | None = None
        for cue in self.cues:
            if cue.speaker is not None and cue.speaker != speaker:
                lines.append(f"{cue.speaker}: {cue.text}")
            elif lines and cue.speaker == speaker:
                lines[-1] += f" {cue.text}"
            else:
                lines.append(cue.text)
            speaker = cue.speaker
        lines += [f"On screen: {text}" for text in self.shown]
        return "\n".join(lines)

    @property
    def speakers(self) -> list[str]:
        return list(dict.fromkeys(cue.speaker for cue in self.cues if cue.speaker is not None))


def segments_of(cues: Iterable[Cue]) -> list[Segment]:
    """The cues by the ten seconds in which they begin."""
    segments: dict[int, Segment] = {}
    for cue in cues:
        number = cue.start // SEGMENT_MS
        segment = segments.get(number)
        if segment is None:
            start = number * SEGMENT_MS
            segment = segments[number] = Segment(start, start + SEGMENT_MS)
        segment.cues.append(cue)
    return [segments[number] for number in sorted(segments)]


def timed_document(
    head: str,
    segments: Sequence[Segment],
    *,
    title: str,
    kind: str = Kind.TRANSCRIPT,
    happened_at: int | None = None,
) -> tuple[str, tuple[Piece, ...]]:
    """The text of a recording, `head` first, and its pieces; a segment happened so long after the start."""
    texts: list[str] = []
    pieces: list[Piece] = []
    offset = 0
    if head:
        texts.append(head)
        offset = len(head.encode())
        if "\n" in head or not segments:
            # A head that is the title alone would answer for its seconds, which have the title as well.
            pieces.append(Piece(0, offset, title, kind))
    for segment in segments:
        text = segment.text
        if not text.strip():
            continue
        start = offset + (2 if texts else 0)
        offset = start + len(text.encode())
        texts.append(text)
        speakers = segment.speakers
        metadata: Mapping[str, Any] = {
            "start_ms": segment.start,
            "end_ms": segment.end,
            **({"speakers": speakers} if speakers else {}),
            **segment.about,
        }
        pieces.append(
            Piece(
                start,
                offset,
                f"{title}, {clock_time(segment.start)}",
                PARTS[kind],
                speakers[0] if len(speakers) == 1 else None,
                None if happened_at is None else happened_at + segment.start,
                metadata,
            )
        )
    return "\n\n".join(texts), tuple(pieces)
