"""As the one search engine orders them, meaning included."""

from __future__ import annotations

from typing import Final

from longmind.spaces.ordering.protocol import Question, Scores, preferred, standing
from longmind.spaces.shelf import Floats, Shelf

FOUND: Final = 8.0


class BySearch:
    name = "search"

    def score(self, shelf: Shelf, question: Question) -> Scores:
        import numpy as np

        found: Floats = np.zeros(shelf.size)
        for name, score in question.ranked.items():
            slot = shelf.slot_of.get(name)
            if slot is not None:
                found[slot] = FOUND * score
        if not question.topic.strip():
            return Scores(standing(shelf) + preferred(shelf, question), np.ones(shelf.size, dtype=bool))
        return Scores(found + preferred(shelf, question), found > 0)
