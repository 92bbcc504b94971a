"""Subtitles as timed cues, and subtitle files as transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind import Memory
from longmind.base.times import clock_time
from longmind.media.segments import segments_of, timed_document
from longmind.media.subtitles import Cue, is_subtitles, read_cues

SRT = """\ufeff1
00:00:01,000 --> 00:00:04,000
<i>Hello</i> there.

2
00:00:12,500 --> 00:00:15,000
{\\an8}ANA: We cache the answers
- at the edge.

3
01:00:00,000 --> 01:00:01,000
Bob: Goodbye.
"""

VTT = """WEBVTT - a talk

NOTE this is not spoken

STYLE
::cue { color: red }

intro
00:01.000 --> 00:04.000 align:start position:0%
<v Ana Silva>Hello &amp; <c.loud>welcome</c>

00:05.000 --> 00:06.000
<00:05.200>again
"""


def test_srt_gives_times_text_and_speakers() -> None:
    assert read_cues(SRT) == [
        Cue(1000, 4000, "Hello there."),
        Cue(12_500, 15_000, "We cache the answers at the edge.", "ANA"),
        Cue(3_600_000, 3_601_000, "Goodbye.", "Bob"),
    ]


def test_vtt_gives_voices_without_markup_notes_and_styles() -> None:
    assert read_cues(VTT) == [Cue(1000, 4000, "Hello & welcome", "Ana Silva"), Cue(5000, 6000, "again")]


def test_captions_that_roll_up_are_said_once() -> None:
    rolling = "\n\n".join(
        f"00:00:0{n},000 --> 00:00:0{n + 1},000\n{text}"
        for n, text in enumerate(["we keep", "we keep what", "we keep what matters"])
    )
    assert " ".join(cue.text for cue in read_cues(rolling)) == "we keep what matters"


def test_a_cue_number_without_a_blank_line_before_it_is_not_speech() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\none\n2\n00:00:03,000 --> 00:00:04,000\ntwo"
    assert [cue.text for cue in read_cues(text)] == ["one", "two"]


@pytest.mark.parametrize("text", ["", "plain text", "1\n2\n3", "00:00 --> nothing\nx"])
def test_other_texts_are_no_subtitles(text: str) -> None:
    assert not is_subtitles(text)
    assert read_cues(text) == []


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for cue in read_cues(text + "\n00:00:01,000 --> 00:00:02,000\n" + text):
        assert 0 <= cue.start <= cue.end
        assert cue.text


@given(st.lists(st.tuples(st.integers(0, 10**7), st.text("ab c\u00e9", min_size=1)), max_size=30))
def test_pieces_are_the_bytes_of_their_segments(cues: list[tuple[int, str]]) -> None:
    spoken = [Cue(start, start + 500, text.strip()) for start, text in cues if text.strip()]
    segments = segments_of(sorted(spoken, key=lambda cue: cue.start))
    text, pieces = timed_document("Head\nmore", segments, title="t", happened_at=1_000)
    assert [text.encode()[piece.start : piece.end].decode() for piece in pieces[1:]] == [
        segment.text for segment in segments
    ]
    for piece, segment in zip(pieces[1:], segments, strict=True):
        assert piece.metadata is not None
        assert piece.metadata["start_ms"] <= segment.cues[0].start < piece.metadata["end_ms"]
        assert piece.occurred_at == 1_000 + segment.start


def test_clock_reads_as_players_show_it() -> None:
    assert [clock_time(0), clock_time(61_000), clock_time(3_723_000)] == ["0:00", "1:01", "1:02:03"]


def test_a_hit_in_a_subtitle_file_points_to_its_second(tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text(SRT)
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        report = memory.ingest(tmp_path / "talk.srt")
        assert report.created == 1
        [first, *_] = memory.search("where do we cache answers")
        assert first.frame.kind == "segment"
        assert first.frame.speaker == "ANA"
        assert first.frame.metadata["start_ms"] == 10_000
        assert memory.get(first.frame.parent).kind == "transcript"
        assert memory.ingest(tmp_path / "talk.srt").unchanged == 1
        assert not memory.verify(deep=True).problems
