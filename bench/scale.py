"""What one user's question costs in a store of many: first answer, memory and warm times, by store size.

`python -m bench scale --frames 100000 --users 1000` fills a store with as many notes for each user, beside it
one with the notes of a single user, and asks the same questions of both, each time in a process of its own.
Without users (`--users 0`) all frames lie in one space. Stores are kept in `--keep` and filled only once.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.peers.exchange import peak_memory
from bench.synthetic import Clusters, Ready, items, questions
from bench.tables import table
from longmind import Memory

_BATCH = 5000
_COLD_RUNS = 3
_QUESTIONS = 60
_ASKED_USER = "user-7"
_KEPT = Path("/tmp/scale")


def store_path(keep: Path, frames: int, users: int, *, vectors: bool) -> Path:
    return keep / f"{frames}-{users}{'-vectors' if vectors else ''}.mind"


def fill(path: Path, frames: int, users: int, *, vectors: bool) -> dict[str, float]:
    """Frames of one user after the other would be the easy case: they come in turn, as users do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    notes = items(frames)
    seconds = 0.0
    partial = path.with_suffix(".partial")
    for leftover in path.parent.glob(f"{partial.name}*"):
        leftover.unlink()
    with Memory.open(
        partial, embedder=Clusters() if vectors else None, extractor=None, surrogates=False
    ) as memory:
        first = 0
        while batch := list(islice(notes, _BATCH)):
            if users:
                batch = [
                    {**item, "user": f"user-{number % users}"} for number, item in enumerate(batch, first)
                ]
            first += len(batch)
            started = time.perf_counter()
            memory.remember_many(batch)
            seconds += time.perf_counter() - started
        memory.maintain()
    partial.rename(path)
    return {"frames_per_s": frames / seconds, "file_bytes": float(path.stat().st_size)}


def probe(path: Path, *, user: str | None, vectors: bool) -> dict[str, float]:
    """In this process: from opening to the first answer, then warm questions and the memory they took."""
    asked = questions(_QUESTIONS, among=1000)
    # The embedder's own cost is the same whatever the size: its answers are ready.
    embedder = Ready(Clusters(), asked) if vectors else None
    started, used = time.perf_counter(), time.process_time()
    with Memory.open(path, embedder=embedder, extractor=None) as memory:
        opened = time.perf_counter()
        memory.search(asked[0], user=user)
        first, first_used = time.perf_counter(), time.process_time() - used
        for question in asked[:10]:
            memory.search(question, user=user)
        times, cpu_times = [], []
        for question in asked:
            begun, used = time.perf_counter(), time.process_time()
            memory.search(question, user=user)
            times.append(1000 * (time.perf_counter() - begun))
            cpu_times.append(1000 * (time.process_time() - used))
    return {
        "open_ms": 1000 * (opened - started),
        "first_search_ms": 1000 * (first - opened),
        "first_cpu_ms": 1000 * first_used,
        "warm_p50_ms": statistics.median(times),
        "warm_cpu_ms": statistics.median(cpu_times),
        "warm_p95_ms": sorted(times)[int(0.95 * len(times))],
        "peak_mb": peak_memory() / 2**20,
    }


def ask(path: Path, *, user: str | None, vectors: bool) -> dict[str, float]:
    """The medians of several new processes."""
    runs = []
    command = [sys.executable, "-m", "bench.scale", "--probe", str(path)]
    command += ["--user", user] if user else []
    command += ["--vectors"] if vectors else []
    for _ in range(_COLD_RUNS):
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(json.loads(answer.stdout))
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def measure(keep: Path, frames: int, users: int, *, vectors: bool) -> list[dict[str, Any]]:
    alone = frames // users if users else 0
    sizes = [(frames, users), *([(alone, 1)] if users > 1 else [])]
    rows = []
    for count, people in sizes:
        path = store_path(keep, count, people, vectors=vectors)
        written = fill(path, count, people, vectors=vectors) if not path.exists() else {}
        user = None if not people else _ASKED_USER if people > 1 else "user-0"
        figures = ask(path, user=user, vectors=vectors)
        rows.append({"frames": count, "users": people, "vectors": vectors, **written, **figures})
        print(f"{count:,} frames, {people:,} users{', vectors' if vectors else ''}: {rows[-1]}", flush=True)
    return rows


def report(rows: list[dict[str, Any]]) -> str:
    names = (
        "open_ms",
        "first_search_ms",
        "first_cpu_ms",
        "warm_p50_ms",
        "warm_p95_ms",
        "warm_cpu_ms",
        "peak_mb",
    )
    head = ["frames", "users", "vectors", *(name.replace("_", " ") for name in names)]
    lines = [
        [f"{row['frames']:,}", f"{row['users']:,}", "yes" if row["vectors"] else "no"]
        + [f"{row[name]:,.1f}" for name in names]
        for row in rows
    ]
    return "\n".join(table(head, lines))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=1000, help="0: all frames in one space")
    parser.add_argument("--vectors", action="store_true", help="with vectors and token signs only")
    parser.add_argument("--both", action="store_true", help="without vectors, then with them")
    parser.add_argument("--keep", type=Path, default=_KEPT, help="where the stores are")
    parser.add_argument("--json", type=Path, help="keep the figures here")
    parser.add_argument("--probe", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--user", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.probe is not None:
        print(json.dumps(probe(arguments.probe, user=arguments.user, vectors=arguments.vectors)))
        return
    kinds = (False, True) if arguments.both else (arguments.vectors,)
    rows = [
        row
        for vectors in kinds
        for row in measure(arguments.keep, arguments.frames, arguments.users, vectors=vectors)
    ]
    print("\n" + report(rows))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"machine": describe(), "rows": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
