"""Basic, and more the deeper an object's path lies along the path that the topic names."""

from __future__ import annotations

from typing import Final

from longmind.base.arrays import Float64Array, np
from longmind.base.words import fold
from longmind.spaces.ordering.basic import Basic
from longmind.spaces.ordering.protocol import Question, Scores
from longmind.spaces.space_index import SpaceIndex

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
    """What in the topic may be a path: words with slashes in them, and all its words one below the other."""
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
