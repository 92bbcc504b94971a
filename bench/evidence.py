"""Weights that follow the evidence, and confidence: chosen over all sets, judged on the set left out.

`weights` tries a grid of the constants that decide how signals share a score; for each set it prints what the
choice made on the other sets gives there. `confidence` fits the logistic regression behind `hit.confidence`,
and prints how many unanswerable questions (those of other sets) pass at the threshold of `recall`.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.abstention import MOST_LOST
from bench.constants import Asked
from bench.corpora import build, store_path
from bench.datasets import Dataset, Query, available, load, sample
from bench.metrics import MEASURES
from longmind import Memory
from longmind.base.filters import View
from longmind.search import constants, pipeline
from longmind.search.confidence import agreeing, names_nothing, said_together, word_shares
from longmind.search.constants import Weights
from longmind.search.pending import begin_embedding
from longmind.search.question import Question
from longmind.search.request import SearchRequest
from longmind.store.transaction import Snapshot
from longmind.vectors.threads import one_thread

SETS = "locomo longmemeval beam cosqa scifact prefeval timeqa musique xquad_es xquad_ar xquad_hi".split()
ENGLISH = tuple(name for name in SETS if not name.startswith("xquad"))
GRID: Mapping[str, Sequence[Any]] = {
    "DOCUMENTS": (Weights(0.5, 4.0, 2.0), Weights(1.0, 4.0, 2.0)),
    "SEPARATION": (0.0, 2.0, 4.0),
    "NAMES": (0.0, 2.0, 4.0),
}
CONFIDENCE = (
    *("CONFIDENCE", "CONFIDENCE_WORDS", "CONFIDENCE_EXACT", "CONFIDENCE_LANE", "CONFIDENCE_REQUEST"),
    *("CONFIDENCE_FIRST", "SAID_USUALLY"),
    *("KNOWN", "KNOWN_OF_SOMEBODY", "KNOWN_BY_WORDS", "UNRELATED", "UNRELATED_OF"),
    *("SCALE_SAMPLE", "SCALE_LEAST", "SCALE_FLOOR"),
)
"""Constants that change how sure a hit is and not its rank, so that `bench constants` cannot judge them: the
logistic ones are fitted here, and for the others the table of strange questions shows what they do."""
LANGUAGE = ("PIECES_FAMILIAR", "PIECES_UNFAMILIAR", "LEAST_FAMILIAR")
"""How many pieces a tokenizer makes of a word it knows; the sets of other languages show what they do."""
QUESTIONS = 150
STRANGE = 25
"""Questions of each other set that are put to a store that cannot answer them."""
_NDCG = MEASURES.index("nDCG@10")
_TOP = 5
_HITS = 20

Array = NDArray[np.float64]


@contextmanager
def setting(values: Mapping[str, Any]) -> Iterator[None]:
    """These constants of ranking, for as long as the block runs."""
    present = {name: getattr(constants, name) for name in values}
    for name, value in values.items():
        setattr(constants, name, value)
    try:
        yield
    finally:
        for name, value in present.items():
            setattr(constants, name, value)


def weights(names: Sequence[str], *, as_built: bool) -> None:
    """Choose the weights over all sets, and again without each one."""
    with ExitStack() as stores:
        rankings = [
            Asked(name, memory, snapshot, data.queries)
            for name, data, memory, snapshot in _opened(names, stores, as_built)
        ]
        means: dict[tuple[Any, ...], Array] = {}
        for values in product(*GRID.values()):
            with setting(dict(zip(GRID, values, strict=True))):
                means[values] = np.array([item.ranked()[:, _NDCG].mean() for item in rankings])
    best = max(means, key=lambda values: float(means[values].mean()))
    print(f"all sets: nDCG@10 {means[best].mean():.4f} with {_named(best)}")
    for number, item in enumerate(rankings):
        chosen = max(means, key=lambda values: float(np.delete(means[values], number).mean()))
        print(
            f"  without {item.label:12} the choice is {_named(chosen)}; there it gives "
            f"{means[chosen][number]:.3f}, the choice of all {means[best][number]:.3f}"
        )


def _named(values: Sequence[Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(GRID, values, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One question and its best hits: what of them counts for confidence, one row for each hit."""

    hits: Array
    """Cosine, root word share, what the first hits say between them, and -1 for no name in common."""
    gold: int | None
    """The row of the right answer, where there is one."""
    added: Array
    """What exact agreements and lanes add to each hit."""
    own: NDArray[np.bool_]
    """The hits in which the asker speaks of themselves, which is looked at for requests only."""
    is_request: bool
    is_answerable: bool


