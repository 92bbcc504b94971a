"""Late interaction on one bit per direction: each word piece of a frame as 16 bytes of signs.

A question's pieces keep their full precision; a frame's are only signs. For each piece of the question
the most similar piece of the frame counts, weighted by how rare the word is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from longmind.base.arrays import BoolArray, Float32Array, Float64Array, Int64Array, UInt8Array, np
from longmind.base.base85 import decode_base85, encode_base85
from longmind.base.words import STOP_WORDS, WORD, fold
from longmind.embed.protocol import TokenStates
from longmind.vectors.exact import on_grid

BITS: Final = 128
BYTES: Final = BITS // 8
_SAYS_SOMETHING: Final = bytes(b"01"[byte >= 128 or chr(byte).isalnum()] for byte in range(256))
"""Bytes that are part of a word become `1`: letters, digits, and those of longer characters."""
_WORDS_APART: Final = bytes(byte if chr(byte).isalnum() else ord(" ") for byte in range(128)) + bytes(128)
"""For texts in ASCII: letters and digits as they are, and a space for everything else."""
GRID_BITS: Final = 20
"""Directions and weights of a question are whole multiples of 2**-20; see `score_late`."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """The directions whose signs are kept: a mean to subtract, and a projection to `BITS` axes."""

    mean: Float32Array
    axes: Float32Array

    def project(self, states: Float32Array) -> Float32Array:
        centred = _unit(states)
        centred -= self.mean
        projected: Float32Array = (centred @ self.axes).astype(centred.dtype)
        return projected

    def to_text(self) -> str:
        """For the store's settings; float16 is enough for directions."""
        return _encoded(self)

    @classmethod
    def from_text(cls, text: str) -> Basis:
        return _decoded(text)


# A process creates and opens its stores with one or two bases.
@lru_cache(maxsize=4)
def _decoded(text: str) -> Basis:
    raw = json.loads(text)

    def unpacked(value: str) -> Float32Array:
        return np.frombuffer(decode_base85(value), dtype=np.float16).astype(np.float32)

    return Basis(unpacked(raw["mean"]), unpacked(raw["axes"]).reshape(raw["dimensions"], -1))


@lru_cache(maxsize=4)
def _encoded(basis: Basis) -> str:
    def packed(values: Float32Array) -> str:
        return encode_base85(values.astype(np.float16).tobytes())

    return json.dumps({"dimensions": len(basis.mean), "mean": packed(basis.mean), "axes": packed(basis.axes)})


def fit_basis(states: Float32Array) -> Basis:
    """The principal directions of many token states, all of different texts."""

    unit = _unit(states)
    mean = unit.mean(axis=0)
    covariance = np.cov((unit - mean).T.astype(np.float64))
    _, vectors = np.linalg.eigh(covariance)
    axes = vectors[:, ::-1][:, : min(BITS, len(mean))].astype(np.float32)
    if axes.shape[1] < BITS:
        axes = np.hstack([axes, np.zeros((len(mean), BITS - axes.shape[1]), dtype=np.float32)])
    return Basis(mean.astype(np.float32), axes)


@cache
def plain_basis(dimensions: int) -> Basis:
    """For embedders whose states are spread evenly already: the first axes as they are."""

    axes = np.zeros((dimensions, BITS), dtype=np.float32)
    for axis in range(min(dimensions, BITS)):
        axes[axis, axis] = 1.0
    return Basis(np.zeros(dimensions, dtype=np.float32), axes)


@cache
def shipped_basis(model: str) -> Basis | None:
    """The basis that comes with the package for a known model."""

    from importlib.resources import files

    file = files("longmind.vectors").joinpath("bases", f"{model}.npz")
    if not file.is_file():
        return None
    with file.open("rb") as stream, np.load(stream) as arrays:
        return Basis(arrays["mean"].astype(np.float32), arrays["axes"].astype(np.float32))


def content_pieces(text: str, tokens: TokenStates) -> BoolArray:
    """Which word pieces belong to words that say something."""

    if len(tokens.ids) == 0:
        return np.zeros(0, dtype=bool)
    silent = _silent_spans(text)
    marked = text.encode().translate(_SAYS_SOMETHING)
    return np.array(
        [start not in silent and b"1" in marked[start:end] for start, end in tokens.spans.tolist()],
        dtype=bool,
    )


