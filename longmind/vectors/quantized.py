"""The windows likely to be nearest, found by codes of four bits a direction."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from longmind.base.filters import View, Where
from longmind.base.ordering import distinct, first_of_each
from longmind.store.engine import Connection
from longmind.store.transaction import Snapshot
from longmind.vectors.exact import cosines as exact_cosines
from longmind.vectors.threads import one_worker

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import numpy as np
    from numpy.typing import NDArray

    Cosines = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Cosines = Floats = Halves = Ids = Mask = Any

LOAD: Final = 20_000
"""So many windows are handed over at once."""

_KEPT: Final = 300_000
"""Up to this many windows the exact vectors stay in memory, as they are stored; beyond, they are read."""

_LEAST_CANDIDATES: Final = 128
_SAMPLE: Final = 16
_TRUTH: Final = 10
_WANTED_RECALL: Final = 0.95
_MOST_CANDIDATES: Final = 3200


@dataclass(frozen=True, slots=True, eq=False)
class VectorQuery:
    """What is looked for, and among which frames."""

    vector: Floats
    mask: Mask
    view: View
    where: Where
    content: Ids | None = None
    """A number for each frame that ties are cut by; without it they are cut by id."""


class Codes:
    """Four bits a direction; asked for more candidates than needed, as many as a sample shows are enough."""

    def __init__(self, index: Any, frames: Ids, vectors: Halves | None) -> None:
        self._index = index
        self._frames = frames
        """Of each window in the index, in the order in which they came."""
        self._is_sorted = True
        self._bounds: Ids | None = None
        """Where the windows of each frame begin, and those of the next one; made when first needed."""
        self._vectors = vectors
        """The windows themselves, with room for more at the end."""
        self._seen: tuple[Mask, Mask, int] | None = None
        self._factor = 1
        self.recall = 1.0
        self._lock = threading.Lock()

    @classmethod
    def build(cls, sample: Halves, parts: Iterable[tuple[Ids, Halves]]) -> Codes:
        """From some of the windows, drawn evenly, and from all of them, in parts."""
        from concurrent.futures import ThreadPoolExecutor

        import numpy as np
        import turbovec

        index = turbovec.TurboQuantIndex(dim=sample.shape[1], bit_width=4)
        with one_worker():
            index.calibrate(sample.astype(np.float32))
        truth = _Nearest(sample[:_SAMPLE].astype(np.float32))
        frames: list[Ids] = []
        kept: list[Halves] = []
        with ThreadPoolExecutor(1) as beside:
            adding = None
            for ids, vectors in parts:
                wide = vectors.astype(np.float32)
                if adding is not None:
                    adding.result()
                adding = beside.submit(index.add, wide)  # without Python, while the next part is read
                truth.look(wide)
                frames.append(ids)
                kept.append(vectors)
                if truth.seen > _KEPT:
                    kept.clear()
            if adding is not None:
                adding.result()
        index.prepare()
        known = np.concatenate(frames)
        codes = cls(index, known, np.concatenate(kept) if truth.seen <= _KEPT else None)
        codes._is_sorted = bool((np.diff(known) >= 0).all())
        codes._check(truth)
        return codes

    def add(self, frames: Ids, vectors: Halves) -> None:
        import numpy as np

        with self._lock:
            self._index.add(vectors.astype(np.float32))
            before, self._seen, self._bounds = len(self._frames), None, None
            after = before + len(frames)
            self._is_sorted &= bool((np.diff(np.append(self._frames[-1:], frames)) >= 0).all())
            self._frames = np.concatenate([self._frames, frames])
            if self._vectors is None or after > _KEPT:
                self._vectors = None
                return
            if after > len(self._vectors):
                room = np.empty((min(_KEPT, after + after // 4), vectors.shape[1]), dtype=vectors.dtype)
                room[:before] = self._vectors[:before]
                self._vectors = room
            self._vectors[before:after] = vectors

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Ids:
        return self.frames_at(self.look(question, limit))

    def look(self, question: VectorQuery, limit: int) -> Any:
        """The places of the likeliest windows; nearly all of it without Python."""
        import numpy as np

        with self._lock:
            mask, count = self._shown(question.mask)
            wanted = quick_number(min(limit * self._factor, count), count)
            if wanted == 0:
                return np.zeros(0, dtype=np.int64)
            # Always with a mask: without one, the answer depends on the number of threads.
            return self._index.search(question.vector[None, :], k=wanted, mask=mask)[1][0]

    def frames_at(self, places: Any) -> Ids:
        """The frames of the windows at these places, ascending and each once."""
        import numpy as np

        return distinct(self._frames[places.astype(np.int64)])

    @property
    def keeps_vectors(self) -> bool:
        return self._vectors is not None

    def cosines(self, vector: Floats, ids: Ids) -> tuple[Ids, Cosines] | None:
        """Of these frames, which ascend; None if the vectors are not in memory."""
        kept = self._some(ids)
        return None if kept is None else best_windows(*kept, vector)

    def _some(self, ids: Ids) -> tuple[Ids, Floats] | None:
        """The windows of these frames, by frame, and in their order."""
        import numpy as np

        with self._lock:
            frames, vectors, is_sorted = self._frames, self._vectors, self._is_sorted
            if vectors is None:
                return None
            if is_sorted and self._bounds is None:
                self._bounds = np.concatenate([[0], np.cumsum(np.bincount(frames))])
            bounds = self._bounds
        if is_sorted and bounds is not None:
            known = ids[ids < len(bounds) - 1]
            first = bounds[known]
            places = spread(first, bounds[known + 1] - first)
        else:
            order = np.argsort(frames, kind="stable")
            places = order[places_of(frames[order], ids)]
        return frames[places], vectors.take(places, axis=0).astype(np.float32)

    def _shown(self, mask: Mask) -> tuple[Mask, int]:
        """The frames' mask as one of windows; kept for the next question under the same filter."""
        import numpy as np

        if self._seen is not None and self._seen[0] is mask:
            return self._seen[1], self._seen[2]
        inside = self._frames < len(mask)
        if inside.all():
            shown = mask[self._frames]
        else:
            shown = np.zeros(len(self._frames), dtype=bool)
            shown[inside] = mask[self._frames[inside]]
        count = int(np.count_nonzero(shown))
        if not mask.flags.writeable:
            self._seen = mask, shown, count
        return shown, count

    def _check(self, truth: _Nearest) -> None:
        """Compare with exact search on a sample of the stored vectors; widen until it is good enough."""
        import numpy as np

        everything = np.ones(truth.seen, dtype=bool)
        while True:
            wanted = quick_number(min(_LEAST_CANDIDATES * self._factor, truth.seen), truth.seen)
            _, slots = self._index.search(truth.asked, k=wanted, mask=everything)
            found = [
                len(set(places.tolist()) & set(row.tolist())) / len(places)
                for places, row in zip(truth.places, slots, strict=True)
            ]
            self.recall = float(np.mean(found))
            if self.recall >= _WANTED_RECALL or wanted >= min(_MOST_CANDIDATES, truth.seen):
                return
            self._factor *= 2


