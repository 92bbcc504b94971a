"""Late interaction on one bit per direction: each word piece of a frame as 16 bytes of signs.

A question's pieces keep their full precision; a frame's are only signs. For each piece of the question
the most similar piece of the frame counts, weighted by how rare the word is.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Final

from longmind.base.arrays import BoolArray, Float32Array, Float64Array, Int64Array, UInt8Array, np
from longmind.base.base85 import decode_base85, encode_base85
from longmind.base.words import STOP_WORDS, WORD, fold
from longmind.embed.protocol import TokenStates
from longmind.vectors.exact import on_grid
from longmind.vectors.threads import one_thread

BITS: Final = 128
BYTES: Final = BITS // 8
_SAYS_SOMETHING: Final = bytes(byte >= 128 or chr(byte).isalnum() for byte in range(256))
"""Bytes that are part of a word become 1, others 0: letters, digits, and those of longer characters."""
_WORDS_APART: Final = bytes(
    ord(chr(byte).lower()) if chr(byte).isalnum() else ord(" ") for byte in range(128)
) + bytes(128)
"""For texts in ASCII: letters in lower case, digits as they are, and a space for everything else."""
_FEW_TEXTS: Final = 32
_MOST_WORKERS: Final = 2
"""Where a product takes much longer than the calls around it, two take two thirds of the time; more wait."""
_SHORTEST: Final = 1e-9
"""What a state of no length is taken to be long."""
GRID_BITS: Final = 20
"""Directions and weights of a question are whole multiples of 2**-20; see `score_late`."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """The directions whose signs are kept: a mean to subtract, and a projection to `BITS` axes."""

    mean: Float32Array
    axes: Float32Array
    projected_mean: Float32Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "projected_mean", self.mean @ self.axes)

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


def sample_texts() -> list[str]:
    """Plain English that every Python carries, to learn a model's directions from."""
    from pydoc_data import topics

    paragraphs = [
        " ".join(paragraph.split())
        for _, text in sorted(topics.topics.items())
        for paragraph in text.split("\n\n")
        if 200 < len(paragraph) < 600
    ]
    return paragraphs[:: max(1, len(paragraphs) // 96)]


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


def content_pieces(texts: Sequence[str], tokens: Sequence[TokenStates]) -> list[BoolArray]:
    """For each text, which of its word pieces belong to words that say something."""
    if not texts:
        return []
    if len(texts) == 1:
        return [_content_pieces_of_one(texts[0], tokens[0])]
    raw = [text.encode() for text in texts]
    sizes = np.fromiter(map(len, raw), dtype=np.int64, count=len(raw))
    bases = np.concatenate([[0], np.cumsum(sizes + 1)])
    is_word, is_silent = _words_that_say_nothing(texts, raw, bases.tolist())
    words_before = np.concatenate([[0], np.cumsum(is_word)])
    counts = [len(each.ids) for each in tokens]
    spans = np.concatenate([each.spans for each in tokens])
    # Within its own text, whatever an embedder says.
    spans = np.clip(spans, 0, np.repeat(sizes, counts)[:, None]) + np.repeat(bases[:-1], counts)[:, None]
    starts, ends = spans[:, 0], spans[:, 1]
    keeps: BoolArray = ~is_silent[starts] & (words_before[ends] > words_before[starts])
    bounds = list(accumulate(counts, initial=0))
    return [keeps[begin:end] for begin, end in pairwise(bounds)]


def _content_pieces_of_one(text: str, tokens: TokenStates) -> BoolArray:
    """As for many texts, piece by piece: a question has too few of them to be worth a dozen arrays."""
    says = text.encode().translate(_SAYS_SOMETHING)
    silent = set(_stop_words(text, 0))
    spans = np.clip(tokens.spans, 0, len(says)).tolist()
    keeps = (start not in silent and says.find(1, start, end) >= 0 for start, end in spans)
    return np.fromiter(keeps, dtype=bool, count=len(spans))


def _words_that_say_nothing(
    texts: Sequence[str], raw: Sequence[bytes], bases: Sequence[int]
) -> tuple[BoolArray, BoolArray]:
    """Of each byte of the texts, joined by a space: whether it is part of a word, and begins a stop word."""
    joined = b" ".join(raw) + b" "
    is_word: BoolArray = np.frombuffer(joined.translate(_SAYS_SOMETHING), dtype=np.uint8) != 0
    is_silent = np.zeros(len(joined), dtype=bool)
    foreign = [position for position, text in enumerate(texts) if not text.isascii()]
    plain = joined
    if foreign:
        left_out = set(foreign)
        plain = b" ".join(b" " * len(each) if at in left_out else each for at, each in enumerate(raw)) + b" "
    # The words of `WORD`, without an object for each: between two of them there are no letters.
    apart = plain.translate(_WORDS_APART)
    words = apart.decode("ascii").split()
    says = np.frombuffer(apart, dtype=np.uint8) != ord(" ")
    begins = np.flatnonzero(says & ~np.concatenate([[False], says[:-1]]))
    is_stop = np.fromiter(map(STOP_WORDS.__contains__, words), dtype=bool, count=len(words))
    is_silent[begins[is_stop]] = True
    for position in foreign:
        is_silent[_stop_words(texts[position], bases[position])] = True
    return is_word, is_silent


def _stop_words(text: str, base: int) -> list[int]:
    """At which bytes the stop words of a text begin, counted from `base`."""
    offsets: list[int] = []
    done, position = 0, base
    for match in WORD.finditer(text):
        if fold(match[0]) in STOP_WORDS:
            position += len(text[done : match.start()].encode())
            done = match.start()
            offsets.append(position)
    return offsets


def pack_signs(basis: Basis, states: Float32Array) -> bytes:
    """Token states as `BYTES` bytes each: the signs of what `project` gives, without making it.

    Scaling a row changes no sign, so that not the states are made unit and centred but, by far smaller, the
    mean is projected and made as long as each of them.
    """
    if len(states) == 0:
        return b""
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", states, states)), _SHORTEST)
    return np.packbits(states @ basis.axes > np.outer(lengths, basis.projected_mean), axis=1).tobytes()


def pack_many(basis: Basis, states: Sequence[Float32Array], keeps: Sequence[BoolArray]) -> list[bytes]:
    """`pack_signs` of what is kept of each; of many on several threads, since a product needs no Python.

    Each text's product by itself: one of several would round in another way. And what is kept is copied just
    before it: of all texts first, the copies would have left the processor's cache by then.
    """

    def packed(first: int, end: int) -> list[bytes]:
        pairs = zip(states[first:end], keeps[first:end], strict=True)
        return [pack_signs(basis, each.compress(keep, axis=0)) for each, keep in pairs]

    with one_thread():
        workers = min(_MOST_WORKERS, os.cpu_count() or 1)
        if workers < 2 or len(states) < _FEW_TEXTS:
            return packed(0, len(states))
        from concurrent.futures import ThreadPoolExecutor

        size = -(-len(states) // workers)
        with ThreadPoolExecutor(workers, thread_name_prefix="longmind-signs") as pool:
            shares = pool.map(lambda first: packed(first, first + size), range(0, len(states), size))
            return [signs for share in shares for signs in share]


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
    scaled: Float32Array = (values / np.maximum(lengths, _SHORTEST)).astype(np.float32, copy=False)
    return scaled