def confidence(names: Sequence[str], *, as_built: bool) -> None:
    """Fit on all sets but one, judge on that one; print the fit on all."""
    judged: dict[str, list[Judged]] = {}
    with ExitStack() as stores:
        for name, data, memory, snapshot in _opened(names, stores, as_built):
            uris = {int(i): str(uri) for i, uri in snapshot.db.all("SELECT frame_id, uri FROM frame")}
            queries = [query for query in data.queries if set(query.gold) <= set(uris.values())]
            judged[name] = [
                _judge(memory, snapshot, query, uris) for query in [*queries, *_strangers(name, data)]
            ]
    ways: Sequence[tuple[list[int], str, float]] = (
        ([0, 1, 2, 3], "meaning and words", constants.KNOWN),
        ([1, 2, 3], "words alone", constants.KNOWN_BY_WORDS),
    )
    for columns, label, threshold in ways:
        fitted = _fit(list(judged.values()), columns)
        print(f"{label}: base and weights {np.round(fitted, 2)}")
        best: dict[str, Array] = {}
        for name, rows in judged.items():
            apart = _fit([other for key, other in judged.items() if key != name], columns)
            best[name] = np.array([_logits(row, apart, columns).max(initial=-9.0) for row in rows])
        _say(judged, best, f"at {threshold}", np.log(threshold / (1 - threshold)))
        ascending = np.sort(
            [
                logit
                for name, rows in judged.items()
                for logit, row in zip(best[name], rows, strict=True)
                if row.is_answerable
            ]
        )
        _say(judged, best, f"losing {MOST_LOST:.0%}", ascending[int(MOST_LOST * len(ascending))])


def _say(
    judged: Mapping[str, Sequence[Judged]], best: Mapping[str, Array], label: str, threshold: float
) -> None:
    lost: list[bool] = []
    passed: list[bool] = []
    for name, rows in judged.items():
        is_known = best[name] >= threshold
        answerable = np.array([row.is_answerable for row in rows])
        lost += (~is_known[answerable]).tolist()
        passed += is_known[~answerable].tolist()
        strange = is_known[~answerable].mean() if (~answerable).any() else 0
        print(
            f"  {name:12} answerable lost {1 - is_known[answerable].mean():.3f}, "
            f"unanswerable passed {strange:.3f}"
        )
    print(
        f"  {label}, {1 / (1 + np.exp(-threshold)):.2f}: {np.mean(lost):.3f} of {len(lost)} answerable ones "
        f"lost, {np.mean(passed):.3f} of {len(passed)} unanswerable ones answered"
    )


def _judge(memory: Memory, snapshot: Snapshot, query: Query, uris: Mapping[int, str]) -> Judged:
    request = SearchRequest.of(query.text, View.of(query.space), limit=_HITS, reference=query.asked_at)
    question = Question(request)
    engine = memory._search
    state = engine.state(snapshot, request.view)
    with one_thread():
        collected = pipeline.collect(
            request, question, state, begin_embedding(request, engine.embedding, engine.threads)
        )
        ranking = pipeline.rank(request, question, state, collected)
    candidates, order = ranking.candidates, ranking.order
    signals, text, total = candidates.signals, candidates.lanes.text, collected.lengths.total
    assert signals.cosine is not None
    together = said_together(text, candidates.ids[order[: constants.CONFIDENCE_FIRST]], total)
    features = np.c_[
        np.nan_to_num(signals.cosine, nan=constants.UNRELATED.mean),
        np.sqrt(word_shares(text, signals.words, total)),
        np.full(len(candidates.ids), together),
        -names_nothing(text, question.named, candidates.ids).astype(np.float64),
    ]
    first = order[:_HITS]
    own = np.zeros(len(candidates.ids), dtype=np.bool_)
    if question.is_request:
        own = pipeline.said_by_asker(request, state, candidates, order)
    right = [row for row, place in enumerate(first) if uris[int(candidates.ids[place])] in query.gold]
    return Judged(
        features[first],
        right[0] if right else None,
        agreeing(candidates, question, ranking.bonuses)[first],
        own[first],
        question.is_request,
        bool(query.gold),
    )


