"""The order of the candidates: ranks, scores and bonuses, as the last steps of the pipeline leave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from longmind.base.arrays import Float64Array, Int64Array, np
from longmind.search.candidates import Candidates
from longmind.search.fusion import Fused, rank_bonus, ranks_of
from longmind.search.question import Question
from longmind.search.rerank import Bonus
from longmind.search.results import LaneReport

UNRANKED: Final = 2**63 - 1
"""The best rank of a frame that no lane has ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Everything that a search computed, before the frames are fetched."""

    candidates: Candidates
    fused: Fused
    scores: Float64Array
    order: Int64Array
    """Positions among the candidates, best first."""
    ranks: Mapping[str, Int64Array]
    bonuses: Mapping[int, Sequence[Bonus]]
    confidence: Float64Array
    known_from: float
    question: Question
    reports: tuple[LaneReport, ...]
    superseded: Mapping[int, int]
    """Frames that no longer hold, each with the frame that says what does."""
    repeated: Mapping[int, int]
    """Frames that are left out, each with a hit that says the same."""


def lane_ranks(candidates: Candidates, content: Int64Array) -> dict[str, Int64Array]:
    """For each lane that ran, the rank of each candidate from 1; 0 where the lane did not find it."""
    lanes, words = candidates.lanes, candidates.signals.words
    ranks: dict[str, Int64Array] = {}
    if lanes.text is not None:
        # Among the candidates, not all that say a word: of those, only the best are candidates.
        ranks["text"] = ranks_of(words, words > 0, content, candidates.ids)
    ordered = {} if lanes.vectors is None else {"vector": lanes.vectors.ids}
    for lane, items in lanes.ranked.items():
        ordered[lane] = np.array([item.id for item in items], dtype=np.int64)
    for lane, ids in ordered.items():
        ranks[lane] = np.zeros(len(candidates.ids), dtype=np.int64)
        ranks[lane][candidates.ids.searchsorted(ids)] = np.arange(1, len(ids) + 1)
    return ranks


def best_ranks(ranks: Mapping[str, Int64Array], size: int) -> Int64Array:
    best = np.full(size, UNRANKED, dtype=np.int64)
    for in_lane in ranks.values():
        np.minimum(best, in_lane, out=best, where=in_lane > 0)
    return best


def rank_bonuses(candidates: Candidates) -> Float64Array:
    """What the lanes without scores add to each candidate under score fusion."""
    total = np.zeros(len(candidates.ids))
    for lane, items in candidates.lanes.ranked.items():
        for rank, item in enumerate(items, 1):
            total[np.searchsorted(candidates.ids, item.id)] += rank_bonus(lane, rank, item.weight)
    return total