class _Nearest:
    """The windows that are really nearest to a few, found by looking at all of them, part by part."""

    def __init__(self, asked: Floats) -> None:
        import numpy as np

        self.asked = asked
        self.seen = 0
        self.places: Ids = np.zeros((len(asked), 0), dtype=np.int64)
        self._cosines: Floats = np.zeros((len(asked), 0), dtype=np.float32)

    def look(self, vectors: Floats) -> None:
        import numpy as np

        numbers = np.arange(self.seen, self.seen + len(vectors))
        self.seen += len(vectors)
        cosines = np.hstack([self._cosines, self.asked @ vectors.T])
        places = np.hstack([self.places, np.broadcast_to(numbers, (len(self.asked), len(numbers)))])
        best = np.argsort(-cosines, axis=1, kind="stable")[:, :_TRUTH]
        self._cosines = np.take_along_axis(cosines, best, axis=1)
        self.places = np.take_along_axis(places, best, axis=1)


class PendingScan:
    """A question on its way; through codes, on another thread, since the look needs no Python."""

    def __init__(
        self,
        question: Callable[[], VectorQuery],
        snapshot: Snapshot,
        limit: int,
        *,
        codes: Codes | None = None,
        pool: Executor | None = None,
    ) -> None:
        self._question = question
        self.snapshot = snapshot
        self.limit = limit
        self.codes = codes
        self._looking = None if codes is None or pool is None else pool.submit(self._look, codes)

    @property
    def question(self) -> VectorQuery:
        """Waits for it, if it is still being made."""
        return self._question()

    def found(self) -> Ids | None:
        """The frames of the likeliest windows, or None if nobody looked."""
        places = None if self._looking is None else self._looking.result()
        return None if places is None or self.codes is None else self.codes.frames_at(places)

    def _look(self, codes: Codes) -> Any:
        # Whatever fails here fails again, and is seen, when the caller looks for itself.
        with suppress(Exception):
            return codes.look(self.question, candidates_for(self.limit))
        return None


def can_quantize() -> bool:
    """Whether turbovec, which makes the codes, is installed: it is optional."""
    try:
        import turbovec  # noqa: F401
    except ImportError:
        return False
    return True


def candidates_for(limit: int) -> int:
    """So many candidates for the best `limit`."""
    return max(_LEAST_CANDIDATES, limit + limit // 5)


def quick_number(wanted: int, among: int) -> int:
    """As many, or a few more: turbovec is ten times slower for 1/32 to 1/16 of what a mask shows."""
    return among // 16 + 1 if 16 * wanted < among <= 32 * wanted else wanted


def best_windows(frames: Ids, vectors: Floats, vector: Floats) -> tuple[Ids, Cosines]:
    """The cosine of each frame's best window; the frames ascend."""
    import numpy as np

    if len(frames) == 0:
        return frames, np.zeros(0)
    cosines = exact_cosines(vectors, vector)
    first = first_of_each(frames)
    if first.all():
        return frames, cosines
    starts = np.flatnonzero(first)
    return frames[starts], np.maximum.reduceat(cosines, starts)


def places_of(frames: Ids, ids: Ids) -> Ids:
    """Where the windows of these frames are, in frames that ascend; both by frame."""
    import numpy as np

    first = np.searchsorted(frames, ids, side="left")
    counts = np.searchsorted(frames, ids, side="right") - first
    return spread(first, counts)


def spread(first: Ids, counts: Ids) -> Ids:
    """So many places from each first one on."""
    import numpy as np

    if (counts == 1).all():
        return first
    offsets = np.cumsum(counts) - counts
    places: Ids = np.repeat(first - offsets, counts) + np.arange(int(counts.sum()))
    return places
