"""Videos and sound: subtitles, speech, scene cuts, text on the screen, and broken files."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("av", reason="recordings need the extra media")

from longmind import Memory
from longmind.ingest.source import Source, Unreadable
from longmind.media.protocols import TextBlock
from longmind.media.recording import RecordingReader
from longmind.media.subtitles import Cue
from longmind.media.tools import MediaTools
from tests.media import made

SILENT = MediaTools(text=None, speech=None)


class Scripted:
    """Hears the same in every part of five minutes."""

    name, version = "scripted", "1"

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def transcribe(self, samples: Any) -> Sequence[Cue]:
        self.lengths.append(len(samples))
        return [Cue(1_000, 2_000, f"part {len(self.lengths)}")]


def sound(path: Path, seconds: int) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        for _ in range(seconds):
            file.writeframes(bytes(16_000))
    return path


def test_subtitles_beside_a_video_are_what_is_said_in_it(tmp_path: Path) -> None:
    film = made.video(tmp_path / "talk.mp4", ["red", "blue"])
    (tmp_path / "talk.srt").write_text("1\n00:00:06,000 --> 00:00:07,000\nAna: Caching comes next.\n")
    document = RecordingReader(SILENT).read_file(film, Source.from_path(film))
    assert document.kind == "video"
    assert document.metadata["duration_ms"] == 10_000
    [segment] = document.pieces
    assert segment.speaker == "Ana"
    assert segment.metadata == {
        "start_ms": 0,
        "end_ms": 10_000,
        "speakers": ["Ana"],
        "scene_cuts_ms": [0, 5_000],
    }


def test_text_on_the_screen_is_read_where_the_scene_changes(tmp_path: Path) -> None:
    class Reader:
        name, version = "colour", "1"

        def read(self, image: Any) -> Sequence[TextBlock]:
            red, _, blue = image.getpixel((80, 60))
            return [TextBlock("red slide" if red > blue else "blue slide", (0, 0, 9, 9), 1.0)]

    film = made.video(tmp_path / "talk.mp4", ["red"] * 3 + ["blue"])
    document = RecordingReader(MediaTools(text=Reader(), speech=None)).read_file(film, Source.from_path(film))
    shown = {piece.metadata["start_ms"]: piece for piece in document.pieces if piece.metadata}
    raw = document.text.encode()
    assert raw[shown[0].start : shown[0].end] == b"On screen: red slide"
    assert raw[shown[10_000].start : shown[10_000].end] == b"On screen: blue slide"


def test_speech_is_written_down_in_parts_that_keep_their_times(tmp_path: Path) -> None:
    file = sound(tmp_path / "note.wav", 610)
    transcriber = Scripted()
    document = RecordingReader(MediaTools(text=None, speech=transcriber)).read_file(
        file, Source.from_path(file)
    )
    assert document.kind == "audio"
    starts = [piece.metadata["start_ms"] for piece in document.pieces if piece.metadata]
    assert starts == [0, 300_000, 600_000]
    assert max(transcriber.lengths) < 302 * 16_000


def test_a_voice_note_is_kept_when_nothing_can_write_it_down(tmp_path: Path) -> None:
    file = sound(tmp_path / "note.wav", 2)
    document = RecordingReader(SILENT).read_file(file, Source.from_path(file))
    assert document.text == "Recording: note (0:02)"


@pytest.mark.parametrize("data", [b"", b"RIFF", bytes(range(256)) * 20])
def test_what_is_no_recording_is_refused_with_a_reason(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "broken.mp4"
    file.write_bytes(data)
    with pytest.raises(Unreadable) as refused:
        RecordingReader(SILENT).read_file(file, Source.from_path(file))
    assert refused.value.reason == "damaged"


def test_a_hit_in_a_video_points_to_its_second(tmp_path: Path) -> None:
    film = made.video(tmp_path / "talk.mp4", ["red", "blue", "green"])
    lines = "\n\n".join(
        f"00:00:{second:02},000 --> 00:00:{second + 2:02},000\n{text}"
        for second, text in ((1, "Welcome to the talk."), (11, "Caching keeps answers near."))
    )
    (tmp_path / "talk.vtt").write_text(f"WEBVTT\n\n{lines}\n")
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.media.tools.text = memory.media.tools.speech = None
        memory.ingest(film)
        [first, *_] = memory.search("where do they explain caching")
        assert first.frame.kind == "video_segment"
        assert first.frame.metadata["start_ms"] == 10_000
        assert first.frame.title == "talk, 0:10"
