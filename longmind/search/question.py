"""What the words of a question say: the terms to look up, its type, and the time it speaks of."""

from __future__ import annotations

from functools import cached_property

from longmind.search.classify import Classified, classify
from longmind.search.request import SearchRequest
from longmind.search.timeline import TimeSense, sense_of_time
from longmind.text.query import TextQuery, plan_text


class Question:
    """Each part is worked out when a step first needs it, and once.

    Not all at the start: while this thread computes, the one that embeds or scans vectors cannot begin.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._request = request

    @cached_property
    def terms(self) -> TextQuery:
        return plan_text(self._request.query)

    @cached_property
    def type(self) -> Classified:
        return classify(self._request.query)

    @cached_property
    def time(self) -> TimeSense:
        return sense_of_time(self._request)
