"""The topic in tags and summaries, the company it keeps among objects of one tag, and how recent it is."""

from __future__ import annotations

from typing import Final

from longmind.base.arrays import Float64Array, np
from longmind.spaces.ordering.protocol import Question, Scores, preferred, said, standing
from longmind.spaces.space_index import SpaceIndex

TAG: Final = 3.0
SUMMARY: Final = 2.0
CLUSTER: Final = 2.0
"""For an object in a cluster that speaks of nothing but the topic."""
RECENT: Final = 1.0
RECENT_DAYS: Final = 30
_NEAR: Final = 0.5
"""From this share of the topic on, a cluster brings its silent members along."""
_DAY: Final = 86_400_000
_PARTS: Final = 2**20


class Raptor:
    name = "raptor"

    def score(self, index: SpaceIndex, question: Question) -> Scores:

        _, matched = said(index, question)
        overlap: Float64Array = np.zeros(index.size)
        for name, weight in (("tags", TAG), ("summary", SUMMARY)):
            for word in question.words:
                overlap[index.slots(name, word)] += weight / len(question.words)
        cluster = _clusters(index, np.minimum(1.0, overlap / TAG))
        age = np.clip((question.now - index.updated) / (_DAY * RECENT_DAYS), 0.0, 1.0)
        score = standing(index) + overlap + CLUSTER * cluster + RECENT * (1.0 - age)
        return Scores(score + preferred(index, question), matched | (cluster >= _NEAR))


def _clusters(index: SpaceIndex, share: Float64Array) -> Float64Array:
    """For each object the mean share of the topic in the best of its clusters; one member is no cluster."""

    best: Float64Array = np.zeros(index.size)
    if not share.any():
        return best
    slots, codes = index.tag_pairs()
    if not len(slots):
        return best
    # Whole numbers add up to the same sum in any order.
    sums = np.bincount(codes, weights=np.round(share[slots] * _PARTS))
    counts = np.bincount(codes)
    means = np.where(counts > 1, sums / np.maximum(counts, 1) / _PARTS, 0.0)
    np.maximum.at(best, slots, means[codes])
    return best
