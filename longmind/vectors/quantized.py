"""The windows likely to be nearest, found by codes of four bits a direction."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from longmind.base.arrays import BoolArray, Float16Array, Float32Array, Float64Array, Int64Array, np
from longmind.base.columns import AnyColumn, FrameMask, Mask, is_shown
from longmind.base.filters import View, Where
from longmind.base.ordering import distinct, first_of_each
from longmind.store.engine import Connection
from longmind.store.transaction import Snapshot
from longmind.vectors.exact import cosines as exact_cosines
from longmind.vectors.lists import LEAST_WINDOWS, MOST_LOOKED, PART, Lists
from longmind.vectors.rows import spread
from longmind.vectors.threads import one_worker

if TYPE_CHECKING:
    from concurrent.futures import Executor


_LEAST_CANDIDATES: Final = 128
_SAMPLE: Final = 16
_TRUTH: Final = 10
_WANTED_RECALL: Final = 0.95
_LOST_BY_LISTS: Final = 0.01
"""What looking through some lists may lose of the recall of looking through all."""
_FURTHER: Final = 2
"""Questions are further from what is stored than stored texts from each other: twice the lists."""
_MOST_CANDIDATES: Final = 3200
_NUMBERS_OF_LISTS: Final = (32, 64, MOST_LOOKED)
_HAND_OVER_SECONDS: Final = 0.001
"""Longer than a thread takes to begin, unless all of them are busy."""
_DESCRIPTORS: Final = Path("/proc/self/fd")
"""Where Linux shows the open files of a process as paths."""


_ADDED: Final = 20_000
"""So many windows are added at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorQuery:
    """What is looked for, and among which frames."""

    vector: Float32Array
    mask: Mask
    view: View
    where: Where
    content: AnyColumn | None = None
    """A number for each frame that ties are cut by; without it they are cut by id."""


