"""Relevance, pin, and the topic's words in path, tags, summaries and text."""

from __future__ import annotations

from longmind.spaces.ordering.protocol import Question, Scores, preferred, said, standing
from longmind.spaces.space_index import SpaceIndex


class Basic:
    name = "basic"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        amount, matched = said(index, question)
        return Scores(standing(index) + amount + preferred(index, question), matched)
