"""The facts lane of search: frames that are evidence for facts about what the question names."""

from __future__ import annotations

from collections.abc import Sequence

from longmind.base.filters import View, Where
from longmind.facts.lane import LaneOptions, candidates
from longmind.facts.name_index import NameIndex
from longmind.search.results import RankedFrame
from longmind.store.transaction import Snapshot


class FactsLane:
    """Ranks frames by the facts they are evidence for."""

    def __init__(self) -> None:
        self._names = NameIndex()

    def rank(
        self, query: str, *, snapshot: Snapshot, view: View, where: Where, limit: int
    ) -> Sequence[RankedFrame]:
        options = LaneOptions(max_evidence_frames=limit)
        evidence = candidates(snapshot, query, view, where, options, self._names)
        return [RankedFrame(item.frame_id, "; ".join(item.reasons)) for item in evidence]
