"""Every constant of ranking, turned off, halved and doubled: which of them matter, and by how much?

The lanes run once for each question; what follows them is computed again for each value, which takes half a
millisecond. Only the constants that decide what the lanes find need whole searches.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.corpora import build, store_path
from bench.datasets import Query, available, load, sample
from bench.kept import RESULTS, keep
from bench.machine import describe
from bench.metrics import DEPTH, MEASURES, estimate, judge
from bench.probes import probes
from longmind import Memory
from longmind.base.filters import View
from longmind.search import constants, pipeline
from longmind.search.pending import EmbeddedQuery, PendingEmbedding, begin_embedding
from longmind.search.question import Question
from longmind.search.request import SearchRequest
from longmind.store.transaction import Snapshot
from longmind.text import lane as text
from longmind.vectors.threads import one_thread

SETS = "locomo longmemeval beam cosqa scifact prefeval timeqa musique xquad_es xquad_ar xquad_hi".split()
FACTORS = (0.0, 0.5, 2.0)
GRID = (0.0, 0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 4.0)
SHOWN = ("nDCG@10", "R@10")

Judged = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant by its name, with `.field` for a part of one; what has to run again when it changes."""

    name: str
    runs: str = "rank"
    """`rank`: what follows the lanes; `lanes`: the whole search; `question`: its embedding, too."""
    under: str = "score"
    """The fusion it is a part of; `no late` is score fusion without late interaction."""
    module: ModuleType = constants
    factors: tuple[float, ...] = FACTORS


CONSTANTS = (
    *(Constant(f"TURNS.{signal}") for signal in ("words", "meaning", "late")),
    *(Constant(f"DOCUMENTS.{signal}") for signal in ("words", "meaning", "late")),
    *(Constant(f"TURNS_WITHOUT_LATE.{signal}", under="no late") for signal in ("words", "meaning")),
    *(Constant(f"DOCUMENTS_WITHOUT_LATE.{signal}", under="no late") for signal in ("words", "meaning")),
    Constant("SEPARATION"),
    Constant("NAMES"),
    Constant("STATEMENTS", runs="question"),
    Constant("PERSONAL_DEPTH", runs="lanes"),
    Constant("LATE_UNFAMILIAR"),
    Constant("ONLY_ASKS"),
    Constant("SESSION"),
    Constant("PREVIOUS"),
    Constant("NEXT"),
    Constant("SHORT_TURN"),
    Constant("SPEAKER"),
    Constant("RANK_WEIGHTS.facts"),
    Constant("RANK_WEIGHTS.timeline"),
    Constant("IDENTIFIER"),
    Constant("ONLY_IDENTIFIER"),
    Constant("PHRASE"),
    Constant("PHRASE_DEPTH"),
    Constant("DATE"),
    Constant("ENTITY"),
    Constant("LINK"),
    Constant("LINK_HITS", factors=(0.0, 2.0)),
    Constant("LINK_NAMES"),
    Constant("LINK_FRAMES", factors=(0.0, 2.0)),
    Constant("SUPERSEDED"),
    Constant("STANDING_DEPTH"),
    Constant("RRF_K", under="rrf", factors=(0.1, 0.5, 2.0)),
    *(Constant(f"RRF_WEIGHTS.{lane}", under="rrf") for lane in ("text", "vector", "facts", "timeline")),
    # Depths are not turned off: without candidates there is nothing to rank.
    Constant("DEPTH", runs="lanes", factors=(0.25, 0.5, 2.0)),
    Constant("BESIDE", runs="lanes"),
    Constant("LATE_FRAMES", runs="lanes", factors=(0.25, 0.5, 2.0)),
    Constant("LATE_TOKENS", runs="lanes", factors=(0.25, 0.5, 2.0)),
    Constant("K1", runs="lanes", module=text),
    Constant("B", runs="lanes", module=text, factors=(0.0, 0.5, 1.2)),
    Constant("SHORT", runs="lanes", module=text),
)


@contextmanager
def varied(constant: Constant, factor: float) -> Iterator[Any]:
    """The constant times a factor, for as long as the block runs; gives its new value."""
    name, _, part = constant.name.partition(".")
    present = getattr(constant.module, name)
    value = _scaled(present, part, factor)
    setattr(constant.module, name, value)
    try:
        yield value
    finally:
        setattr(constant.module, name, present)


def _scaled(present: Any, part: str, factor: float) -> Any:
    if not part:
        return type(present)(round(present * factor, 6))
    if isinstance(present, constants.Weights):
        return replace(present, **{part: getattr(present, part) * factor})
    if part in present:
        return {**present, part: present[part] * factor}
    # One lane of the table by types of questions: in all types at once.
    return {key: _scaled(weights, part, factor) for key, weights in present.items()}


