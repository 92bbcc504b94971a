"""Photos, videos and sound through every interface, and what search, listings and contexts say of them."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")

from PIL import Image

from longmind import AsyncMemory, InvalidInput, Memory, NotFound, Where
from longmind.base.places import Near
from longmind.media.protocols import Label, TextBlock
from longmind.media.tools import MediaTools
from longmind.operations.registry import find
from longmind.testing import FixedLabeler, FixedRecognizer
from tests.media import made

RECEIPT = TextBlock("Corner Bakery TOTAL 12.50", (10, 20, 200, 40), 0.9)
NO_TOOLS = MediaTools(text=None, speech=None)


def pattern(seed: int = 0, size: tuple[int, int] = (400, 300)) -> Image.Image:
    """A picture with something in it, another one for each seed."""
    edge = 1.0 + seed * 0.35
    return Image.effect_mandelbrot(size, (-2, -1.5 + seed * 0.2, edge, 1.5), 40).convert("RGB")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    photos = tmp_path / "album"
    photos.mkdir()
    (photos / "berlin.JPG").write_bytes(
        made.jpeg(pattern(0), taken="2024:07:10 12:00:00", offset="+00:00", gps=(52.5163, 13.3777))
    )
    (photos / "sydney.jpg").write_bytes(
        made.jpeg(pattern(3), taken="2024:01:10 12:00:00", offset="+00:00", gps=(-33.8568, 151.2153))
    )
    (photos / "notes.txt").write_text("Bring the camera.")
    return photos


def names(frames: Any) -> set[str]:
    return {frame.uri.rsplit("/", 1)[-1] for frame in frames}


def test_photos_reads_pictures_only_and_keeps_in_step_with_the_folder(location: str, folder: Path) -> None:
    with Memory.open(location, embedder=None, media=NO_TOOLS) as memory:
        memory.ingest(folder / "notes.txt")
        assert memory.media.photos([folder]).created == 2
        assert memory.media.photos(folder).unchanged == 2
        (folder / "sydney.jpg").unlink()
        report = memory.media.photos([folder])
        assert (report.unchanged, report.retired) == (1, 1)
        assert names(memory.list().frames) == {"berlin.JPG", "notes.txt"}


def test_a_file_of_another_kind_is_refused_with_the_call_to_use(tmp_path: Path, folder: Path) -> None:
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NO_TOOLS) as memory:
        with pytest.raises(InvalidInput, match=r"notes\.txt is not a video file"):
            memory.media.videos([folder / "notes.txt"])
        with pytest.raises(InvalidInput, match="Name a file"):
            memory.media.audio([])


def test_photos_are_found_by_radius_on_every_call(location: str, folder: Path) -> None:
    with Memory.open(location, embedder=None, media=NO_TOOLS) as memory:
        memory.media.photos([folder])
        here = {"near": (52.52, 13.38, 5)}
        assert names(memory.list(where=here).frames) == {"berlin.JPG"}
        assert names(memory.timeline(where=here).frames) == {"berlin.JPG"}
        assert names(hit.frame for hit in memory.search("photo", where={"near": "-33.9,151.2,10km"})) == {
            "sydney.jpg"
        }
        assert not memory.list(where={"near": (52.6, 13.38, 5)}).frames


@pytest.mark.parametrize(
    ("point", "other", "km"),
    [
        ((52.5163, 13.3777), (48.8584, 2.2945), 878.5),
        ((-33.8568, 151.2153), (-37.8136, 144.9631), 713.4),
        ((-16.5, 179.9), (-16.5, -179.9), 21.3),
        ((64.1466, -21.9426), (62.0079, -6.7900), 802.0),
    ],
)
def test_a_radius_is_right_within_a_percent(
    location: str, point: tuple[float, float], other: tuple[float, float], km: float
) -> None:
    with Memory.open(location, embedder=None) as memory:
        memory.remember("there", metadata={"lat": other[0], "lon": other[1]})
        assert memory.list(where={"near": (*point, km * 1.01)}).frames
        assert not memory.list(where={"near": (*point, km * 0.99)}).frames


@pytest.mark.parametrize("near", ["here", (1, 2), (95, 0, 5), (0, 0, -1), (0, 0, 5000), 7, {"lat": 1}])
def test_a_radius_that_makes_no_sense_is_refused(near: Any) -> None:
    with pytest.raises(InvalidInput, match="near must be"):
        Where(near=near)


def test_a_filter_by_place_survives_a_receipt() -> None:
    where = Where(near="52.5,13.4,5")
    assert where.near == Near(52.5, 13.4, 5.0)
    assert Where.of(where.to_mapping()) == where


def test_hits_and_contexts_say_where_to_look(location: str, folder: Path) -> None:
    (folder / "talk.vtt").write_text(
        "WEBVTT\n\n00:01:10.000 --> 00:01:12.000\nAna: Caching keeps answers near.\n"
    )
    tools = MediaTools(text=FixedRecognizer(RECEIPT), speech=None)
    with Memory.open(location, embedder=None, media=tools) as memory:
        memory.media.photos([folder / "berlin.JPG"])
        memory.ingest(folder / "talk.vtt")
        [receipt, *_] = memory.search("what did I pay at the bakery", where={"kind": "photo"})
        assert receipt.frame.citation == "berlin.JPG [box 10,20,200,40]"
        [said, *_] = memory.search("caching", where={"kind": "transcript"})
        assert said.frame.citation == "talk.vtt at 1:10"
        context = memory.recall("what did they say about caching and the bakery?")
        assert any(
            "(talk.vtt at 1:10)" in line and "Caching keeps answers near." in line
            for line in context.text.splitlines()
        )
        assert any("(berlin.JPG [box 10,20,200,40])" in line for line in context.text.splitlines())
        assert memory.replay(context.receipt)


def test_a_time_in_the_question_finds_photos_of_that_time(location: str, folder: Path) -> None:
    with Memory.open(location, embedder=None, media=NO_TOOLS) as memory:
        memory.media.photos([folder])
        asked = datetime(2025, 3, 1, tzinfo=UTC)
        hits = memory.search(
            "photos from last summer", where={"kind": "photo"}, reference=asked, times="filter"
        )
        assert names(hit.frame for hit in hits) == {"berlin.JPG"}


def test_a_search_for_videos_covers_what_is_said_in_them(location: str, tmp_path: Path) -> None:
    pytest.importorskip("av")
    film = made.video(tmp_path / "talk.mp4", ["red", "blue"])
    (tmp_path / "talk.srt").write_text("1\n00:00:06,000 --> 00:00:07,000\nCaching comes next.\n")
    with Memory.open(location, embedder=None, media=NO_TOOLS) as memory:
        report = memory.ingest(tmp_path, include=["talk.*"])
        assert [(skip.uri.rsplit("/", 1)[-1], skip.code) for skip in report.skipped] == [
            ("talk.srt", "subtitles")
        ]
        [hit, *_] = memory.search("caching", where={"kind": "video"})
        assert hit.frame.citation == "talk.mp4 at 0:00"
        (tmp_path / "talk.srt").write_text("1\n00:00:06,000 --> 00:00:07,000\nIndexes come next.\n")
        assert memory.media.videos([film]).superseded == 1
        assert not memory.search("caching", where={"kind": "video"}, mode="text")


def test_copies_are_marked_and_found_again(location: str, folder: Path, tmp_path: Path) -> None:
    (folder / "copy.jpg").write_bytes((folder / "berlin.JPG").read_bytes())
    (folder / "small.jpg").write_bytes(made.jpeg(pattern(0, (200, 150))))
    with Memory.open(location, embedder=None, media=NO_TOOLS) as memory:
        report = memory.media.photos([folder])
        assert report.created == 4
        assert sorted(report.warnings) == [
            "copy.jpg: The same file is there under another name.",
            "small.jpg: It looks like a photo that is there already.",
        ]
        [first] = [frame for frame in memory.list().frames if frame.uri and "berlin" in frame.uri]
        found = [(item.frame.title, item.of, item.by) for item in memory.media.duplicates()]
        assert found == [("copy", first.id, "bytes"), ("small", first.id, "look")]
        picture = tmp_path / "asked.png"
        pattern(0, (300, 225)).save(picture)
        assert names(photo.frame for photo in memory.media.similar(picture)) == {
            "berlin.JPG",
            "copy.jpg",
            "small.jpg",
        }
        assert names(photo.frame for photo in memory.media.similar(first)) == {"copy.jpg", "small.jpg"}
        again = memory.media.photos([folder])
        assert (again.unchanged, again.warnings) == (4, ())


def test_pictures_of_one_colour_are_no_copies_of_each_other(tmp_path: Path) -> None:
    for color in ("red", "blue"):
        (tmp_path / f"{color}.jpg").write_bytes(made.jpeg(made.picture(color=color)))
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NO_TOOLS) as memory:
        assert memory.media.photos([tmp_path]).warnings == ()


@pytest.mark.parametrize(("rule", "place"), [("drop", (None, None)), ("coarse", (52.52, 13.38))])
def test_a_space_drops_or_coarsens_places(location: str, folder: Path, rule: str, place: Any) -> None:
    with Memory.open(location, embedder=None, media=NO_TOOLS) as memory:
        memory.space("family").set_policy({"places": rule})
        memory.media.photos([folder / "berlin.JPG"], space="family")
        [frame] = memory.list(space="family").frames
        assert (frame.metadata.get("lat"), frame.metadata.get("lon")) == place
        assert memory.space("family").policy.places == rule
        with pytest.raises(InvalidInput):
            memory.space("family").set_policy({"places": "blur"})


def test_the_environment_sets_the_rule_for_places(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGMIND_PLACES", "drop")
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.media.tools.text = None
        memory.media.photos([folder / "berlin.JPG"])
        [frame] = memory.list().frames
        assert "lat" not in frame.metadata


def test_labels_make_a_photo_findable_by_what_is_seen(location: str, folder: Path) -> None:
    tools = MediaTools(text=None, labels=FixedLabeler(Label("cat", 0.91)))
    with Memory.open(location, embedder=None, media=tools) as memory:
        memory.media.photos([folder / "berlin.JPG"])
        [hit] = memory.search("the photo with the cat")
        assert "Objects seen: cat" in hit.frame.text
        assert hit.frame.metadata["labels"] == {"cat": 0.91}


def test_the_command_line_reads_lists_and_compares(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from longmind.cli.app import run

    monkeypatch.setenv("LONGMIND_STORE", str(tmp_path / "a.mind"))
    monkeypatch.setenv("LONGMIND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(MediaTools, "text_recognizer", lambda self: FixedRecognizer(RECEIPT))

    def answer(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            run(words)
        output = capsys.readouterr()
        assert not ended.value.code, output.err
        return output.out

    assert json.loads(answer("photos", str(folder), "--json"))["created"] == 2
    shown = answer("search", "bakery", "--kind", "photo", "--where", "near=52.52,13.38,5")
    assert "berlin.JPG [box 10,20,200,40]" in shown
    assert "sydney" not in shown
    assert "berlin.JPG [box 10,20,200,40]" in answer("media", "parts", "1")
    assert "album/berlin.JPG" in answer("media", "similar", str(folder / "berlin.JPG"))
    assert "No file is there twice." in answer("media", "duplicates")


def test_asyncio_reads_photos_too(tmp_path: Path, folder: Path) -> None:
    async def work() -> int:
        async with AsyncMemory.open(tmp_path / "a.mind", embedder=None, media=NO_TOOLS) as memory:
            report = await memory.media.photos([folder])
            created: int = report.created
            return created

    assert asyncio.run(work()) == 2


def test_a_request_reaches_only_files_of_the_served_folder(tmp_path: Path, folder: Path) -> None:
    from longmind.base.errors import Forbidden
    from longmind.operations.files import confined

    photos = find("photos")
    assert confined(photos, {"paths": ["album"]}, str(tmp_path))["paths"] == [str(folder.resolve())]
    with pytest.raises(Forbidden):
        confined(photos, {"paths": ["album", "../elsewhere"]}, str(tmp_path))
    with pytest.raises(Forbidden):
        confined(photos, {"paths": ["album"]}, None)


def test_photos_of_a_user_are_seen_by_that_user_only(location: str, folder: Path) -> None:
    (folder / "copy.jpg").write_bytes((folder / "berlin.JPG").read_bytes())
    tools = MediaTools(text=FixedRecognizer(RECEIPT), speech=None)
    with Memory.open(location, embedder=None, media=tools) as memory:
        assert memory.media.photos([folder], user="ana@example.com").created == 3
        assert memory.media.photos([folder / "berlin.JPG"], user="ben").created == 1
        assert not memory.list().frames
        assert len(memory.list(user="ana@example.com").frames) == 3
        [bens] = memory.list(user="ben").frames
        assert memory.media.parts(bens.id, user="ben").frames
        for other in ("ana@example.com", None):
            with pytest.raises(NotFound):
                memory.media.parts(bens.id, user=other)
        assert not memory.media.duplicates(user="ben")
        assert len(memory.media.duplicates(user="ana@example.com")) == 1
        asked = folder / "berlin.JPG"
        assert [photo.frame.id for photo in memory.media.similar(asked, user="ben")] == [bens.id]
        assert not memory.media.similar(asked)
        assert memory.media.photos([folder], user="ana@example.com").unchanged == 3
    with Memory.open(location, embedder=None, media=tools, user="ben") as memory:
        assert [photo.frame.id for photo in memory.media.similar(asked)] == [bens.id]
        assert memory.media.photos([folder / "berlin.JPG"]).unchanged == 1
