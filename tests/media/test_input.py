"""Subtitles inside of videos, and input that is not what it seems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")
pytest.importorskip("av", reason="recordings need the extra media")

import av
from PIL import Image

from longmind import MediaTools, Memory
from tests.media import made
from tests.media.test_faces import pattern

SPOKEN = (
    "1\n00:00:01,000 --> 00:00:02,000\nANA: Welcome to the talk.\n\n"
    "2\n00:00:11,000 --> 00:00:14,500\nBEN: <i>Caching</i> keeps answers near.\n"
)
NOTHING = MediaTools(text=None, speech=None)


def with_subtitles(film: Path, spoken: Path, target: Path) -> Path:
    """A video with a stream of subtitles, copied from a file."""
    with av.open(str(film)) as pictures, av.open(str(spoken)) as texts, av.open(str(target), "w") as out:
        copies = [(source, out.add_stream_from_template(source.streams[0])) for source in (pictures, texts)]
        for source, stream in copies:
            for packet in source.demux(0):
                if packet.dts is not None:
                    packet.stream = stream
                    out.mux(packet)
    return target


def test_subtitles_inside_a_video_are_what_is_said_in_it(tmp_path: Path) -> None:
    film = made.video(tmp_path / "plain.mp4", ["red", "blue", "green"])
    (tmp_path / "spoken.srt").write_text(SPOKEN)
    inside = with_subtitles(film, tmp_path / "spoken.srt", tmp_path / "talk.mkv")
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.media.videos([inside])
        whole = memory.get(report.id)
        assert whole.metadata["subtitles"] == "embedded"
        assert whole.metadata["speakers"] == ["ANA", "BEN"]
        [hit, *_] = memory.search("where do they explain caching?")
        assert (hit.frame.citation, hit.frame.speaker) == ("talk.mkv at 0:10", "BEN")
        assert "Caching keeps answers near." in hit.frame.text


def test_subtitles_that_are_pictures_are_not_read_as_text(tmp_path: Path) -> None:
    film = made.video(tmp_path / "plain.mp4", ["red", "blue"])
    (tmp_path / "spoken.srt").write_text(SPOKEN)
    inside = with_subtitles(film, tmp_path / "spoken.srt", tmp_path / "disc.mkv")
    # As from a Blu-ray disc: the codec says that the packets are pictures.
    inside.write_bytes(inside.read_bytes().replace(b"S_TEXT/UTF8", b"S_HDMV/PGS\0"))
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.media.videos([inside])
        assert "subtitles" not in memory.get(report.id).metadata
        assert "Caching" not in memory.get(report.id).text
        assert not memory.verify(deep=True).problems


def test_a_subtitle_file_beyond_the_limit_of_bytes_is_not_read(tmp_path: Path) -> None:
    made.video(tmp_path / "talk.mp4", ["red"], seconds=2)
    (tmp_path / "talk.srt").write_text(SPOKEN)
    with (tmp_path / "talk.srt").open("r+b") as file:
        file.truncate(2**31)  # a hole: nothing is written
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.ingest(tmp_path, exclude=["*.mind*"])
        assert (report.created, [skip.code for skip in report.skipped]) == (1, ["too_large"])
        assert "Welcome" not in memory.get(report.id).text


def test_public_subtitles_and_a_public_film_are_read(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "subtitles"
    if not folder.is_dir():
        pytest.skip("the subtitles are not beside the project")
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.ingest(folder)
        assert report.created == 5
        assert report.skipped == ()
        [second, *_] = memory.search("an old wrinkly man with white hair")
        assert second.frame.citation in {f"pycaption_example.{kind} at 0:10" for kind in ("srt", "vtt")}
        film = next(it for it in memory.list(where={"kind": "video"}) if it.uri and it.uri.endswith("mp4"))
        assert film.metadata["duration_ms"] > 0
        assert film.metadata["width"] > 0


def test_files_that_are_not_what_their_name_says_are_read_or_refused_with_a_code(tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    pattern(1).save(folder / "png.jpg", "PNG")
    pattern(2).save(folder / "jpeg.png", "JPEG")
    (folder / "text.jpg").write_text("not a picture at all\n" * 50)
    (folder / "html.mp4").write_text("<html>404</html>" * 50)
    (folder / "zeros.wav").write_bytes(bytes(5000))
    made.video(tmp_path / "film.mp4", ["red"], seconds=2).rename(folder / "film.mp3")
    steps = [pattern(number, (120, 100)) for number in range(3)]
    steps[0].save(folder / "moving.gif", save_all=True, append_images=steps[1:], duration=100)
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.ingest(folder)
        assert {Path(skip.uri).name for skip in report.skipped} == {"text.jpg", "html.mp4", "zeros.wav"}
        assert {skip.code for skip in report.skipped} == {"damaged"}
        about = {frame.title: frame.metadata for frame in memory.list(limit=100)}
        assert (about["png"]["format"], about["jpeg"]["format"]) == ("PNG", "JPEG")
        assert about["moving"]["frames"] == 3
        assert any("animated" in warning for warning in report.warnings)


def test_a_codec_that_is_missing_leaves_what_the_container_says(tmp_path: Path) -> None:
    film = made.video(tmp_path / "film.mp4", ["red", "blue"], seconds=2)
    film.write_bytes(film.read_bytes().replace(b"mp4v", b"zzzz"))
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.media.videos([film])
        assert report.created + len(report.skipped) == 1
        for skip in report.skipped:
            assert skip.code in ("damaged", "unsupported")


HOSTILE = [
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    ) + ']><x:xmpmeta xmlns:x="adobe:ns:meta/">&j;</x:xmpmeta>',
    "<x:xmpmeta" + " <a>" * 20_000,
    '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x xmlns="adobe:ns:meta/">&f;</x>',
]  # fmt: skip


@pytest.mark.parametrize("xmp", HOSTILE, ids=["entities", "depth", "file"])
def test_hostile_metadata_is_passed_over_and_the_photo_is_kept(tmp_path: Path, xmp: str) -> None:
    data = made.jpeg(pattern(1), xmp=xmp.encode()[:60_000], description="a\x00b\x1b[31m\u202e" + "x" * 20_000)
    (tmp_path / "photo.jpg").write_bytes(data)
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.media.photos([tmp_path / "photo.jpg"])
        assert report.created == 1
        frame = memory.get(report.id)
        assert len(frame.text) < 10_000
        assert not {"\x00", "\x1b", "\u202e"} & set(frame.text + str(frame.title))
        assert "root:" not in frame.text


def test_a_file_beyond_the_limit_of_bytes_is_not_opened(tmp_path: Path) -> None:
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(made.jpeg(pattern(1)))
    with photo.open("r+b") as file:
        file.truncate(2**31)  # a hole: nothing is written
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        report = memory.media.photos([tmp_path])
        assert (report.created, [skip.code for skip in report.skipped]) == (0, ["too_large"])


def test_a_box_on_the_map_is_a_condition_on_latitude_and_longitude(tmp_path: Path) -> None:
    towns = {"berlin": (52.5, 13.4), "lisbon": (38.7, -9.1), "sydney": (-33.9, 151.2)}
    for number, (name, place) in enumerate(towns.items()):
        (tmp_path / f"{name}.jpg").write_bytes(made.jpeg(pattern(number), gps=place))
    iberia: dict[str, Any] = {"lat": {"gte": 36, "lt": 44}, "lon": {"gte": -10, "lt": 4}}
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        memory.media.photos([tmp_path])
        where = {"kind": "photo", "metadata": iberia}
        assert [frame.title for frame in memory.list(where=where)] == ["lisbon"]
        assert [hit.frame.title for hit in memory.search("photo", where=where)] == ["lisbon"]


def test_a_tiny_picture_is_an_icon(tmp_path: Path) -> None:
    Image.new("RGB", (16, 16)).save(tmp_path / "icon.png")
    with Memory.open(tmp_path / "a.mind", embedder=None, media=NOTHING) as memory:
        assert [skip.code for skip in memory.media.photos([tmp_path / "icon.png"]).skipped] == ["too_small"]
