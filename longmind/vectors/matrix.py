"""All windows of a segment as one matrix, for segments whose vectors are all looked at."""

from __future__ import annotations

from dataclasses import dataclass

from longmind.base.arrays import Float16Array, Float32Array, Float64Array, Int64Array, np
from longmind.base.columns import is_shown
from longmind.base.ordering import last_of_best
from longmind.vectors.exact import margin
from longmind.vectors.quantized import VectorQuery, best_windows, places_of
from longmind.vectors.rows import GrowingArray, spread


@dataclass(frozen=True, slots=True, eq=False)
class WindowMatrix:
    """All windows as one matrix, in the order of their frames."""

    frames: Int64Array
    vectors: Float32Array
    starts: Int64Array
    distinct: Int64Array
    rooms: tuple[GrowingArray, GrowingArray, GrowingArray, GrowingArray]

    @classmethod
    def of(cls, frames: Int64Array, vectors: Float32Array) -> WindowMatrix:
        """From windows by frame."""

        distinct, starts = np.unique(frames, return_index=True)
        columns = (frames, vectors, starts, distinct)
        first, second, third, fourth = map(GrowingArray, columns)
        return cls(*columns, (first, second, third, fourth))

    @classmethod
    def empty(cls, dimensions: int) -> WindowMatrix:

        return cls.of(np.zeros(0, dtype=np.int64), np.zeros((0, dimensions), dtype=np.float32))

    def with_more(self, frames: Int64Array, vectors: Float16Array) -> WindowMatrix:
        """The newest is the last to be made of this one: they share their room."""

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
        return WindowMatrix(first, second, third, fourth, self.rooms)

    def nearest(self, question: VectorQuery, limit: int) -> tuple[Int64Array, Float64Array]:
        """The best `limit` frames by exact cosine are among these; the frames ascend.

        All are looked at in float32, whose errors depend on the matrix library. None is further off than
        the margin, so that what lies more than two of them below the last place cannot reach it.
        """

        if len(self.frames) == 0:
            return self.distinct, np.zeros(0)
        roughly = self.vectors @ question.vector
        if len(self.distinct) < len(self.frames):
            roughly = np.maximum.reduceat(roughly, self.starts)
        seen = is_shown(question.mask, self.distinct)
        if np.count_nonzero(seen) > limit:
            roughly = np.where(seen, roughly, -np.inf)
            seen = roughly >= last_of_best(roughly, limit) - 2 * margin(self.vectors.shape[1])
        positions = seen.nonzero()[0]
        first = self.starts[positions]
        ends = np.append(self.starts, len(self.frames))[positions + 1]
        windows = spread(first, ends - first)
        return best_windows(self.frames.take(windows), self.vectors.take(windows, axis=0), question.vector)

    @property
    def nbytes(self) -> int:
        return sum(room.nbytes for room in self.rooms)

    def some(self, ids: Int64Array) -> tuple[Int64Array, Float32Array]:
        positions = places_of(self.frames, ids)
        return self.frames.take(positions), self.vectors.take(positions, axis=0)
