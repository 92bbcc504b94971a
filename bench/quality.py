"""Retrieval quality on public sets: ours with its default settings beside its parts and its peers."""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.corpora import build
from bench.datasets import NAMES, Dataset, available, load, sample
from bench.kept import RESULTS, keep
from bench.machine import describe
from bench.metrics import DEPTH, MEASURES, estimate, judge
from bench.peers.exchange import save
from bench.peers.roster import ROSTER, ask, installed, interpreter
from longmind import Memory

OURS = "longmind"
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    OURS: {},
    "longmind, words only": {"mode": "text"},
    "longmind, meaning only": {"mode": "vector"},
    "longmind, its weighted RRF": {"fusion": "rrf"},
}
PAIRED = "minilm+use"
"""The embedder for other languages than English, measured beside the default on the sets that have them."""
OTHER_LANGUAGES = "xquad"
EQUAL = "equal-weight RRF, k = 60 (FTS5, vectors)"
COMPARED = ("R@10", "nDCG@10")
_FUSED_DEPTH = 200
_RRF_K = 60

Ranked = Mapping[str, Sequence[str]]


def run(
    names: Iterable[str] = NAMES,
    *,
    peers_python: str | None = None,
    only_ours: bool = False,
    parts: bool = True,
    again: bool = False,
    documents: int | None = None,
    kept_in: Path = RESULTS / "quality.json",
) -> None:
    """Measure every set that is there; each is kept as soon as it is measured.

    `documents` is the most texts of a set: a larger one is measured on a sample that is the same in every
    run, with the questions that it answers. Peers are asked `again`, or only where texts, vectors or
    questions are new.
    """
    print(f"peers run in {interpreter(peers_python)}")
    for name in names:
        if not available(name):
            print(f"skipped: ../shared/data/{name} is not beside the project")
            continue
        machine = describe()
        data = load(name)
        whole = len(data.documents)
        if documents is not None and whole > documents:
            data = _smaller(data, documents)
        asking = {"peers_python": peers_python, "only_ours": only_ours, "parts": parts, "again": again}
        measured = _measure(data, build(data), **asking)
        if len(data.documents) < whole:
            measured["sampled_from"] = whole
        keep(kept_in, "sets", {name: {"machine": machine, **measured}})


def _smaller(data: Dataset, documents: int) -> Dataset:
    """A sample of so many texts, with the questions that it answers in full."""
    smaller = sample(data, documents=documents)
    texts = {document.id for document in smaller.documents}
    return replace(smaller, queries=tuple(query for query in data.queries if texts.issuperset(query.gold)))


def _measure(
    data: Dataset, path: Path, *, peers_python: str | None, only_ours: bool, parts: bool, again: bool
) -> dict[str, Any]:
    print(f"\n{data.name}: {len(data.documents)} documents, {len(data.queries)} questions")
    scores: dict[str, NDArray[np.float64]] = {}
    notes: dict[str, Any] = {}
    with Memory.open(path) as memory:
        for label, options in VARIANTS.items() if parts else [(OURS, VARIANTS[OURS])]:
            ranked, seconds = _ask_ours(memory, data, options)
            scores[label] = _judged(data, ranked)
            notes[label] = {"search_ms": {"mean": 1000 * seconds / len(data.queries)}}
            _say(label, scores[label])
        folder = None if only_ours else _export(memory, data)
    if parts and data.name.startswith(OTHER_LANGUAGES):
        with Memory.open(build(data, embedder=PAIRED), embedder=PAIRED) as memory:
            label = f"longmind, embedder={PAIRED}"
            ranked, _ = _ask_ours(memory, data, {})
            scores[label] = _judged(data, ranked)
            _say(label, scores[label])
    if folder is not None:
        _ask_peers(data, folder, peers_python, scores, notes, again=again)
    return _summary(data, scores, notes)


def _ask_ours(memory: Memory, data: Dataset, options: Mapping[str, Any]) -> tuple[Ranked, float]:
    ranked = {}
    started = time.perf_counter()
    for query in data.queries:
        hits = memory.search(query.text, space=query.space, limit=DEPTH, reference=query.asked_at, **options)
        ranked[query.id] = [hit.frame.uri or "" for hit in hits]
    return ranked, time.perf_counter() - started