def _strangers(name: str, data: Dataset) -> list[Query]:
    """Questions that belong to other sets, put to this one's spaces."""
    if name not in ENGLISH:
        return []
    spaces = sorted({document.space for document in data.documents})
    strangers = []
    for other in ENGLISH:
        if other != name and available(other):
            for query in sorted(load(other).queries, key=_number)[:STRANGE]:
                space = spaces[_number(query) % len(spaces)]
                strangers.append(replace(query, space=space, gold={}))
    return sorted(strangers, key=lambda query: zlib.crc32((name + query.id).encode()))[:60]


def _number(query: Query) -> int:
    return zlib.crc32(query.id.encode())


def _logits(row: Judged, fitted: Array, columns: Sequence[int]) -> Array:
    logits: Array = fitted[0] + row.hits[:, columns] @ fitted[1:]
    if row.is_request and 0 in columns:
        by_meaning = fitted[0] + fitted[1] * row.hits[:, 0] + constants.CONFIDENCE_REQUEST
        logits = np.where(row.own, np.maximum(logits, by_meaning), logits)
    return logits + row.added


def _fit(sets: Sequence[Sequence[Judged]], columns: Sequence[int], *, steps: int = 60) -> Array:
    """Logistic regression beside what agreements add; of each set right answers and others weigh the same.

    Requests take no part: what bears on them need not share a word with them. Nor do sets in languages that
    the embedder does not know, to which no strange question was put.
    """
    rows, labels, sizes, added = [], [], [], []
    for judged in sets:
        if all(row.is_answerable for row in judged):
            continue
        for label in (True, False):
            chosen = [
                (row, [row.gold] if label else list(range(len(row.hits)))[:_TOP])
                for row in judged
                if row.is_answerable == label and not row.is_request and (row.gold is not None or not label)
            ]
            if chosen:
                rows.append(np.vstack([row.hits[places] for row, places in chosen]))
                added.append(np.concatenate([row.added[places] for row, places in chosen]))
                labels.append(np.full(len(rows[-1]), float(label)))
                sizes.append(np.full(len(rows[-1]), 100 / len(rows[-1])))
    design = np.vstack(rows)[:, columns]
    design = np.c_[np.ones(len(design)), design]
    truth, weight, offset = np.concatenate(labels), np.concatenate(sizes), np.concatenate(added)
    fitted = np.zeros(design.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(design @ fitted + offset, -30, 30)))
        curvature = (design * (weight * chance * (1 - chance))[:, None]).T @ design
        curvature += 1e-3 * np.eye(len(fitted))
        fitted += np.linalg.solve(curvature, design.T @ (weight * (truth - chance)) - 1e-3 * fitted)
    return fitted


def _opened(
    names: Sequence[str], stores: ExitStack, as_built: bool
) -> Iterator[tuple[str, Dataset, Memory, Any]]:
    for name in names:
        if not available(name):
            print(f"skipped: ../shared/data/{name} is not beside the project")
            continue
        data = load(name)
        smaller = sample(data, questions=QUESTIONS)
        if not store_path(name).is_file():
            data = smaller
        data = replace(data, queries=smaller.queries)
        path = store_path(data.name) if as_built else build(data)
        if not path.is_file():
            print(f"skipped: there is no store of {data.name} yet")
            continue
        memory = stores.enter_context(Memory.open(path))
        yield name, data, memory, stores.enter_context(memory.store.read())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["weights", "confidence"], help="both by default")
    parser.add_argument("--sets", default=",".join(SETS), help="names of sets, with commas between them")
    parser.add_argument("--as-built", action="store_true", help="take the stores as they are")
    chosen = parser.parse_args()
    names = chosen.sets.split(",")
    if chosen.what != "confidence":
        weights(names, as_built=chosen.as_built)
    if chosen.what != "weights":
        confidence(names, as_built=chosen.as_built)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
