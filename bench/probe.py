"""Measures one store in one fresh process, so that nothing is warm that should be cold; prints JSON."""

from __future__ import annotations

import time

_STARTED = time.perf_counter()

import argparse  # noqa: E402
import json  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from typing import Any  # noqa: E402

import recollect  # noqa: E402

_IMPORTED = time.perf_counter()

Options = Callable[[int], dict[str, Any]]
_ASK = "what did the function return when the module was imported"


def cold(path: str, model: bool) -> dict[str, Any]:
    """Open and ask once, as a command does that runs and ends."""
    opened = time.perf_counter()
    with recollect.Memory.open(path, embedder="minilm" if model else None, extractor=None) as memory:
        ready = time.perf_counter()
        hits = memory.search(_ASK)
        done = time.perf_counter()
    assert len(hits) > 0
    return {
        "import_ms": 1000 * (_IMPORTED - _STARTED),
        "open_ms": 1000 * (ready - opened),
        "first_search_ms": 1000 * (done - ready),
        "total_ms": 1000 * (done - _STARTED),
    }


def warm(path: str, frames: int, count: int, *, vectors: bool) -> dict[str, Any]:
    """Medians and 95th percentiles of many different questions, plain and under filters."""
    from bench.synthetic import START, STEP, Clusters, questions
    from recollect.embed import open_embedder
    from recollect.embed.models import default_cache

    asked = questions(count, among=frames)
    embedder = None
    if vectors:
        embedder = Clusters(open_embedder("minilm", cache=default_cache()).identity)
    span = STEP * frames
    kinds: dict[str, Options] = {
        "hybrid": lambda place: {},
        "words": lambda place: {"mode": "text"},
        "filter 1 %, new each time": lambda place: _between(START + place * STEP, span // 100),
        "filter 50 %, new each time": lambda place: _between(START + place * STEP, span // 2),
        "filter 50 %, always the same": lambda place: {"where": {"role": ["user"]}},
        "tag 1 %": lambda place: {"where": {"tags": ["kept"]}},
    }
    with recollect.Memory.open(path, embedder=embedder, extractor=None) as memory:
        memory.search(asked[0])
        found = {name: _timed(memory, asked, options) for name, options in kinds.items()}
    if vectors:
        with recollect.Memory.open(path, embedder="minilm", extractor=None) as memory:
            memory.search(asked[0])
            found["hybrid, with the model"] = _timed(memory, asked, kinds["hybrid"])
    return {"searches": found, "memory_bytes": _peak()}


def _between(since: int, length: int) -> dict[str, Any]:
    return {"where": {"since": since, "until": since + length}}


def _timed(memory: recollect.Memory, asked: Sequence[str], options: Options) -> dict[str, float]:
    import numpy as np

    wall, work = [], []
    for place, question in enumerate(asked):
        chosen = options(place)
        started, used = time.perf_counter(), time.process_time()
        memory.search(question, **chosen)
        work.append(1000 * (time.process_time() - used))
        wall.append(1000 * (time.perf_counter() - started))
    return {
        "p50_ms": float(np.quantile(wall, 0.5)),
        "p95_ms": float(np.quantile(wall, 0.95)),
        "cpu_p50_ms": float(np.quantile(work, 0.5)),
        "cpu_p95_ms": float(np.quantile(work, 0.95)),
    }


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["cold", "warm"])
    parser.add_argument("path")
    parser.add_argument("--model", action="store_true", help="cold: open with the model")
    parser.add_argument("--vectors", action="store_true", help="warm: the store has vectors")
    parser.add_argument("--frames", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    chosen = parser.parse_args()
    if chosen.what == "cold":
        print(json.dumps(cold(chosen.path, chosen.model)))
    else:
        print(json.dumps(warm(chosen.path, chosen.frames, chosen.count, vectors=chosen.vectors)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
