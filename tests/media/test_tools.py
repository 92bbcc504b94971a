"""The tools that describe pictures: models that see, detectors; and what becomes of facts."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")

from PIL import Image

from longmind import Memory, NotFound
from longmind.media.labels import CocoLabeler
from longmind.media.protocols import TextBlock
from longmind.media.subtitles import Cue
from longmind.media.tools import MediaTools
from longmind.testing import FixedRecognizer, FixedTranscriber
from tests.http_threads import serving
from tests.media import made
from tests.media.test_recordings import sound


class Server(ThreadingHTTPServer):
    """A server that describes every picture, in the manner of OpenAI and of Ollama."""

    asked: list[dict[str, Any]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = {"role": "assistant", "content": "A tabby cat asleep\non a red chair."}
        openai = {"choices": [{"message": message}], "usage": {"prompt_tokens": 9, "completion_tokens": 7}}
        data = json.dumps({"message": message} if self.path == "/api/chat" else openai).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    made_server = Server(("127.0.0.1", 0), Handler)
    made_server.asked = []
    with serving(made_server):
        yield made_server


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_a_model_that_sees_describes_photos(
    provider: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGMIND_CAPTIONS", f"{provider}:seer@http://127.0.0.1:{server.server_port}")
    photo = tmp_path / "cat.jpg"
    photo.write_bytes(made.jpeg(made.picture((3000, 2000)), gps=(52.5, 13.4)))
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.media.tools.text = None
        assert memory.media.photos([photo]).warnings == ()
        [hit] = memory.search("cat on a chair")
        assert f"Described by {provider}:seer: A tabby cat asleep on a red chair." in hit.frame.text
        assert hit.frame.metadata["caption_by"] == f"{provider}:seer"
    [asked] = server.asked
    user = asked["messages"][1]
    text = user["images"][0] if provider == "ollama" else user["content"][1]["image_url"]["url"].split(",")[1]
    sent = Image.open(BytesIO(base64.b64decode(text)))
    assert max(sent.size) == 1024
    assert not sent.getexif()  # where it was taken is not sent


def test_a_model_without_its_key_is_a_warning_and_the_photo_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGMIND_CAPTIONS", "openai:gpt-4o-mini")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("LONGMIND_LABELS", str(tmp_path / "nowhere"))
    (tmp_path / "cat.jpg").write_bytes(made.jpeg())
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.media.tools.text = None
        report = memory.media.photos([tmp_path / "cat.jpg"])
        assert report.created == 1
        captions, labels = report.warnings
        assert "OPENAI_API_KEY" in captions
        assert "does not hold a detector" in labels


def test_a_folder_without_a_detector_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not hold a detector"):
        CocoLabeler(tmp_path)


def test_text_in_pictures_and_speech_of_nobody_become_no_facts(location: str, tmp_path: Path) -> None:
    said = "My name is Ana and I live in Lisbon."
    (tmp_path / "sign.jpg").write_bytes(made.jpeg(description=said))
    (tmp_path / "talk.srt").write_text(f"1\n00:00:01,000 --> 00:00:02,000\n{said}\n")
    (tmp_path / "named.srt").write_text(f"1\n00:00:01,000 --> 00:00:02,000\nAna: {said}\n")
    pytest.importorskip("av")
    sound(tmp_path / "note.wav", 3)
    tools = MediaTools(
        text=FixedRecognizer(TextBlock(said, (1, 2, 30, 40), 0.9)),
        speech=FixedTranscriber(Cue(0, 1000, said)),
    )
    with Memory.open(location, embedder=None, media=tools) as memory:
        for name in ("sign.jpg", "talk.srt", "note.wav"):
            assert memory.ingest(tmp_path / name).facts == 0
        assert memory.ingest(tmp_path / "named.srt").facts > 0
        assert facts_about(memory, "Ana") == {("lives_in", "Lisbon"), ("name", "Ana")}
        assert not memory.facts.about("user")


def facts_about(memory: Memory, name: str) -> set[tuple[str, str]]:
    return {(hit.fact.predicate, str(hit.fact.object)) for hit in memory.facts.about(name)}


def test_each_line_of_a_talk_is_read_as_what_its_own_speaker_says(location: str, tmp_path: Path) -> None:
    lines = (
        "Ana: I live in Lisbon.",
        "I live in Rome.",
        "Ben: I work at Initech.",
        "MAN 2: I work at Acme.",
        "Narrator: I live in Oslo.",
        "User: I live in Lima.",
    )
    cues = [f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{line}\n" for n, line in enumerate(lines, 1)]
    (tmp_path / "talk.srt").write_text("\n".join(cues))
    with Memory.open(location, embedder=None) as memory:
        assert memory.ingest(tmp_path / "talk.srt").facts == 2
        assert facts_about(memory, "Ana") == {("lives_in", "Lisbon")}
        assert facts_about(memory, "Ben") == {("works_at", "Initech")}
        assert not any(memory.facts.about(name) for name in ("user", "MAN 2", "Narrator"))


def test_text_on_the_screen_is_not_said_by_who_speaks(location: str, tmp_path: Path) -> None:
    pytest.importorskip("av")
    made.video(tmp_path / "talk.mp4", ["red"])
    (tmp_path / "talk.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nAna: I live in Lisbon.\n")
    tools = MediaTools(text=FixedRecognizer(TextBlock("I live in Rome.", (1, 2, 30, 40), 0.9)))
    with Memory.open(location, embedder=None, media=tools) as memory:
        report = memory.ingest(tmp_path / "talk.mp4")
        assert "On screen: I live in Rome." in memory.get(report.id).text
        assert facts_about(memory, "Ana") == {("lives_in", "Lisbon")}
