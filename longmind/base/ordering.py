"""Small arrays in order: distinct values, and the best of many, with ties that never hang on chance."""

from __future__ import annotations

from typing import Any, Final

from longmind.base.arrays import AnyFloatArray, BoolArray, Int64Array, np
from longmind.base.columns import AnyColumn

_SAMPLED: Final = 8
"""A sample has so many values for each one that is wanted."""


def distinct(values: Int64Array) -> Int64Array:
    """Ascending, each once; `np.unique` hashes, and its first call imports all that numpy has for masks."""
    ascending = np.sort(values, kind="stable")  # the fastest where parts are in order already
    return ascending[first_of_each(ascending)]


def first_of_each(ascending: Int64Array) -> BoolArray:
    first = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def median(ascending: AnyFloatArray) -> float:
    """Of values in order; `np.median` takes as long for a few as for thousands."""
    lower, upper = ascending[(len(ascending) - 1) // 2], ascending[len(ascending) // 2]
    return float((lower + upper) / 2)


def positions_among(ascending: Int64Array, ids: Int64Array) -> Int64Array:
    """The position of each id among those that ascend; -1 where it is not there."""
    if len(ascending) == 0:
        return np.full(len(ids), -1, dtype=np.int64)
    nearest = np.minimum(ascending.searchsorted(ids), len(ascending) - 1)
    positions: Int64Array = np.where((ids > 0) & (ascending[nearest] == ids), nearest, -1)
    return positions


def numbered(values: Int64Array) -> Int64Array:
    """The place of each value among the distinct ones."""
    order = np.argsort(values, kind="stable")
    numbers = np.empty(len(values), dtype=np.int64)
    numbers[order] = np.cumsum(first_of_each(values[order])) - 1
    return numbers


def falling(values: AnyFloatArray, *ties: Int64Array) -> Int64Array:
    """Places by falling value; those of one value by the ties, the first counts most, and then by place."""
    order: Int64Array = np.argsort(-values, kind="stable")
    if ties:
        in_order = values[order]
        # Most values are different, and then one sort is enough.
        if (in_order[1:] == in_order[:-1]).any():
            order = np.lexsort((*reversed(ties), -values))
    return order


def best(values: AnyFloatArray, ids: Int64Array, limit: int, *, content: AnyColumn | None) -> Int64Array:
    """The places of the highest values, best first; ties by the id's content, and then by place."""
    if len(values) <= limit:
        return falling(values) if content is None else falling(values, content[ids])
    indexes: Int64Array = (values >= _least(values, limit)).nonzero()[0]
    if len(indexes) > limit:
        # All that reach the last place, so that ties are cut by the order and not by chance.
        reached = values[indexes]
        indexes = indexes[reached >= np.partition(reached, len(reached) - limit)[len(reached) - limit]]
    order: Int64Array = indexes[best(values[indexes], ids[indexes], len(indexes), content=content)]
    return order[:limit]


def last_of_best(values: AnyFloatArray, limit: int) -> Any:
    """The value at the last of the best `limit` places, of more values than that."""
    reached = values[values >= _least(values, limit)]
    return np.partition(reached, len(reached) - limit)[len(reached) - limit]


def _least(values: AnyFloatArray, limit: int) -> Any:
    """A value that the best `limit` reach, and not many more do: a sample shows about where it is."""
    step = len(values) // (_SAMPLED * limit)
    if step > 1:
        sample = values[::step]
        index = len(sample) - 2 * limit // step - _SAMPLED
        guess = np.partition(sample, index)[index]
        if np.count_nonzero(values >= guess) >= limit:
            return guess
    return np.partition(values, len(values) - limit)[len(values) - limit]
