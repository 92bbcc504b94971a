"""The nearest frames to a question's vector: exactly while there are few, by quantised codes when many.

Whatever finds the candidates, their cosines are reckoned from the stored vectors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

from longmind.base.ordering import best, distinct, last_of_best
from longmind.store.engine import Connection, Row
from longmind.store.frames import batches
from longmind.store.transaction import Snapshot
from longmind.store.typed import damaged, typed
from longmind.store.visible import among
from longmind.vectors.exact import margin
from longmind.vectors.growing_array import GrowingArray
from longmind.vectors.late_interaction import Pieces
from longmind.vectors.quantized import (
    LOAD,
    Codes,
    PendingScan,
    VectorQuery,
    best_windows,
    can_quantize,
    candidates_for,
    places_of,
    spread,
)
from longmind.vectors.token_store import TokenStore, read_pieces

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

EXACT_LIMIT: Final = 20_000
"""Up to this many windows every search looks at all of them."""

EXACT_THOUGH_MANY: Final = "exact; for faster search among so many vectors: pip install 'longmind[ann]'"

_DRAWN: Final = 1024
"""So many frames show how all of them are spread."""

_FEW: Final = 2000
"""So few frames are looked at one by one when the candidates among them fall short."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorHits:
    """Frames with their cosine (the best of their windows), best first."""

    ids: Ids
    cosines: Cosines
    method: str
    looked_at: tuple[Ids, Cosines]
    """Every frame whose exact cosine was reckoned on the way, ascending, with it."""


class CandidateSource(Protocol):
    """Finds the frames of the windows likely to be nearest, among the frames the question may see."""

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Ids: ...


class Remote(CandidateSource, Protocol):
    """One that is elsewhere, and may not be there yet."""

    def exists(self, db: Connection) -> bool: ...


