"""One store per retrieval set, made once through the public API and kept: embedding is what costs.

`python -m bench.corpora [names]` makes them; an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.datasets import NAMES, Dataset, available, load
from bench.kept import RESULTS
from longmind import Memory

STORES = RESULTS / "stores"
DEFAULT = "minilm"
_BATCH = 200


def store_path(name: str) -> Path:
    return STORES / f"{name}.mind"


def build(data: Dataset, *, embedder: str = DEFAULT, quiet: bool = False) -> Path:
    """Remember every document of a set; those already there cost nothing."""
    STORES.mkdir(parents=True, exist_ok=True)
    path = store_path(data.name if embedder == DEFAULT else f"{data.name}, {embedder}")
    started = time.monotonic()
    with Memory.open(path, embedder=embedder) as memory:
        stored = memory.stats().frames
        if stored >= len(data.documents):
            return path
        for first in range(0, len(data.documents), _BATCH):
            items = [document.item() for document in data.documents[first : first + _BATCH]]
            report = memory.remember_many(items)
            if report.warnings:
                raise RuntimeError(f"{data.name}: {report.warnings[0]}")
            if not quiet and report.created:
                done = first + len(items)
                rate = (done - stored) / (time.monotonic() - started)
                print(f"{data.name}: {done} of {len(data.documents)}, {rate:.1f} a second", flush=True)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[], help=f"among {', '.join(NAMES)}; all by default")
    chosen = parser.parse_args().names or NAMES
    for name in chosen:
        if available(name):
            build(load(name))
        else:
            print(f"skipped: ../shared/data/{name} is not beside the project")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
