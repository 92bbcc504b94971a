"""Contexts: what `recall` adds to `search`, and how much of what answers is in the text at each budget."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.corpora import build, store_path
from bench.datasets import Dataset, Query, available, load, sample
from bench.machine import describe
from bench.metrics import estimate
from bench.synthetic import Clusters, items, questions
from longmind import Memory
from longmind.base.tokens import open_tokenizer
from longmind.context.recipe import DEFAULTS
from longmind.embed import Embedder, EmbedderIdentity, Encoding, open_embedder
from longmind.embed.models import default_cache

BUDGETS = (500, 1000, 2000)
FRAMES = 100_000
PLAIN = "plain: bare texts"
SOURCED = "plain: speaker, day and source"
SETS = ("locomo", "beam", "longmemeval")
"""Conversations, whose answers are whole turns."""
_BATCH = 5000
_ASKED = 200
_DEPTH = 100
_GOAL_MS = 5.0
_PEOPLE = ("Ana", "Bruno", "Carla", "Dario", "Edda", "Farid", "Greta", "Hugo")


class Remembered:
    """An embedder that embeds each question once: only the contexts are of interest here."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[str, bool], Encoding] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    @property
    def supports_tokens(self) -> bool:
        return self._inner.supports_tokens

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        fresh = [text for text in dict.fromkeys(texts) if (text, tokens) not in self._known]
        if fresh:
            encodings = self._inner.encode(fresh, tokens=tokens)
            self._known.update(
                ((text, tokens), encoding) for text, encoding in zip(fresh, encodings, strict=True)
            )
        return [self._known[text, tokens] for text in texts]

    def close(self) -> None:
        self._inner.close()


# What recall adds to search


