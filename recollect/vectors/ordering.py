"""Small arrays in order: distinct values, and the best of many, with ties that never hang on chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Ids = Mask = Any


def distinct(values: Ids) -> Ids:
    """Ascending, each once; for so few, sorting is faster than `np.unique`, which hashes."""
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
    least = np.partition(values, len(values) - limit)[len(values) - limit]
    # All that reach the last place, so that ties are cut by the order and not by chance.
    places = np.flatnonzero(values >= least)
    return places[best(values[places], ids[places], len(places), content=content)][:limit]
