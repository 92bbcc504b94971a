"""Small arrays in order: distinct values, and the best of many, with ties that never hang on chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Ids = Mask = Any

_SAMPLED: Final = 8
"""A sample has so many values for each one that is wanted."""


def distinct(values: Ids) -> Ids:
    """Ascending, each once; `np.unique` hashes, and its first call imports all that numpy has for masks."""
    import numpy as np

    ascending = np.sort(values, kind="stable")  # the fastest where parts are in order already
    return ascending[first_of_each(ascending)]


def first_of_each(ascending: Ids) -> Mask:
    import numpy as np

    first = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def numbered(values: Ids) -> Ids:
    """The place of each value among the distinct ones."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    numbers = np.empty(len(values), dtype=np.int64)
    numbers[order] = np.cumsum(first_of_each(values[order])) - 1
    return numbers


def falling(values: Floats, *ties: Ids) -> Ids:
    """Places by falling value; those of one value by the ties, the first counts most, and then by place."""
    import numpy as np

    places: Ids = np.argsort(-values, kind="stable")
    if ties:
        in_order = values[places]
        # Most values are different, and then one sort is enough.
        if (in_order[1:] == in_order[:-1]).any():
            places = np.lexsort((*reversed(ties), -values))
    return places


def best(values: Floats, ids: Ids, limit: int, *, content: Ids | None) -> Ids:
    """The places of the highest values, best first; ties by the id's content, and then by place."""
    import numpy as np

    if len(values) <= limit:
        return falling(values) if content is None else falling(values, content[ids])
    places: Ids = (values >= _least(values, limit)).nonzero()[0]
    if len(places) > limit:
        # All that reach the last place, so that ties are cut by the order and not by chance.
        reached = values[places]
        places = places[reached >= np.partition(reached, len(reached) - limit)[len(reached) - limit]]
    chosen: Ids = places[best(values[places], ids[places], len(places), content=content)]
    return chosen[:limit]


def last_of_best(values: Floats, limit: int) -> Any:
    """The value at the last of the best `limit` places, of more values than that."""
    import numpy as np

    reached = values[values >= _least(values, limit)]
    return np.partition(reached, len(reached) - limit)[len(reached) - limit]


def _least(values: Floats, limit: int) -> Any:
    """A value that the best `limit` reach, and not many more do: a sample shows about where it is."""
    import numpy as np

    step = len(values) // (_SAMPLED * limit)
    if step > 1:
        sample = values[::step]
        place = len(sample) - 2 * limit // step - _SAMPLED
        guess = np.partition(sample, place)[place]
        if np.count_nonzero(values >= guess) >= limit:
            return guess
    return np.partition(values, len(values) - limit)[len(values) - limit]
