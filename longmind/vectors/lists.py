"""Codes in lists of those that are alike: a question looks through the lists nearest to it, and no others.

The windows of each part of an index stand list by list, so that whole runs of codes are passed over. What is
added later stands behind them all, in no list, and is always looked through.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from longmind.base.arrays import BoolArray, Float16Array, Float32Array, Int64Array, np

LISTS: Final = 512
"""So many that a part of an index has runs of more than a hundred codes: shorter ones save little."""
PART: Final = 80_000
"""So many windows stand list by list before the lists begin anew: all at once would not fit into memory."""
LEAST_WINDOWS: Final = 1 << 16
"""With fewer, to look through all takes as long as anything else in a search."""
DRAWN: Final = 1 << 14
"""So many frames show where windows gather."""
MOST_LOOKED: Final = 160
"""Where more lists are needed than these, all codes are looked through."""
_ROUNDS: Final = 8
_AT_ONCE: Final = 1 << 13
"""So many windows are compared with all middles at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The middle of each list, and where each begins."""

    middles: Float32Array
    starts: Int64Array
    """Of every list of the first part of the index, then of the next; last, where what came since begins."""
    looked: int
    """So many lists are looked through for a question; none where that would find too little."""

    @classmethod
    def spread_as(cls, sample: Float16Array) -> Self:
        """Empty lists, with their middles where the windows of a sample gather."""
        points = _unit(sample.astype(np.float32))
        middles = points[:LISTS]
        for _ in range(_ROUNDS):
            nearest = _nearest(points, middles)
            order = np.argsort(nearest, kind="stable")
            held, first = np.unique(nearest[order], return_index=True)
            middles = middles.copy()
            middles[held] = _unit(np.add.reduceat(points[order], first, axis=0))
        # Rounded as they are stored, so that a list is the same for whoever made it and whoever reads it.
        return cls(middles.astype(np.float16).astype(np.float32), np.zeros(1, dtype=np.int64), 0)

    def with_part(self, vectors: Float16Array) -> tuple[Lists, Int64Array]:
        """The lists with one more part of the index, and the order in which its windows are to stand."""
        nearest = _nearest(vectors, self.middles)
        sizes = np.bincount(nearest, minlength=len(self.middles))
        starts = np.concatenate([self.starts, self.starts[-1] + np.cumsum(sizes)])
        return replace(self, starts=starts), np.argsort(nearest, kind="stable")

    def looking_at(self, count: int) -> Lists:
        """The same, of which so many are looked through for a question."""
        return replace(self, looked=count)

    def near(self, vector: Float32Array, shown: BoolArray) -> BoolArray:
        """Of the windows that are shown, those in the nearest lists, and those in none."""
        lists = len(self.middles)
        nearest = np.argpartition(-(self.middles @ vector), self.looked - 1)[: self.looked]
        begins = (np.arange(0, len(self.starts) - 1, lists)[:, None] + nearest).ravel()
        near = np.zeros(len(shown), dtype=bool)
        for start, end in zip(self.starts[begins].tolist(), self.starts[begins + 1].tolist(), strict=True):
            near[start:end] = shown[start:end]
        near[self.starts[-1] :] = shown[self.starts[-1] :]
        return near

    def packed(self) -> dict[str, Any]:
        return {"middles": self.middles.astype(np.float16).ravel(), "starts": self.starts}

    @classmethod
    def unpacked(cls, arrays: Mapping[str, Any], looked: int, *, dimensions: int, windows: int) -> Self:
        """What `packed` gave; ValueError if it cannot be of such an index, since a store may be anybody's."""
        middles, starts = arrays.get("middles"), arrays.get("starts")
        if middles is None or starts is None or middles.dtype != np.float16 or starts.dtype != np.int64:
            raise ValueError("no lists")
        count = len(middles) // dimensions
        fits = 0 < looked <= count and count * dimensions == len(middles) and len(starts) % count == 1
        if not fits or starts[0] != 0 or starts[-1] > windows or not (np.diff(starts) >= 0).all():
            raise ValueError("lists of other codes")
        return cls(middles.astype(np.float32).reshape(count, dimensions), starts, looked)


def _nearest(vectors: Float16Array | Float32Array, middles: Float32Array) -> Int64Array:
    nearest = np.zeros(len(vectors), dtype=np.int64)
    for first in range(0, len(vectors), _AT_ONCE):
        part = vectors[first : first + _AT_ONCE].astype(np.float32, copy=False)
        nearest[first : first + len(part)] = np.argmax(part @ middles.T, axis=1)
    return nearest


def _unit(vectors: Float32Array) -> Float32Array:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)