def value_of(constant: Constant) -> Any:
    name, _, part = constant.name.partition(".")
    value = getattr(constant.module, name)
    if not part:
        return value
    if isinstance(value, constants.Weights):
        return getattr(value, part)
    return value[part] if part in value else {kind: weights[part] for kind, weights in value.items()}


class Asked:
    """The questions that one open store can answer in full, with what the lanes found for each."""

    def __init__(self, label: str, memory: Memory, snapshot: Snapshot, queries: Sequence[Query]) -> None:
        rows = snapshot.db.all("SELECT frame_id, uri FROM frame")
        self._names = {int(frame_id): str(uri) for frame_id, uri in rows}
        names = set(self._names.values())
        self.label = label
        self.queries = [query for query in queries if names.issuperset(query.gold)]
        self._memory = memory
        self._engine = memory._search
        self._requests = [
            SearchRequest.of(query.text, View.of(query.space), limit=DEPTH, reference=query.asked_at)
            for query in self.queries
        ]
        self._questions = [Question(request) for request in self._requests]
        # A state holds what is in memory of the spaces that a question may see: one for each of them.
        self._states = {
            request.view: self._engine.state(snapshot, request.view) for request in self._requests
        }
        self._encoded = self._encode()
        self._collected = self._collect(self._encoded)
        self._bases: dict[str, Judged] = {}

    def base(self, under: str) -> Judged:
        if under not in self._bases:
            self._bases[under] = self._judged(under, self._collected)
        return self._bases[under]

    def changed(self, constant: Constant) -> Judged:
        """The measures of each question with the constants as they are now."""
        if constant.runs == "rank":
            return self._judged(constant.under, self._collected)
        encoded = self._encode() if constant.runs == "question" else self._encoded
        return self._judged(constant.under, self._collect(encoded))

    def ranked(self) -> Judged:
        """The measures of each question under score fusion, with the constants as they are now."""
        return self._judged("score", self._collected)

    def _encode(self) -> list[EmbeddedQuery]:
        return [
            begin_embedding(request, self._engine.embedding, self._engine.threads).result()
            for request in self._requests
        ]

    def _collect(self, all_encoded: Sequence[EmbeddedQuery]) -> list[pipeline.Collected]:
        # BM25's parameters are part of the lengths that an engine keeps: new ones for each run.
        lengths = text.Lengths(self._memory.store.mirrors)
        states = {view: replace(state, lengths=lengths) for view, state in self._states.items()}
        with one_thread():
            return [
                pipeline.collect(request, question, states[request.view], PendingEmbedding(encoded))
                for request, question, encoded in zip(
                    self._requests, self._questions, all_encoded, strict=True
                )
            ]

    def _judged(self, under: str, all_collected: Sequence[pipeline.Collected]) -> Judged:
        rows = []
        for query, request, question, collected in zip(
            self.queries, self._requests, self._questions, all_collected, strict=True
        ):
            if under == "rrf":
                request = replace(request, fusion="rrf")
            elif under == "no late":
                signals = replace(collected.candidates.signals, late=None)
                collected = replace(collected, candidates=replace(collected.candidates, signals=signals))
            ranking = pipeline.rank(request, question, self._states[request.view], collected)
            ids = ranking.candidates.ids[ranking.order[: 2 * DEPTH]].tolist()
            rows.append(judge([self._names[frame_id] for frame_id in ids], query.gold))
        return np.array(rows)


def run(
    names: Sequence[str], only: Sequence[str], *, quick: bool, as_built: bool, grid: bool, kept_in: Path
) -> None:
    """Measure each constant on every set; each is kept as soon as it is measured."""
    chosen = [item for item in CONSTANTS if not only or item.name.partition(".")[0] in only]
    with ExitStack() as open_stores:
        asked = [item for name in names for item in _opened(name, quick, as_built, open_stores)]
        for item in asked:
            shown = "  ".join(f"{m} {item.base('score')[:, MEASURES.index(m)].mean():.3f}" for m in SHOWN)
            print(f"{item.label:24} {len(item.queries):4} questions  {shown}", flush=True)
        machine = describe()
        for constant in chosen:
            entry = measure(constant, asked, GRID if grid else constant.factors)
            keep(kept_in, "constants", {constant.name: {"machine": machine, **entry}})


