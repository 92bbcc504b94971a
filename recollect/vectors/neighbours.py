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
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Ids = Mask = Any

EXACT_LIMIT: Final = 20_000
"""Up to this many windows every search looks at all of them."""

_FEW: Final = 2000
"""So few frames are looked at one by one when the candidates among them fall short."""

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

        wanted = sorted({int(frame_id) for frame_id in ids})
        exact, _ = self._at(snapshot)
        if exact is not None:
            return exact.some(vector, np.array(wanted, dtype=np.int64))
        frames, vectors = _rows_of(snapshot.rows, wanted, self._dimensions)
        return _best_windows(frames, vectors @ vector) if len(frames) else (frames, vectors[:, 0])

    # Keeping current

    def _clear(self) -> None:
        self._revision = -1
        self._identity: tuple[Row, ...] = ()
        """Of which embedder the vectors are, and since when."""
        self._frames: list[Ids] = []
        self._vectors: list[Floats] = []
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
            self._codes = _Codes.build(np.concatenate(self._frames), np.concatenate(self._vectors))
            self._frames, self._vectors, self._exact = [], [], None
        elif self._codes is None and (grown or self._exact is None):
            self._exact = _Exact.build(self._frames, self._vectors, self._dimensions)
            self._frames, self._vectors = [self._exact.frames], [self._exact.vectors]
        self._revision = snapshot.revision

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
    def build(cls, frames: list[Ids], vectors: list[Floats], dimensions: int) -> _Exact:
        import numpy as np

        if not frames:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(nothing, np.zeros((0, dimensions), dtype=np.float32), nothing, nothing)
        all_frames, all_vectors = np.concatenate(frames), np.concatenate(vectors)
        order = np.argsort(all_frames, kind="stable")
        all_frames, all_vectors = all_frames[order], np.ascontiguousarray(all_vectors[order])
        distinct, starts = np.unique(all_frames, return_index=True)
        return cls(all_frames, all_vectors, starts, distinct)

    def cosines(self, question: Question) -> tuple[Ids, Floats]:
        import numpy as np

        if len(self.frames) == 0:
            return self.distinct, np.zeros(0, dtype=np.float32)
        best = np.maximum.reduceat(self.vectors @ question.vector, self.starts)
        inside = self.distinct < len(question.mask)
        seen = np.zeros(len(self.distinct), dtype=bool)
        seen[inside] = question.mask[self.distinct[inside]]
        return self.distinct[seen], best[seen]

    def some(self, vector: Floats, ids: Ids) -> tuple[Ids, Floats]:
        import numpy as np

        chosen = np.isin(self.frames, ids)
        frames = self.frames[chosen]
        if len(frames) == 0:
            return frames, np.zeros(0, dtype=np.float32)
        return _best_windows(frames, self.vectors[chosen] @ vector)


class _Codes:
    """Four bits a direction; asked for more candidates than needed, as many as a sample shows are enough."""

    def __init__(self, index: Any, frames: Ids) -> None:
        self._index = index
        self._frames = frames
        self._factor = 1
        self.recall = 1.0
        self._lock = threading.Lock()

    @classmethod
    def build(cls, frames: Ids, vectors: Floats) -> _Codes:
        import numpy as np
        import turbovec

        index = turbovec.TurboQuantIndex(dim=vectors.shape[1], bit_width=4)
        step = max(1, len(vectors) // 1024)
        index.calibrate(np.ascontiguousarray(vectors[::step]))
        index.add(vectors)
        index.prepare()
        codes = cls(index, frames)
        codes._check(vectors)
        return codes

    def add(self, frames: Ids, vectors: Floats) -> None:
        import numpy as np

        with self._lock:
            self._index.add(vectors)
            self._frames = np.concatenate([self._frames, frames])

    def find(self, question: Question, rows: Rows, limit: int) -> Ids:
        import numpy as np

        with self._lock:
            frames = self._frames
            inside = frames < len(question.mask)
            mask = np.zeros(len(frames), dtype=bool)
            mask[inside] = question.mask[frames[inside]]
            wanted = min(limit * self._factor, int(np.count_nonzero(mask)))
            if wanted == 0:
                return np.zeros(0, dtype=np.int64)
            _, slots = self._index.search(question.vector[None, :], k=wanted, mask=mask)
        found: Ids = np.unique(frames[slots[0].astype(np.int64)])
        return found

    def _check(self, vectors: Floats) -> None:
        """Compare with exact search on a sample of the stored vectors; widen until it is good enough."""
        import numpy as np

        sample = np.ascontiguousarray(vectors[:: max(1, len(vectors) // _SAMPLE)][:_SAMPLE])
        exact = np.argsort(-(sample @ vectors.T), axis=1, kind="stable")[:, :10]
        while True:
            wanted = min(_LEAST_CANDIDATES * self._factor, len(vectors))
            _, slots = self._index.search(sample, k=wanted)
            found = [
                len(set(truth.tolist()) & set(row.tolist())) / len(truth)
                for truth, row in zip(exact, slots, strict=True)
            ]
            self.recall = float(np.mean(found))
            if self.recall >= _WANTED_RECALL or wanted >= min(_MOST_CANDIDATES, len(vectors)):
                return
            self._factor *= 2


def _load(rows: Rows, since: int, dimensions: int) -> Iterator[tuple[Ids, Floats]]:
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
        yield frames, raw.reshape(-1, dimensions).astype(np.float32)


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
    import numpy as np

    distinct, starts = np.unique(frames, return_index=True)
    return distinct, np.maximum.reduceat(cosines, starts)
