"""What a report says of media, and what redaction leaves of boxes and seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")

from longmind import Frame, Memory
from longmind.media.protocols import TextBlock
from longmind.media.tools import MediaTools
from longmind.testing import FixedRecognizer
from tests.media import made


class Broken:
    """Fails on every picture, each time in other words."""

    name, version = "broken", "1"

    def __init__(self) -> None:
        self.count = 0

    def read(self, image: Any) -> Sequence[TextBlock]:
        self.count += 1
        raise RuntimeError(f"no memory for picture {self.count}")


def parts(memory: Memory) -> Sequence[Frame]:
    [document] = memory.list().frames
    return memory.media.parts(document.id).frames


def photos(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        picture = made.picture(color=f"rgb({number * 40},9,9)")
        (folder / f"p{number}.jpg").write_bytes(made.jpeg(picture, description=f"photo {number}"))
    return folder


def test_what_a_tool_could_not_do_is_reported_once_with_a_count(location: str, tmp_path: Path) -> None:
    folder = photos(tmp_path / "photos", 3)
    with Memory.open(location, embedder=None, media=MediaTools(text=Broken())) as memory:
        report = memory.ingest(folder)
        assert report.created == 3
        assert report.warnings == ("3 files, p0.jpg first: broken failed (RuntimeError).",)
        [frame, *_] = memory.list(where={"kind": "photo"})
        assert "no memory for picture" in frame.metadata["warnings"][0]
        again = memory.ingest(folder)
        assert (again.unchanged, again.warnings) == (3, ())


def test_a_missing_tool_is_reported_and_the_photo_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    folder = photos(tmp_path / "photos", 1)
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        report = memory.ingest(folder)
        assert report.created == 1
        [warning] = report.warnings
        assert warning.startswith("p0.jpg: Text in pictures was not read.")
        assert "longmind[ocr]" in warning


RECEIPT = (
    TextBlock("Corner Bakery", (10, 10, 120, 30), 0.9),
    TextBlock("ana@example.com", (10, 100, 150, 120), 0.9),
    TextBlock("TOTAL 12.50", (10, 200, 90, 220), 0.9),
)


def test_redaction_keeps_the_boxes_of_the_other_lines(location: str, tmp_path: Path) -> None:
    (tmp_path / "receipt.jpg").write_bytes(made.jpeg())
    tools = MediaTools(text=FixedRecognizer(*RECEIPT))
    with Memory.open(location, embedder=None, media=tools) as memory:
        memory.space("default").set_policy({"pii_redaction": ["emails"]})
        memory.ingest(tmp_path / "receipt.jpg", space="default")
        blocks = {frame.text: frame.metadata["box"] for frame in parts(memory) if frame.kind == "photo_text"}
        assert blocks == {
            "Corner Bakery": [10, 10, 120, 30],
            "[email]": [10, 100, 150, 120],
            "TOTAL 12.50": [10, 200, 90, 220],
        }
        assert all("ana@" not in hit.frame.text for hit in memory.search("ana example bakery", mode="text"))
        assert not memory.verify(deep=True).problems


def test_redaction_keeps_the_seconds_of_a_transcript(location: str, tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nAna: Write to ana@example.com today.\n\n"
        "2\n00:00:21,000 --> 00:00:22,000\nBen: Caching comes next.\n"
    )
    with Memory.open(location, embedder=None) as memory:
        memory.space("default").set_policy({"pii_redaction": ["emails"]})
        memory.ingest(tmp_path / "talk.srt", space="default")
        said = {frame.metadata["start_ms"]: frame.text for frame in parts(memory)}
        assert said == {0: "Ana: Write to [email] today.", 20_000: "Ben: Caching comes next."}


def test_a_secret_that_lies_across_two_pieces_is_still_redacted(location: str, tmp_path: Path) -> None:
    (tmp_path / "receipt.jpg").write_bytes(made.jpeg())
    blocks = (
        TextBlock("card 4111 1111", (10, 10, 120, 30), 0.9),
        TextBlock("1111 1111 visa", (10, 200, 120, 220), 0.9),
    )
    with Memory.open(location, embedder=None, media=MediaTools(text=FixedRecognizer(*blocks))) as memory:
        memory.space("default").set_policy({"pii_redaction": ["cards", r"4111[\s\S]{0,40}1111 visa"]})
        memory.ingest(tmp_path / "receipt.jpg", space="default")
        texts = [memory.list().frames[0].text, *(frame.text for frame in parts(memory))]
        assert not any("1111" in text for text in texts)