def _fill(path: Path, frames: int, embedder: Clusters | None) -> None:
    """Synthetic turns; one in a hundred tells where somebody lives, so that there are facts."""
    plain = items(frames - frames // 100)
    with Memory.open(path, embedder=embedder, extractor=None) as memory:
        while batch := list(islice(plain, _BATCH)):
            memory.remember_many(batch)
    with Memory.open(path, embedder=embedder) as memory:
        memory.remember_many(
            {
                "text": f"{_PEOPLE[n % 8]}{n} lives in Town{n % 97}.",
                "session": f"told {n // 5}",
                "role": "user",
            }
            for n in range(frames // 100)
        )


def speed(frames: int) -> dict[str, Any]:
    """Search and recall of the same questions, one after the other, on a store of so many frames."""
    results: dict[str, Any] = {"frames": frames}
    for label, embedder in (("without vectors", None), ("with vectors", Clusters())):
        with tempfile.TemporaryDirectory(prefix="longmind-bench-") as scratch:
            path = Path(scratch) / "store.mind"
            _fill(path, frames, embedder)
            with Memory.open(path, embedder=embedder) as memory:
                results[label] = _race(memory, frames)
        _say_speed(label, results[label])
    return results


def _race(memory: Memory, frames: int) -> dict[str, Any]:
    queries = questions(_ASKED, among=frames)
    queries += [f"Where does {_PEOPLE[n % 8]}{n} live?" for n in range(_ASKED // 4)]
    for question in queries[:10]:
        memory.recall(question, budget=1000)
    figures: dict[str, Any] = {}
    for budget in BUDGETS:
        times = np.array([_timed(memory, question, budget) for question in queries])
        search, recall, searching, recalling = times.T
        figures[str(budget)] = {
            "search_ms": _quantiles(search),
            "recall_ms": _quantiles(recall),
            "difference_ms": _quantiles(recall - search),
            "difference_cpu_ms": _quantiles(recalling - searching),
        }
    return figures


def _timed(memory: Memory, question: str, budget: int) -> tuple[float, float, float, float]:
    """Milliseconds of a search and of a recall, by the clock; and the same by CPU time."""
    marks = [(time.perf_counter(), time.process_time())]
    memory.search(question, limit=_DEPTH)
    marks.append((time.perf_counter(), time.process_time()))
    memory.recall(question, budget=budget)
    marks.append((time.perf_counter(), time.process_time()))
    wall, work = ([1000 * (b - a) for a, b in pairwise(column)] for column in zip(*marks, strict=True))
    return wall[0], wall[1], work[0], work[1]


def _quantiles(values: Sequence[float] | NDArray[np.float64]) -> dict[str, float]:
    return {name: round(float(np.quantile(values, at)), 2) for name, at in (("p50", 0.5), ("p95", 0.95))}


def _say_speed(label: str, figures: Mapping[str, Any]) -> None:
    for budget, times in figures.items():
        more = times["difference_ms"]
        met = "met" if more["p50"] <= _GOAL_MS else "not met"
        print(
            f"  {label:16} budget {budget:>5}: search p50 {times['search_ms']['p50']:6.2f} "
            f"p95 {times['search_ms']['p95']:6.2f}, recall p50 {times['recall_ms']['p50']:6.2f} "
            f"p95 {times['recall_ms']['p95']:6.2f}, more p50 {more['p50']:5.2f} p95 {more['p95']:5.2f} ms, "
            f"CPU {times['difference_cpu_ms']['p50']:5.2f} "
            f"(goal {_GOAL_MS:.0f}: {met})",
            flush=True,
        )


# What of the answer is in the text


def quality(
    name: str, store: Path | None, *, step: int, recipes: Sequence[str] = tuple(DEFAULTS)
) -> dict[str, Any]:
    """The share of the turns that answer a question whose whole text is in the context."""
    data = load(name)
    if store is None and not store_path(name).is_file() and store_path(f"{name}-sample").is_file():
        data = sample(data)
    chosen = data.queries[::step]
    shares: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory(prefix="longmind-bench-") as scratch:
        path = _copied(store or build(data), Path(scratch))
        with Memory.open(path, embedder=Remembered(open_embedder("minilm", cache=default_cache()))) as memory:
            for query in chosen:
                gold = _gold(data, query)
                for label, budget, text in _texts(memory, query, recipes):
                    line = _one_line(text)
                    shares[label][budget].append(sum(turn in line for turn in gold) / len(gold))
    results: dict[str, Any] = {"questions": len(chosen), "recipes": {}}
    for label, share in shares.items():
        results["recipes"][label] = {str(b): estimate(share[b]).as_json() for b in BUDGETS}
        cells = [f"{b}: {np.mean(share[b]):.3f}" for b in BUDGETS]
        print(f"  {label:32} {'  '.join(cells)}", flush=True)
    results["lead of the default"] = {
        plain: _lead(shares["default"], shares[plain]) for plain in (PLAIN, SOURCED)
    }
    for plain, lead in results["lead of the default"].items():
        cells = [f"{b}: {v['mean']:+.3f} [{v['low']:+.3f} {v['high']:+.3f}]" for b, v in lead.items()]
        print(f"  the default against {plain}: {', '.join(cells)}")
    return results


def _lead(ours: Mapping[int, list[float]], theirs: Mapping[int, list[float]]) -> dict[str, Any]:
    """By question, so that what is hard for both does not blur the difference."""
    return {str(b): estimate(np.subtract(ours[b], theirs[b])).as_json() for b in BUDGETS}


def _texts(memory: Memory, query: Query, recipes: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    hits = [hit.frame for hit in memory.search(query.text, space=query.space, limit=_DEPTH)]
    bare = [frame.text for frame in hits]
    sourced = [
        f"{_day(frame.occurred_at)} {frame.speaker}: {frame.text} [frame {frame.id}]" for frame in hits
    ]
    for budget in BUDGETS:
        yield PLAIN, budget, _until_full(bare, budget)
        yield SOURCED, budget, _until_full(sourced, budget)
        for name in recipes:
            yield name, budget, memory.recall(query.text, space=query.space, budget=budget, recipe=name).text


def _until_full(texts: Sequence[str], budget: int) -> str:
    """What one would write oneself: the best first, as long as they fit."""
    tokenizer = open_tokenizer("cl100k_base")
    lines: list[str] = []
    spent = 0
    for text in texts:
        spent += tokenizer.count(f"{text}\n")
        if spent > budget:
            break
        lines.append(text)
    return "\n".join(lines)


def _gold(data: Dataset, query: Query) -> list[str]:
    return [_one_line(document.text) for document in data.documents if document.id in query.gold]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _day(moment: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment / 1000))


def _copied(store: Path, scratch: Path) -> Path:
    """Opening may bring a store up to date; the one that was given stays as it is."""
    for suffix in ("", "-wal", "-shm"):
        if Path(f"{store}{suffix}").is_file():
            shutil.copy(f"{store}{suffix}", scratch / f"store.mind{suffix}")
    return scratch / "store.mind"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=FRAMES, help="size of the store that is timed")
    parser.add_argument("--sets", default=",".join(SETS), help="names of sets, with commas between them")
    parser.add_argument("--recipes", default=",".join(DEFAULTS), help="default is always among them")
    parser.add_argument("--store", type=Path, help="a store of the first set made before (else it is made)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth question only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")
    chosen = parser.parse_args()
    results: dict[str, Any] = {"machine": describe()}
    if chosen.frames:
        print(f"what recall adds to search, {chosen.frames:,} frames")
        results["speed"] = speed(chosen.frames)
    recipes = tuple(dict.fromkeys(["default", *chosen.recipes.split(",")]))
    store = chosen.store
    for name in chosen.sets.split(","):
        if not available(name):
            print(f"skipped: ../shared/data/{name} is not beside the project")
            continue
        print(f"share of the gold turns in the text, by tokens ({name})")
        results[f"quality, {name}"] = quality(name, store, step=chosen.every, recipes=recipes)
        store = None
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
