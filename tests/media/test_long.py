"""Long recordings: read in parts, stopped between two of them, and continued where they stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")
pytest.importorskip("av", reason="recordings need the extra media")

from longmind import FrozenClock, MediaTools, Memory
from longmind.media.protocols import TextBlock
from longmind.media.subtitles import Cue
from tests.media import made
from tests.media.test_recordings import sound


class Stop:
    """Cancels a call when it is told to, and says when the call has noticed."""

    def __init__(self) -> None:
        self._wanted, self._noticed = threading.Event(), threading.Event()

    def now(self) -> None:
        self._wanted.set()
        assert self._noticed.wait(60)

    def __call__(self) -> bool:
        if self._wanted.is_set():
            # The caller acts on the answer right after it; half a second later it certainly has.
            threading.Timer(0.5, self._noticed.set).start()
        return self._wanted.is_set()


class Listener:
    """Hears one sentence in every part, and may give up or be interrupted at one of them."""

    name, version = "listener", "1"

    def __init__(self, at: int | None = None, event: Callable[[], None] | None = None) -> None:
        self.parts = 0
        self._at, self._event = at, event

    def transcribe(self, samples: Any) -> Sequence[Cue]:
        self.parts += 1
        if self.parts == self._at and self._event is not None:
            self._event()
        return [Cue(1000, 2000, f"{len(samples)} samples of card 4111 1111 1111 1111.")]


def opened(location: str, listener: Listener) -> Memory:
    media = MediaTools(text=None, speech=listener, part_seconds=10)
    return Memory.open(location, embedder=None, media=media, clock=FrozenClock(1_700_000_000_000))


def stored(memory: Memory) -> list[Any]:
    [whole] = memory.list().frames
    parts = memory.media.parts(whole.id).frames
    return [(frame.text, frame.title, dict(frame.metadata), frame.occurred_at) for frame in (whole, *parts)]


@pytest.mark.parametrize("stopped_in", [1, 3])
def test_a_recording_that_was_cancelled_goes_on_and_ends_as_one_that_was_not(
    location: str, tmp_path: Path, stopped_in: int
) -> None:
    file = sound(tmp_path / "lecture.wav", 33)  # four parts
    with opened(str(tmp_path / "whole.mind"), listener := Listener()) as memory:
        memory.media.audio([file])
        assert listener.parts == 4
        expected = stored(memory)
    stop = Stop()
    with opened(location, Listener(stopped_in, stop.now)) as memory:
        report = memory.media.audio([file], cancelled=stop)
        assert report.cancelled
        assert not memory.list().frames
        assert not memory.verify(deep=True).problems
    with opened(location, listener := Listener()) as memory:
        assert memory.media.audio([file]).created == 1
        assert listener.parts == 4 - stopped_in
        assert stored(memory) == expected
        assert kept(memory) == 0
        assert memory.media.audio([file]).unchanged == 1


def kept(memory: Memory) -> int:
    with memory.store.read() as snapshot:
        row = snapshot.db.one("SELECT count(*) FROM ingest_progress")
    return int(row[0]) if row else 0


def stopped(location: str, file: Path, **options: Any) -> Memory:
    stop = Stop()
    memory = opened(location, Listener(2, stop.now))
    memory.media.audio([file], cancelled=stop, **options)
    return memory


def test_an_interrupt_from_the_keyboard_stops_between_two_parts(tmp_path: Path) -> None:
    file = sound(tmp_path / "lecture.wav", 33)
    calls = 0

    def interrupted() -> bool:
        nonlocal calls
        if memory.media.tools.speech.parts >= 2:  # type: ignore[union-attr]
            calls += 1
            raise KeyboardInterrupt
        return False

    with opened(
        str(tmp_path / "a.mind"), listener := Listener(2, lambda: threading.Event().wait(1))
    ) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.media.audio([file], cancelled=interrupted)
        assert listener.parts == 2
        assert kept(memory) == 2


def test_what_is_kept_of_an_unfinished_file_goes_with_its_user_and_its_file(
    new_location: Callable[[str], str], tmp_path: Path
) -> None:
    file = sound(tmp_path / "lecture.wav", 23)
    with stopped(new_location("sqlite"), file, user="ana") as memory:
        assert kept(memory) == 2
        memory.erase(user="ana")
        assert kept(memory) == 0
    with stopped(new_location("sqlite"), file) as memory:
        file.write_bytes(sound(tmp_path / "other.wav", 22).read_bytes())  # another recording by now
        memory.media.tools.speech = listener = Listener()
        memory.media.audio([file])
        assert listener.parts == 3
        assert kept(memory) == 0


def test_a_space_with_redaction_keeps_nothing_of_an_unfinished_file(location: str, tmp_path: Path) -> None:
    file = sound(tmp_path / "lecture.wav", 23)
    with opened(location, Listener()) as memory:
        memory.space("default").set_policy({"pii_redaction": ["cards"]})
    with stopped(location, file) as memory:
        assert kept(memory) == 0
        memory.media.tools.speech = listener = Listener()
        memory.media.audio([file])
        assert listener.parts == 3
        assert not any("4111" in str(row) for row in stored(memory))


def test_screens_of_a_long_video_are_read_once(tmp_path: Path) -> None:
    class Reader:
        name, version = "screens", "1"

        def __init__(self, stop_at: int | None = None) -> None:
            self.screens = 0
            self.stop_at = stop_at
            self.stop = Stop()

        def read(self, image: Any) -> Sequence[TextBlock]:
            self.screens += 1
            if self.screens == self.stop_at:
                self.stop.now()
            return [TextBlock(f"slide of colour {image.getpixel((80, 60))}", (0, 0, 9, 9), 1.0)]

    film = made.video(tmp_path / "talk.mp4", ["red", "blue", "green", "white"], seconds=5)
    with Memory.open(tmp_path / "whole.mind", embedder=None, media=MediaTools(part_seconds=10)) as memory:
        memory.media.tools.text, memory.media.tools.speech = Reader(), None
        memory.media.videos([film])
        expected = stored(memory)
    with Memory.open(tmp_path / "a.mind", embedder=None, media=MediaTools(part_seconds=10)) as memory:
        memory.media.tools.text, memory.media.tools.speech = (reader := Reader(2)), None
        assert memory.media.videos([film], cancelled=reader.stop).cancelled
        memory.media.tools.text = reader = Reader()
        memory.media.videos([film])
        assert reader.screens == 2
        assert stored(memory) == expected
