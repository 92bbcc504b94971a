"""Bulk writes: frames a second and bytes of file, of made-up notes and of real texts.

`python -m bench.bulk [--frames 20000] [--rounds 3] [--against CHECKOUT]`. Each run is a process of its own.
It writes batches of 5,000 texts into a new file: with the text index alone, with vectors and token signs that
are ready before the clock starts, and with extraction and surrogates. Processor time counts all processes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

HERE = Path(__file__).resolve().parents[1]
DATA = HERE / "../shared/data"
CORPORA = {"notes": (), "turns": ("locomo", "longmemeval"), "code": ("cosqa",), "abstracts": ("scifact",)}
"""Made-up notes of about 25 words, and the public sets that stand for each kind of real text."""
KINDS = ("text", "vectors", "extraction")
_BATCH = 5000
_WARM = 200
_LARGE_TEXT = 10


def corpus(name: str, most: int) -> list[str]:
    if name == "notes":
        from bench.synthetic import texts

        return list(texts(most))
    distinct: dict[str, None] = {}
    for source in CORPORA[name]:
        path = DATA / source / "corpus.jsonl"
        if path.is_file():
            with path.open(encoding="utf-8") as lines:
                distinct.update((json.loads(line)["text"], None) for line in lines)
    # An abstract is ten times as long as a note: a tenth of them takes as long.
    return list(islice(distinct, most // _LARGE_TEXT if name == "abstracts" else most))


def write(name: str, kind: str, most: int) -> dict[str, float]:
    """What one process measures."""
    from bench.synthetic import Clusters
    from longmind import Memory

    class Ready(Clusters):
        """Hands out what `make` has made: the clock runs without it."""

        made: ClassVar[dict[str, Any]] = {}

        def make(self, texts: Sequence[str]) -> None:
            self.made = dict(zip(texts, super().encode(texts, tokens=True), strict=True))

        def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Any]:
            if not all(text in self.made for text in texts):
                return super().encode(texts, tokens=tokens)
            return [self.made[text] for text in texts]

    texts = corpus(name, most)
    if not texts:
        return {}
    embedder = Ready() if kind == "vectors" else None
    options: dict[str, Any] = {} if kind == "extraction" else {"extractor": None, "surrogates": False}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bulk.mind"
        with Memory.open(path, embedder=embedder, **options) as memory:
            memory.remember_many(texts[:_WARM], space="warm")
            wall = work = 0.0
            for first in range(0, len(texts), _BATCH):
                batch = texts[first : first + _BATCH]
                if embedder is not None:
                    embedder.make(batch)
                started, used = time.perf_counter(), time.process_time()
                memory.remember_many(batch)
                wall, work = wall + time.perf_counter() - started, work + time.process_time() - used
        size = path.stat().st_size
    work += of_helpers()
    return {
        "frames": len(texts),
        "per_s": len(texts) / wall,
        "cpu_us": work / len(texts) * 1e6,
        "times_text": size / sum(len(text.encode()) for text in texts),
        "text_bytes": sum(len(text.encode()) for text in texts) / len(texts),
    }


def of_helpers() -> float:
    """Processor seconds of the processes that helped to extract, which end with this."""
    try:
        from longmind.facts.extraction_pool import POOL
    except ImportError:  # an older checkout
        return 0.0
    POOL.close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(checkout: Path, name: str, kind: str, most: int) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-P", str(Path(__file__).resolve()), "--once", name, kind]
    command += ["--frames", str(most)]
    output = subprocess.run(
        command, env=environment, cwd=checkout, check=True, capture_output=True, text=True
    ).stdout
    figures: dict[str, float] = json.loads(output)
    return figures


def median(rows: Sequence[dict[str, float]], name: str) -> float:
    return statistics.median(row[name] for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench bulk", description=__doc__)
    parser.add_argument("--frames", type=int, default=20_000, help="of each kind of text at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="only corpora and kinds with this in their names")
    parser.add_argument(
        "--against", type=Path, help="the folder of another checkout, to be run in turns with this"
    )
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(write(*options.once, options.frames)))
        return
    print(
        "| texts | bytes | with | frames/s | CPU µs a frame | file, times the text | CPU against the other |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in CORPORA:
        for kind in KINDS:
            if options.only not in f"{name} {kind}":
                continue
            ours: list[dict[str, float]] = []
            theirs: list[dict[str, float]] = []
            for _ in range(options.rounds):
                if options.against is not None:
                    theirs.append(run(options.against.resolve(), name, kind, options.frames))
                ours.append(run(HERE, name, kind, options.frames))
            if not ours[0]:
                print(f"| {name} | skipped: the texts are not here | | | | | |")
                continue
            ratio = f"{median(ours, 'cpu_us') / median(theirs, 'cpu_us'):.2f}" if theirs else ""
            print(
                f"| {median(ours, 'frames'):,.0f} {name} | {median(ours, 'text_bytes'):,.0f} | {kind} "
                f"| {median(ours, 'per_s'):,.0f} | {median(ours, 'cpu_us'):,.0f} "
                f"| {median(ours, 'times_text'):.2f} | {ratio} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
