"""In which order a space answers: six orderings behind one protocol, and the choice between them."""

from __future__ import annotations

import heapq
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput
from longmind.base.words import fold
from longmind.spaces.space_index import LEVELS, SpaceIndex

BASE: Final = (0.0, 1.0, 2.0)
"""By level of relevance: low, medium, high."""
PINNED: Final = 1.0
FIELD_WEIGHTS: Final[Mapping[str, float]] = {"path": 3.0, "tags": 2.0, "summary": 2.0, "raw": 1.0}
PREFER: Final = 1.5
"""The most that `prefer_kinds` and `prefer_tags` add, each."""


@dataclass(frozen=True, slots=True)
class Question:
    """A topic, as words, and what the caller would rather see."""

    topic: str
    words: tuple[str, ...]
    """Distinct and sorted, so that sums do not depend on the order of asking."""
    now: int
    prefer_kinds: tuple[str, ...] = ()
    prefer_tags: tuple[str, ...] = ()
    ranked: Mapping[str, float] = field(default_factory=dict)
    """For the ordering by search: its hits, object id to score in [0, 1]."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """One score per slot, and whether the topic is spoken of there."""

    score: Float64Array
    matched: BoolArray


class Ordering(Protocol):
    """Scores every object of a space for a question. Pure, and each part of a score has an upper bound."""

    name: str

    def score(self, index: SpaceIndex, question: Question) -> Scores: ...


def topic_matches(index: SpaceIndex, question: Question) -> tuple[Float64Array, BoolArray]:
    """How well the fields match the topic (0 to 8), and which objects match at all."""
    index.seek(question.words)
    amount = np.zeros(index.size)
    matched = np.zeros(index.size, dtype=bool)
    for name, weight in FIELD_WEIGHTS.items():
        for word in question.words:
            slots = index.slots(name, word)
            amount[slots] += weight / len(question.words)
            matched[slots] = True
    return amount, matched if question.words else np.ones(index.size, dtype=bool)


def base_scores(index: SpaceIndex) -> Float64Array:
    """Relevance and pin, which do not depend on the topic."""
    base: Float64Array = np.array(BASE)[index.relevance] + PINNED * index.pinned
    return base


def preference_bonus(index: SpaceIndex, question: Question) -> Float64Array:
    bonus = np.zeros(index.size)
    for kind in question.prefer_kinds:
        bonus[index.of_kind(kind)] = PREFER
    for tag in question.prefer_tags:
        bonus[index.with_tag(tag)] += PREFER / len(question.prefer_tags)
    return bonus


# Basic: relevance, pin, and the topic's words in path, tags, summaries and text


class Basic:
    name = "basic"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        amount, matched = topic_matches(index, question)
        return Scores(base_scores(index) + amount + preference_bonus(index, question), matched)


# Patricia: basic, and more the deeper an object's path lies along the path that the topic names

DEPTH: Final = 4.0
"""The bonus of a path that begins with all of the topic's."""
_MOST_SEGMENTS: Final = 16


class Patricia:
    name = "patricia"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        basic = Basic().score(index, question)
        bonus: Float64Array = np.zeros(index.size)
        for segments in _paths(question.topic):
            np.maximum(bonus, _depths(index, segments) * (DEPTH / len(segments)), out=bonus)
        matched = basic.matched | (bonus > 0) if question.words else basic.matched
        return Scores(basic.score + bonus, matched)


def _paths(topic: str) -> list[list[str]]:
    """Possible paths in the topic: words that contain slashes, and all words joined as one path."""
    words = fold(topic).replace("\\", "/").split()
    paths = [[part for part in word.split("/") if part] for word in words if "/" in word]
    whole = [part for word in words for part in word.split("/") if part]
    candidates = [*paths, *([whole] if whole not in paths else [])]
    return [segments[:_MOST_SEGMENTS] for segments in candidates if segments]


def _depths(index: SpaceIndex, segments: list[str]) -> Float64Array:
    """How many leading segments each path shares with these; the beginning of one counts half."""
    depths = np.zeros(index.size)
    prefix = ""
    for depth, segment in enumerate(segments, start=1):
        inside = index.below(f"{prefix}{segment}/")
        begun = index.below(prefix + segment)
        depths[begun] = depth - 0.5
        depths[inside] = depth
        if not len(inside):
            break
        prefix += segment + "/"
    return depths


# Raptor: the topic in tags and summaries, in other objects with the same tag, and how recent it is

