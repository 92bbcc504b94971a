"""Dot products that are one number: whatever else is in the product, and whatever the processor offers.

A sum of floats depends on its order, and a matrix library chooses the order by the number of rows and by the
instructions it finds. Here the numbers are such that no sum is ever rounded, so that every order gives the
same bits, with or without fused multiply-add:

- A stored vector is float16, so each of its numbers is a whole multiple of 2**-24.
- A question's vector is rounded to whole multiples of 2**-26, finer than float32 has near 1.
- A product of the two is a whole multiple of 2**-50. Both vectors have length one, so that by Cauchy-Schwarz
  no sum of any of the products is more than about 1, and float64 is exact for such multiples up to 8.
"""

from __future__ import annotations

from typing import Any, Final

from longmind.base.arrays import Float64Array, np

QUESTION_BITS: Final = 26


def on_grid(values: Any, bits: int) -> Float64Array:
    """Rounded to whole multiples of 2**-bits; scaling by a power of two is exact."""

    rounded: Float64Array = np.rint(np.asarray(values, dtype=np.float64) * 2.0**bits) * 2.0**-bits
    return rounded


def cosines(vectors: Any, question: Any) -> Float64Array:
    """Of unit vectors that are float16, or were, with a question's unit vector: exact, see above."""

    products: Float64Array = vectors.astype(np.float64, copy=False) @ on_grid(question, QUESTION_BITS)
    return products


def margin(dimensions: int) -> float:
    """How far a cosine computed in float32, in any order, may be from `cosines`.

    The rounding errors of a sum of n products are at most about n * 2**-24 of the sum of their sizes, which
    is at most 1 for unit vectors; 2 % more allows for vectors whose length is not quite one, and 2**-20 for
    rounding the question (at most 2**-27 in each of up to 4,096 directions: a length of 2**-21).
    """
    return 1.02 * dimensions * 2.0**-24 + 2.0**-20
