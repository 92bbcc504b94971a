"""As the one search engine orders them, meaning included."""

from __future__ import annotations

from typing import Final

from longmind.base.arrays import Float64Array, np
from longmind.spaces.ordering.protocol import Question, Scores, preferred, standing
from longmind.spaces.space_index import SpaceIndex

FOUND: Final = 8.0


class BySearch:
    name = "search"

    def score(self, index: SpaceIndex, question: Question) -> Scores:

        scores: Float64Array = np.zeros(index.size)
        for name, score in question.ranked.items():
            slot = index.slot_of.get(name)
            if slot is not None:
                scores[slot] = FOUND * score
        if not question.topic.strip():
            return Scores(standing(index) + preferred(index, question), np.ones(index.size, dtype=bool))
        return Scores(scores + preferred(index, question), scores > 0)