TAG: Final = 3.0
SUMMARY: Final = 2.0
CLUSTER: Final = 2.0
"""For an object in a cluster that speaks of nothing but the topic."""
RECENT: Final = 1.0
RECENT_DAYS: Final = 30
_NEAR: Final = 0.5
"""From this share of the topic on, a cluster brings its silent members along."""
_DAY: Final = 86_400_000
_PARTS: Final = 2**20


class Raptor:
    name = "raptor"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        _, matched = topic_matches(index, question)
        overlap: Float64Array = np.zeros(index.size)
        for name, weight in (("tags", TAG), ("summary", SUMMARY)):
            for word in question.words:
                overlap[index.slots(name, word)] += weight / len(question.words)
        cluster = _clusters(index, np.minimum(1.0, overlap / TAG))
        age = np.clip((question.now - index.updated) / (_DAY * RECENT_DAYS), 0.0, 1.0)
        score = base_scores(index) + overlap + CLUSTER * cluster + RECENT * (1.0 - age)
        return Scores(score + preference_bonus(index, question), matched | (cluster >= _NEAR))


def _clusters(index: SpaceIndex, share: Float64Array) -> Float64Array:
    """For each object the mean share of the topic in its best cluster; clusters of one do not count."""
    best: Float64Array = np.zeros(index.size)
    if not share.any():
        return best
    slots, codes = index.tag_pairs()
    if not len(slots):
        return best
    # Whole numbers add up to the same sum in any order.
    sums = np.bincount(codes, weights=np.round(share[slots] * _PARTS))
    counts = np.bincount(codes)
    means = np.where(counts > 1, sums / np.maximum(counts, 1) / _PARTS, 0.0)
    np.maximum.at(best, slots, means[codes])
    return best


# Hybrid: basic, and the names in path, tags and metadata, rare ones more

ENTITY: Final = 4.0
NEIGHBOUR: Final = 1.0
"""For sharing all the rare names of the pinned objects."""
_PINNED_NAMES: Final = 24
_PINNED_OBJECTS: Final = 200


class Hybrid:
    name = "hybrid"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        basic = Basic().score(index, question)
        named = _overlap(index, _rarities(index, question.words))
        near = index.derive("near", _near)
        matched = basic.matched | (named > 0) if question.words else basic.matched
        return Scores(basic.score + ENTITY * named + NEIGHBOUR * near, matched)


def _rarities(index: SpaceIndex, words: Sequence[str]) -> dict[str, float]:
    # Rounded, since the last bit of a logarithm is the C library's own.
    return {
        word: round(math.log1p(len(index) / count), 9) if count else 0.0
        for word, count in index.uses(words).items()
    }


def _overlap(index: SpaceIndex, weights: Mapping[str, float]) -> Float64Array:
    """The share of the words' rarity that an object's names hold, 0 to 1."""
    share: Float64Array = np.zeros(index.size)
    total = sum(weight for _, weight in sorted(weights.items()))
    if total <= 0:
        return share
    for word, owners in index.named([word for word, weight in sorted(weights.items()) if weight]).items():
        share[owners] += weights[word] / total
    return np.minimum(share, 1.0)


def _near(index: SpaceIndex) -> Float64Array:
    """How far each object shares the rarest names that a pinned one shares with another."""
    from longmind.text.words import terms

    pinned = np.flatnonzero(index.pinned & index.alive).tolist()
    chosen = heapq.nsmallest(_PINNED_OBJECTS, pinned, key=index.ids.__getitem__)
    words = {
        word for entry in index.entries_of(chosen) for word in terms(f"{entry.path} {' '.join(entry.tags)}")
    }
    uses = index.uses(sorted(words))
    weights = _rarities(index, [word for word, count in uses.items() if count > 1])
    rarest = heapq.nsmallest(_PINNED_NAMES, weights, key=lambda word: (-weights[word], word))
    return _overlap(index, {word: weights[word] for word in rarest})


# Temporal: what speaks of the topic, the newer the better, in a decay by halves

FRESH: Final = 6.0
"""For what changed just now: as much as the topic in path, tags and one more field, so that age decides
between objects that say about the same, and not whether one answers."""
HALF_LIFE_DAYS: Final = 30


class Temporal:
    name = "temporal"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        basic = Basic().score(index, question)
        age = np.maximum((question.now - index.updated) / (_DAY * HALF_LIFE_DAYS), 0.0)
        # Rounded, since the last bit of a power is the C library's own.
        return Scores(basic.score + np.round(FRESH * np.exp2(-age), 9), basic.matched)