def _opened(name: str, quick: bool, as_built: bool, open_stores: ExitStack) -> Iterator[Asked]:
    """One set and the probes made of its documents, on one store and one snapshot."""
    if not available(name):
        print(f"skipped: ../shared/data/{name} is not beside the project")
        return
    data = load(name)
    if quick:
        smaller = sample(data)
        # A store of the whole set that is there already asks the same questions of more texts.
        data = replace(data, queries=smaller.queries) if store_path(name).is_file() else smaller
    path = store_path(data.name) if as_built else build(data)
    if not path.is_file():
        print(f"skipped: there is no store of {data.name} yet")
        return
    memory = open_stores.enter_context(Memory.open(path))
    snapshot = open_stores.enter_context(memory.store.read())
    yield Asked(name, memory, snapshot, data.queries)
    for label, queries in probes(data).items():
        yield Asked(label, memory, snapshot, queries)


def measure(constant: Constant, asked: Sequence[Asked], factors: Sequence[float]) -> dict[str, Any]:
    """The change of each measure on each set, with the interval of the differences question by question."""
    changes: dict[str, Any] = {}
    for factor in factors:
        with varied(constant, factor):
            after = {item.label: item.changed(constant) for item in asked}
        changes[f"{factor:g}"] = {
            item.label: {
                measure: estimate((after[item.label] - item.base(constant.under))[:, column]).as_json()
                for column, measure in enumerate(MEASURES)
                if measure in SHOWN
            }
            for item in asked
        }
    entry = {
        "value": value_of(constant),
        "under": constant.under,
        "questions": {item.label: len(item.queries) for item in asked},
        "changes": changes,
    }
    entry["matters_on"] = matters_on(changes)
    entry["left_out"] = left_out(changes)
    _say(constant, entry)
    return entry


def matters_on(changes: Mapping[str, Any]) -> list[str]:
    """The sets on which some value changes a measure beyond chance."""
    return sorted(
        {
            label
            for by_set in changes.values()
            for label, measures in by_set.items()
            if any(change["low"] > 0 or change["high"] < 0 for change in measures.values())
        }
    )


def left_out(changes: Mapping[str, Any], measure: str = "nDCG@10") -> dict[str, dict[str, float]]:
    """For each set, the factor that is best on all the others, and what it changes on this one.

    Where that is 1 for every set, the value is not fitted to any of them; where a change is negative, the
    other sets would have chosen badly for this one.
    """
    means = {
        factor: {label: float(measures[measure]["mean"]) for label, measures in by_set.items()}
        for factor, by_set in changes.items()
    }
    labels = list(next(iter(means.values()), {}))
    means["1"] = dict.fromkeys(labels, 0.0)
    chosen: dict[str, dict[str, float]] = {}
    for label in labels:
        others = [other for other in labels if other != label]
        # The value as it is, unless another is better by more than rounding.
        best = max(means, key=lambda factor: (round(sum(means[factor][o] for o in others), 6), factor == "1"))
        chosen[label] = {"factor": float(best), "change": means[best][label]}
    return chosen


def mean_change(by_set: Mapping[str, Any], measure: str) -> float:
    return float(np.mean([measures[measure]["mean"] for measures in by_set.values()]))


def _say(constant: Constant, entry: Mapping[str, Any]) -> None:
    print(f"\n{constant.name} = {entry['value']}")
    for factor, by_set in entry["changes"].items():
        means = "  ".join(f"{measure} {mean_change(by_set, measure):+.4f}" for measure in SHOWN)
        single = "  ".join(
            f"{label} {measures['nDCG@10']['mean']:+.3f}"
            for label, measures in by_set.items()
            if abs(measures["nDCG@10"]["mean"]) >= 0.0005
        )
        print(f"  x {factor:4}  {means}   {single}")
    print(f"  matters on: {', '.join(entry['matters_on']) or 'no set'}")
    apart = "  ".join(
        f"{label} x {choice['factor']:g} {choice['change']:+.3f}"
        for label, choice in entry["left_out"].items()
        if choice["factor"] != 1
    )
    print(f"  chosen on the other sets: {apart or 'the value as it is, for each set'}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"sets among {', '.join(SETS)}; all by default")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this constant")
    parser.add_argument("--quick", action="store_true", help="100 questions and 3,000 texts of each set")
    parser.add_argument(
        "--as-built", action="store_true", help="take the stores as they are, complete or not"
    )
    parser.add_argument("--grid", action="store_true", help="more values than off, half and double")
    parser.add_argument("--json", type=Path, metavar="FILE", default=RESULTS / "constants.json")
    chosen = parser.parse_args()
    run(
        chosen.names or SETS,
        chosen.only,
        quick=chosen.quick,
        as_built=chosen.as_built,
        grid=chosen.grid,
        kept_in=chosen.json,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
