"""The nearest frames to a question's vector: exactly while there are few, by quantised codes when many.

Whatever finds the candidates, their cosines are reckoned from the stored vectors.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from recollect.base.filters import View, Where
from recollect.store.engine import Row, Rows
from recollect.store.frames import batches
from recollect.store.transaction import Snapshot
from recollect.store.visible import among

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Halves = Ids = Mask = Any

EXACT_LIMIT: Final = 20_000
"""Up to this many windows every search looks at all of them."""

_FEW: Final = 2000
"""So few frames are looked at one by one when the candidates among them fall short."""

_KEPT: Final = 300_000
"""Up to this many windows the exact vectors stay in memory, as they are stored; beyond, they are read."""

_LOAD: Final = 20_000
_LEAST_CANDIDATES: Final = 400
_SAMPLE: Final = 16
_WANTED_RECALL: Final = 0.95
_MOST_CANDIDATES: Final = 3200


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Frames with their cosine (the best of their windows), best first."""

    ids: Ids
    cosines: Floats
    method: str


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is looked for, and among which frames."""

    vector: Floats
    mask: Mask
    view: View
    where: Where
    content: Ids | None = None
    """A number for each frame that ties are cut by; without it they are cut by id."""


class Candidates(Protocol):
    """Finds the frames of the windows likely to be nearest, among the frames the question may see."""

    def find(self, question: Question, rows: Rows, limit: int) -> Ids: ...


class Neighbours:
    """One store's vectors in memory, kept current with what any process wrote."""

    def __init__(
        self, dimensions: int, *, remote: Candidates | None = None, exact_limit: int = EXACT_LIMIT
    ) -> None:
        self._dimensions = dimensions
        self._remote = remote
        self._exact_limit = exact_limit
        self._lock = threading.Lock()
        self._clear()

    def nearest(self, question: Question, snapshot: Snapshot, limit: int) -> Near:
        """The best `limit` frames by cosine, ties by content."""
        import numpy as np

        exact, codes = self._at(snapshot)
        if exact is not None:
            ids, cosines = exact.cosines(question)
            method = "exact"
        else:
            finder = self._remote if self._remote is not None else codes
            assert finder is not None
            found = self._complete(finder, question, snapshot.rows, max(_LEAST_CANDIDATES, 2 * limit))
            ids, cosines = self.cosines(question.vector, found, snapshot)
            method = "pgvector, reranked" if self._remote is not None else "quantised, reranked"
        if len(ids) > limit:
            # All that reach the last place, so that ties are cut by the order below and not by chance.
            least = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
            kept = cosines >= least
            ids, cosines = ids[kept], cosines[kept]
        content = ids if question.content is None else question.content[ids]
        order = np.lexsort((ids, content, -cosines))[:limit]
        return Near(ids[order], cosines[order], method)

    def _complete(self, finder: Candidates, question: Question, rows: Rows, limit: int) -> Ids:
        """Enough candidates: the nearest windows may all be of a few frames, or a finder give up early."""
        import numpy as np

        seen = int(np.count_nonzero(question.mask))
        enough = min(limit // 2, seen)
        for wider in (1, 4, 16):
            found = finder.find(question, rows, limit * wider)
            if len(found) >= enough:
                return found
            if seen <= _FEW:
                break
        return np.flatnonzero(question.mask) if seen <= EXACT_LIMIT else found

    def cosines(self, vector: Floats, ids: Sequence[int] | Ids, snapshot: Snapshot) -> tuple[Ids, Floats]:
        """Exact cosines of these frames, those without vectors left out; ascending by id."""
        import numpy as np

        wanted = distinct(np.asarray(ids, dtype=np.int64))
        exact, codes = self._at(snapshot)
        if exact is not None:
            frames, vectors = exact.some(wanted)
        else:
            kept = None if codes is None else codes.some(wanted)
            frames, vectors = kept or _rows_of(snapshot.rows, wanted.tolist(), self._dimensions)
        return _best_windows(frames, vectors @ vector) if len(frames) else (frames, vectors[:, 0])

    # Keeping current

    def _clear(self) -> None:
        self._revision = -1
        self._identity: tuple[Row, ...] = ()
        """Of which embedder the vectors are, and since when."""
        self._frames: list[Ids] = []
        self._vectors: list[Halves] = []
        self._count = 0
        self._exact: _Exact | None = None
        self._codes: _Codes | None = None

    def _at(self, snapshot: Snapshot) -> tuple[_Exact | None, _Codes | None]:
        with self._lock:
            if snapshot.revision > self._revision:
                self._refresh(snapshot)
            return self._exact, self._codes

    def _refresh(self, snapshot: Snapshot) -> None:
        import numpy as np

        named = tuple(
            snapshot.rows.all(
                "SELECT value FROM store_setting WHERE name IN ('vectors.embedder', 'vectors.rebuilt') "
                "ORDER BY name"
            )
        )
        erased = snapshot.rows.one("SELECT 1 FROM erasure WHERE erased_at > ? LIMIT 1", (self._revision,))
        if named != self._identity or (erased is not None and self._revision >= 0):
            self._clear()
            self._identity = named
        if self._remote is not None and self._counted(snapshot.rows) > self._exact_limit:
            self._exact = None
            self._revision = snapshot.revision
            return
        grown = False
        for frames, vectors in _load(snapshot.rows, self._revision, self._dimensions):
            grown = True
            self._count += len(frames)
            if self._codes is not None:
                self._codes.add(frames, vectors)
            else:
                self._frames.append(frames)
                self._vectors.append(vectors)
        if self._codes is None and self._count > self._exact_limit:
            parts, self._vectors = self._vectors, []
            self._codes = _Codes.build(np.concatenate(self._frames), np.concatenate(parts))
            self._frames, self._exact = [], None
        elif self._codes is None and (grown or self._exact is None):
            frames, vectors = self._collected()
            self._exact = _Exact.build(frames, vectors)
            self._frames, self._vectors = [frames], [vectors]
        self._revision = snapshot.revision

    def _collected(self) -> tuple[Ids, Halves]:
        """All windows so far, by frame."""
        import numpy as np

        frames = np.concatenate([np.zeros(0, dtype=np.int64), *self._frames])
        vectors = np.concatenate([np.zeros((0, self._dimensions), dtype=np.float16), *self._vectors])
        order = np.argsort(frames, kind="stable")
        return frames[order], vectors[order]

    def _counted(self, rows: Rows) -> int:
        row = rows.one("SELECT coalesce(sum(windows), 0) FROM frame_vector")
        return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Exact:
    """All windows as one matrix, in the order of their frames."""

    frames: Ids
    vectors: Floats
    starts: Ids
    distinct: Ids

    @classmethod
    def build(cls, frames: Ids, vectors: Halves) -> _Exact:
        import numpy as np

        distinct, starts = np.unique(frames, return_index=True)
        return cls(frames, vectors.astype(np.float32), starts, distinct)

    def cosines(self, question: Question) -> tuple[Ids, Floats]:
        import numpy as np

        if len(self.frames) == 0:
            return self.distinct, np.zeros(0, dtype=np.float32)
        best = np.maximum.reduceat(self.vectors @ question.vector, self.starts)
        inside = self.distinct < len(question.mask)
        seen = np.zeros(len(self.distinct), dtype=bool)
        seen[inside] = question.mask[self.distinct[inside]]
        return self.distinct[seen], best[seen]

    def some(self, ids: Ids) -> tuple[Ids, Floats]:
        places = _places(self.frames, ids)
        return self.frames[places], self.vectors[places]


class _Codes:
    """Four bits a direction; asked for more candidates than needed, as many as a sample shows are enough."""

    def __init__(self, index: Any, frames: Ids, vectors: Halves) -> None:
        self._index = index
        self._frames = frames
        """Of each window in the index, in the order in which they came."""
        self._is_sorted = True
        self._vectors: Halves | None = vectors if len(vectors) <= _KEPT else None
        """The windows themselves, with room for more at the end."""
        self._seen: tuple[Mask, Mask, int] | None = None
        self._factor = 1
        self.recall = 1.0
        self._lock = threading.Lock()

    @classmethod
    def build(cls, frames: Ids, vectors: Halves) -> _Codes:
        import numpy as np
        import turbovec

        index = turbovec.TurboQuantIndex(dim=vectors.shape[1], bit_width=4)
        step = max(1, len(vectors) // 1024)
        index.calibrate(vectors[::step].astype(np.float32))
        for first in range(0, len(vectors), _LOAD):
            index.add(vectors[first : first + _LOAD].astype(np.float32))
        index.prepare()
        codes = cls(index, frames, vectors)
        codes._is_sorted = bool((np.diff(frames) >= 0).all())
        codes._check(vectors)
        return codes

    def add(self, frames: Ids, vectors: Halves) -> None:
        import numpy as np

        with self._lock:
            self._index.add(vectors.astype(np.float32))
            before, self._seen = len(self._frames), None
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

    def find(self, question: Question, rows: Rows, limit: int) -> Ids:
        import numpy as np

        with self._lock:
            mask, count = self._shown(question.mask)
            wanted = min(limit * self._factor, count)
            if wanted == 0:
                return np.zeros(0, dtype=np.int64)
            # Always with a mask: without one, the answer depends on the number of threads.
            _, slots = self._index.search(question.vector[None, :], k=wanted, mask=mask)
            found = self._frames[slots[0].astype(np.int64)]
        return distinct(found)

    def some(self, ids: Ids) -> tuple[Ids, Floats] | None:
        """The windows of these frames, if they are in memory; by frame, and in their order."""
        import numpy as np

        with self._lock:
            frames, vectors, is_sorted = self._frames, self._vectors, self._is_sorted
        if vectors is None:
            return None
        if is_sorted:
            places = _places(frames, ids)
        else:
            order = np.argsort(frames, kind="stable")
            places = order[_places(frames[order], ids)]
        return frames[places], vectors[places].astype(np.float32)

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

    def _check(self, vectors: Halves) -> None:
        """Compare with exact search on a sample of the stored vectors; widen until it is good enough."""
        import numpy as np

        sample = vectors[:: max(1, len(vectors) // _SAMPLE)][:_SAMPLE].astype(np.float32)
        cosines = np.concatenate(
            [
                sample @ vectors[first : first + _LOAD].astype(np.float32).T
                for first in range(0, len(vectors), _LOAD)
            ],
            axis=1,
        )
        nearest = min(10, len(vectors))
        exact = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
        everything = np.ones(len(vectors), dtype=bool)
        while True:
            wanted = min(_LEAST_CANDIDATES * self._factor, len(vectors))
            _, slots = self._index.search(sample, k=wanted, mask=everything)
            found = [
                len(set(truth.tolist()) & set(row.tolist())) / len(truth)
                for truth, row in zip(exact, slots, strict=True)
            ]
            self.recall = float(np.mean(found))
            if self.recall >= _WANTED_RECALL or wanted >= min(_MOST_CANDIDATES, len(vectors)):
                return
            self._factor *= 2


def _load(rows: Rows, since: int, dimensions: int) -> Iterator[tuple[Ids, Halves]]:
    """Vectors written after a revision, in parts."""
    import numpy as np

    last = 0
    while True:
        found = rows.all(
            "SELECT frame_id, windows, data FROM frame_vector WHERE written_at > ? AND frame_id > ? "
            f"ORDER BY frame_id LIMIT {_LOAD}",
            (since, last),
        )
        if not found:
            return
        last = int(found[-1][0])
        frames = np.repeat(
            np.array([row[0] for row in found], dtype=np.int64), np.array([row[1] for row in found])
        )
        raw = np.frombuffer(b"".join(bytes(row[2]) for row in found), dtype=np.float16)
        yield frames, raw.reshape(-1, dimensions)


def _rows_of(rows: Rows, ids: Sequence[int], dimensions: int) -> tuple[Ids, Floats]:
    import numpy as np

    found = []
    for batch in batches(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id, windows, data FROM frame_vector WHERE {clause.sql} ORDER BY frame_id"
        found += rows.all(sql, clause.values)
    frames = np.repeat(
        np.array([row[0] for row in found], dtype=np.int64),
        np.array([row[1] for row in found], dtype=np.int64),
    )
    raw = np.frombuffer(b"".join(bytes(row[2]) for row in found), dtype=np.float16)
    return frames, raw.reshape(-1, dimensions).astype(np.float32)


def _best_windows(frames: Ids, cosines: Floats) -> tuple[Ids, Floats]:
    """The best of each frame; the frames ascend."""
    import numpy as np

    starts = np.flatnonzero(_first_of_each(frames))
    return frames[starts], np.maximum.reduceat(cosines, starts)


def distinct(values: Ids) -> Ids:
    """Ascending, each once; for so few, sorting is faster than `np.unique`, which hashes."""
    import numpy as np

    ascending = np.sort(values)
    return ascending[_first_of_each(ascending)]


def _first_of_each(ascending: Ids) -> Mask:
    import numpy as np

    first = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def _places(frames: Ids, ids: Ids) -> Ids:
    """Where the windows of these frames are, in frames that ascend; both by frame."""
    import numpy as np

    first = np.searchsorted(frames, ids, side="left")
    counts = np.searchsorted(frames, ids, side="right") - first
    offsets = np.cumsum(counts) - counts
    places: Ids = np.repeat(first - offsets, counts) + np.arange(int(counts.sum()))
    return places
