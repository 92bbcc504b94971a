"""Codes in lists: a question looks through the nearest, finds what all would show, and misses nothing new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longmind import Memory
from longmind.base.filters import EVERYTHING, View
from longmind.store.column_rows import pack_arrays, unpack_arrays
from longmind.store.parts import Budget
from longmind.vectors import nearest, quantized
from longmind.vectors.index import VectorIndex
from longmind.vectors.lists import LISTS, Lists
from longmind.vectors.quantized import Codes, VectorQuery, unpacked_index
from tests.vectors.clusters import ClusterEmbedder, exact_order
from tests.vectors.small import method, searcher

DIMENSIONS = 64
PART = 4000
PARTS = 5


def windows(count: int, seed: int) -> np.ndarray:
    """Around two hundred middles, as texts gather around what they are about."""
    middles = np.random.default_rng(0).standard_normal((200, DIMENSIONS))
    random = np.random.default_rng(seed)
    vectors = middles[random.integers(200, size=count)] + 0.6 * random.standard_normal((count, DIMENSIONS))
    unit: np.ndarray = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    return unit


@pytest.fixture(scope="module")
def stored() -> np.ndarray:
    return np.concatenate([windows(PART, seed) for seed in range(PARTS)])


@pytest.fixture(scope="module")
def codes(stored: np.ndarray) -> Codes:
    parts = [
        (np.arange(first, first + PART, dtype=np.int64) + 1, stored[first : first + PART])
        for first in range(0, len(stored), PART)
    ]
    return Codes.build(stored[:1024], parts, Lists.spread_as(stored[::4]))


def asked(vector: np.ndarray, mask: np.ndarray) -> VectorQuery:
    return VectorQuery(vector.astype(np.float32), mask, View.of("default"), EVERYTHING)


def everything(frames: int) -> np.ndarray:
    mask = np.ones(frames + 1, dtype=bool)
    mask[0] = False
    return mask


def found(codes: Codes, vector: np.ndarray, mask: np.ndarray) -> set[int]:
    question = asked(vector, mask)
    return set(codes.frames_at(codes.look(question, 100)).tolist())


def test_the_nearest_lists_hold_nearly_all_of_the_nearest(codes: Codes, stored: np.ndarray) -> None:
    assert codes.packed()[2]["lists"] > 0
    shares = []
    for vector in windows(50, 77):
        truth = np.argsort(-(stored.astype(np.float32) @ vector.astype(np.float32)))[:10] + 1
        shares.append(len(found(codes, vector, everything(len(stored))) & set(truth.tolist())) / 10)
    assert np.mean(shares) >= 0.97


def test_most_codes_are_passed_over(codes: Codes, stored: np.ndarray) -> None:
    _, arrays, about = codes.packed()
    lists = Lists.unpacked(arrays, about["lists"], dimensions=DIMENSIONS, windows=len(stored))
    shown = np.ones(len(stored), dtype=bool)
    shares = [lists.near(vector.astype(np.float32), shown).mean() for vector in windows(20, 78)]
    assert max(shares) < 0.5


def test_windows_stand_by_list_with_their_frames(codes: Codes, stored: np.ndarray) -> None:
    _, arrays, _ = codes.packed()
    assert sorted(arrays["frames"].tolist()) == list(range(1, len(stored) + 1))
    middles = arrays["middles"].astype(np.float32).reshape(LISTS, DIMENSIONS)
    for number, (start, end) in enumerate(zip(arrays["starts"], arrays["starts"][1:], strict=False)):
        mine = stored[arrays["frames"][start:end] - 1].astype(np.float32) @ middles.T
        assert (np.argmax(mine, axis=1) == number % LISTS).all()


def test_a_filter_that_leaves_few_is_looked_through_in_all_lists(codes: Codes, stored: np.ndarray) -> None:
    mask = np.zeros(len(stored) + 1, dtype=bool)
    mask[7::200] = True
    assert found(codes, windows(1, 79)[0], mask) == set(np.flatnonzero(mask).tolist())


def test_what_is_added_later_is_in_no_list_and_always_found(stored: np.ndarray) -> None:
    parts = [(np.arange(1, PART + 1, dtype=np.int64), stored[:PART])]
    grown = Codes.build(stored[:1024], parts, Lists.spread_as(stored[:PART]))
    for vector in windows(20, 80):
        frames = grown.frames + 1
        grown.add(np.array([frames], dtype=np.int64), vector[None, :])
        assert frames in found(grown, vector, everything(frames))


def reread(codes: Codes, **changed: Any) -> Codes:
    packed, arrays, about = codes.packed()
    arrays, about = unpack_arrays(pack_arrays(arrays, about))
    return Codes.unpacked(unpacked_index([packed]), {**arrays, **changed}, about, DIMENSIONS)


def test_lists_are_the_same_after_they_were_stored(codes: Codes, stored: np.ndarray) -> None:
    again = reread(codes)
    for vector in windows(10, 81):
        assert found(again, vector, everything(len(stored))) == found(codes, vector, everything(len(stored)))


@pytest.mark.parametrize(
    "changed",
    [
        {"middles": np.zeros(LISTS * DIMENSIONS + 1, dtype=np.float16)},
        {"middles": np.zeros(LISTS * DIMENSIONS, dtype=np.int32)},
        {"middles": np.zeros(0, dtype=np.float16)},
        {"starts": np.zeros(3, dtype=np.int64)},
        {"starts": np.zeros(0, dtype=np.int64)},
        {"starts": np.full(LISTS + 1, 5, dtype=np.int64)},
        {"starts": np.linspace(0, 10**9, LISTS + 1).astype(np.int64)},
        {"starts": np.concatenate([np.arange(LISTS, dtype=np.int64), np.array([3], dtype=np.int64)])},
    ],
)
def test_lists_of_other_codes_are_refused(codes: Codes, changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="lists"):
        reread(codes, **changed)


@pytest.mark.parametrize("looked", [-1, LISTS + 1, "four", True])
def test_a_number_of_lists_that_cannot_be_is_refused(codes: Codes, looked: Any) -> None:
    packed, arrays, about = codes.packed()
    with pytest.raises(ValueError, match=r"lists|codes"):
        Codes.unpacked(unpacked_index([packed]), arrays, {**about, "lists": looked}, DIMENSIONS)


def test_codes_from_before_there_were_lists_are_read(codes: Codes, stored: np.ndarray) -> None:
    packed, arrays, about = codes.packed()
    del about["lists"]
    old = Codes.unpacked(unpacked_index([packed]), {"frames": arrays["frames"]}, about, DIMENSIONS)
    assert found(old, windows(1, 82)[0], everything(len(stored)))
    assert not old.lacks_lists  # they are few


def test_maintenance_gives_lists_to_a_large_partition_that_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = ClusterEmbedder()
    with Memory.open(tmp_path / "many.mind", embedder=embedder, extractor=None) as memory:
        memory.remember_many(f"c{place % 150} i{place}" for place in range(3000))
        index = VectorIndex(memory.store, embedder, exact_limit=100)
        assert index.maintain(memory.store, Budget()) == {"codes": 1}
        assert index.maintain(memory.store, Budget()) == {}
        for module in (nearest, quantized):
            monkeypatch.setattr(module, "LEAST_WINDOWS", 1000)
        assert index.maintain(memory.store, Budget()) == {"codes": 1}
        assert index.maintain(memory.store, Budget()) == {}


def test_windows_that_are_all_alike_make_lists_of_nothing() -> None:
    same = np.zeros((2000, DIMENSIONS), dtype=np.float16)
    same[:, 0] = 1
    ids = np.arange(1, 2001, dtype=np.int64)
    alike = Codes.build(same[:100], [(ids, same)], Lists.spread_as(same))
    assert len(found(alike, same[0], everything(2000))) >= 100
    empty = Codes.build(0 * same[:100], [(ids, 0 * same)], Lists.spread_as(0 * same))
    assert found(empty, same[0], everything(2000))


def test_a_large_store_is_searched_by_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "LEAST_WINDOWS", 1000)  # 65,536 take a minute to write
    embedder = ClusterEmbedder()
    texts = [f"c{place % 150} i{place}" for place in range(3000)]
    with Memory.open(tmp_path / "many.mind", embedder=embedder, extractor=None) as memory:
        memory.remember_many(texts)
        index = VectorIndex(memory.store, embedder, exact_limit=100)
        assert index.maintain(memory.store, Budget()) == {"codes": 1}
        search = searcher(memory, exact_limit=100, embedder=embedder)
        for cluster in range(0, 150, 15):
            query = f"c{cluster} i{90_000 + cluster}"
            results = search(query)
            truth = {texts[place] for place in exact_order(embedder, query, texts)[:10]}
            assert method(results) == "quantised, reranked"
            assert len(truth & {hit.frame.text for hit in results}) >= 9
        memory.remember("c3 i70003")
        assert search("c3 i70003", limit=1)[0].frame.text == "c3 i70003"
