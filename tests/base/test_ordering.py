"""Orders that never hang on chance: the same as sorting by all keys at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longmind.base.ordering import best, distinct, falling, numbered

FEW = st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2.0]), st.integers(0, 4)), max_size=40)


@given(FEW, st.integers(1, 50))
def test_the_best_are_those_of_a_full_sort(pairs: list[tuple[float, int]], limit: int) -> None:
    values = np.array([value for value, _ in pairs])
    ids = np.arange(len(pairs), dtype=np.int64) * 3 + 1
    content = np.zeros(3 * len(pairs) + 2, dtype=np.int64)
    content[ids] = [key for _, key in pairs]
    expected = np.lexsort((ids, content[ids], -values))
    assert best(values, ids, limit, content=content).tolist() == expected[:limit].tolist()
    by_id = np.lexsort((ids, -values))
    assert best(values, ids, limit, content=None).tolist() == by_id[:limit].tolist()
    assert falling(values, content[ids], ids).tolist() == expected.tolist()


@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(200, 4000), st.integers(1, 400))
def test_the_best_of_many_are_those_of_a_full_sort(seed: int, limit: int, size: int, levels: int) -> None:
    """Also where a sample shows too little: few levels, many ties, the best at places the sample skips."""
    random = np.random.default_rng(seed)
    values = random.integers(0, levels, size) / 7.0
    values[random.integers(0, size, limit)] = random.integers(0, 3 * levels, limit)
    content = random.permutation(size)
    ids = np.arange(size)
    expected = np.lexsort((ids, content, -values))[:limit]
    assert best(values, ids, limit, content=content).tolist() == expected.tolist()


@given(st.lists(st.integers(-3, 12), max_size=40))
def test_distinct_values_and_their_numbers_are_those_of_numpy(given: list[int]) -> None:
    values = np.array(given, dtype=np.int64)
    expected, places = np.unique(values, return_inverse=True)
    assert distinct(values).tolist() == expected.tolist()
    assert numbered(values).tolist() == places.tolist()
