"""The nearest frames to a question's vector: exactly while there are few, by quantised codes when many.

Whatever finds the candidates, their cosines are computed from the stored vectors.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from longmind.base.arrays import Float16Array, Float32Array, Float64Array, Int64Array, np
from longmind.base.columns import count_shown, ids_shown
from longmind.base.errors import install_command
from longmind.base.filters import View
from longmind.base.ordering import best, distinct
from longmind.store.catalog import Corpus
from longmind.store.engine import Connection
from longmind.store.follower import Mirrors, settings_generation
from longmind.store.segments import EVERYTHING, Segment, SegmentMirrors, segments_of
from longmind.store.transaction import Snapshot
from longmind.vectors.device import Device, DeviceIndex, DeviceShort, may_use_device, open_device
from longmind.vectors.late_interaction import BYTES, Pieces
from longmind.vectors.lists import DRAWN, LEAST_WINDOWS, Lists
from longmind.vectors.matrix import WindowMatrix
from longmind.vectors.quantized import (
    Codes,
    CodesTogether,
    PendingScan,
    VectorQuery,
    WindowIndex,
    best_windows,
    can_quantize,
    candidates_for,
)
from longmind.vectors.rows import (
    IDENTITY,
    REBUILT,
    FrameRows,
    count_frames,
    count_windows,
    load_pieces,
    load_windows,
    piece_bytes,
    read_pieces,
    read_windows,
    window_bytes,
    windows_of,
)
from longmind.vectors.stored_codes import load_codes

if TYPE_CHECKING:
    from concurrent.futures import Executor


EXACT_LIMIT: Final = 20_000
"""Up to this many windows every search looks at all of them."""

EXACT_THOUGH_MANY: Final = f"exact; for faster search among so many vectors: {install_command('ann')}"

_DRAWN: Final = 1024
"""So many frames show how all of them are spread."""

_FEW: Final = 2000
"""So few frames are looked at one by one when the candidates among them fall short."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorHits:
    """Frames with their cosine (the best of their windows), best first."""

    ids: Int64Array
    cosines: Float64Array
    method: str
    looked_at: tuple[Int64Array, Float64Array]
    """Every frame whose exact cosine was computed on the way, ascending, with it."""


class CandidateSource(Protocol):
    """Finds the frames of the windows likely to be nearest, among the frames the question may see."""

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Int64Array: ...


class Remote(CandidateSource, Protocol):
    """One that is elsewhere, and may not be there yet."""

    def exists(self, db: Connection) -> bool: ...


