"""Speed, size and memory on stores of 1,000 to 1,000,000 frames, beside peers on the same data."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bench.kept import RESULTS, keep
from bench.machine import describe
from bench.peers.exchange import save
from bench.peers.roster import ROOT, ROSTER, ask, installed, interpreter
from bench.probe import FILTERED
from bench.synthetic import Clusters, items, questions, texts
from longmind import Memory
from longmind.base.errors import LongmindError
from longmind.embed import Embedder, open_embedder
from longmind.embed.models import default_cache

SIZES = (1_000, 10_000, 100_000)
LONG = 1_000_000
PEERS = ("fts5", "exact", "lancedb", "txtai", "chromadb")
_BATCH = 5000
_SINGLES = 200
_COLD_RUNS = 3
_PEERS_UP_TO = 100_000


def run(
    sizes: Iterable[int] = SIZES,
    *,
    model: str = "minilm",
    peers_python: str | None = None,
    kept_in: Path = RESULTS / "speed.json",
) -> None:
    """Measure at every size; each search runs in a process of its own, each size is kept when it is done."""
    embedder = _opened(model)
    if embedder is None:
        sentence = "No model was at hand: vectors of clustered directions, questions that cost no embedding."
    else:
        sentence = (
            f"Vectors of clustered directions under the name of {embedder.identity.model}, so that the "
            "stores are filled without the model and asked with it."
        )
    print(f"{sentence}\npeers run in {interpreter(peers_python)}")
    timed = _embedding(embedder)
    for frames in sizes:
        machine = describe()
        with tempfile.TemporaryDirectory(prefix="longmind-bench-") as scratch:
            figures = _measure(Path(scratch), frames, model if embedder else "", embedder, peers_python)
        figures = {"machine": machine, "vectors": sentence, "model": timed, **figures}
        keep(kept_in, "sizes", {str(frames): figures})


def _measure(
    scratch: Path, frames: int, model: str, embedder: Embedder | None, peers_python: str | None
) -> dict[str, Any]:
    print(f"\n{frames:,} frames", flush=True)
    figures: dict[str, Any] = {"text_bytes": sum(len(text.encode()) for text in texts(frames))}
    plain, full = scratch / "plain.mind", scratch / "full.mind"
    figures["without vectors"] = _fill(plain, frames, None)
    figures["without vectors"] |= _probe("warm", plain, "--frames", str(frames))
    figures["without vectors"]["cold"] = _coldest(plain)
    figures["without vectors"]["single_per_s"] = _singles(plain)
    _say("without vectors", figures["without vectors"], figures["text_bytes"])
    how = ("--vectors", "--model", model)
    figures["with vectors"] = _fill(full, frames, Clusters(embedder.identity if embedder else None))
    figures["with vectors"] |= _probe("warm", full, "--frames", str(frames), *how)
    figures["with vectors"]["cold"] = _coldest(full, *how)
    _say("with vectors", figures["with vectors"], figures["text_bytes"])
    if frames <= _PEERS_UP_TO:
        figures["peers"] = _ask_peers(scratch, frames, peers_python, figures)
    return figures


def _fill(path: Path, frames: int, embedder: Clusters | None) -> dict[str, Any]:
    """Bulk writes in transactions of `_BATCH`; the time to make the texts is not counted."""
    wall = work = 0.0
    frames_to_write = items(frames)
    with Memory.open(path, embedder=embedder, extractor=None) as memory:
        while batch := list(islice(frames_to_write, _BATCH)):
            started, used = time.perf_counter(), time.process_time()
            memory.remember_many(batch)
            wall += time.perf_counter() - started
            work += time.process_time() - used
        parts = memory.stats().parts
    return {
        "frames_per_s": frames / wall,
        "frames_per_cpu_s": frames / work,
        "file_bytes": path.stat().st_size,
        "vector_bytes": _vector_bytes(path) if embedder is not None else 0,
        "parts": {name: dict(values) for name, values in parts.items()},
    }


def _vector_bytes(path: Path) -> int:
    with Memory.open(path, embedder=None) as memory, memory.store.read() as snapshot:
        sizes = [
            snapshot.db.one(f"SELECT coalesce(sum(length(data)), 0) FROM {table}")
            for table in ("frame_vector", "frame_token")
        ]
    return sum(int(size[0]) for size in sizes if size is not None)


def _singles(path: Path) -> float:
    """Committed writes one at a time, each with its own text."""
    with Memory.open(path, embedder=None, extractor=None) as memory:
        started = time.perf_counter()
        for number, text in enumerate(texts(_SINGLES, seed=1)):
            memory.remember(text, session=f"single {number // 10}")
        return _SINGLES / (time.perf_counter() - started)


def _coldest(path: Path, *options: str) -> dict[str, Any]:
    """The median of several new processes; one before them fills the caches of the system and of Python."""
    runs = [_probe("cold", path, *options) for _ in range(_COLD_RUNS + 1)][1:]
    return {name: float(np.median([entry[name] for entry in runs])) for name in runs[0]}


def _probe(what: str, path: Path, *options: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(RESULTS / "pycache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules, so must we
    done = subprocess.run(
        [sys.executable, "-m", "bench.probe", what, str(path), *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"bench.probe {what} failed:\n{done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _ask_peers(scratch: Path, frames: int, python: str | None, ours: dict[str, Any]) -> dict[str, Any]:
    embedder = Clusters()
    queries = questions(100, among=frames)
    folder = scratch / "exchange"
    save(
        folder,
        documents=[(str(number), "all", text) for number, text in enumerate(texts(frames))],
        vectors=np.concatenate([embedder.encode([text])[0].vectors for text in texts(frames)]),
        queries=[(str(number), "all", text) for number, text in enumerate(queries)],
        query_vectors=np.concatenate([embedder.encode([text])[0].vectors for text in queries]),
    )
    figures: dict[str, Any] = {}
    for peer in ROSTER:
        if peer.name not in PEERS:
            continue
        if not installed(peer, python):
            figures[peer.label] = {"failed": "not installed"}
            print(f"  {peer.label:30} not installed in {interpreter(python)}")
            continue
        report = ask(peer, folder, python=python)
        report.pop("ranked", None)
        figures[peer.label] = report
        if "failed" in report:
            print(f"  {peer.label:30} failed: {report['failed']}")
            continue
        kind, name = ("without vectors", "words") if peer.name == "fts5" else ("with vectors", "hybrid")
        report["frames_per_s"] = frames / max(report["fill_s"], 0.001)
        report["times ours"] = {
            "search p50": report["search_ms"]["p50"] / ours[kind]["searches"][name]["p50_ms"],
            "ingest rate": report["frames_per_s"] / ours[kind]["frames_per_s"],
            "size": report["disk_bytes"] / ours[kind]["file_bytes"],
        }
        _say_peer(peer.label, report)
    return figures


def _embedding(model: Embedder | None) -> dict[str, Any]:
    """What the model itself takes: a question alone, and texts in bulk."""
    if model is None:
        return {"failed": "no model is installed"}
    queries = questions(60, among=2000, seed=5)
    model.encode(queries[:1], tokens=True)
    wall, work = [], []
    for question in queries:
        started, used = time.perf_counter(), time.process_time()
        model.encode([question], tokens=True)
        work.append(1000 * (time.process_time() - used))
        wall.append(1000 * (time.perf_counter() - started))
    bulk = list(texts(100, seed=6))
    used = time.process_time()
    model.encode(bulk, tokens=True)
    return {
        "query_p50_ms": float(np.quantile(wall, 0.5)),
        "query_p95_ms": float(np.quantile(wall, 0.95)),
        "query_cpu_p50_ms": float(np.quantile(work, 0.5)),
        "texts_per_cpu_s": len(bulk) / (time.process_time() - used),
    }


def _opened(model: str) -> Embedder | None:
    try:
        embedder = open_embedder(model, cache=default_cache())
        embedder.encode(["a"], tokens=True)
    except LongmindError as error:
        print(f"{model}: {error}")
        return None
    return embedder


def _say(label: str, figures: dict[str, Any], text_bytes: int) -> None:
    print(
        f"  {label}: {figures['frames_per_s']:,.0f} frames/s "
        f"({figures['frames_per_cpu_s']:,.0f} per CPU second), "
        f"file {figures['file_bytes'] / 1e6:.1f} MB = {figures['file_bytes'] / text_bytes:.2f} x text, "
        f"memory {figures['memory_bytes'] / 1e6:.0f} MB"
        + (f", {figures['single_per_s']:,.0f} single writes/s" if "single_per_s" in figures else "")
    )
    cold = figures["cold"]
    print(
        f"    new process: import {cold['import_ms']:.0f}, open {cold['open_ms']:.0f}, "
        f"first search {cold['first_search_ms']:.0f}, in all {cold['total_ms']:.0f} ms "
        f"(CPU {cold['cpu_ms']:.0f})"
    )
    plain = figures["searches"]["hybrid"]["p95_ms"]
    for name, times in figures["searches"].items():
        ratio = f"  p95 {times['p95_ms'] / plain:.2f} x unfiltered" if name in FILTERED else ""
        print(
            f"    {name:30} p50 {times['p50_ms']:7.2f}  p95 {times['p95_ms']:7.2f}  "
            f"CPU p50 {times['cpu_p50_ms']:7.2f} ms{ratio}",
            flush=True,
        )


def _say_peer(label: str, report: dict[str, Any]) -> None:
    times, ours = report["search_ms"], report["times ours"]
    print(
        f"  {label:30} search p50 {times['p50']:.2f} p95 {times['p95']:.2f} ms = {ours['search p50']:.2f} x "
        f"ours; {report['frames_per_s']:,.0f} rows/s = {ours['ingest rate']:.2f} x; "
        f"{report['disk_bytes'] / 1e6:.1f} MB = {ours['size']:.2f} x; "
        f"memory {report['memory_bytes'] / 1e6:.0f} MB",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--long", action="store_true", help=f"also {LONG:,} frames")
    parser.add_argument(
        "--model", default="minilm", help="an embedder, or the folder of a model; none is done without"
    )
    parser.add_argument("--peers-python", help="an interpreter that has the peers installed")
    parser.add_argument("--json", type=Path, metavar="FILE", default=RESULTS / "speed.json")
    chosen = parser.parse_args(arguments)
    sizes = [int(size) for size in chosen.sizes.split(",") if size]
    run(
        [*sizes, *([LONG] if chosen.long else [])],
        model=f"onnx:{chosen.model}" if Path(chosen.model).is_dir() else chosen.model,
        peers_python=chosen.peers_python,
        kept_in=chosen.json,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
