"""How fast the store itself is: writes, open, import, verify, backup, erase, and bytes per frame.

`python -m bench.store [--frames 100000] [--store URL] [--json]`; vectors, extraction and surrogates are off.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.synthetic import texts
from longmind import Memory, Unsupported
from longmind.store.drafts import draft
from longmind.store.store import open_store
from longmind.store.write import put

PLAIN: dict[str, Any] = {"embedder": None, "extractor": None, "surrogates": False}
_BATCH = 1000
_LARGE_BATCH = 5000
_PLACES = ("bench", "rows", "names", "plain")


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    unit: str
    wanted: str = ""
    """What the product promises, where it does."""


def sentences(count: int) -> Iterator[str]:
    """Texts of about 25 words, some common and most rare, the same at every run."""
    return texts(count)


def identifiers(count: int) -> Iterator[str]:
    """Texts of words such as `ta3f`: each is indexed as a word and as an identifier."""
    rng = random.Random(1)
    words = [f"{rng.choice('bcdfgmpst')}{rng.choice('aeiou')}{number:x}" for number in range(8000)]
    for number in range(count):
        yield " ".join(rng.choices(words, k=rng.randint(15, 35))) + f" {number}"


def timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def batches(texts: Iterator[str]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        batch.append(
            {"text": text, "session": f"s{number % 97}", "tags": ["bench"], "metadata": {"n": number}}
        )
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def rows_alone(location: str, frames: int) -> float:
    """Frames and labels without any part beside them: what the engine and the rows cost."""
    prepared = [[draft(**item, space="default") for item in batch] for batch in batches(sentences(frames))]
    store = open_store(location)

    def fill() -> None:
        for batch in prepared:
            with store.write() as tx:
                put(tx, batch)

    try:
        return frames / timed(fill)
    finally:
        store.close()


def identifiers_alone(location: str, frames: int) -> float:
    """Bulk writes of texts that are nothing but identifiers: the worst that the text index meets."""
    with Memory.open(location, **PLAIN) as memory:
        items = list(batches(identifiers(frames)))
        return frames / timed(lambda: [memory.remember_many(batch) for batch in items])


def plain_alone(location: str, frames: int) -> float:
    """Bulk writes of texts with nothing but their words, in large batches: the best that the index meets."""
    with Memory.open(location, **PLAIN) as memory:
        texts = sentences(frames)
        items = iter(lambda: list(islice(texts, _LARGE_BATCH)), [])
        return frames / timed(lambda: [memory.remember_many(batch) for batch in items])


def measure(places: list[str], frames: int, singles: int) -> Iterator[Figure]:
    location, rows_location, names_location, plain_location = places
    yield Figure("import longmind", import_ms("import longmind"), "ms", "< 80")
    yield Figure("from longmind import Memory", import_ms("from longmind import Memory"), "ms")
    few = min(frames, 50_000)
    yield Figure("bulk writes, rows alone", rows_alone(rows_location, few), "frames/s", "> 10,000")
    speed = identifiers_alone(names_location, few)
    yield Figure("bulk writes, with the text index, identifiers only", speed, "frames/s")
    speed = plain_alone(plain_location, few)
    yield Figure("bulk writes, with the text index, plain texts", speed, "frames/s", "> 10,000")
    with Memory.open(location, **PLAIN) as memory:
        items = list(batches(sentences(frames)))
        took = timed(lambda: [memory.remember_many(batch) for batch in items])
        yield Figure(
            "bulk writes, with the text index, tags and metadata", frames / took, "frames/s", "> 10,000"
        )
        took = timed(lambda: [memory.remember(f"single write {number}") for number in range(singles)])
        yield Figure("single committed writes", singles / took, "writes/s", "> 500")
        yield from reads(memory, frames)
        yield from upkeep(memory, frames + singles)
    opened = [timed(lambda: Memory.open(location, **PLAIN).close()) for _ in range(9)]
    yield Figure(
        f"open and close, {frames + singles - 1:,} frames", statistics.median(opened) * 1000, "ms", "< 50"
    )


def reads(memory: Memory, frames: int) -> Iterator[Figure]:
    rng = random.Random(2)
    ids = [rng.randint(1, frames) for _ in range(500)]
    yield Figure("get", timed(lambda: [memory.get(frame_id) for frame_id in ids]) / 500 * 1000, "ms")
    took = timed(lambda: [memory.timeline(limit=20) for _ in range(100)])
    yield Figure("timeline of 20", took / 100 * 1000, "ms")
    took = timed(
        lambda: [memory.list(where={"session": "s5", "tags": ["bench"]}, limit=20) for _ in range(20)]
    )
    yield Figure("list of 20, filtered", took / 20 * 1000, "ms")


def upkeep(memory: Memory, frames: int) -> Iterator[Figure]:
    memory.flush()
    yield Figure("bytes per frame", memory.stats().bytes / frames, "bytes")
    yield Figure("verify", timed(memory.verify), "s")
    yield Figure("verify, deep", timed(lambda: memory.verify(deep=True)), "s")
    # A server is backed up with its own tools.
    with tempfile.TemporaryDirectory() as folder, suppress(Unsupported):
        yield Figure("backup", timed(lambda: memory.backup(Path(folder) / "copy.mind")), "s")
    yield Figure("erase of one frame", timed(lambda: memory.erase(frames // 2)), "s")
    yield Figure("compact", timed(memory.compact), "s")


def import_ms(statement: str) -> float:
    """In fresh processes, without the start of the interpreter; the best of several."""
    script = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    durations = []
    for _ in range(5):
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        durations.append(float(run.stdout))
    return min(durations) * 1000


def table(figures: list[Figure]) -> str:
    width = max(len(figure.name) for figure in figures)
    return "\n".join(
        f"{figure.name:<{width}}  {figure.value:>12,.2f} {figure.unit:<9} {figure.wanted}".rstrip()
        for figure in figures
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--singles", type=int, default=1000)
    parser.add_argument("--store", help="a postgresql:// URL without ?store=; default: a temporary file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if options.store:
            mark = "&" if "?" in options.store else "?"
            places = [f"{options.store}{mark}store={name}_{time.time_ns()}" for name in _PLACES]
        else:
            places = [str(Path(folder) / f"{name}.mind") for name in _PLACES]
        figures = list(measure(places, options.frames, options.singles))
    if options.json:
        print(json.dumps({**describe(), "figures": [asdict(figure) for figure in figures]}, indent=1))
    else:
        about = describe()
        print(table(figures))
        print(f"\n{about['processor']}, {about['cores']} cores, load {about['load']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
