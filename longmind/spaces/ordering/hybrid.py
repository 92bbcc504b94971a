"""Basic, and the names in path, tags and metadata: the rarer one is, the more it says."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Final

from longmind.base.arrays import Float64Array, np
from longmind.spaces.ordering.basic import Basic
from longmind.spaces.ordering.protocol import Question, Scores
from longmind.spaces.space_index import SpaceIndex

ENTITY: Final = 4.0
NEIGHBOUR: Final = 1.0
"""For sharing all the rare names of the pinned objects."""
_PINNED_NAMES: Final = 24
_PINNED_OBJECTS: Final = 200


class Hybrid:
    name = "hybrid"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        basic = Basic().score(index, question)
        named = _overlap(index, _rarities(index, question.words))
        near = index.derive("near", _near)
        matched = basic.matched | (named > 0) if question.words else basic.matched
        return Scores(basic.score + ENTITY * named + NEIGHBOUR * near, matched)


def _rarities(index: SpaceIndex, words: Sequence[str]) -> dict[str, float]:
    # Rounded, since the last bit of a logarithm is the C library's own.
    return {
        word: round(math.log1p(len(index) / count), 9) if count else 0.0
        for word, count in index.uses(words).items()
    }


def _overlap(index: SpaceIndex, weights: Mapping[str, float]) -> Float64Array:
    """The share of the words' rarity that an object's names hold, 0 to 1."""

    share: Float64Array = np.zeros(index.size)
    total = sum(weight for _, weight in sorted(weights.items()))
    if total <= 0:
        return share
    for word, owners in index.named([word for word, weight in sorted(weights.items()) if weight]).items():
        share[owners] += weights[word] / total
    return np.minimum(share, 1.0)


def _near(index: SpaceIndex) -> Float64Array:
    """How far each object shares the rarest names that a pinned one shares with another."""

    from longmind.text.words import terms

    pinned = np.flatnonzero(index.pinned & index.alive).tolist()
    chosen = heapq.nsmallest(_PINNED_OBJECTS, pinned, key=index.ids.__getitem__)
    words = {
        word for entry in index.entries_of(chosen) for word in terms(f"{entry.path} {' '.join(entry.tags)}")
    }
    uses = index.uses(sorted(words))
    weights = _rarities(index, [word for word, count in uses.items() if count > 1])
    rarest = heapq.nsmallest(_PINNED_NAMES, weights, key=lambda word: (-weights[word], word))
    return _overlap(index, {word: weights[word] for word in rarest})
