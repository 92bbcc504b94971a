"""Relevance, pin, and the topic's words in path, tags, summaries and text."""

from __future__ import annotations

from longmind.spaces.ordering.protocol import Question, Scores, preferred, said, standing
from longmind.spaces.shelf import Shelf


class Basic:
    name = "basic"

    def score(self, shelf: Shelf, question: Question) -> Scores:
        amount, matched = said(shelf, question)
        return Scores(standing(shelf) + amount + preferred(shelf, question), matched)
