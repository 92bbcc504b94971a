"""What our side and a peer's interpreter hand each other: a folder with texts and vectors, a file with ranks.

A peer runs in an environment of its own, so this module needs nothing but the standard library and numpy.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Index(Protocol):
    """One space of a peer: filled once, then asked."""

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None: ...

    def search(self, text: str, vector: NDArray[np.float32], limit: int) -> Sequence[str]: ...


def save(
    folder: Path,
    *,
    documents: Sequence[tuple[str, str, str]],
    vectors: Vectors,
    queries: Sequence[tuple[str, str, str]],
    query_vectors: Vectors,
) -> None:
    """Write what peers read: triples of id, space and text, and a vector for each.

    What peers answered to anything else is removed with it, so that an answer that is there is to these.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = json.dumps({"documents": documents, "queries": queries})
    named = hashlib.sha256(texts.encode() + vectors.tobytes() + query_vectors.tobytes()).hexdigest()
    name = folder / "name"
    if name.is_file() and name.read_text("utf-8") == named:
        return
    for answer in folder.glob("*.json"):
        answer.unlink()
    np.savez(folder / "vectors.npz", documents=vectors, queries=query_vectors)
    (folder / "texts.json").write_text(texts, "utf-8")
    name.write_text(named, "utf-8")


def run(make: Callable[[Path], Index], *, packages: Sequence[str]) -> None:
    """A peer's main: fill an index for each space, ask it that space's questions, write ranks and times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--limit", type=int, default=10)
    arguments = parser.parse_args()
    texts = json.loads((arguments.folder / "texts.json").read_text("utf-8"))
    with np.load(arguments.folder / "vectors.npz") as arrays:
        vectors, query_vectors = arrays["documents"], arrays["queries"]
    members: dict[str, list[int]] = defaultdict(list)
    for position, (_, space, _) in enumerate(texts["documents"]):
        members[space].append(position)
    ranked: dict[str, list[str]] = {}
    times: list[float] = []
    filling = 0.0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        for number, (space, places) in enumerate(members.items()):
            home = Path(scratch) / str(number)
            home.mkdir()
            started = time.perf_counter()
            index = make(home)
            rows = [texts["documents"][position] for position in places]
            index.add([row[0] for row in rows], [row[2] for row in rows], vectors[places])
            filling += time.perf_counter() - started
            for position, (name, where, text) in enumerate(texts["queries"]):
                if where == space:
                    started = time.perf_counter()
                    ranked[name] = [
                        str(hit) for hit in index.search(text, query_vectors[position], arguments.limit)
                    ]
                    times.append(time.perf_counter() - started)
        size = sum(file.stat().st_size for file in Path(scratch).rglob("*") if file.is_file())
    _write(arguments.output, ranked, times, filling, size, packages)


def _write(
    path: Path, ranked: dict[str, Any], times: list[float], filling: float, size: int, packages: Sequence[str]
) -> None:
    # The first few questions warm caches up; they count for quality, not for speed.
    warm = np.array(times[min(5, len(times) - 1) :]) * 1000
    report = {
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "ranked": ranked,
        "fill_s": round(filling, 3),
        "search_ms": {"p50": float(np.quantile(warm, 0.5)), "p95": float(np.quantile(warm, 0.95))},
        "disk_bytes": size,
        "memory_bytes": peak_memory(),
    }
    path.write_text(json.dumps(report), "utf-8")


def peak_memory() -> int:
    """The most this process ever held; what the system counts for it includes the one that started it."""
    status = Path("/proc/self/status")
    if status.is_file():
        entry = next(line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM:"))
        return int(entry.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
