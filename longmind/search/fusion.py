"""From several lanes to one score: score fusion, the default, or weighted reciprocal ranks.

Pure arithmetic: arrays in, arrays out, parallel to the candidates. The weights are in `constants.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.ordering import falling, median
from longmind.search import constants
from longmind.search.constants import Weights
from longmind.search.question import QueryType


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The scores of each candidate; NaN where a lane has none for it, None where the lane did not run."""

    words: Float64Array
    cosine: Float64Array | None
    late: Float64Array | None
    is_turn: BoolArray


@dataclass(frozen=True, slots=True)
class Cues:
    """What the question itself says about which signals to trust; the defaults say nothing."""

    familiar: float = 1.0
    """From 0 to 1: how far the embedder knows the question's language."""
    names: float = 0.0
    """The share of its content words that are names or numbers."""
    is_request: bool = False
    """True: it asks for advice or a plan, not for what somebody said."""


NO_CUES = Cues()


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """Each candidate's session, and the turns beside it as positions among the candidates; -1 for none."""

    session: Int64Array
    previous: Int64Array
    next: Int64Array
    is_short: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """The score of each candidate, and the parts that add up to it."""

    scores: Float64Array
    parts: Mapping[str, Float64Array]

    def plus(self, name: str, part: Float64Array) -> Fused:
        return Fused(self.scores + part, {**self.parts, name: part})


def fuse_scores(signals: Signals, cues: Cues = NO_CUES) -> Fused:
    """The weighted sum of the signals, each divided by its maximum.

    The weights follow the evidence: words count more where they single out a few texts, and the embedder
    counts less where it does not know the language, or where the question names what it is about.
    """
    late = None if signals.late is None or not np.isfinite(signals.late).any() else signals.late
    words = _relative(signals.words)
    if signals.cosine is None:
        return Fused(words, {"words": words})
    if late is None:
        kinds = constants.DOCUMENTS_WITHOUT_LATE, constants.TURNS_WITHOUT_LATE
    else:
        kinds = constants.DOCUMENTS, constants.TURNS
    shares = _shares(*kinds, separation(words), cues)
    word_share, meaning_share, late_share = shares.take(signals.is_turn.view(np.int8), axis=1)
    parts = {"words": word_share * words, "meaning": meaning_share * _relative(signals.cosine)}
    total = parts["words"] + parts["meaning"]
    if late is not None:
        parts["late"] = late_share * _relative(late)
        total += parts["late"]
    return Fused(total, parts)


def separation(relative: Float64Array) -> float:
    """How far the best text stands out: 1 less the median of the second to tenth, as shares of the best."""
    runners_up = np.sort(relative)[-10:-1]
    return 1.0 - median(runners_up) if len(runners_up) else 1.0


def _shares(documents: Weights, turns: Weights, separated: float, cues: Cues) -> Float64Array:
    """A row for words, meaning and late interaction each; a column for documents and for turns."""
    if cues.is_request:
        return np.array(_MEANING_ALONE)
    weights = np.array([[kind.words, kind.meaning, kind.late] for kind in (documents, turns)])
    # In conversations neither made a difference: their weights rest on the words already.
    weights[0, 0] *= 1 + constants.SEPARATION * separated
    weights[0, 1] /= 1 + constants.NAMES * cues.names
    weights[:, 1] *= cues.familiar
    weights[:, 2] *= constants.LATE_UNFAMILIAR + (1 - constants.LATE_UNFAMILIAR) * cues.familiar
    return _normal(weights)


# In a request ("recommend me ...") the words are those of the wish, and seldom those of what is known: the
# meaning of the whole decides, for turns as for documents. A tenth for words costs .008 of nDCG@10 on
# PrefEval and .002 on BEAM; late interaction, which compares word by word, with half its usual share .007 and
# .042.
_MEANING_ALONE: Final = ((0.0, 0.0), (1.0, 1.0), (0.0, 0.0))


def _normal(weights: Float64Array) -> Float64Array:
    shares: Float64Array = (weights / weights.sum(axis=1, keepdims=True)).T
    return shares


def add_neighbourhood(
    fused: Fused, around: Neighbourhood, is_turn: BoolArray, *, from_session: bool = True
) -> Fused:
    """A turn borrows from the best turn of its session, and a short one from the short turns beside it.

    Not from its session where the answer lies in several of them.
    """
    scores = fused.scores
    if len(scores) == 0 or not is_turn.any():
        return fused
    in_session = is_turn & (around.session >= 0)
    best = np.full(int(around.session.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, around.session[in_session], scores[in_session])
    session = np.zeros(len(scores))
    if from_session:
        session[in_session] = constants.SESSION * best[around.session[in_session]]
    beside = np.zeros(len(scores))
    leaning = in_session & around.is_short
    for positions, weight in ((around.previous, constants.PREVIOUS), (around.next, constants.NEXT)):
        # Beside a long turn, or none, a turn's own score takes the place of its neighbour's: otherwise the
        # first and last turns of a session would lose against those in the middle.
        together = (positions >= 0) & leaning[positions]
        beside[leaning] += weight * np.where(together, scores[positions], scores)[leaning]
    # Back to the range of documents, so that both kinds compare.
    scale = np.where(is_turn, 1 / (1 + constants.SESSION * from_session), 1.0)
    parts = {name: part * scale for name, part in fused.parts.items()}
    parts["session"], parts["neighbours"] = session * scale, beside * scale
    return Fused((scores + session + beside) * scale, parts)


def fuse_ranks(
    ranks: Mapping[str, Int64Array], query_type: QueryType, chosen: Mapping[str, float] | None = None
) -> Fused:
    """Weighted reciprocal rank fusion. Ranks begin at 1; 0 stands for 'not found'.

    `chosen` are the weights of lanes that a caller set instead of the measured ones.
    """
    parts: dict[str, Float64Array] = {}
    for lane, lane_ranks in ranks.items():
        weight = (chosen or {}).get(lane, constants.RRF_WEIGHTS[query_type][lane])
        parts[lane] = np.where(lane_ranks > 0, weight / (constants.RRF_K + lane_ranks), 0.0)
    # Without a lane there is no candidate either.
    return Fused(np.sum(list(parts.values()), axis=0) if parts else np.zeros(0), parts)


def rank_bonus(lane: str, rank: int, weight: float | None = None) -> float:
    """What a rank in a lane without scores adds under score fusion."""
    return (constants.RANK_WEIGHTS[lane] if weight is None else weight) / rank


def order(scores: Float64Array, best_rank: Int64Array, content: Int64Array, ids: Int64Array) -> Int64Array:
    """Positions, best first. Ties are decided by best rank in any lane, content hash, id."""
    # Sums of the same parts differ in the last bits by the order of addition; 12 digits make those ties.
    return falling(np.round(scores, 12), best_rank, content, ids)


def ranks_of(values: Float64Array, matching: BoolArray, content: Int64Array, ids: Int64Array) -> Int64Array:
    """Rank from 1 by falling value among those matching; 0 for the rest."""
    ranks = np.zeros(len(values), dtype=np.int64)
    positions = np.flatnonzero(matching)
    ordered = positions[falling(values[positions], content[positions], ids[positions])]
    ranks[ordered] = np.arange(1, len(ordered) + 1)
    return ranks


def _relative(values: Float64Array) -> Float64Array:
    """Divided by the maximum; a missing value counts as the lowest one present."""
    finite = np.isfinite(values)
    present = values if finite.all() else values[finite]
    highest = float(present.max(initial=0.0))
    if highest <= 0:
        return np.zeros(len(values))
    return (values if present is values else np.where(finite, values, present.min())) / highest
