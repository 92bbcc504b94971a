"""Vectors from all over a store: what the cosines of unrelated texts look like is measured on them."""

from __future__ import annotations

import operator
import threading
import weakref
from typing import Final, TypeAlias

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.columns import FrameMask, Mask, some_shown
from longmind.store.transaction import Snapshot
from longmind.vectors.nearest import NearestFrames

_KEPT: Final = 4
"""So many masks have their sample in memory, of about half a megabyte each."""

Sample: TypeAlias = tuple[Int64Array, Float64Array]
"""Windows, and of which frame each is."""


class VectorSamples:
    """Vectors from all over what a mask shows, kept for the next question under the same mask."""

    def __init__(self) -> None:
        self._kept: list[tuple[list[weakref.ref[BoolArray]], Sample]] = []
        """Newest first. A mask is of one revision, and is kept by the catalog as long as that is read."""
        self._lock = threading.Lock()

    def of(self, mask: Mask, neighbours: NearestFrames, snapshot: Snapshot, *, count: int) -> Sample:
        """About so many frames, from the first that the mask shows to the last."""
        arrays = [shown for _, shown in mask.parts] if isinstance(mask, FrameMask) else [mask]
        with self._lock:
            kept = list(self._kept)
        for masks, sample in kept:
            if len(masks) == len(arrays) and all(map(operator.is_, (each() for each in masks), arrays)):
                return sample
        frames, vectors = neighbours.windows(some_shown(mask, count), snapshot)
        sample = frames, vectors.astype(np.float64)
        entry = [weakref.ref(shown) for shown in arrays], sample
        with self._lock:
            current = [item for item in self._kept if all(each() is not None for each in item[0])]
            self._kept = [entry, *current][:_KEPT]
        return sample
