"""Everything that one search reckoned, and what of it is told of each hit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from longmind.search.candidates import Candidates
from longmind.search.classify import Classified
from longmind.search.fusion import Fused, rank_bonus, ranks_of
from longmind.search.rerank import Bonus
from longmind.search.results import LaneRank, Step
from longmind.search.timeline import TimeSense
from longmind.text.query import TextQuery
from longmind.vectors.nearest import VectorHits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]
else:
    Floats = Ids = Any

UNRANKED: Final = 2**63 - 1
"""The best rank of what no lane has ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Everything that one search reckoned, before the frames are fetched."""

    candidates: Candidates
    fused: Fused
    scores: Floats
    placed: Ids
    """Positions in the pool, best first."""
    ranks: Mapping[str, Ids]
    bonuses: Mapping[int, Sequence[Bonus]]
    plan: TextQuery
    kind: Classified
    sense: TimeSense


def lane_ranks(candidates: Candidates, near: VectorHits | None, content: Ids) -> dict[str, Ids]:
    import numpy as np

    ranks: dict[str, Ids] = {}
    if any(report.name == "text" for report in candidates.reports):
        ranks["text"] = ranks_of(candidates.words, candidates.words > 0, content, candidates.ids)
    found = {} if near is None else {"vector": near.ids}
    for lane, items in candidates.ranked.items():
        found[lane] = np.array([item.id for item in items], dtype=np.int64)
    for lane, ids in found.items():
        ranks[lane] = np.zeros(len(candidates.ids), dtype=np.int64)
        ranks[lane][candidates.ids.searchsorted(ids)] = np.arange(1, len(ids) + 1)
    return ranks


def best_ranks(ranks: Mapping[str, Ids], size: int) -> Ids:
    import numpy as np

    best = np.full(size, UNRANKED, dtype=np.int64)
    for places in ranks.values():
        np.minimum(best, places, out=best, where=places > 0)
    return best


def rank_bonuses(candidates: Candidates) -> Floats:
    import numpy as np

    added = np.zeros(len(candidates.ids))
    for lane, items in candidates.ranked.items():
        for rank, item in enumerate(items, 1):
            added[np.searchsorted(candidates.ids, item.id)] += rank_bonus(lane, rank)
    return added


def lanes_of(scored: Ranking, places: Ids) -> list[dict[str, LaneRank]]:
    """For each of the places, the lanes that found it."""
    own = {"text": scored.candidates.words, "vector": scored.candidates.cosine}
    found: list[dict[str, LaneRank]] = [{} for _ in places]
    for lane, ranks in scored.ranks.items():
        values = own.get(lane)
        scores = [math.nan] * len(places) if values is None else values[places].tolist()
        for lanes, rank, score in zip(found, ranks[places].tolist(), scores, strict=True):
            if rank > 0:
                lanes[lane] = LaneRank(rank, score if math.isfinite(score) else None)
    return found


def steps_of(scored: Ranking, places: Ids) -> list[tuple[Step, ...]]:
    """For each of the places, what its score is the sum of."""
    candidates = scored.candidates
    steps: list[list[Step]] = [[] for _ in places]
    for name, part in scored.fused.parts.items():
        for taken, amount in zip(steps, part[places].tolist(), strict=True):
            if amount != 0.0:
                taken.append(Step(name, amount))
    for lane, items in candidates.ranked.items():
        if items and lane not in scored.fused.parts:
            for taken, rank in zip(steps, scored.ranks[lane][places].tolist(), strict=True):
                if rank:
                    taken.append(Step(lane, rank_bonus(lane, rank), items[rank - 1].reason))
    for taken, place in zip(steps, places.tolist(), strict=True):
        taken += [Step(bonus.name, bonus.amount, bonus.reason) for bonus in scored.bonuses.get(place, ())]
    return [tuple(taken) for taken in steps]
