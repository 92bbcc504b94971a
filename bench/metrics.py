"""How good is a ranking: recall, nDCG and reciprocal rank, with intervals from resampling the questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

MEASURES = ("R@5", "R@10", "nDCG@10", "MRR@10")
DEPTH = 10
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the questions, with the interval that holds 95 % of resampled means."""

    mean: float
    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        return {name: round(value, 6) for name, value in asdict(self).items()}


def judge(ranked: Sequence[str], gold: Mapping[str, int]) -> tuple[float, ...]:
    """The measures of one question, in the order of `MEASURES`; a document counts once."""
    places = [gold.get(name, 0) for name in dict.fromkeys(ranked)][:DEPTH]
    found_at = next((rank for rank, grade in enumerate(places, 1) if grade > 0), None)
    gained = sum(_gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(places, 1))
    ideal = sum(
        _gain(grade) / math.log2(rank + 1)
        for rank, grade in enumerate(sorted(gold.values(), reverse=True)[:DEPTH], 1)
    )
    return (
        sum(grade > 0 for grade in places[:5]) / len(gold),
        sum(grade > 0 for grade in places) / len(gold),
        gained / ideal,
        0.0 if found_at is None else 1 / found_at,
    )


def estimate(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Mean and bootstrap interval; the resampling is the same in every run."""
    array = np.asarray(values, dtype=np.float64)
    means = array[_picks(len(array))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(float(array.mean()), float(low), float(high))


def _gain(grade: int) -> float:
    return float(2**grade - 1)


def _picks(count: int) -> NDArray[np.int64]:
    return np.random.default_rng(0).integers(0, count, (_RESAMPLES, count))
