"""Basic, and the names in path, tags and metadata: the rarer one is, the more it says."""

from __future__ import annotations

import heapq
import math
from typing import Final

from recollect.spaces.ordering.basic import Basic
from recollect.spaces.ordering.protocol import Question, Scores
from recollect.spaces.shelf import NAMES, Floats, Shelf

ENTITY: Final = 4.0
NEIGHBOUR: Final = 1.0
"""For sharing all the rare names of the pinned objects."""
_PINNED_NAMES: Final = 24
_PINNED_OBJECTS: Final = 200


class Hybrid:
    name = "hybrid"

    def score(self, shelf: Shelf, question: Question) -> Scores:
        basic = Basic().score(shelf, question)
        named = _overlap(shelf, list(question.words))
        near = _overlap(shelf, _pinned_names(shelf))
        matched = basic.matched | (named > 0) if question.words else basic.matched
        return Scores(basic.score + ENTITY * named + NEIGHBOUR * near, matched)


def rarity(shelf: Shelf, word: str) -> float:
    held = _uses(shelf, word)
    return math.log1p(len(shelf) / held) if held else 0.0


def _uses(shelf: Shelf, word: str) -> int:
    """How often the word is a name, counted by field."""
    return sum(len(shelf.postings[name].get(word, ())) for name in NAMES)


def _overlap(shelf: Shelf, words: list[str]) -> Floats:
    """The share of the words' rarity that an object's names hold, 0 to 1."""
    import numpy as np

    found: Floats = np.zeros(shelf.size)
    weights = {word: rarity(shelf, word) for word in sorted(words)}
    total = sum(weights.values())
    if total <= 0:
        return found
    for word, weight in weights.items():
        if weight:
            named = np.zeros(shelf.size, dtype=bool)
            for name in NAMES:
                named[shelf.slots(name, word)] = True
            found[named] += weight / total
    return np.minimum(found, 1.0)


def _pinned_names(shelf: Shelf) -> list[str]:
    """The rarest names that at least one other object shares with a pinned one."""
    import numpy as np

    from recollect.text.words import terms

    pinned = np.flatnonzero(shelf.pinned & shelf.alive).tolist()
    entries = sorted((entry.id, entry) for slot in pinned if (entry := shelf.entries[slot]) is not None)
    words = {
        word
        for _, entry in entries[:_PINNED_OBJECTS]
        for word in terms(f"{entry.path} {' '.join(entry.tags)}")
    }
    shared = [word for word in words if _uses(shelf, word) > 1]
    return heapq.nsmallest(_PINNED_NAMES, shared, key=lambda word: (-rarity(shelf, word), word))
