"""From several lanes to one order: score fusion as measured, or weighted reciprocal ranks.

Both are pure: arrays in, arrays out, parallel to the candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from longmind.base.ordering import falling
from longmind.search.classify import QueryType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Ids = Mask = Any

METHODS: Final = ("score", "rrf")

RRF_K: Final = 60
RRF_WEIGHTS: Final[Mapping[QueryType, Mapping[str, float]]] = {
    "factual": {"text": 1.2, "vector": 1.0, "facts": 0.8, "timeline": 0.2},
    "semantic": {"text": 0.8, "vector": 1.4, "facts": 0.5, "timeline": 0.2},
    "temporal": {"text": 1.0, "vector": 0.9, "facts": 0.6, "timeline": 1.0},
    "exploratory": {"text": 0.9, "vector": 1.2, "facts": 0.6, "timeline": 0.5},
}

RANK_WEIGHTS: Final[Mapping[str, float]] = {"facts": 0.15, "timeline": 0.1}
"""What the first place of a lane that only ranks adds to a fused score (which is at most about 1)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much words, meaning and late interaction count; divided by their sum, so that kinds compare."""

    words: float
    meaning: float
    late: float


# In talk the exact words carry most; in documents and code the meaning does. Measured over all sets together.
TURNS: Final = Weights(1.0, 1.0, 3.0)
DOCUMENTS: Final = Weights(1.0, 4.0, 2.0)
TURNS_WITHOUT_LATE: Final = Weights(1.0, 1.5, 0.0)
DOCUMENTS_WITHOUT_LATE: Final = Weights(1.0, 3.0, 0.0)

SESSION: Final = 0.4
PREVIOUS: Final = 0.1
NEXT: Final = 0.15
SHORT_TURN: Final = 50
"""A turn of at most this many content words leans on the turns beside it."""


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What is known of each candidate; NaN where a lane has nothing to say of it."""

    words: Floats
    cosine: Floats | None
    late: Floats | None
    is_turn: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """How the candidates that are turns hang together: positions among the candidates, -1 for none."""

    session: Ids
    previous: Ids
    next: Ids
    is_short: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """The score of each candidate, and the parts that it is the sum of."""

    scores: Floats
    parts: Mapping[str, Floats]

    def plus(self, name: str, part: Floats) -> Fused:
        return Fused(self.scores + part, {**self.parts, name: part})


def fuse_scores(signals: Signals, *, most_words: float) -> Fused:
    """Each signal over its maximum, weighted by the kind of frame. `most_words` is the best anywhere."""
    import numpy as np

    late = None if signals.late is None or not np.isfinite(signals.late).any() else signals.late
    if most_words > 0:
        words = np.where(np.isnan(signals.words), 0.0, signals.words) / most_words
    else:
        words = np.zeros(len(signals.words))
    if signals.cosine is None:
        return Fused(words, {"words": words})
    of_words, of_meaning, of_late = _shares(late is not None).take(signals.is_turn.view(np.int8), axis=1)
    parts = {"words": of_words * words, "meaning": of_meaning * _relative(signals.cosine)}
    total = parts["words"] + parts["meaning"]
    if late is not None:
        parts["late"] = of_late * _relative(late)
        total += parts["late"]
    return Fused(total, parts)


@cache
def _shares(late: bool) -> Floats:
    """How much words, meaning and late interaction count: for documents, and for turns."""
    import numpy as np

    kinds = (DOCUMENTS, TURNS) if late else (DOCUMENTS_WITHOUT_LATE, TURNS_WITHOUT_LATE)
    weights = np.array([[kind.words, kind.meaning, kind.late] for kind in kinds])
    shares: Floats = (weights / weights.sum(axis=1, keepdims=True)).T
    return shares


def add_talk(fused: Fused, talk: Talk, is_turn: Mask) -> Fused:
    """A turn borrows from the best of its session, and a short one from the turns beside it."""
    import numpy as np

    scores = fused.scores
    if len(scores) == 0 or not is_turn.any():
        return fused
    in_session = is_turn & (talk.session >= 0)
    best = np.full(int(talk.session.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, talk.session[in_session], scores[in_session])
    session = np.zeros(len(scores))
    session[in_session] = SESSION * best[talk.session[in_session]]
    beside = np.zeros(len(scores))
    leaning = in_session & talk.is_short
    for places, weight in ((talk.previous, PREVIOUS), (talk.next, NEXT)):
        # Only short turns belong together; beside a long one, or none, a turn stands for itself.
        together = (places >= 0) & leaning[places]
        beside[leaning] += weight * np.where(together, scores[places], scores)[leaning]
    scale = np.where(is_turn, 1 / (1 + SESSION), 1.0)
    parts = {name: part * scale for name, part in fused.parts.items()}
    parts["session"], parts["neighbours"] = session * scale, beside * scale
    return Fused((scores + session + beside) * scale, parts)


def fuse_ranks(ranks: Mapping[str, Ids], query_type: QueryType) -> Fused:
    """Weighted reciprocal rank fusion. Ranks begin at 1; 0 stands for 'not found'."""
    import numpy as np

    parts: dict[str, Floats] = {}
    for lane, places in ranks.items():
        weight = RRF_WEIGHTS[query_type][lane]
        parts[lane] = np.where(places > 0, weight / (RRF_K + places), 0.0)
    # Without a lane there is no candidate either.
    return Fused(np.sum(list(parts.values()), axis=0) if parts else np.zeros(0), parts)


def rank_bonus(lane: str, rank: int) -> float:
    """What a place in a lane that only ranks adds under score fusion."""
    return RANK_WEIGHTS[lane] / rank


def order(scores: Floats, best_rank: Ids, content: Ids, ids: Ids) -> Ids:
    """Stable ties: score, best rank in any lane, content hash, id."""
    import numpy as np

    return falling(np.round(scores, 12), best_rank, content, ids)


def ranks_of(values: Floats, found: Mask, content: Ids, ids: Ids) -> Ids:
    """Rank from 1 by falling value among the found; 0 for the rest."""
    import numpy as np

    ranks = np.zeros(len(values), dtype=np.int64)
    chosen = np.flatnonzero(found)
    placed = chosen[falling(values[chosen], content[chosen], ids[chosen])]
    ranks[placed] = np.arange(1, len(placed) + 1)
    return ranks


def _relative(values: Floats) -> Floats:
    """Over the maximum; what is missing counts as the least of what is there."""
    import numpy as np

    known = np.isfinite(values)
    there = values if known.all() else values[known]
    most = float(there.max(initial=0.0))
    if most <= 0:
        return np.zeros(len(values))
    return (values if there is values else np.where(known, values, there.min())) / most
