"""Experience as a lane of contexts: what a brief would say, as cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from longmind.base.tokens import open_tokenizer
from longmind.context.items import Card, Item
from longmind.context.lanes import RecallRequest
from longmind.context.recipe import LaneRecipe
from longmind.context.render import BRIEF
from longmind.experience.compose import TOKENIZER, check_request
from longmind.experience.query import Reader
from longmind.experience.wording import Line, in_turns
from longmind.search.results import SearchResults
from longmind.store.transaction import Snapshot

_SILENT: Final = "gap"
"""A context says what is known; only a brief says what nobody knows."""


class ExperienceLane:
    """Candidates for the lane "experience" of a recipe; a question that touches none adds nothing."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        if not request.query.strip():
            return []
        brief = check_request(
            request.query, view=request.view, budget=1, lanes=None, quotas=None, tokenizer=TOKENIZER
        )
        _, lines = self._reader.briefing(snapshot).lines(brief)
        # A preference that is there only because it always holds answers no question by itself.
        touched = [line for line in lines if line.source.score > 0]
        cited = in_turns(line for line in touched if line.role != _SILENT and line.record is not None)
        return [_card(line, rank, lane.item_tokens) for rank, line in enumerate(cited[: lane.items], 1)]


def _card(line: Line, rank: int, most: int) -> Card:
    record = line.record
    assert record is not None
    count = open_tokenizer(TOKENIZER).count
    forms = [f"{BRIEF.titles[line.role]}: {line.words(size)}" for size in range(3)]
    text = next((form for form in forms if count(form) <= most), forms[-1])
    return Card(text, "experience", rank, (record.frame_id,))