class Codes:
    """Four bits a direction; asked for more candidates than needed, as many as a sample shows are enough."""

    method = "quantised"

    def __init__(self, index: Any, frames: Int64Array, lists: Lists | None = None) -> None:
        self._index = index
        self._tried_lists = lists is not None
        self._lists = lists
        """None where so few windows, or so spread, are all looked through."""
        self._frames = frames
        """Of each window in the index, in the order in which they came."""
        self._seen: tuple[tuple[object, ...], BoolArray, int] | None = None
        self._factor = 1
        self.recall = 1.0
        self._lock = threading.Lock()

    @classmethod
    def build(
        cls,
        sample: Float16Array,
        parts: Iterable[tuple[Int64Array, Float16Array]],
        lists: Lists | None = None,
    ) -> Codes:
        """From some of the windows, drawn evenly, and from all of them, in parts, which lists may sort."""
        from concurrent.futures import ThreadPoolExecutor

        import turbovec

        index = turbovec.TurboQuantIndex(dim=sample.shape[1], bit_width=4)
        _clear_registers()
        with one_worker(), suppress(ValueError):  # windows that are all alike fit nothing
            index.calibrate(sample.astype(np.float32))
        truth = _Nearest(sample[:_SAMPLE].astype(np.float32))
        frames: list[Int64Array] = []
        with ThreadPoolExecutor(1) as beside:
            adding = None
            for ids, vectors in parts if lists is None else _joined(parts, PART):
                order = np.arange(len(ids))
                if lists is not None:
                    lists, order = lists.with_part(vectors)
                frames.append(ids[order])
                for first in range(0, len(order), _ADDED):
                    wide = vectors[order[first : first + _ADDED]].astype(np.float32)
                    if adding is not None:
                        adding.result()
                    adding = beside.submit(index.add, wide)  # without Python, while the next part is read
                    truth.look(wide)
            if adding is not None:
                adding.result()
        index.prepare()
        codes = cls(index, np.concatenate(frames), lists)
        codes._check(truth)
        return codes

    @classmethod
    def unpacked(
        cls, index: Any, arrays: Mapping[str, Any], about: Mapping[str, Any], dimensions: int | None
    ) -> Codes:
        """What `packed` gave, by way of `unpacked_index`; ValueError if they do not belong together."""
        frames, looked = arrays["frames"], about.get("lists", 0)
        if len(index) != len(frames) or dimensions not in (None, index.dim) or type(looked) is not int:
            raise ValueError("codes of other vectors")
        lists = Lists.unpacked(arrays, looked, dimensions=index.dim, windows=len(frames)) if looked else None
        index.prepare()
        codes = cls(index, frames, lists)
        codes._factor, codes.recall = about["factor"], about["recall"]
        codes._tried_lists = "lists" in about
        return codes

    @property
    def lacks_lists(self) -> bool:
        """Whether they were made of too few windows for lists, or before there were any."""
        return not self._tried_lists and len(self._frames) >= LEAST_WINDOWS

    def packed(self) -> tuple[bytes, dict[str, Any], dict[str, Any]]:
        """The codes as bytes, the frame of each and their lists, and what was learnt about them."""
        with self._lock:
            lists = {} if self._lists is None else self._lists.packed()
            about: dict[str, Any] = {"factor": self._factor, "recall": self.recall}
            if self._tried_lists:
                about["lists"] = 0 if self._lists is None else self._lists.looked
            return self._index.to_bytes(), {"frames": self._frames, **lists}, about

    @property
    def frames(self) -> int:
        """How many frames have codes."""
        return len(distinct(self._frames))

    def add(self, frames: Int64Array, vectors: Float16Array) -> None:

        with self._lock:
            self._index.add(vectors.astype(np.float32))
            self._seen = None
            self._frames = np.concatenate([self._frames, frames])

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Int64Array:
        return self.frames_at(self.look(question, limit))

    def look(self, question: VectorQuery, limit: int) -> Any:
        """The places of the likeliest windows; nearly all of it without Python."""

        with self._lock:
            mask, count = self._shown(question.mask)
            if self._lists is not None and 2 * count > len(mask):  # what a filter leaves may be in any list
                mask = self._lists.near(question.vector, mask)
                count = int(np.count_nonzero(mask))
            number = quick_number(min(limit * self._factor, count), count)
            if number == 0:
                return np.zeros(0, dtype=np.int64)
            # Always with a mask: without one, the answer depends on the number of threads.
            return self._index.search(question.vector[None, :], k=number, mask=mask)[1][0]

    def frames_at(self, slots: Any) -> Int64Array:
        """The frames of the windows at these places, ascending and each once."""

        return distinct(self._frames[slots.astype(np.int64)])

    @property
    def nbytes(self) -> int:
        return len(self._frames) * (int(self._index.dim) // 2 + 8 + 1)  # codes, frames, mask of windows

    def _shown(self, mask: Mask) -> tuple[BoolArray, int]:
        """The frames' mask as one of windows; kept for the next question under the same filter."""

        arrays = [values for _, values in mask.parts] if isinstance(mask, FrameMask) else [mask]
        seen = self._seen
        if seen is not None and len(arrays) == len(seen[0]) and all(map(operator.is_, arrays, seen[0])):
            return seen[1], seen[2]
        shown = is_shown(mask, self._frames)
        count = int(np.count_nonzero(shown))
        if not any(values.flags.writeable for values in arrays):
            self._seen = tuple(arrays), shown, count
        return shown, count

    def _check(self, truth: _Nearest) -> None:
        """Compare with exact search on a sample of the stored vectors; widen until it is good enough."""

        everything = np.ones(truth.seen, dtype=bool)
        while True:
            number = quick_number(min(_LEAST_CANDIDATES * self._factor, truth.seen), truth.seen)
            _, slots = self._index.search(truth.asked, k=number, mask=everything)
            self.recall = truth.share_of(slots)
            if self.recall >= _WANTED_RECALL or number >= min(_MOST_CANDIDATES, truth.seen):
                break
            self._factor *= 2
        if self._lists is not None:
            self._lists = self._enough(self._lists, truth)

    def _enough(self, lists: Lists, truth: _Nearest) -> Lists | None:
        """The lists, with as many to look through as find nearly all that all of them would."""
        everything = np.ones(truth.seen, dtype=bool)
        for looked in _NUMBERS_OF_LISTS:
            found = []
            for asked in truth.asked:
                mask = lists.looking_at(looked).near(asked, everything)
                count = int(np.count_nonzero(mask))
                number = quick_number(min(_LEAST_CANDIDATES * self._factor, count), count)
                found.append(self._index.search(asked[None, :], k=number, mask=mask)[1][0] if number else [])
            if truth.share_of(found) >= self.recall - _LOST_BY_LISTS:
                return lists.looking_at(min(looked * _FURTHER, MOST_LOOKED))
        return None


def _joined(
    parts: Iterable[tuple[Int64Array, Float16Array]], windows: int
) -> Iterator[tuple[Int64Array, Float16Array]]:
    """The same, in parts of so many windows or a few more."""
    ids: list[Int64Array] = []
    vectors: list[Float16Array] = []
    for some_ids, some_vectors in parts:
        ids.append(some_ids)
        vectors.append(some_vectors)
        if sum(map(len, ids)) >= windows:
            yield np.concatenate(ids), np.concatenate(vectors)
            ids, vectors = [], []
    if ids:
        yield np.concatenate(ids), np.concatenate(vectors)


class _Nearest:
    """The windows that are really nearest to a few, found by looking at all of them, part by part."""

    def __init__(self, asked: Float32Array) -> None:

        self.asked = asked
        self.seen = 0
        self.places: Int64Array = np.zeros((len(asked), 0), dtype=np.int64)
        self._cosines: Float32Array = np.zeros((len(asked), 0), dtype=np.float32)

    def look(self, vectors: Float32Array) -> None:

        numbers = np.arange(self.seen, self.seen + len(vectors))
        self.seen += len(vectors)
        cosines = np.hstack([self._cosines, self.asked @ vectors.T])
        positions = np.hstack([self.places, np.broadcast_to(numbers, (len(self.asked), len(numbers)))])
        best = np.argsort(-cosines, axis=1, kind="stable")[:, :_TRUTH]
        self._cosines = np.take_along_axis(cosines, best, axis=1)
        self.places = np.take_along_axis(positions, best, axis=1)

    def share_of(self, found: Sequence[Any]) -> float:
        """How many of them were found, for each that was asked for."""
        shares = [
            len(set(places.tolist()).intersection(map(int, slots))) / len(places)
            for places, slots in zip(self.places, found, strict=True)
        ]
        return float(np.mean(shares))


class WindowIndex(Protocol):
    """Windows of a segment in a form that finds the nearest quickly: codes, or rows on a GPU."""

    @property
    def method(self) -> str: ...

    @property
    def nbytes(self) -> int: ...

    def add(self, frames: Int64Array, vectors: Float16Array) -> None: ...

    def look(self, question: VectorQuery, limit: int) -> Any: ...

    def frames_at(self, slots: Any) -> Int64Array: ...


class CodesTogether:
    """The codes of several segments, looked through one after the other."""

    def __init__(self, parts: Sequence[WindowIndex]) -> None:
        self._parts = parts

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Int64Array:
        return self.frames_at(self.look(question, limit))

    @property
    def method(self) -> str:
        return ", ".join(dict.fromkeys(codes.method for codes in self._parts))

    def look(self, question: VectorQuery, limit: int) -> list[Any]:
        return [codes.look(question, limit) for codes in self._parts]

    def frames_at(self, slots: Sequence[Any]) -> Int64Array:
        """The frames of the windows at these places, ascending."""
        frames = [codes.frames_at(positions) for codes, positions in zip(self._parts, slots, strict=True)]
        return frames[0] if len(frames) == 1 else np.sort(np.concatenate(frames), kind="stable")


class PendingScan:
    """A question on its way; through codes, on another thread, since the look needs no Python."""

    def __init__(
        self,
        question: Callable[[], VectorQuery],
        snapshot: Snapshot,
        limit: int,
        *,
        codes: Sequence[WindowIndex] = (),
        pool: Executor | None = None,
    ) -> None:
        self._question = question
        self.snapshot = snapshot
        self.limit = limit
        self.codes = CodesTogether(codes) if codes else None
        self._waits = threading.Lock()
        self._waits.acquire()
        self._looking = None if self.codes is None or pool is None else pool.submit(self._look, self.codes)

    @property
    def question(self) -> VectorQuery:
        """Waits for it, if it is still being made."""
        return self._question()

    def hand_over(self) -> None:
        """Let the other thread begin, if it has what it needs: it waits for the interpreter until it looks.

        Left to chance, it begins when this one next reads, or not before this one waits for it.
        """
        if self._looking is not None:
            self._waits.acquire(timeout=_HAND_OVER_SECONDS)

    def found(self) -> Int64Array | None:
        """The frames of the likeliest windows, or None if nobody looked."""
        slots = None if self._looking is None else self._looking.result()
        return None if slots is None or self.codes is None else self.codes.frames_at(slots)

    def _look(self, codes: CodesTogether) -> Any:
        # Whatever fails here fails again, and is seen, when the caller looks for itself.
        with suppress(Exception):
            question = self.question
            self._waits.release()  # whoever waits goes on when the look lets go of the interpreter
            return codes.look(question, candidates_for(self.limit))
        return None


def unpacked_index(chunks: Iterable[bytes]) -> Any:
    """The index that these bytes are of; ValueError or OSError if it cannot be read.

    turbovec reads a file straight into its arrays, but makes two more copies of bytes that it is given. The
    file is one in memory without a name: codes of an encrypted store are never anywhere on a disk.
    """
    import turbovec

    if not hasattr(os, "memfd_create") or not _DESCRIPTORS.is_dir():
        packed = b"".join(chunks)
        with one_worker():
            _clear_registers()
            return turbovec.TurboQuantIndex.from_bytes(packed)
    with os.fdopen(os.memfd_create("longmind-codes"), "wb") as file, one_worker():
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        _clear_registers()  # now: the pages of each chunk were checked on the way here
        return turbovec.TurboQuantIndex.load(str(_DESCRIPTORS / str(file.fileno())))


def _clear_registers() -> None:
    """Let turbovec begin at full speed.

    On processors with VPCLMULQDQ, ISA-L's checksum of a page leaves the upper parts of vector registers in
    use. Until they are cleared, code for older processors waits for them at each step: turbovec, which works
    out a rotation when it is first used, took 2.9 s for it in place of 0.2. What numpy has for the newest
    processors clears them when it ends.
    """
    np.add(np.ones(64, dtype=np.float32), np.float32(1))


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


def quick_number(number: int, among: int) -> int:
    """As many, or a few more: turbovec is ten times slower for 1/32 to 1/16 of what a mask shows."""
    return among // 16 + 1 if 16 * number < among <= 32 * number else number


def best_windows(
    frames: Int64Array, vectors: Float16Array | Float32Array | Float64Array, vector: Float32Array
) -> tuple[Int64Array, Float64Array]:
    """The cosine of each frame's best window; the frames ascend."""

    if len(frames) == 0:
        return frames, np.zeros(0)
    cosines = exact_cosines(vectors, vector)
    first = first_of_each(frames)
    if first.all():
        return frames, cosines
    starts = np.flatnonzero(first)
    return frames[starts], np.maximum.reduceat(cosines, starts)


def places_of(frames: Int64Array, ids: Int64Array) -> Int64Array:
    """Where the windows of these frames are, in frames that ascend; both by frame."""

    first = np.searchsorted(frames, ids, side="left")
    counts = np.searchsorted(frames, ids, side="right") - first
    return spread(first, counts)