class NearestFrames:
    """A store's vectors in memory by segment, kept current with what any process wrote."""

    def __init__(
        self,
        mirrors: Mirrors,
        dimensions: int,
        *,
        remote: Remote | None = None,
        exact_limit: int = EXACT_LIMIT,
        device: Device = "auto",
    ) -> None:
        self._dimensions = dimensions
        self._remote = remote
        self._segments: tuple[Segment, ...] = (EVERYTHING,)
        self._in_use: weakref.WeakKeyDictionary[Snapshot, list[_Loaded]] | None = None
        """Of one that serves a single search: what it found at its first step."""
        generation = settings_generation(IDENTITY, REBUILT)
        self._vectors = SegmentMirrors(
            mirrors,
            "vectors",
            lambda segment: _Vectors(dimensions, segment, remote, exact_limit, device),
            generation=generation,
        )
        # Both can be read frame by frame, which takes a few milliseconds more for each search.
        self._windows = SegmentMirrors(
            mirrors,
            "windows",
            lambda segment: FrameRows(load_windows(dimensions, segment), dimensions, "f2"),
            generation=generation,
            size=window_bytes,
        )
        self._pieces = SegmentMirrors(
            mirrors,
            "tokens",
            lambda segment: FrameRows(partial(load_pieces, segment=segment), BYTES, "u1"),
            generation=generation,
            size=piece_bytes,
        )

    def within(self, view: View) -> NearestFrames:
        """The same, for questions whose frames are all in the segments of a view."""
        scoped = copy.copy(self)
        scoped._segments = segments_of(view)
        scoped._in_use = weakref.WeakKeyDictionary()
        return scoped

    def _loaded(self, snapshot: Snapshot) -> list[_Loaded]:
        """What answers for each segment: every step of a search asks, and the first looks it up."""
        known = None if self._in_use is None else self._in_use.get(snapshot)
        if known is not None:
            return known
        loaded = [self._vectors.of(segment).at(snapshot).loaded for segment in self._segments]
        if self._in_use is not None:
            self._in_use[snapshot] = loaded
        return loaded

    def begin(
        self,
        question: Callable[[], VectorQuery],
        snapshot: Snapshot,
        limit: int,
        *,
        pool: Callable[[], Executor] | None = None,
    ) -> PendingScan:
        """Look through the codes, if there are any, while the caller does other things."""
        loaded = self._loaded(snapshot)
        codes = [each.codes for each in loaded if each.codes is not None]
        if not codes or pool is None or any(each.asks_remote for each in loaded):
            return PendingScan(question, snapshot, limit)
        return PendingScan(question, snapshot, limit, codes=codes, pool=pool())

    def nearest(self, question: VectorQuery, snapshot: Snapshot, limit: int) -> VectorHits:
        """The best `limit` frames by cosine, ties by content."""
        return self.end(self.begin(lambda: question, snapshot, limit))

    def end(self, looking: PendingScan) -> VectorHits:
        """What `begin` began."""
        question, snapshot, limit = looking.question, looking.snapshot, looking.limit
        loaded = self._loaded(snapshot)
        exact = [each.exact for each in loaded if each.exact is not None]
        pairs = [part.nearest(question, limit) for part in exact if len(part.frames)]
        method = "exact" if all(each.is_small for each in loaded) else EXACT_THOUGH_MANY
        finder = self._finder(looking, loaded)
        if finder is not None:
            try:
                candidates = self._complete(
                    finder, question, snapshot.db, candidates_for(limit), looking.found()
                )
            except DeviceShort as short:
                self._leave_device(snapshot, short.note)
                return self.nearest(question, snapshot, limit)
            if pairs:  # what the exact ones hold is there already
                candidates = candidates[~np.isin(candidates, np.concatenate([ids for ids, _ in pairs]))]
            pairs.append(self.cosines(question.vector, candidates, snapshot))
            method = f"{getattr(finder, 'method', 'pgvector')}, reranked"
            method += "".join(f"; {note}" for note in dict.fromkeys(each.note for each in loaded) if note)
        pairs = pairs or [(np.zeros(0, dtype=np.int64), np.zeros(0))]
        ids, cosines = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        if len(pairs) > 1:
            ascending = np.argsort(ids, kind="stable")
            ids, cosines = ids[ascending], cosines[ascending]
        order = best(cosines, ids, limit, content=question.content)
        return VectorHits(ids[order], cosines[order], method, (ids, cosines))

    def _leave_device(self, snapshot: Snapshot, note: str) -> None:
        """Go on without a card that failed, and say why."""
        for segment in self._segments:
            self._vectors.of(segment).at(snapshot).leave_device(snapshot.db, note)
        if self._in_use is not None:
            self._in_use.clear()

    def _finder(self, looking: PendingScan, loaded: Sequence[_Loaded]) -> CandidateSource | None:
        """What finds candidates where there are too many vectors to look at all of them."""
        if any(each.asks_remote for each in loaded):
            return self._remote
        if looking.codes is not None:
            return looking.codes
        codes = [each.codes for each in loaded if each.codes is not None]
        return CodesTogether(codes) if codes else None

    def _complete(
        self,
        finder: CandidateSource,
        question: VectorQuery,
        db: Connection,
        limit: int,
        candidates: Int64Array | None,
    ) -> Int64Array:
        """Enough candidates: the nearest windows may all be of a few frames, or a finder give up early."""
        if candidates is None:
            candidates = finder.find(question, db, limit)
        if len(candidates) >= limit // 2:
            return candidates
        seen = count_shown(question.mask)
        enough = min(limit // 2, seen)
        for wider in (4, 16):
            if len(candidates) >= enough or seen <= _FEW:
                break
            candidates = finder.find(question, db, limit * wider)
        return candidates if len(candidates) >= enough or seen > EXACT_LIMIT else ids_shown(question.mask)

    def cosines(
        self, vector: Float32Array, ids: Sequence[int] | Int64Array, snapshot: Snapshot
    ) -> tuple[Int64Array, Float64Array]:
        """Exact cosines of these frames, those without vectors left out; ascending by id."""
        return best_windows(*self.windows(ids, snapshot), vector)

    def windows(
        self, ids: Sequence[int] | Int64Array, snapshot: Snapshot
    ) -> tuple[Int64Array, Float16Array | Float32Array]:
        """The vectors of these frames, and of which frame each is; ascending by id."""
        frame_ids = np.asarray(ids, dtype=np.int64)
        if not (frame_ids[1:] > frame_ids[:-1]).all():
            frame_ids = distinct(frame_ids)
        parts: list[tuple[Int64Array, Float16Array | Float32Array]] = []
        elsewhere = False
        for segment, loaded in zip(self._segments, self._loaded(snapshot), strict=True):
            if loaded.exact is not None:
                if len(loaded.exact.frames):
                    parts.append(loaded.exact.some(frame_ids))
                continue
            kept = None if loaded.asks_remote else self._windows.of(segment).at_if_kept(snapshot)
            if kept is None:
                elsewhere = True
            else:
                rows, sizes = kept.of(frame_ids)
                if len(rows):
                    parts.append((np.repeat(frame_ids, sizes), rows))
        if elsewhere:
            rest = [part for part, _ in parts]
            missing = frame_ids[~np.isin(frame_ids, np.concatenate(rest))] if rest else frame_ids
            parts.append(read_windows(snapshot.db, missing.tolist(), self._dimensions))
        if not parts:
            return np.zeros(0, dtype=np.int64), np.zeros((0, self._dimensions), dtype=np.float16)
        if len(parts) == 1:  # mostly: nothing is global, and then no vector is copied
            return parts[0]
        frames, vectors = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.argsort(frames, kind="stable")
        return frames[order], vectors[order]

    def missing(self, snapshot: Snapshot, corpus: Corpus, *, indexed: int) -> int:
        """How many frames of a corpus have no vectors; `indexed` is how many its segments should have."""
        if sum(each.covered for each in self._loaded(snapshot)) >= indexed:
            return 0
        count = 0
        for segment in self._segments:
            mirror = self._vectors.of(segment).at(snapshot)
            count += len(corpus.among(mirror.missing(snapshot)))
        return count

    def reads_vectors(self, snapshot: Snapshot) -> bool:
        """Whether vectors are read from the store, since there are too many to keep."""
        return any(
            loaded.exact is None and self._windows.of(segment).revision < 0
            for segment, loaded in zip(self._segments, self._loaded(snapshot), strict=True)
        )

    def pieces(self, ids: Int64Array, snapshot: Snapshot, *, most: int) -> Pieces:
        """The word pieces of the first of these frames that have no more than so many together."""
        tokens = [self._pieces.of(segment).at_if_kept(snapshot) for segment in self._segments]
        if any(each is None for each in tokens):
            return read_pieces(snapshot.db, ids.tolist(), most=most)
        parts = [each.of(ids) for each in tokens if each is not None]
        parts = [part for part in parts if len(part[0])] or parts[:1]
        if len(parts) == 1:
            return Pieces(*parts[0]).up_to(most)
        # Each frame has its pieces in one of the segments: put them back into the order asked for.
        sizes = np.sum([part_sizes for _, part_sizes in parts], axis=0)
        positions = np.concatenate([np.repeat(np.arange(len(ids)), part_sizes) for _, part_sizes in parts])
        signs = np.concatenate([rows for rows, _ in parts])[np.argsort(positions, kind="stable")]
        return Pieces(signs, sizes).up_to(most)


@dataclass(frozen=True, slots=True, eq=False)
class _Loaded:
    """What answers for a segment: all windows as a matrix, codes of them, or a server."""

    exact: WindowMatrix | None = None
    codes: WindowIndex | None = None
    asks_remote: bool = False
    covered: int = 0
    """How many frames have vectors."""
    is_small: bool = True
    """Whether all windows are compared because they are few, and not because nothing can make codes."""
    note: str = ""
    """Why a card that was asked for does not search."""


class _Vectors:
    """The mirror of `frame_vector` for one segment, in the form that searches it fastest."""

    def __init__(
        self, dimensions: int, segment: Segment, remote: Remote | None, exact_limit: int, device: Device
    ) -> None:
        self._device = device
        self._note = ""
        self._dimensions = dimensions
        self._segment = segment
        self._load = load_windows(dimensions, segment)
        self._remote = remote
        self._exact_limit = exact_limit
        self._missing: tuple[int, Int64Array] | None = None
        """The frames without vectors at a revision; looked up only where there are any."""
        self.loaded = _Loaded()

    @property
    def nbytes(self) -> int:
        exact, codes = self.loaded.exact, self.loaded.codes
        return (0 if exact is None else exact.nbytes) + (0 if codes is None else codes.nbytes)

    def missing(self, snapshot: Snapshot) -> Int64Array:
        if self._missing is None or self._missing[0] != snapshot.revision:
            here = self._segment.among("d.frame_id")
            rows = snapshot.db.all(
                "SELECT d.frame_id FROM text_doc d WHERE NOT EXISTS "
                f"(SELECT 1 FROM frame_vector v WHERE v.frame_id = d.frame_id) AND {here.sql}",
                here.values,
            )
            self._missing = snapshot.revision, np.array([row[0] for row in rows], dtype=np.int64)
        return self._missing[1]

    def advance(self, snapshot: Snapshot, since: int) -> None:
        db = snapshot.db
        if self._asks_remote(db):
            self.loaded = _Loaded(asks_remote=True, covered=count_frames(db, self._segment))
        elif self.loaded.exact is None and self.loaded.codes is None:  # or a server was asked until now
            self.loaded = self._read(db)
        else:
            self.loaded = self._grown(db, since)

    def _asks_remote(self, db: Connection) -> bool:
        if self._remote is None or not self._remote.exists(db):
            return False
        return count_windows(db, self._segment) > self._exact_limit

    def leave_device(self, db: Connection, note: str) -> None:
        if isinstance(self.loaded.codes, DeviceIndex):
            self._device, self._note = "cpu", note
            self.loaded = self._read(db)

    def _read(self, db: Connection) -> _Loaded:
        index = self._on_device(db)
        if index is not None:
            return _Loaded(codes=index, covered=count_frames(db, self._segment))
        stored = load_codes(db, self._segment, self._dimensions)
        if stored is not None:
            codes, revision = stored
            self.loaded = _Loaded(codes=codes, covered=codes.frames)
            return self._grown(db, revision)
        covered = count_frames(db, self._segment)
        if covered > self._exact_limit and can_quantize():
            return _Loaded(codes=self._coded(db), covered=covered, note=self._note)
        exact = WindowMatrix.empty(self._dimensions)
        for frames, vectors in self._load(db, -1):
            exact = exact.with_more(frames, vectors)
        return self._limited(db, exact, covered)

    def _grown(self, db: Connection, since: int) -> _Loaded:
        exact, codes, covered = self.loaded.exact, self.loaded.codes, self.loaded.covered
        for frames, vectors in self._load(db, since):
            covered += len(distinct(frames))
            if codes is not None:
                try:
                    codes.add(frames, vectors)
                except DeviceShort as short:
                    self._device, self._note = "cpu", short.note
                    return self._read(db)
            elif exact is not None:
                exact = exact.with_more(frames, vectors)
        if exact is None:
            return _Loaded(codes=codes, covered=covered, note=self._note)
        return self._limited(db, exact, covered)

    def _limited(self, db: Connection, exact: WindowMatrix, covered: int) -> _Loaded:
        if len(exact.frames) > self._exact_limit:
            index = self._on_device(db) or (self._coded(db) if can_quantize() else None)
            if index is not None:
                return _Loaded(codes=index, covered=covered, note=self._note)
        return _Loaded(exact, covered=covered, is_small=len(exact.frames) <= self._exact_limit)

    def _on_device(self, db: Connection) -> DeviceIndex | None:
        """All windows on a card, where one is asked for or there and worth it, and has room for them."""
        if not may_use_device(self._device):
            return None
        windows = count_windows(db, self._segment)
        arrays = open_device(self._device, windows) if windows > self._exact_limit else None
        if arrays is None:
            return None
        try:
            return DeviceIndex.build(arrays, self._dimensions, windows, self._load(db, -1))
        except DeviceShort as short:
            self._device, self._note = "cpu", short.note
            return None

    def _coded(self, db: Connection) -> Codes:
        return make_codes(db, self._segment, self._dimensions)


def make_codes(db: Connection, segment: Segment, dimensions: int, *, to_keep: bool = False) -> Codes:
    """The codes of all vectors of a segment; those that are kept are sorted into lists, if they are many.

    To sort takes as long as all the rest, which is too long for a search that waits for it.
    """
    listed = to_keep and count_windows(db, segment) >= LEAST_WINDOWS
    # By the hashes of their texts: evenly drawn, and the same whatever was written first.
    here = segment.among("frame_id")
    rows = db.all(
        f"SELECT frame_id, windows, data FROM frame_vector WHERE {here.sql} "
        f"ORDER BY text_key, frame_id LIMIT {DRAWN if listed else _DRAWN}",
        here.values,
    )
    _, sample = windows_of(rows[:_DRAWN], dimensions)
    lists = Lists.spread_as(windows_of(rows, dimensions)[1]) if listed else None
    return Codes.build(sample, load_windows(dimensions, segment)(db, -1), lists)
