"""Photos and sound: what is read of real receipts and speech, how fast, and whether memory stays flat.

Speeds are by processor seconds, which other work on the machine changes little; the clock's are beside them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import resource
import tempfile
import time
import wave
from io import BytesIO
from pathlib import Path

import numpy as np

from longmind import MediaTools, Memory

TEXT = (
    "it was the best of times it was the worst of times it was the age of wisdom it was the age of "
    "foolishness it was the epoch of belief it was the epoch of incredulity it was the season of light "
    "it was the season of darkness it was the spring of hope it was the winter of despair"
).split()
"""The first words of the speech clip."""


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def receipts(folder: Path) -> tuple[float, float]:
    """Word recall and key fields found, which are returned, and seconds an image."""
    found = total = fields = keys = 0
    images = sorted(folder.glob("*.jpg"))
    started, cpu_started = time.perf_counter(), time.process_time()
    with Memory.open(":memory:", embedder=None, media=MediaTools(speech=None)) as memory:
        for image in images:
            text = memory.get(memory.media.photos([image]).id).text
            left = words(text)
            lines = image.with_suffix(".csv").read_text(errors="replace").splitlines()
            for word in words(" ".join(line.split(",", 8)[-1] for line in lines)):
                total += 1
                if word in left:
                    left.remove(word)
                    found += 1
            for value in json.loads(image.with_suffix(".key.json").read_text()).values():
                keys += 1
                fields += "".join(words(value)) in "".join(words(text))
    seconds = (time.perf_counter() - started) / max(1, len(images))
    print(f"receipts: {len(images)}, word recall {found / total:.3f}, key fields {fields / keys:.3f}")
    cpu = (time.process_time() - cpu_started) / max(1, len(images))
    print(f"          CPU {cpu:.1f} s an image, {60 / cpu:.0f} images a CPU minute (clock: {seconds:.1f} s)")
    return found / total, fields / keys


def speech(clip: Path) -> None:
    """Word errors over the first words, seconds of sound a second, and apart from them loading the model."""
    from longmind.media.speech import WhisperTranscriber

    with wave.open(str(clip)) as sound:
        length = sound.getnframes() / sound.getframerate()
    loading = time.process_time()
    transcriber = WhisperTranscriber()
    transcriber.transcribe(np.zeros(16_000, dtype=np.float32))
    loaded = time.process_time() - loading
    started, cpu_started = time.perf_counter(), time.process_time()
    with Memory.open(":memory:", embedder=None, media=MediaTools(text=None, speech=transcriber)) as memory:
        report = memory.media.audio([clip])
        heard = words(memory.get(report.id).text.partition("\n\n")[2])[: len(TEXT)]
    errors = distance(TEXT, heard) / len(TEXT)
    cpu, seconds = time.process_time() - cpu_started, time.perf_counter() - started
    print(f"speech:   {length:.0f} s of sound, word errors {errors:.3f} {report.warnings or ''}")
    print(
        f"          {length / cpu:.2f} s of sound a CPU second (clock: {length / seconds:.2f}), "
        f"loading the model CPU {loaded:.1f} s"
    )


def distance(expected: list[str], heard: list[str]) -> int:
    row = list(range(len(heard) + 1))
    for i, one in enumerate(expected, 1):
        before, row = row, [i]
        for j, other in enumerate(heard, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other)))
    return row[-1]


def flat(count: int) -> None:
    """Megabytes at the most, after a tenth of the photos and after all of them."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            out = BytesIO()
            Image.effect_noise((640, 480), 10 + number % 200).save(out, "JPEG")
            (Path(folder) / f"{number:05}.jpg").write_bytes(out.getvalue())
        peaks: list[float] = []
        with Memory.open(":memory:", embedder=None, media=MediaTools(text=None)) as memory:

            def step(progress: object) -> None:
                peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)

            started, cpu_started = time.perf_counter(), time.process_time()
            memory.media.photos([folder], progress=step)
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    print(
        f"photos:   {count} without OCR, {60 * count / cpu:.0f} a CPU minute "
        f"(clock: {60 * count / seconds:.0f} a minute)"
    )
    print(f"          {peaks[len(peaks) // 10]:.0f} MB at most after a tenth, {peaks[-1]:.0f} MB after all")


def long(hours: int) -> None:
    """Megabytes at the most while an hour of sound is decoded and cut into parts, and while all hours are."""
    from longmind.media.subtitles import Cue
    from longmind.testing import FixedTranscriber

    with tempfile.TemporaryDirectory() as folder:
        peaks: list[float] = []
        for length in (1, hours):
            clip = Path(folder) / f"{length}.wav"
            with wave.open(str(clip), "wb") as sound:
                sound.setnchannels(1)
                sound.setsampwidth(1)
                sound.setframerate(8000)
                for _ in range(length * 60):
                    sound.writeframes(b"\x80" * 8000 * 60)
            tools = MediaTools(text=None, speech=FixedTranscriber(Cue(0, 1000, "a word")))
            with Memory.open(":memory:", embedder=None, media=tools) as memory:
                memory.media.audio([clip])
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(f"long:     {peaks[0]:.0f} MB at most for 1 hour of sound, {peaks[1]:.0f} MB for {hours} hours")


def _clip() -> Path | None:
    """The speech clip of the package moonshine-voice, which is not imported."""
    spec = importlib.util.find_spec("moonshine_voice")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0]) / "assets" / "two_cities.wav" if folders else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--receipts", type=Path, default=Path("../shared/data/receipts"))
    parser.add_argument("--speech", type=Path, default=_clip(), help="two_cities.wav of moonshine-voice")
    parser.add_argument("--photos", type=int, default=1000)
    parser.add_argument("--hours", type=int, default=10, help="length of the long recording; 0 for none")
    options = parser.parse_args()
    # What takes least memory comes first: a peak hides those below it.
    if options.photos:
        flat(options.photos)
    if options.hours:
        long(options.hours)
    if options.speech:
        speech(options.speech)
    if options.receipts.is_dir():
        receipts(options.receipts)


if __name__ == "__main__":
    main()
