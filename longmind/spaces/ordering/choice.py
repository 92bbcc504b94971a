"""Which ordering is meant, and which objects it puts first."""

from __future__ import annotations

import heapq
import logging
from typing import Final

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput
from longmind.spaces.ordering.basic import Basic
from longmind.spaces.ordering.hybrid import Hybrid
from longmind.spaces.ordering.patricia import Patricia
from longmind.spaces.ordering.protocol import Ordering, Scores
from longmind.spaces.ordering.raptor import Raptor
from longmind.spaces.ordering.search import BySearch
from longmind.spaces.space_index import LEVELS, SpaceIndex

DEFAULT: Final = "basic"
_BUILT_IN: Final = (Basic(), Patricia(), Raptor(), Hybrid(), BySearch())
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


def known(name: str) -> str:
    """The ordering that a name stands for: itself, or the default."""
    folded = name.strip().lower()
    return folded if folded in ORDERINGS else DEFAULT


def choose(name: str) -> tuple[Ordering, str | None]:
    """The ordering of this name; an unknown one is basic, with a warning."""
    ordering = ORDERINGS[known(name)]
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
