"""How sure is it that a hit bears on the question? One number from 0 to 1, the same for every store and lane.

A score only orders the hits of one search: the best is near 1 even where nothing fits. Confidence compares
what was found with what could have been: how near in meaning a text is by the embedder's own scale, how much
of what the question says it says too and the first hits say between them, and whether it names what is
named. `python -m bench evidence` derives the constants from public sets and from questions put to stores that
know nothing of them, and prints how well they hold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from longmind.base.arrays import BoolArray, Float32Array, Float64Array, Int64Array, np
from longmind.base.columns import Mask
from longmind.base.ordering import median, positions_among
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


def known_from(scale: CosineScale | None, familiar: float, *, names_somebody: bool) -> float:
    """The confidence from which a hit counts as known, by how much could be compared."""
    by_both = constants.KNOWN_OF_SOMEBODY if names_somebody else constants.KNOWN
    by_words = constants.KNOWN_BY_WORDS
    return by_words if scale is None or scale.is_measured else by_words + familiar * (by_both - by_words)


def word_shares(text: TextScores | None, words: Float64Array, total: int) -> Float64Array:
    """Of the most that a text could score on the question's words, the share that each does."""
    if text is None:
        return np.zeros(len(words))
    rarest = _rarest(total)
    weights = [use.weight if use.frames else rarest for use in text.terms if use.used or not use.frames]
    most = (K1 + 1) * sum(weights)
    return np.clip(words / most, 0.0, 1.0) if most > 0 else np.zeros(len(words))


def _rarest(total: int) -> float:
    """The weight of a word that no text says: it is missing from all, and as telling as the rarest one."""
    return math.log(1 + (total + 0.5) / 0.5)


def said_together(text: TextScores | None, first: Int64Array, total: int) -> float:
    """Of what the question says, weighed by rarity, the share that these frames say between them.

    Where no words were looked up, as for vectors alone, it is that of a usual answer: nothing speaks against.
    """
    if text is None:
        return constants.SAID_USUALLY
    rarest = _rarest(total)
    weights: dict[str, float] = {}
    said: set[str] = set()
    for use in text.terms:
        # An identifier is made of words, which are terms of their own.
        if not (use.used or use.frames == 0) or use.term.startswith("="):
            continue
        # Words that stand for one that nobody says have a note in common, and any of them will do.
        origin = (use.note if use.frames else "") or use.term
        weights[origin] = max(use.weight if use.frames else rarest, weights.get(origin, 0.0))
        saying = text.saying.get(use.term)
        # Not `positions_among`, whose checks cost more than the search for five ids.
        if saying is not None and len(saying):
            nearest = saying.take(saying.searchsorted(first), mode="clip")
            if (nearest == first).any():
                said.add(origin)
    whole = sum(weights.values())
    return sum(weights[origin] for origin in said) / whole if whole > 0 else constants.SAID_USUALLY


def names_nothing(text: TextScores | None, named: Sequence[str], ids: Int64Array) -> BoolArray:
    """The frames that name nothing of what the question names, as far as some frame does."""
    known = [] if text is None else [text.saying[term] for term in named if term in text.saying]
    missing = np.ones(len(ids), dtype=bool) if known else np.zeros(len(ids), dtype=bool)
    for saying in known:
        missing &= positions_among(saying, ids) < 0
    return missing


def confidences(
    candidates: Candidates,
    question: Question,
    bonuses: Mapping[int, Sequence[Bonus]],
    *,
    order: Int64Array,
    own: BoolArray | None,
    scale: CosineScale | None,
    familiar: float,
    total: int,
) -> Float64Array:
    """For each candidate, from 0 to 1. `order` has the first hits first.

    `own` are the candidates in which the asker speaks of themselves, where the question is a request.
    """
    signals, text = candidates.signals, candidates.lanes.text
    shares = np.sqrt(word_shares(text, signals.words, total))
    together = said_together(text, candidates.ids[order[: constants.CONFIDENCE_FIRST]], total)
    missing = names_nothing(text, question.named, candidates.ids)

    def logit(weights: constants.Logistic) -> Float64Array:
        by_words = weights.words * shares + weights.together * together - weights.names * missing
        return weights.base + by_words

    logits = logit(constants.CONFIDENCE_WORDS)
    if own is not None:
        logits = _met_by(own, logits, constants.CONFIDENCE_WORDS.base)
    if signals.cosine is not None and scale is not None:
        both = constants.CONFIDENCE
        meaning = both.meaning * scale.standard(signals.cosine)
        near = logit(both) + meaning
        if own is not None:
            near = _met_by(own, near, both.base + meaning)
        # A frame that has no vector yet, as hooks write them, is judged by its words.
        near = np.where(np.isfinite(near), near, logits)
        if scale.is_measured:
            near = np.maximum(near, logits)
        # Vectors of a language that the embedder does not know are all alike: there words decide.
        logits = familiar * near + (1 - familiar) * logits
    logits = logits + agreeing(candidates, question, bonuses)
    certain: Float64Array = np.round(1 / (1 + np.exp(-logits)), 6)
    return certain


def _met_by(own: BoolArray, logits: Float64Array, without_words: float | Float64Array) -> Float64Array:
    """What bears on a request need not share a word with it, if it says something of who asks."""
    return np.where(own, np.maximum(logits, without_words + constants.CONFIDENCE_REQUEST), logits)


_EXACT: Final = ("identifier", "phrase")
"""The bonuses for what a text says exactly as the question does."""


def agreeing(
    candidates: Candidates, question: Question, bonuses: Mapping[int, Sequence[Bonus]]
) -> Float64Array:
    """What exact agreements add: a name or phrase said exactly, a known name, the time meant."""
    added = np.zeros(len(candidates.ids))
    for position, awarded in bonuses.items():
        if any(bonus.name in _EXACT for bonus in awarded):
            added[position] += constants.CONFIDENCE_EXACT
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