def _silent_spans(text: str) -> set[int]:
    """Byte offsets at which a stop word begins."""
    offsets: set[int] = set()
    if text.isascii():
        # The words of `WORD`, without an object for each: between two of them there are no letters.
        lowered, end = text.lower(), 0
        for word in lowered.encode().translate(_WORDS_APART).decode("ascii").split():
            start = lowered.find(word, end)
            end = start + len(word)
            if word in STOP_WORDS:
                offsets.add(start)
        return offsets
    done = position = 0
    for match in WORD.finditer(text):
        if fold(match[0]) in STOP_WORDS:
            position += len(text[done : match.start()].encode())
            done = match.start()
            offsets.add(position)
    return offsets


def pack_signs(basis: Basis, states: Float32Array) -> bytes:
    """Token states as `BYTES` bytes each."""

    if len(states) == 0:
        return b""
    return np.packbits(basis.project(states) > 0, axis=1).tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class LateQuery:
    """The content pieces of a question: unit directions, and a weight for each."""

    directions: Float32Array
    weights: Float32Array

    @property
    def is_empty(self) -> bool:
        return len(self.weights) == 0


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The word pieces of some frames, one frame behind the other."""

    signs: UInt8Array
    """A row of `BYTES` for each piece."""
    sizes: Int64Array
    """How many pieces each frame has."""

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> Pieces:

        if any(len(data) % BYTES for data in packed):  # damaged: what is whole of them still counts
            packed = [data[: len(data) // BYTES * BYTES] for data in packed]
        sizes = np.fromiter(map(len, packed), dtype=np.int64, count=len(packed)) // BYTES
        return cls(np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(-1, BYTES), sizes)

    def up_to(self, most: int) -> Pieces:
        """Of the first frames that have no more than so many together."""
        sizes = fitting(self.sizes, most)
        return Pieces(self.signs[: int(sizes.sum())], sizes)


def fitting(sizes: Int64Array, most: int) -> Int64Array:
    """The first of these sizes that are no more than so many together; the first that is any, always."""

    count = int(np.searchsorted(np.cumsum(sizes), most, side="right"))
    return sizes if count == len(sizes) else sizes[: max(count, int(np.argmax(sizes > 0)) + 1)]


def score_late(query: LateQuery, pieces: Pieces) -> Float64Array:
    """For each frame the weighted mean, over the question's pieces, of the best piece's similarity.

    The same number whatever other frames are scored and whatever the processor offers: directions are whole
    multiples of 2**-20, and a sum of any of the 128 numbers of a unit direction is less than 16, so that
    float32 rounds none of the sums; with weights that are multiples of 2**-20 too, float64 rounds none of
    theirs.
    """

    sizes = pieces.sizes
    scores = np.full(len(sizes), -np.inf)
    nonempty = sizes.nonzero()[0]
    count = len(query.weights)
    if len(nonempty) == 0 or count == 0:
        return scores
    bits = _bits_of_bytes().take(pieces.signs.ravel(), axis=0).reshape(-1, BITS)
    # In fours: a product of seven columns takes half as long again as one of eight.
    directions = np.zeros((-(-count // 4) * 4, BITS), dtype=np.float32)
    directions[:count] = query.directions
    ends = sizes[nonempty].cumsum()
    starts = np.zeros(len(nonempty), dtype=np.int64)
    starts[1:] = ends[:-1]
    similar = np.maximum.reduceat(bits @ directions.T, starts, axis=0)[:, :count]
    # (2 * bits - 1) . t, without building the signs themselves
    best = 2 * similar - query.directions.sum(axis=1)
    total = math.fsum(query.weights.tolist())
    weights = on_grid(query.weights.astype(np.float64) / total, GRID_BITS)
    scores[nonempty] = best.astype(np.float64) @ weights / math.sqrt(BITS)
    return scores


@cache
def _bits_of_bytes() -> Float32Array:
    """The eight bits of each byte as numbers: looking them up is faster than unpacking and converting."""

    return np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


def late_query(basis: Basis, states: Float32Array, weights: Float32Array) -> LateQuery:

    directions = _unit(basis.project(states))
    return LateQuery(on_grid(directions, GRID_BITS).astype(np.float32), weights)


def _unit(values: Float32Array) -> Float32Array:

    lengths = np.sqrt(np.add.reduce(values * values, axis=-1, keepdims=True))
    scaled: Float32Array = (values / np.maximum(lengths, 1e-9)).astype(np.float32, copy=False)
    return scaled
