"""What holds of every folder of media: resume, repetition, engines, damage, erasure."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")
pytest.importorskip("av", reason="recordings need the extra media")

from longmind import FrozenClock, IngestBudget, Memory
from longmind.ingest.source import Reason
from longmind.media.protocols import TextBlock
from longmind.media.subtitles import Cue
from longmind.media.tools import MediaTools
from longmind.testing import FixedRecognizer, FixedTranscriber
from tests.media import made
from tests.media.test_faces import pattern
from tests.media.test_recordings import sound


def tools() -> MediaTools:
    return MediaTools(
        text=FixedRecognizer(TextBlock("zanzibar receipt TOTAL 9.00", (10, 20, 200, 40), 0.9)),
        speech=FixedTranscriber(Cue(1000, 2000, "a spoken note")),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    album = tmp_path / "album"
    album.mkdir()
    for number in range(3):
        data = made.jpeg(pattern(number), taken=f"2024:0{number + 1}:02 10:00:00", gps=(52.5, 13.4))
        (album / f"p{number}.jpg").write_bytes(data)
    (album / "p3.jpg").write_bytes((album / "p0.jpg").read_bytes())
    sound(album / "note.wav", 3)
    made.video(album / "talk.mp4", ["red", "blue"], seconds=2)
    (album / "talk.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nAna: Caching comes next.\n")
    (album / "alone.vtt").write_text("WEBVTT\n\n00:00:11.000 --> 00:00:12.000\nWelcome.\n")
    return album


def content(memory: Memory) -> list[Any]:
    """Everything that is stored of the folder, parts included, apart from when it was written."""
    documents = memory.list(limit=1000).frames
    return [
        (
            frame.id,
            frame.kind,
            frame.text,
            frame.title,
            dict(frame.metadata),
            frame.occurred_at,
            frame.speaker,
        )
        for document in documents
        for frame in (document, *memory.media.parts(document.id).frames)
    ]


def test_an_interrupted_run_ends_as_one_that_was_not(
    location: str, tmp_path: Path, folder: Path, clock: FrozenClock
) -> None:
    with (
        Memory.open(tmp_path / "whole.mind", embedder=None, media=tools(), clock=clock) as whole,
        Memory.open(location, embedder=None, media=tools(), clock=clock) as resumed,
    ):
        assert whole.ingest(folder).created == 7
        for count in (1, 2):
            assert resumed.ingest(folder, budget=IngestBudget(max_documents=count)).truncated
        resumed.ingest(folder)
        assert content(resumed) == content(whole)
        revision = resumed.stats().revision
        again = resumed.ingest(folder)
        assert (again.unchanged, again.created, again.retired) == (7, 0, 0)
        assert resumed.stats().revision == revision


@pytest.mark.parametrize("workers", [1, 4])
def test_boxes_and_times_do_not_depend_on_how_many_files_are_read_at_once(
    tmp_path: Path, folder: Path, workers: int
) -> None:
    with (
        Memory.open(tmp_path / "one.mind", embedder=None, media=tools()) as one,
        Memory.open(tmp_path / "other.mind", embedder=None, media=tools()) as other,
    ):
        for path in sorted(folder.iterdir()):
            one.ingest(path)
        other.ingest(folder, budget=IngestBudget(max_in_flight=workers))
        assert [row[1:4] for row in content(one)] == [row[1:4] for row in content(other)]
        assert [row[4].get("box") for row in content(one)] == [row[4].get("box") for row in content(other)]


def test_both_engines_hold_the_same_of_a_folder(
    new_location: Callable[[str], str], folder: Path, clock: FrozenClock
) -> None:
    held = []
    for engine in ("sqlite", "postgresql"):
        with Memory.open(new_location(engine), embedder=None, media=tools(), clock=clock) as memory:
            memory.ingest(folder)
            held.append(content(memory))
    assert held[0] == held[1]


def test_boxes_and_times_are_the_same_in_another_process(tmp_path: Path, folder: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from longmind import FrozenClock, Memory; "
        "from tests.media.test_properties import content, tools; "
        "memory = Memory.open(sys.argv[1], embedder=None, media=tools(), clock=FrozenClock(1)); "
        "memory.ingest(Path(sys.argv[2])); held = repr(content(memory)); memory.close(); "
        "sys.stdout.buffer.write(held.encode())"
    )

    def read_by(name: str, seed: str) -> bytes:
        return subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name), str(folder)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout

    first = read_by("a.mind", "1")
    assert b"'box': [10, 20, 200, 40]" in first
    assert b"'start_ms': 10000" in first
    assert read_by("b.mind", "2") == first


@pytest.mark.parametrize("ending", ["jpg", "png", "webp", "tiff", "avif", "gif", "heic"])
def test_photos_of_every_format_are_read(tmp_path: Path, ending: str) -> None:
    if ending == "heic":
        pytest.importorskip("pillow_heif", reason="HEIC needs the extra heic").register_heif_opener()
    photo = tmp_path / f"photo.{ending}"
    try:
        pattern(2).save(photo)
    except (KeyError, ValueError):
        pytest.skip(f"this Pillow does not write {ending}")
    with Memory.open(tmp_path / "a.mind", embedder=None, media=tools()) as memory:
        report = memory.media.photos([photo])
        assert (report.created, report.skipped) == (1, ())
        about = memory.get(report.id).metadata
        assert (about["width"], about["height"]) == (400, 300)
        assert about["format"] in {"JPEG", "PNG", "WEBP", "TIFF", "AVIF", "GIF", "HEIF"}


def _damages(data: bytes, number: int) -> bytes:
    """The data cut off, with bytes changed, with a piece doubled, or with a piece taken out."""
    chance = random.Random(number)
    changed = bytearray(data)
    first = chance.randrange(len(data))
    match number % 4:
        case 0:
            return data[:first]
        case 1:
            for _ in range(20):
                changed[chance.randrange(min(len(data), 2000))] = chance.randrange(256)
            return bytes(changed)
        case 2:
            return data[:first] + data[first : first + 500] * 3 + data[first:]
        case _:
            return data[:first] + data[first + chance.randrange(1, 400) :]


def test_200_damaged_files_are_read_or_refused_with_a_code(tmp_path: Path, folder: Path) -> None:
    for ending in ("png", "gif", "webp", "tiff"):
        pattern(1, (120, 100)).save(folder / f"x.{ending}")
    originals = [path for path in sorted(folder.iterdir()) if path.name != "p3.jpg"]
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for number in range(200):
        original = originals[number % len(originals)]
        name = f"{number:03}{original.suffix}"
        (damaged / name).write_bytes(_damages(original.read_bytes(), number))
    with Memory.open(tmp_path / "a.mind", embedder=None, media=tools()) as memory:
        report = memory.ingest(damaged)
        codes = {skip.code for skip in report.skipped}
        assert report.documents + len(report.skipped) == 200
        assert codes <= {*get_args(Reason), "empty", "encoding", "refused"}, codes
        assert not memory.verify(deep=True).problems


def test_erasing_a_photo_leaves_nothing_of_it(new_location: Callable[[str], str], folder: Path) -> None:
    location = new_location("sqlite")
    with Memory.open(location, embedder="hash", media=tools()) as memory:
        report = memory.media.photos([folder / "p0.jpg"])
        marks = [b"zanzibar", str(memory.get(report.id).metadata["dhash"]).encode(), b"52.5"]
        certificate = memory.erase(report.id)
        assert len(certificate.frames) == 3
        assert not memory.search("zanzibar")
        assert not memory.media.similar(folder / "p0.jpg")
    data = Path(location).read_bytes()
    assert [mark for mark in marks if mark in data] == []


def test_erasing_a_recording_leaves_nothing_of_what_was_said_or_shown(
    new_location: Callable[[str], str], folder: Path
) -> None:
    location = new_location("sqlite")
    (folder / "talk.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nAna: I sail the Gavina.\n")
    with Memory.open(location, embedder="hash", media=tools()) as memory:
        memory.media.tools.thumbnails = 64
        report = memory.media.videos([folder / "talk.mp4"])
        heard = memory.media.audio([folder / "note.wav"])
        thumbnail = memory.media.thumbnail(report.id).picture
        assert memory.facts.about("Ana")
        for frame in (report.id, heard.id):
            memory.erase(frame)
        assert not memory.facts.about("Ana")
        assert not memory.search("Gavina spoken note zanzibar")
        assert not memory.verify(deep=True).problems
    data = Path(location).read_bytes()
    marks = [b"Gavina", b"spoken note", b"zanzibar", thumbnail[-200:], b"talk.mp4", b"note.wav"]
    assert [mark for mark in marks if mark in data] == []