def _ask_peers(
    data: Dataset,
    folder: Path,
    python: str | None,
    scores: dict[str, NDArray[np.float64]],
    notes: dict[str, Any],
    *,
    again: bool,
) -> None:
    deep: dict[str, Ranked] = {}
    for peer in ROSTER:
        if not installed(peer, python):
            notes[peer.label] = {"failed": "not installed"}
            print(f"  {peer.label:42} not installed in {interpreter(python)}")
            continue
        is_lane = peer.name in ("fts5", "exact")
        limit = _FUSED_DEPTH if is_lane else DEPTH
        report = ask(peer, folder, python=python, limit=limit, again=again)
        if "failed" in report:
            notes[peer.label] = report
            print(f"  {peer.label:42} failed: {report['failed']}")
            continue
        ranked = report.pop("ranked")
        if is_lane:
            deep[peer.name] = ranked
        scores[peer.label] = _judged(data, ranked)
        notes[peer.label] = report
        _say(peer.label, scores[peer.label])
    scores[EQUAL] = _judged(data, _equal_weight(data, list(deep.values())))
    _say(EQUAL, scores[EQUAL])


def _equal_weight(data: Dataset, lanes: Sequence[Ranked]) -> Ranked:
    fused = {}
    for query in data.queries:
        points: dict[str, float] = defaultdict(float)
        for lane in lanes:
            for rank, name in enumerate(lane.get(query.id, ()), 1):
                points[name] += 1 / (_RRF_K + rank)
        fused[query.id] = sorted(points, key=lambda name: (-points[name], name))[:DEPTH]
    return fused


def _export(memory: Memory, data: Dataset) -> Path:
    """The same vectors for everybody: a document's is the mean of its windows, at length one."""
    embedder = memory._search.embedding.embedder  # the only place where the bench looks behind the API
    assert embedder is not None
    width = embedder.identity.dimensions
    vectors: dict[str, NDArray[np.float32]] = {}
    with memory.store.read() as snapshot:
        sql = "SELECT f.uri, v.data FROM frame_vector v JOIN frame f ON f.frame_id = v.frame_id"
        for name, raw in snapshot.db.all(sql):
            windows = np.frombuffer(bytes(raw), dtype=np.float16).reshape(-1, width).astype(np.float32)
            mean = windows.mean(axis=0)
            vectors[str(name)] = mean / np.linalg.norm(mean)
    encodings = embedder.encode([query.text for query in data.queries])
    folder = RESULTS / "exchange" / data.name
    save(
        folder,
        documents=[(document.id, document.space, document.text) for document in data.documents],
        vectors=np.stack([vectors[document.id] for document in data.documents]),
        queries=[(query.id, query.space, query.text) for query in data.queries],
        query_vectors=np.stack([encoding.vectors[0] for encoding in encodings]),
    )
    return folder


def _judged(data: Dataset, ranked: Ranked) -> NDArray[np.float64]:
    return np.array([judge(ranked.get(query.id, ()), query.gold) for query in data.queries])


def _summary(
    data: Dataset, scores: Mapping[str, NDArray[np.float64]], notes: Mapping[str, Any]
) -> dict[str, Any]:
    systems: dict[str, Any] = {}
    for label in [*scores, *(label for label in notes if label not in scores)]:
        systems[label] = dict(notes.get(label, {}))
        if label in scores:
            systems[label] |= {
                measure: estimate(scores[label][:, column]).as_json()
                for column, measure in enumerate(MEASURES)
            }
            # Of the same questions, so that what is hard for both does not blur the difference.
            for measure in COMPARED:
                column = MEASURES.index(measure)
                lead = scores[OURS][:, column] - scores[label][:, column]
                systems[label][f"behind ours, {measure}"] = estimate(lead).as_json()
    return {"documents": len(data.documents), "questions": len(data.queries), "systems": systems}


def _say(label: str, judged: NDArray[np.float64]) -> None:
    shown = []
    for column, measure in enumerate(MEASURES):
        interval = estimate(judged[:, column])
        shown.append(f"{measure} {interval.mean:.3f} [{interval.low:.3f} {interval.high:.3f}]")
    print(f"  {label:42} {'  '.join(shown)}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"among {', '.join(NAMES)}; all by default")
    parser.add_argument("--peers-python", help="an interpreter that has the peers installed")
    parser.add_argument("--only-ours", action="store_true")
    parser.add_argument("--no-parts", action="store_true", help="not words or meaning alone, nor ranks")
    parser.add_argument("--again", action="store_true", help="ask peers also what they were asked before")
    parser.add_argument(
        "--documents", type=int, metavar="N", help="of a larger set a sample of so many texts"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", default=RESULTS / "quality.json")
    arguments = parser.parse_args()
    run(
        arguments.names or NAMES,
        peers_python=arguments.peers_python,
        only_ours=arguments.only_ours,
        parts=not arguments.no_parts,
        again=arguments.again,
        documents=arguments.documents,
        kept_in=arguments.json,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
