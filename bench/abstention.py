"""Nothing is an answer: 200 questions put to stores that cannot answer them, beside questions that they can.

Each store gets questions of the other sets. A question counts as answered if the confidence of its best hit
reaches the threshold, which is the rule by which `recall` says that nothing is known. Printed are both
thresholds of interest: the one of `recall`, and the highest at which at most 2 % of the answerable questions
are lost. Requests ("recommend me a film") are counted apart: no text answers them, and whatever is known of
who asks bears on them, so that another set's request can be met from any store of somebody's conversations.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.corpora import store_path
from bench.datasets import Dataset, Query, available, load, sample
from longmind import Memory
from longmind.search.wording import is_request

SETS = "locomo longmemeval beam cosqa scifact prefeval timeqa musique".split()
"""In English, whose questions mean nothing to each other's texts."""
UNANSWERABLE = 200
ANSWERABLE = 40
"""Of each set."""
MOST_LOST = 0.02
_HITS = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: how sure the best hit is, and from where on `recall` takes it for an answer."""

    name: str
    is_answerable: bool
    confidence: float
    known_from: float
    is_request: bool = False


def run(names: Sequence[str]) -> list[Asked]:
    present = [name for name in names if available(name)]
    sets = {name: load(name) for name in present}
    stored = [name for name in present if _store(name) is not None]
    # A few more than needed: of what is drawn, about one in eight is a request.
    each = -(-UNANSWERABLE * 6 // (5 * max(1, len(stored))))
    asked: list[Asked] = []
    for name in stored:
        path = _store(name)
        assert path is not None
        with Memory.open(path) as memory:
            with memory.store.read() as snapshot:
                texts = {str(row[0]) for row in snapshot.db.all("SELECT uri FROM frame")}
            answerable = [query for query in _drawn(sets[name]) if texts.issuperset(query.gold)]
            for query in [*answerable[:ANSWERABLE], *_strange(name, sets, each)]:
                hits = memory.search(query.text, space=query.space, limit=_HITS, reference=query.asked_at)
                best = max((hit.confidence for hit in hits), default=0.0)
                asked.append(Asked(name, bool(query.gold), best, hits.known_from, is_request(query.text)))
    return asked


def report(asked: Sequence[Asked]) -> None:
    print("Questions, without requests among those that cannot be answered:")
    _report([item for item in asked if item.is_answerable or not item.is_request])
    print("With them:")
    _report(asked)


def _report(asked: Sequence[Asked]) -> None:
    sure = np.array([item.confidence for item in asked])
    answerable = np.array([item.is_answerable for item in asked])
    known = np.array([item.confidence >= item.known_from for item in asked])
    print(f"{answerable.sum()} answerable and {(~answerable).sum()} unanswerable questions")
    print(
        f"as recall decides: {1 - known[answerable].mean():.3f} of the answerable lost, "
        f"{known[~answerable].mean():.3f} of the unanswerable answered"
    )
    threshold = operating_point(sure[answerable])
    passed = sure >= threshold
    print(
        f"at {threshold:.2f}: {1 - passed[answerable].mean():.3f} of the answerable lost, "
        f"{passed[~answerable].mean():.3f} of the unanswerable answered"
    )
    for name in dict.fromkeys(item.name for item in asked):
        of_set = np.array([item.name == name for item in asked])
        lost = 1 - passed[of_set & answerable].mean()
        print(f"  {name:12} lost {lost:.3f}, answered {passed[of_set & ~answerable].mean():.3f}")


def operating_point(confidences: NDArray[np.float64]) -> float:
    """The highest threshold that loses at most `MOST_LOST` of the questions with these confidences."""
    return float(np.sort(confidences)[int(MOST_LOST * len(confidences))])


def _store(name: str) -> Path | None:
    """Of the whole set or of a sample of it, as `bench corpora` and `bench constants --quick` make them."""
    paths = (store_path(name), store_path(f"{name}-sample"))
    return next((path for path in paths if path.is_file()), None)


def _drawn(data: Dataset) -> list[Query]:
    smaller = sample(data, questions=150) if not store_path(data.name).is_file() else data
    return sorted(smaller.queries, key=_number)


def _strange(name: str, sets: dict[str, Dataset], count: int) -> list[Query]:
    """Questions of the other sets, put to the spaces of this one."""
    spaces = sorted({document.space for document in sets[name].documents})
    strange = [
        replace(query, space=spaces[_number(query) % len(spaces)], gold={})
        for other, data in sets.items()
        if other != name
        for query in sorted(data.queries, key=_number)[:UNANSWERABLE]
    ]
    return sorted(strange, key=lambda query: zlib.crc32((name + query.id).encode()))[:count]


def _number(query: Query) -> int:
    return zlib.crc32(query.id.encode())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"among {', '.join(SETS)}; all by default")
    asked = run(parser.parse_args().names or SETS)
    if not asked:
        print("There are no stores to ask: python -m bench quality makes them.")
        return 1
    report(asked)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
