"""How sure is it that a hit bears on the question? One number from 0 to 1, the same for every store and lane.

A score only orders the hits of one search: the best is near 1 even where nothing fits. Confidence compares
what was found with what could have been: how near in meaning a text is by the embedder's own scale, and how
much of what the question says it says too. `python -m bench evidence` derives the constants from public
sets and from questions put to stores that know nothing of them, and prints how well they hold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longmind.base.arrays import Float32Array, Float64Array, Int64Array, np
from longmind.base.columns import Mask
from longmind.base.ordering import median
from longmind.search import constants
from longmind.search.candidates import Candidates
from longmind.search.question import Question
from longmind.search.rerank import Bonus
from longmind.search.state import SearchState
from longmind.text.lane import K1, TextScores
from longmind.vectors.quantized import best_windows
from longmind.vectors.samples import Sample


@dataclass(frozen=True, slots=True)
class CosineScale:
    """The cosines that an embedder gives a question and texts that have nothing to do with it."""

    mean: float
    deviation: float
    is_measured: bool = False
    """On the store itself, where texts that are all about one subject pass for unrelated ones."""

    def standard(self, cosine: Float64Array) -> Float64Array:
        """Cosines as the embedder of the constants would give them."""
        standard = constants.UNRELATED
        return standard.mean + standard.deviation * (cosine - self.mean) / self.deviation


def scale_of(state: SearchState, vector: Float32Array, mask: Mask) -> CosineScale | None:
    """The embedder's scale: known for the default one, else measured on texts from all over the store.

    None where there are too few texts to tell: then only words count.
    """
    embedder, neighbours = state.binding.embedder, state.binding.neighbours
    if embedder is None or neighbours is None:
        return None
    if embedder.identity.model == constants.UNRELATED_OF:
        return CosineScale(constants.UNRELATED.mean, constants.UNRELATED.deviation)
    sample = state.samples.of(mask, neighbours, state.snapshot, count=constants.SCALE_SAMPLE)
    return _measured(sample, vector)


def _measured(sample: Sample, vector: Float32Array) -> CosineScale | None:
    _, cosines = best_windows(*sample, vector)
    if len(cosines) < constants.SCALE_LEAST:
        return None
    # The few that do fit widen the spread, which errs on the careful side.
    deviation = max(_deviation(cosines), constants.SCALE_FLOOR)
    return CosineScale(median(np.sort(cosines)), deviation, is_measured=True)


def _deviation(values: Float64Array) -> float:
    """As `numpy.std` has it, which takes longer for a few hundred numbers than the cosines themselves."""
    apart = values - values.sum() / len(values)
    return math.sqrt(float((apart * apart).sum()) / len(values))


def known_from(scale: CosineScale | None, familiar: float) -> float:
    """The confidence from which a hit counts as known, by how much could be compared."""
    by_words, by_both = constants.KNOWN_BY_WORDS, constants.KNOWN
    return by_words if scale is None or scale.is_measured else by_words + familiar * (by_both - by_words)


def word_shares(text: TextScores | None, words: Float64Array, total: int) -> Float64Array:
    """Of the most that a text could score on the question's words, the share that each does."""
    if text is None:
        return np.zeros(len(words))
    # A word that no text says is missing from all of them, and as telling as the rarest one.
    rarest = math.log(1 + (total + 0.5) / 0.5)
    weights = [use.weight if use.frames else rarest for use in text.terms if use.used or not use.frames]
    most = (K1 + 1) * sum(weights)
    return np.clip(words / most, 0.0, 1.0) if most > 0 else np.zeros(len(words))


def confidences(
    candidates: Candidates,
    question: Question,
    bonuses: Mapping[int, Sequence[Bonus]],
    *,
    scale: CosineScale | None,
    familiar: float,
    total: int,
) -> Float64Array:
    """For each candidate, from 0 to 1."""
    signals = candidates.signals
    shares = np.sqrt(word_shares(candidates.lanes.text, signals.words, total))
    by_words = constants.CONFIDENCE_WORDS
    logits = by_words.base + by_words.words * shares
    if signals.cosine is not None and scale is not None:
        both = constants.CONFIDENCE
        near = both.base + both.meaning * scale.standard(signals.cosine) + both.words * shares
        # A frame that has no vector yet, as hooks write them, is judged by its words.
        near = np.where(np.isfinite(near), near, logits)
        if scale.is_measured:
            near = np.maximum(near, logits)
        # Vectors of a language that the embedder does not know are all alike: there words decide.
        logits = familiar * near + (1 - familiar) * logits
    if question.is_request:
        logits = logits + constants.CONFIDENCE_REQUEST
    logits = logits + _agreeing(candidates, question, bonuses)
    certain: Float64Array = np.round(1 / (1 + np.exp(-logits)), 6)
    return certain


def _agreeing(
    candidates: Candidates, question: Question, bonuses: Mapping[int, Sequence[Bonus]]
) -> Float64Array:
    """What exact agreements add: a name or phrase said exactly, a known name, the time meant."""
    added = np.zeros(len(candidates.ids))
    for position, awarded in bonuses.items():
        exact = {bonus.name for bonus in awarded} & {"identifier", "phrase"}
        added[position] += constants.CONFIDENCE_EXACT * bool(exact)
    for lane, items in candidates.lanes.ranked.items():
        # The newest of all, where nothing was to look for, agree with nothing.
        if lane == "timeline" and question.time.range is None and question.time.recency is None:
            continue
        # Some photo is always nearest: only where a picture is asked for does that say that it is meant.
        if lane == "images" and all(item.weight is None for item in items):
            continue
        lane_ids = np.array([item.id for item in items], dtype=np.int64)
        added[_places(candidates.ids, lane_ids)] += constants.CONFIDENCE_LANE
    return added


def _places(ascending: Int64Array, ids: Int64Array) -> Int64Array:
    positions: Int64Array = ascending.searchsorted(ids)
    return positions
