"""Measures one store in one fresh process, so that nothing is warm that should be cold; prints JSON."""

from __future__ import annotations

import time

_STARTED = time.perf_counter()

import argparse  # noqa: E402
import json  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from typing import Any  # noqa: E402

import longmind  # noqa: E402

_IMPORTED = time.perf_counter()

Options = Callable[[int], dict[str, Any]]
FILTERED = (
    "filter 1 %, new each time",
    "filter 50 %, new each time",
    "filter 50 %, always the same",
    "tag 1 %",
)
_ASK = "what did the function return when the module was imported"


def cold(path: str, embedder: Any) -> dict[str, Any]:
    """Open and ask once, as a command does that runs and ends."""
    opened = time.perf_counter()
    with longmind.Memory.open(path, embedder=embedder, extractor=None) as memory:
        ready = time.perf_counter()
        hits = memory.search(_ASK)
        done, used = time.perf_counter(), time.process_time()
    assert len(hits) > 0
    return {
        "import_ms": 1000 * (_IMPORTED - _STARTED),
        "open_ms": 1000 * (ready - opened),
        "first_search_ms": 1000 * (done - ready),
        "total_ms": 1000 * (_IMPORTED - _STARTED + done - opened),
        "cpu_ms": 1000 * used,
    }


def warm(path: str, frames: int, count: int, *, vectors: bool, model: str) -> dict[str, Any]:
    """Medians and 95th percentiles of many different questions, plain and under filters."""
    from bench.peers.exchange import peak_memory
    from bench.synthetic import START, STEP, Ready, questions

    queries = questions(count, among=frames)
    embedder = Ready(_stand_in(model), queries) if vectors else None
    span = STEP * frames
    kinds: dict[str, Options] = {
        "hybrid": lambda place: {},
        "words": lambda place: {"mode": "text"},
        FILTERED[0]: lambda place: _between(START + place * STEP, span // 100),
        FILTERED[1]: lambda place: _between(START + place * STEP, span // 2),
        FILTERED[2]: lambda place: {"where": {"role": ["user"]}},
        FILTERED[3]: lambda place: {"where": {"tags": ["kept"]}},
    }
    with longmind.Memory.open(path, embedder=embedder, extractor=None) as memory:
        memory.search(queries[0])
        timings = {name: _timed(memory, queries, options) for name, options in kinds.items()}
    if vectors and model:
        with longmind.Memory.open(path, embedder=model, extractor=None) as memory:
            memory.search(queries[0])
            timings["hybrid, with the model"] = _timed(memory, queries, kinds["hybrid"])
    return {"searches": timings, "memory_bytes": peak_memory()}


def _stand_in(model: str) -> Any:
    """Vectors without a model, under its name where there is one."""
    from bench.synthetic import Clusters
    from longmind.embed import open_embedder
    from longmind.embed.models import default_cache

    return Clusters(open_embedder(model, cache=default_cache()).identity if model else None)


def _between(since: int, length: int) -> dict[str, Any]:
    return {"where": {"since": since, "until": since + length}}


def _timed(memory: longmind.Memory, queries: Sequence[str], options: Options) -> dict[str, float]:
    import numpy as np

    wall, work = [], []
    for number, question in enumerate(queries):
        chosen = options(number)
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["cold", "warm"])
    parser.add_argument("path")
    parser.add_argument("--vectors", action="store_true", help="the store has vectors")
    parser.add_argument("--model", default="", help="the embedder they are said to be of")
    parser.add_argument("--frames", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    chosen = parser.parse_args()
    if chosen.what == "cold":
        embedder = None
        if chosen.vectors:
            embedder = chosen.model or _stand_in("")
        print(json.dumps(cold(chosen.path, embedder)))
    else:
        figures = warm(chosen.path, chosen.frames, chosen.count, vectors=chosen.vectors, model=chosen.model)
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
