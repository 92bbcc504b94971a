"""Columns of frames that are only in part in memory: values by frame id, for the frames of a few segments.

A segment (a user's part of a space, say) keeps its frames in slots, in the order of their ids. Its columns
are arrays by slot, so that they are as long as the segment and not as the store. Where all frames of the
store are in one segment, a frame's slot is its id, and the plain array serves as the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from longmind.base.arrays import AnyArray, BoolArray, Int64Array, np

_SPREAD: Final = 4
"""Ids spread no wider than so many times their number are looked up in a table, others by bisection."""
_ROOM: Final = 1024


class FrameIds:
    """The frames of one segment by slot, ascending from slot 1 on; slot 0 stands for frames not in it."""

    __slots__ = ("_slots", "ids", "is_contiguous", "is_identity")

    def __init__(self, ids: Int64Array) -> None:
        """`ids` begins with 0, for the slot that no frame has."""
        self.ids = ids
        count = len(ids) - 1
        self.is_contiguous = count == 0 or int(ids[-1] - ids[1]) == count - 1
        self.is_identity = self.is_contiguous and (count == 0 or int(ids[1]) == 1)
        self._slots: AnyArray | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def slots(self, ids: Int64Array) -> Int64Array:
        """The slot of each of these frames; 0 for one that is not in the segment."""
        size = len(self.ids)
        if size == 1:
            return np.zeros(np.shape(ids), dtype=np.int64)
        positions = np.asarray(ids - (self.ids[1] - 1), dtype=np.int64)
        # Without a sign, what lies before the first frame lies far behind the last.
        unsigned = positions.view(np.uint64)
        if self.is_contiguous:
            return np.where(unsigned < size, positions, 0)
        span = int(self.ids[-1] - self.ids[1]) + 2
        if span <= _SPREAD * size + _ROOM:
            inside = np.where(unsigned < span, positions, 0)
            slots: Int64Array = self._table(span).take(inside).astype(np.int64)
            return slots
        nearest = np.minimum(self.ids.searchsorted(ids), size - 1)
        return np.where(self.ids[nearest] == ids, nearest, 0)

    def _table(self, span: int) -> AnyArray:
        if self._slots is None:
            table = np.zeros(span, dtype=np.int32)
            table[self.ids[1:] - (self.ids[1] - 1)] = np.arange(1, len(self.ids), dtype=np.int32)
            self._slots = table
        return self._slots


class Column:
    """Values by frame id, from the segments that have them; zero for frames in none."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[tuple[FrameIds, AnyArray]]) -> None:
        self.parts = tuple(parts)

    def take(self, ids: Any) -> Any:
        ids = np.asarray(ids, dtype=np.int64)
        if len(self.parts) == 1:
            [(frames, values)] = self.parts
            return values.take(frames.slots(ids))
        taken = np.zeros(ids.shape, dtype=self.parts[0][1].dtype)
        for frames, values in self.parts:
            slots = frames.slots(ids)
            taken = np.where(slots > 0, values.take(slots), taken)
        return taken

    __getitem__ = take

    def __array__(self, dtype: Any = None, copy: Any = None) -> AnyArray:
        """By id over all ids up to the last: for those who compare whole columns."""
        size = max(int(frames.ids[-1]) for frames, _ in self.parts) + 1
        array = np.zeros(size, dtype=self.parts[0][1].dtype)
        for frames, values in self.parts:
            array[frames.ids[1:]] = values[1:]
        return array if dtype is None else array.astype(dtype)


class FrameMask(Column):
    """Which frames of a few segments may be seen: by frame id, false for all others."""

    __slots__ = ()

    def ids(self) -> Int64Array:
        """The frames that may be seen, ascending."""
        shown = [frames.ids[values] for frames, values in self.parts]
        return shown[0] if len(shown) == 1 else np.sort(np.concatenate(shown), kind="stable")

    def count(self) -> int:
        return sum(int(np.count_nonzero(values)) for _, values in self.parts)


AnyColumn: TypeAlias = AnyArray | Column
Mask: TypeAlias = BoolArray | FrameMask


def joined(parts: Sequence[tuple[FrameIds, AnyArray]]) -> AnyColumn:
    """The column of these parts; a plain array where the slots are the ids."""
    [(frames, values), *others] = parts
    return values if not others and frames.is_identity else Column(parts)


def joined_mask(parts: Sequence[tuple[FrameIds, BoolArray]]) -> Mask:
    [(frames, values), *others] = parts
    return values if not others and frames.is_identity else FrameMask(parts)


def ids_shown(mask: Mask) -> Int64Array:
    """The frames that a mask shows, ascending."""
    return mask.ids() if isinstance(mask, FrameMask) else np.flatnonzero(mask)


def some_shown(mask: Mask, count: int) -> Int64Array:
    """Of the frames that a mask shows about so many, from the first to the last, ascending."""
    if not isinstance(mask, FrameMask) and not mask[:1].any():
        shown = len(mask) - 1
        if shown > 0 and int(np.count_nonzero(mask)) == shown:  # all of them: no need to list them
            return np.arange(1, len(mask), max(1, shown // count))
    visible = ids_shown(mask)
    return visible[:: max(1, len(visible) // count)]


def count_shown(mask: Mask) -> int:
    return mask.count() if isinstance(mask, FrameMask) else int(np.count_nonzero(mask))


def is_shown(mask: Mask, ids: Int64Array) -> BoolArray:
    """Of each frame whether the mask shows it; not those behind its end."""
    if isinstance(mask, FrameMask):
        shown: BoolArray = mask.take(ids)
        return shown
    shown = mask.take(ids, mode="clip")
    return shown if len(ids) == 0 or int(ids.max()) < len(mask) else shown & (ids < len(mask))
