"""A folder of receipts, photographs and a talk: each question is answered first, with where to look."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")
pytest.importorskip("av", reason="recordings need the extra media")

from longmind import Memory
from longmind.media.protocols import Label, TextBlock
from longmind.media.tools import MediaTools
from tests.media import made
from tests.media.test_faces import pattern


class Eyes:
    """Reads and sees what belongs to each picture, which it knows by its size."""

    name, version = "eyes", "1"

    def read(self, image: Any) -> Sequence[TextBlock]:
        lines = {401: "Corner Bakery TOTAL 12.50", 402: "Harbour Books TOTAL 30.00"}
        return [TextBlock(lines[image.width], (10, 20, 200, 40), 0.9)] if image.width in lines else ()

    def label(self, image: Any) -> Sequence[Label]:
        return [Label("cat", 0.9)] if image.width in (403, 404) else ()


def test_the_questions_of_the_story_are_answered_first(location: str, tmp_path: Path) -> None:
    pictures = {"bakery": (401, 5), "books": (402, 6), "miso": (403, 3), "stray": (404, 9), "beach": (405, 3)}
    for seed, (name, (width, month)) in enumerate(pictures.items()):
        taken = f"2024:{month:02}:02 10:00:00"
        data = made.jpeg(pattern(seed, (width, 300)), taken=taken, offset="+00:00")
        (tmp_path / f"{name}.jpg").write_bytes(data)
    made.video(tmp_path / "talk.mp4", ["red", "blue", "green"])
    (tmp_path / "talk.srt").write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nWelcome to the talk.\n\n"
        "2\n00:00:11,000 --> 00:00:14,000\nCaching keeps answers near the reader.\n"
    )
    tools = MediaTools(text=Eyes(), labels=Eyes(), speech=None)
    with Memory.open(location, embedder=None, media=tools) as memory:
        memory.ingest(tmp_path, exclude=["*.mind*"])
        asked = datetime(2024, 12, 1, tzinfo=UTC)

        def first(question: str) -> str | None:
            return memory.search(question, reference=asked)[0].frame.citation

        assert first("what did I pay at the Corner Bakery?") == "bakery.jpg [box 10,20,200,40]"
        assert first("the photo with the cat from March") == "miso.jpg"
        assert first("where in the video do they explain caching?") == "talk.mp4 at 0:10"


def test_a_real_receipt_is_read(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="reading receipts needs the extra ocr")
    receipt = shared_data / "receipts" / "000.jpg"
    if not receipt.is_file():
        pytest.skip("the receipts are not beside the project")
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        report = memory.media.photos([receipt])
        assert report.warnings == ()
        text = memory.get(report.id).text
        assert "9.00" in text
        assert "25/12/2018" in text
