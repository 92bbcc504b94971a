"""What encryption costs: opening, writing, searching, erasing, with a key and without one.

`python -m bench.encryption [--frames 2000] [--rounds 5] [--json]`; needs apsw-sqlite3mc. Plain and encrypted
take turns in every round. The figures are medians of processor time.
"""

from __future__ import annotations

import argparse
import json
import secrets
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.synthetic import texts
from longmind import Memory, MissingExtra
from longmind.store.cipher import check_available

OPTIONS: dict[str, Any] = {"embedder": None, "extractor": None, "surrogates": False}
_SINGLES = 40
_SEARCHES = 60


def timed(act: Callable[[], object]) -> float:
    """Processor time: waiting for the disk is the same for both, and other programs would blur the ratio."""
    started = time.process_time()
    act()
    return time.process_time() - started


def measure(path: Path, notes: list[str], key: bytes | None) -> dict[str, float]:
    """Processor seconds of each kind of work on a new store."""
    options = OPTIONS if key is None else {**OPTIONS, "key": key}
    figures: dict[str, float] = {}
    figures["create"] = timed(lambda: Memory.open(path, **options).close())
    bulk, singles = notes[:-_SINGLES], notes[-_SINGLES:]
    queries = [" ".join(note.split()[:3]) for note in bulk[:_SEARCHES]]
    with Memory.open(path, **options) as memory:
        figures["bulk write"] = timed(lambda: memory.remember_many(bulk))
        figures["remember"] = statistics.median(timed(lambda n=note: memory.remember(n)) for note in singles)
        memory.search(queries[0])
        figures["search"] = statistics.median(timed(lambda q=query: memory.search(q)) for query in queries)
    figures["reopen"] = statistics.median(
        timed(lambda: Memory.open(path, **options).close()) for _ in range(5)
    )
    with Memory.open(path, **options) as memory:
        memory.list(limit=1)
        figures["first search after opening"] = timed(lambda: memory.search(queries[1]))
        figures["backup"] = timed(lambda: memory.backup(path.with_suffix(".backup")))
        figures["verify deep"] = timed(lambda: memory.verify(deep=True))
        figures["erase"] = statistics.median(timed(lambda i=i: memory.erase(i)) for i in (5, 50, 500))
        figures["compact"] = timed(memory.compact)
    figures["bytes"] = path.stat().st_size
    return figures


def rounds(frames: int, count: int) -> dict[str, dict[str, float]]:
    notes = list(texts(frames))
    key = secrets.token_bytes(32)
    seconds: dict[bool, dict[str, list[float]]] = {False: defaultdict(list), True: defaultdict(list)}
    for number in range(count):
        for encrypted in (False, True) if number % 2 else (True, False):
            with tempfile.TemporaryDirectory() as folder:
                figures = measure(Path(folder) / "a.mind", notes, key if encrypted else None)
            for name, value in figures.items():
                seconds[encrypted][name].append(value)
    medians = {
        encrypted: {name: statistics.median(values) for name, values in by_name.items()}
        for encrypted, by_name in seconds.items()
    }
    return {
        name: {"plain": plain, "encrypted": medians[True][name], "ratio": medians[True][name] / plain}
        for name, plain in medians[False].items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.encryption", description=__doc__)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        check_available()
    except MissingExtra as error:  # the other build of apsw is a choice, and the other benchmarks go on
        print(error)
        return
    figures = rounds(options.frames, options.rounds)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    print("| | plain | encrypted | ratio |\n| --- | ---: | ---: | ---: |")
    for name, row in figures.items():
        unit, scale = ("KiB", 1 / 1024) if name == "bytes" else ("ms", 1000)
        plain, encrypted = (f"{row[kind] * scale:,.1f} {unit}" for kind in ("plain", "encrypted"))
        print(f"| {name} | {plain} | {encrypted} | {row['ratio']:.2f} |")


if __name__ == "__main__":
    main()
