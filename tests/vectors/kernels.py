"""Prints cosines, orders and late scores as bits, under whatever kernels this process was given.

`python -m tests.vectors.kernels`; needs nothing but numpy and the pure functions.
"""

from __future__ import annotations

import hashlib

import numpy as np

from longmind.vectors.exact import cosines, margin
from longmind.vectors.late_interaction import LateQuery, Pieces, late_query, plain_basis, score_late


def unit(rows: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = rows / np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return scaled


def main() -> None:
    rng = np.random.default_rng(14)
    for dimensions in (32, 384, 1024):
        stored = unit(rng.standard_normal((700, dimensions))).astype(np.float16)
        question = unit(rng.standard_normal((1, dimensions)))[0].astype(np.float32)
        whole = cosines(stored, question)
        for count in (1, 2, 3, 7, 8, 63, 64, 700):
            assert (cosines(stored[:count], question) == whole[:count]).all(), (dimensions, count)
        assert (cosines(stored[::-1], question)[::-1] == whole).all()
        roughly = stored.astype(np.float32) @ question
        assert np.abs(roughly - whole).max() <= margin(dimensions)
        print(dimensions, hashlib.sha256(whole.tobytes()).hexdigest(), np.argsort(-whole)[:5].tolist())
    basis = plain_basis(128)
    query: LateQuery = late_query(
        basis, rng.integers(-9, 9, (7, 128)).astype(np.float32), rng.random(7).astype(np.float32)
    )
    packed = [rng.bytes(16 * size) for size in rng.integers(1, 30, 200).tolist()]
    together = score_late(query, Pieces.of(packed))
    for place, data in enumerate(packed[:40]):
        assert score_late(query, Pieces.of([data]))[0] == together[place]
    print("late", hashlib.sha256(together.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
