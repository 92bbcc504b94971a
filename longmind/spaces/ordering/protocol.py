"""What an ordering is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from longmind.base.arrays import BoolArray, Float64Array, np
from longmind.spaces.space_index import SpaceIndex

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


def said(index: SpaceIndex, question: Question) -> tuple[Float64Array, BoolArray]:
    """How much of the topic the fields say (0 to 8), and where any of it is said at all."""

    index.seek(question.words)
    amount = np.zeros(index.size)
    matched = np.zeros(index.size, dtype=bool)
    for name, weight in FIELD_WEIGHTS.items():
        for word in question.words:
            slots = index.slots(name, word)
            amount[slots] += weight / len(question.words)
            matched[slots] = True
    return amount, matched if question.words else np.ones(index.size, dtype=bool)


def standing(index: SpaceIndex) -> Float64Array:
    """Relevance and pin, whatever the topic."""

    base: Float64Array = np.array(BASE)[index.relevance] + PINNED * index.pinned
    return base


def preferred(index: SpaceIndex, question: Question) -> Float64Array:

    bonus = np.zeros(index.size)
    for kind in question.prefer_kinds:
        bonus[index.of_kind(kind)] = PREFER
    for tag in question.prefer_tags:
        bonus[index.with_tag(tag)] += PREFER / len(question.prefer_tags)
    return bonus