class NearestFrames:
    """One store's vectors in memory, kept current with what any process wrote."""

    def __init__(
        self, dimensions: int, *, remote: Remote | None = None, exact_limit: int = EXACT_LIMIT
    ) -> None:
        self._dimensions = dimensions
        self._remote = remote
        self._exact_limit = exact_limit
        self._lock = threading.Lock()
        self._pieces: TokenStore | None = None
        self._was_asked = False
        """For word pieces, since all of them were last forgotten."""
        self._is_whole = True
        """False while it is being changed: an exception in between leaves arrays that do not agree."""
        self._clear()

    def begin(
        self,
        question: Callable[[], VectorQuery],
        snapshot: Snapshot,
        limit: int,
        *,
        pool: Callable[[], Executor] | None = None,
    ) -> PendingScan:
        """Look through the codes, if there are any, while the caller does other things."""
        _, codes = self._at(snapshot)
        if codes is None or pool is None:
            return PendingScan(question, snapshot, limit)
        return PendingScan(question, snapshot, limit, codes=codes, pool=pool())

    def nearest(self, question: VectorQuery, snapshot: Snapshot, limit: int) -> VectorHits:
        """The best `limit` frames by cosine, ties by content."""
        return self.end(self.begin(lambda: question, snapshot, limit))

    def end(self, looking: PendingScan) -> VectorHits:
        """What `begin` began."""
        question, snapshot, limit = looking.question, looking.snapshot, looking.limit
        exact, codes = self._at(snapshot)
        if exact is not None:
            ids, cosines = exact.nearest(question, limit)
            method = "exact" if len(exact.frames) <= self._exact_limit else EXACT_THOUGH_MANY
        else:
            finder: CandidateSource | None = self._remote if self._asks_remote else looking.codes or codes
            assert finder is not None
            found = self._complete(finder, question, snapshot.db, candidates_for(limit), looking.found())
            ids, cosines = self.cosines(question.vector, found, snapshot)
            method = "pgvector, reranked" if self._asks_remote else "quantised, reranked"
        places = best(cosines, ids, limit, content=question.content)
        return VectorHits(ids[places], cosines[places], method, (ids, cosines))

    def _complete(
        self, finder: CandidateSource, question: VectorQuery, db: Connection, limit: int, found: Ids | None
    ) -> Ids:
        """Enough candidates: the nearest windows may all be of a few frames, or a finder give up early."""
        import numpy as np

        if found is None:
            found = finder.find(question, db, limit)
        if len(found) >= limit // 2:
            return found
        seen = int(np.count_nonzero(question.mask))
        enough = min(limit // 2, seen)
        for wider in (4, 16):
            if len(found) >= enough or seen <= _FEW:
                break
            found = finder.find(question, db, limit * wider)
        return found if len(found) >= enough or seen > EXACT_LIMIT else np.flatnonzero(question.mask)

    def cosines(self, vector: Floats, ids: Sequence[int] | Ids, snapshot: Snapshot) -> tuple[Ids, Cosines]:
        """Exact cosines of these frames, those without vectors left out; ascending by id."""
        import numpy as np

        wanted = np.asarray(ids, dtype=np.int64)
        if not (wanted[1:] > wanted[:-1]).all():
            wanted = distinct(wanted)
        exact, codes = self._at(snapshot)
        if exact is not None:
            return best_windows(*exact.some(wanted), vector)
        kept = None if codes is None else codes.cosines(vector, wanted)
        return kept or best_windows(*_rows_of(snapshot.db, wanted.tolist(), self._dimensions), vector)

    def covered(self, snapshot: Snapshot) -> int:
        """How many frames have vectors, counted as they are loaded."""
        with self._lock:
            if snapshot.revision > self._revision:
                self._refresh(snapshot)
            return self._covered

    def reads_vectors(self, snapshot: Snapshot) -> bool:
        """Whether vectors are read from the store, since there are too many to keep."""
        exact, codes = self._at(snapshot)
        return exact is None and (codes is None or not codes.keeps_vectors)

    def pieces(self, ids: Ids, snapshot: Snapshot, *, most: int) -> Pieces:
        """The word pieces of the first of these frames that have no more than so many together.

        Who asks once reads them; for who asks again those of all frames are kept.
        """
        with self._lock:
            self._follow(snapshot)
            if self._pieces is None and self._was_asked and snapshot.revision == self._revision:
                self._pieces = TokenStore(snapshot.db)
            self._was_asked = True
            if self._pieces is not None and self._pieces.is_complete:
                return self._pieces.of(ids, most=most)
        return read_pieces(snapshot.db, ids.tolist(), most=most)

    # Keeping current

    def _clear(self) -> None:
        self._revision = -1
        self._identity: tuple[Row, ...] = ()
        """Of which embedder the vectors are, and since when."""
        self._exact: _Exact | None = None
        self._codes: Codes | None = None
        self._asks_remote = False
        self._covered = 0
        self._pieces = None
        self._was_asked = False

    def _at(self, snapshot: Snapshot) -> tuple[_Exact | None, Codes | None]:
        with self._lock:
            self._follow(snapshot)
            return self._exact, self._codes

    def _follow(self, snapshot: Snapshot) -> None:
        if not self._is_whole:
            self._clear()
        if snapshot.revision > self._revision:
            self._is_whole = False
            self._refresh(snapshot)
            self._is_whole = True

    def _refresh(self, snapshot: Snapshot) -> None:
        named = tuple(
            snapshot.db.all(
                "SELECT value FROM store_setting WHERE name IN ('vectors.embedder', 'vectors.rebuilt') "
                "ORDER BY name"
            )
        )
        erased = snapshot.db.one("SELECT 1 FROM erasure WHERE erased_at > ? LIMIT 1", (self._revision,))
        if named != self._identity or (erased is not None and self._revision >= 0):
            self._clear()
            self._identity = named
        elif self._pieces is not None:
            self._pieces.grow(snapshot.db, since=self._revision)
        self._asks_remote = (
            self._remote is not None
            and self._remote.exists(snapshot.db)
            and self._counted(snapshot.db) > self._exact_limit
        )
        if self._asks_remote:
            self._exact = self._codes = None
            self._covered = self._rows(snapshot.db)
            self._revision = snapshot.revision
            return
        if self._codes is None and self._exact is None:
            self._revision = -1  # the server was asked until now: nothing is loaded yet
            self._covered = self._rows(snapshot.db)
        is_counted = self._revision < 0
        if is_counted and self._covered > self._exact_limit and self._can_quantize:
            self._codes = self._coded(snapshot.db)
        else:
            for frames, vectors in _load(snapshot.db, self._revision, self._dimensions):
                if not is_counted:
                    self._covered += len(distinct(frames))
                if self._codes is not None:
                    self._codes.add(frames, vectors)
                else:
                    exact = self._exact or _Exact.empty(self._dimensions)
                    self._exact = exact.with_more(frames, vectors)
            if self._codes is None and self._exact is None:
                self._exact = _Exact.empty(self._dimensions)
            many = self._exact is not None and len(self._exact.frames) > self._exact_limit
            if many and self._can_quantize:
                self._codes, self._exact = self._coded(snapshot.db), None
        self._revision = snapshot.revision

    @cached_property
    def _can_quantize(self) -> bool:
        return can_quantize()

    def _coded(self, db: Connection) -> Codes:
        # By the hashes of their texts: evenly drawn, and the same whatever was written first.
        found = db.all(
            f"SELECT frame_id, windows, data FROM frame_vector ORDER BY text_key, frame_id LIMIT {_DRAWN}"
        )
        _, sample = _windows(found, self._dimensions)
        return Codes.build(sample, _load(db, -1, self._dimensions))

    def _rows(self, db: Connection) -> int:
        """Frames with vectors, which are never more than the windows."""
        row = db.one("SELECT count(*) FROM frame_vector")
        return int(row[0]) if row else 0

    def _counted(self, db: Connection) -> int:
        row = db.one("SELECT coalesce(sum(windows), 0) FROM frame_vector")
        return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Exact:
    """All windows as one matrix, in the order of their frames."""

    frames: Ids
    vectors: Floats
    starts: Ids
    distinct: Ids
    rooms: tuple[GrowingArray, GrowingArray, GrowingArray, GrowingArray]

    @classmethod
    def of(cls, frames: Ids, vectors: Floats) -> _Exact:
        """From windows by frame."""
        import numpy as np

        distinct, starts = np.unique(frames, return_index=True)
        columns = (frames, vectors, starts, distinct)
        first, second, third, fourth = map(GrowingArray, columns)
        return cls(*columns, (first, second, third, fourth))

    @classmethod
    def empty(cls, dimensions: int) -> _Exact:
        import numpy as np

        return cls.of(np.zeros(0, dtype=np.int64), np.zeros((0, dimensions), dtype=np.float32))

    def with_more(self, frames: Ids, vectors: Halves) -> _Exact:
        """The newest is the last to be made of this one: they share their room."""
        import numpy as np

        with np.errstate(invalid="ignore"):  # damaged vectors may hold NaN; those are never near
            wider = vectors.astype(np.float32)
        if len(self.frames) and frames[0] <= self.frames[-1]:
            joined = np.concatenate([self.frames, frames])
            order = np.argsort(joined, kind="stable")
            return self.of(joined[order], np.concatenate([self.vectors, wider])[order])
        distinct, starts = np.unique(frames, return_index=True)
        columns = (frames, wider, starts + len(self.frames), distinct)
        first, second, third, fourth = (
            room.append(more) for room, more in zip(self.rooms, columns, strict=True)
        )
        return _Exact(first, second, third, fourth, self.rooms)

    def nearest(self, question: VectorQuery, limit: int) -> tuple[Ids, Cosines]:
        """The best `limit` frames by exact cosine are among these; the frames ascend.

        All are looked at in float32, whose errors depend on the matrix library. None is further off than
        the margin, so that what lies more than two of them below the last place cannot reach it.
        """
        import numpy as np

        if len(self.frames) == 0:
            return self.distinct, np.zeros(0)
        roughly = self.vectors @ question.vector
        if len(self.distinct) < len(self.frames):
            roughly = np.maximum.reduceat(roughly, self.starts)
        seen = question.mask.take(self.distinct, mode="clip") & (self.distinct < len(question.mask))
        if np.count_nonzero(seen) > limit:
            roughly = np.where(seen, roughly, -np.inf)
            seen = roughly >= last_of_best(roughly, limit) - 2 * margin(self.vectors.shape[1])
        places = seen.nonzero()[0]
        first = self.starts[places]
        ends = np.append(self.starts, len(self.frames))[places + 1]
        windows = spread(first, ends - first)
        return best_windows(self.frames.take(windows), self.vectors.take(windows, axis=0), question.vector)

    def some(self, ids: Ids) -> tuple[Ids, Floats]:
        places = places_of(self.frames, ids)
        return self.frames.take(places), self.vectors.take(places, axis=0)


def _load(db: Connection, since: int, dimensions: int) -> Iterator[tuple[Ids, Halves]]:
    """Vectors written after a revision, in parts."""
    last = 0
    while True:
        found = db.all(
            "SELECT frame_id, windows, data FROM frame_vector WHERE written_at > ? AND frame_id > ? "
            f"ORDER BY frame_id LIMIT {LOAD}",
            (since, last),
        )
        if not found:
            return
        last = int(found[-1][0])
        yield _windows(found, dimensions)


def _rows_of(db: Connection, ids: Sequence[int], dimensions: int) -> tuple[Ids, Floats]:
    import numpy as np

    found = []
    for batch in batches(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id, windows, data FROM frame_vector WHERE {clause.sql} ORDER BY frame_id"
        found += db.all(sql, clause.values)
    frames, vectors = _windows(found, dimensions)
    return frames, vectors.astype(np.float32)


def _windows(found: Sequence[Row], dimensions: int) -> tuple[Ids, Halves]:
    """Rows of (frame, number of windows, their vectors), with the frame of each window."""
    import numpy as np

    typed(found, "frame_vector", int, int, bytes)
    width = 2 * dimensions
    if any(len(data) != windows * width for _, windows, data in found):
        raise damaged("frame_vector")
    frames = np.repeat(
        np.array([row[0] for row in found], dtype=np.int64),
        np.array([row[1] for row in found], dtype=np.int64),
    )
    raw = np.frombuffer(b"".join(row[2] for row in found), dtype=np.float16)
    return frames, raw.reshape(-1, dimensions)
