"""Photos: what their cameras wrote, what is in them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")

from PIL import Image

from longmind import Memory
from longmind.base.times import to_ms
from longmind.ingest.duplicates import NEAR
from longmind.ingest.source import Document, Source, Unreadable
from longmind.media.photo import PhotoReader
from longmind.media.pictures import difference, look_hash
from longmind.media.protocols import Label, TextBlock
from longmind.media.textblocks import join_lines
from longmind.media.tools import MediaTools, PlacePolicy
from tests.media import made

MODIFIED = to_ms(datetime(2020, 1, 2, tzinfo=UTC))


class Recognizer:
    """Says the same of every picture."""

    name, version = "fixed", "1"

    def __init__(self, *blocks: TextBlock) -> None:
        self.blocks = blocks
        self.sizes: list[tuple[int, int]] = []

    def read(self, image: Image.Image) -> Sequence[TextBlock]:
        self.sizes.append(image.size)
        return self.blocks


def read(data: bytes, tools: MediaTools | None = None) -> Document:
    source = Source.from_bytes(data, uri="holiday/cat.jpg", modified=MODIFIED)
    return PhotoReader(tools or MediaTools(text=None)).read(data, source)


@pytest.mark.parametrize(
    ("tags", "moment", "known_by"),
    [
        (
            {"taken": "2024:03:02 10:15:00", "offset": "+05:30"},
            datetime(2024, 3, 2, 4, 45, tzinfo=UTC),
            "offset",
        ),
        (
            {"taken": "2024:03:02 10:15:00", "offset": "-08:00"},
            datetime(2024, 3, 2, 18, 15, tzinfo=UTC),
            "offset",
        ),
        ({"taken": "2024:03:02 10:15:00"}, datetime(2024, 3, 2, 10, 15, tzinfo=UTC), "local"),
        ({"taken": "0000:00:00 00:00:00"}, datetime(2020, 1, 2, tzinfo=UTC), "file"),
        ({"taken": "2024:02:31 10:15:00"}, datetime(2020, 1, 2, tzinfo=UTC), "file"),
        ({"taken": "    :  :     :  :  "}, datetime(2020, 1, 2, tzinfo=UTC), "file"),
        (
            {"taken": "2024:03:02 10:15:00", "gps_time": {29: "2024:03:02", 7: (9.0, 15.0, 0.0)}},
            datetime(2024, 3, 2, 9, 15, tzinfo=UTC),
            "gps",
        ),
        ({}, datetime(2020, 1, 2, tzinfo=UTC), "file"),
    ],
)
def test_the_time_of_a_photo_is_its_cameras_then_the_satellites_then_its_files(
    tags: dict[str, Any], moment: datetime, known_by: str
) -> None:
    photo = read(made.jpeg(**tags))
    assert photo.occurred_at == to_ms(moment)
    assert photo.metadata["taken_from"] == known_by


@pytest.mark.parametrize(
    ("gps", "place"),
    [
        ((52.51667, 13.38333), (52.51667, 13.38333)),
        ((-33.85678, 151.21523), (-33.85678, 151.21523)),
        ((-22.95194, -43.21056), (-22.95194, -43.21056)),
        ((0.0, 0.0), None),
        ({2: (52.0, 31.0, 0.0), 4: (13.0, 23.0, 0.0)}, None),
        ({1: "N", 2: (95.0, 0.0, 0.0), 3: "E", 4: (13.0, 0.0, 0.0)}, None),
        ({1: "N", 2: (52.0, 31.0, 0.0)}, None),
    ],
)
def test_a_place_is_kept_with_its_side_of_the_globe_or_not_at_all(gps: Any, place: Any) -> None:
    metadata = read(made.jpeg(gps=gps)).metadata
    if place is None:
        assert "lat" not in metadata
        assert "lon" not in metadata
    else:
        assert (metadata["lat"], metadata["lon"]) == pytest.approx(place, abs=2e-5)


def test_places_are_dropped_or_made_coarse_where_the_policy_says_so() -> None:
    data = made.jpeg(gps=(52.51667, 13.38333))
    assert "lat" not in read(data, MediaTools(text=None, places=PlacePolicy(keep=False))).metadata
    coarse = read(data, MediaTools(text=None, places=PlacePolicy(decimals=1))).metadata
    assert (coarse["lat"], coarse["lon"]) == (52.5, 13.4)


def test_a_turned_photo_is_read_upright() -> None:
    recognizer = Recognizer()
    photo = read(made.jpeg(made.picture((300, 200)), orientation=6), MediaTools(text=recognizer))
    assert (photo.metadata["width"], photo.metadata["height"]) == (200, 300)
    assert recognizer.sizes == [(200, 300)]


def test_what_somebody_wrote_about_a_photo_is_its_title_and_caption() -> None:
    xmp = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Miso &amp; me'
        b"</rdf:li></rdf:Alt></dc:title><dc:description><rdf:Alt><rdf:li>Our cat asleep</rdf:li></rdf:Alt>"
        b"</dc:description><dc:subject><rdf:Bag><rdf:li>cat</rdf:li><rdf:li>home</rdf:li></rdf:Bag></dc:subject>"
    )
    photo = read(made.jpeg(xmp=xmp, camera=("Canon", "Canon EOS 90D")))
    assert photo.title == "Miso & me"
    assert "Caption: Our cat asleep" in photo.text
    assert photo.metadata["keywords"] == ["cat", "home"]
    assert photo.metadata["camera"] == "Canon EOS 90D"


def test_blocks_of_text_are_chunks_with_their_boxes() -> None:
    recognizer = Recognizer(
        TextBlock("TOTAL", (10, 200, 80, 220), 0.9),
        TextBlock("9.00", (200, 201, 240, 219), 0.8),
        TextBlock("BOOK SHOP", (10, 10, 120, 30), 0.95),
        TextBlock("smudge", (10, 300, 20, 310), 0.2),
    )
    photo = read(made.jpeg(), MediaTools(text=recognizer))
    raw = photo.text.encode()
    whole, shop, total = photo.pieces
    assert raw[whole.start : whole.end] == raw
    assert raw[shop.start : shop.end] == b"BOOK SHOP"
    assert raw[total.start : total.end] == b"TOTAL  9.00"
    assert total.metadata == {"box": [10, 200, 240, 220], "score": 0.8}
    assert b"smudge" not in raw


def test_lines_that_are_near_are_one_block() -> None:
    lines = [TextBlock(name, (0, top, 50, top + 10), 1.0) for name, top in (("a", 0), ("b", 14), ("c", 60))]
    assert [block.text for block in join_lines(lines)] == ["a\nb", "c"]


def test_a_photo_is_kept_when_a_tool_fails() -> None:
    class Broken:
        name, version = "broken", "1"

        def label(self, image: Image.Image) -> Sequence[Label]:
            raise RuntimeError("no memory")

    photo = read(made.jpeg(), MediaTools(text=None, labels=Broken()))
    assert photo.text == "Photo: cat"
    assert any("broken failed" in note for note in photo.warnings)


def test_copies_of_a_picture_look_alike_and_others_do_not() -> None:
    one = Image.effect_mandelbrot((400, 300), (-2, -1.5, 1, 1.5), 40).convert("RGB")
    other = one.rotate(90, expand=True)
    assert difference(look_hash(one), look_hash(one.resize((200, 150)))) <= NEAR
    assert difference(look_hash(one), look_hash(other)) > NEAR


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xd8\xff", "damaged"),
        (b"not a picture", "damaged"),
        (b"", "damaged"),
        (made.jpeg(made.picture((16, 16))), "too_small"),
    ],
)
def test_what_is_no_photo_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(data)
    assert refused.value.reason == reason


def test_a_photo_that_is_cut_off_keeps_what_its_header_says() -> None:
    data = made.jpeg(Image.effect_noise((640, 480), 80).convert("RGB"), taken="2024:03:02 10:15:00")
    photo = read(data[: len(data) // 2])
    assert photo.metadata["taken_from"] == "local"
    assert photo.warnings


def test_a_picture_too_large_to_decode_is_refused_before_it_is_decoded() -> None:
    header = made.jpeg(made.picture((200, 100)))
    at = header.index(b"\xff\xc0") + 5
    bomb = header[:at] + (65_000).to_bytes(2, "big") * 2 + header[at + 4 :]
    with pytest.raises(Unreadable) as refused:
        read(bomb)
    assert refused.value.reason == "too_large"


def test_photos_are_found_by_their_text_time_and_place(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "receipt.jpg").write_bytes(
        made.jpeg(taken="2024:03:02 10:15:00", offset="+00:00", gps=(48.85, 2.35))
    )
    (folder / "beach.jpg").write_bytes(
        made.jpeg(made.picture(color="blue"), taken="2023:07:10 10:00:00", description="Sunset at the beach")
    )
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.media.tools.text = Recognizer(TextBlock("Corner Bakery TOTAL 12.50", (1, 2, 30, 40), 0.9))
        report = memory.ingest(folder)
        assert report.created == 2
        [first, *_] = memory.search("what did I pay at the bakery", limit=3)
        assert first.frame.uri is not None
        assert first.frame.kind in {"photo", "photo_text"}
        assert first.frame.metadata["media_type"] == "image/jpeg"
        [sunset, *_] = memory.search("sunset")
        assert sunset.frame.uri is not None
        assert sunset.frame.uri.endswith("beach.jpg")
        paris = memory.list(where={"metadata": {"lat": {"gt": 48, "lt": 49}}, "kind": "photo"})
        assert {frame.uri.rsplit("/", 1)[-1] for frame in paris.frames if frame.uri} == {"receipt.jpg"}
        assert memory.ingest(folder).unchanged == 2
        (folder / "beach.jpg").unlink()
        assert memory.ingest(folder).retired == 1
        assert not memory.verify(deep=True).problems