# Search: the order of the search engine, meaning included

HIT: Final = 8.0


class BySearch:
    name = "search"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        scores: Float64Array = np.zeros(index.size)
        for name, score in question.ranked.items():
            slot = index.slot_of.get(name)
            if slot is not None:
                scores[slot] = HIT * score
        if not question.topic.strip():
            return Scores(
                base_scores(index) + preference_bonus(index, question), np.ones(index.size, dtype=bool)
            )
        return Scores(scores + preference_bonus(index, question), scores > 0)


# Which ordering is meant, and which objects it puts first

DEFAULT: Final = "basic"
_BUILT_IN: Final = (Basic(), Patricia(), Raptor(), Hybrid(), Temporal(), BySearch())
ORDERINGS: Final[dict[str, Ordering]] = {ordering.name: ordering for ordering in _BUILT_IN}
_log = logging.getLogger("longmind.spaces")


def register_ordering(ordering: Ordering) -> None:
    """Let spaces be ordered by this one, under its name; the built-in names cannot be replaced.

    A store remembers only the name, so a process that did not register it orders by the default and says so.
    """
    name = check_label(ordering.name, "ordering name")
    if name != name.strip().lower():
        raise InvalidInput(f"The name of an ordering is lower case, not {name!r}.")
    if any(name == built_in.name for built_in in _BUILT_IN):
        raise InvalidInput(f"{name!r} is a built-in ordering.", hint="Choose another name.")
    ORDERINGS[name] = ordering


def ordering_name(name: str) -> str:
    """The ordering that a name stands for: itself, or the default."""
    folded = name.strip().lower()
    return folded if folded in ORDERINGS else DEFAULT


def choose(name: str) -> tuple[Ordering, str | None]:
    """The ordering of this name; an unknown one is basic, with a warning."""
    ordering = ORDERINGS[ordering_name(name)]
    if name.strip().lower() in ORDERINGS:
        return ordering, None
    _log.warning("Unknown backend of a space; falling back to %s.", DEFAULT)
    return ordering, f"unknown backend {name!r}: ordered by {DEFAULT}"


def first(index: SpaceIndex, scores: Scores, allowed: BoolArray, *, limit: int) -> list[int]:
    """Slots in order; at most half of them pinned objects that do not speak of the topic."""
    alive = allowed & index.alive
    speaking = _top(index, scores, alive & scores.matched, limit)
    silent = _top(index, scores, alive & index.pinned & ~scores.matched, limit // 2)
    together = sorted([*speaking, *silent], key=lambda slot: _key(index, scores, slot))
    return together[:limit]


def _key(index: SpaceIndex, scores: Scores, slot: int) -> tuple[bool, float, int, str]:
    """Pinned and of high relevance, then score, then the newest, then the id."""
    leads = bool(index.pinned[slot]) and int(index.relevance[slot]) == LEVELS["high"]
    return (not leads, -round(float(scores.score[slot]), 9), -int(index.updated[slot]), index.ids[slot])


def _top(index: SpaceIndex, scores: Scores, among: BoolArray, limit: int) -> list[int]:
    """The first `limit`, without sorting all: cut by score, then by time, and only then by id."""
    slots = np.flatnonzero(among)
    if limit < 1 or not len(slots):
        return []
    chosen: list[int] = []
    for column in (_value, _recency):
        room = limit - len(chosen)
        if len(slots) <= room:
            break
        values = column(index, scores, slots)
        edge = np.partition(values, len(values) - room)[len(values) - room]
        chosen += slots[values > edge].tolist()
        slots = slots[values == edge]
    room = limit - len(chosen)
    rest = heapq.nsmallest(room, slots.tolist(), key=lambda slot: _key(index, scores, slot))
    return sorted([*chosen, *rest], key=lambda slot: _key(index, scores, slot))


def _value(index: SpaceIndex, scores: Scores, slots: Int64Array) -> Float64Array:
    leads = index.pinned[slots] & (index.relevance[slots] == LEVELS["high"])
    values: Float64Array = np.round(scores.score[slots], 9) + 1e6 * leads
    return values


def _recency(index: SpaceIndex, scores: Scores, slots: Int64Array) -> Float64Array:
    times: Float64Array = index.updated[slots].astype("float64")
    return times
