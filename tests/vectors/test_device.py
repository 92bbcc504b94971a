"""Exact search on a device: the same windows as comparing everything, under any filter, kept current."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longmind import Memory
from longmind.base.errors import InvalidInput, MissingExtra, Unavailable
from longmind.base.filters import EVERYTHING, View
from longmind.search import embedding as embedding_module
from longmind.vectors import device as device_module
from longmind.vectors import nearest as nearest_module
from longmind.vectors.device import DeviceIndex, DeviceShort, check_device, open_device
from longmind.vectors.device_arrays import NumpyArrays, TorchArrays
from longmind.vectors.quantized import VectorQuery, can_quantize

VIEW = View.of("test")
DIMENSIONS = 48


def backends() -> list[Any]:
    try:
        import torch
    except ImportError:
        return [NumpyArrays()]
    found: list[Any] = [NumpyArrays(), TorchArrays("cpu")]
    return [*found, TorchArrays("cuda")] if torch.cuda.is_available() else found


def unit(count: int, seed: int) -> Any:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


def expected(vectors: Any, frames: Any, query: Any, mask: Any, limit: int) -> set[int]:
    shown = np.flatnonzero(mask[frames])
    scores = vectors[shown].astype(np.float64) @ query.astype(np.float64)
    return set(shown[np.argsort(-scores, kind="stable")[:limit]].tolist())


@pytest.mark.parametrize("arrays", backends(), ids=lambda arrays: arrays.name)
def test_the_nearest_windows_are_those_of_comparing_everything(arrays: Any) -> None:
    vectors, frames = unit(3000, 1), np.arange(3000) // 2
    index = DeviceIndex.build(
        arrays, DIMENSIONS, 500, [(frames[:1000], vectors[:1000]), (frames[1000:], vectors[1000:])]
    )
    queries = unit(9, 2).astype(np.float32)
    rng = np.random.default_rng(3)
    for share, limit in ((1.0, 10), (0.5, 100), (0.01, 10), (0.01, 500), (0.0, 5)):
        mask = rng.random(1500) < share
        mask.flags.writeable = False
        asked = [VectorQuery(query, mask, VIEW, EVERYTHING) for query in queries]
        # The second time a scan is recorded on a card, the third time it is played back.
        for count in (9, 9, 9, 1, 1, 1, 5, 6):
            found = index.look_many(asked[:count], limit)
            for query, slots in zip(queries[:count], found, strict=True):
                assert set(slots.tolist()) == expected(vectors, frames, query, mask, limit)
    # Windows that come later are found by the next question, also under a filter that was used before.
    more, later = unit(700, 4), np.arange(1500, 2200)
    index.add(later, more)
    vectors, frames = np.concatenate([vectors, more]), np.concatenate([frames, later])
    everything = np.ones(2200, dtype=bool)
    for query in queries:
        slots = index.look(VectorQuery(query, everything, VIEW, EVERYTHING), 20)
        assert set(slots.tolist()) == expected(vectors, frames, query, everything, 20)
        assert set(index.frames_at(slots).tolist()) == set(frames[slots].tolist())


@pytest.mark.parametrize("arrays", backends(), ids=lambda arrays: arrays.name)
def test_vectors_that_cannot_be_written_to_are_taken_in_without_a_warning(arrays: Any) -> None:
    dimensions = 384  # which need no padding, and so no copy
    vectors = np.eye(dimensions, dtype=np.float16)
    vectors.flags.writeable = False  # as what is read from blocks
    index = DeviceIndex.build(arrays, dimensions, dimensions, [(np.arange(dimensions), vectors)])
    everything = np.ones(dimensions, dtype=bool)
    query = VectorQuery(vectors[7].astype(np.float32), everything, VIEW, EVERYTHING)
    assert index.look(query, 1).tolist() == [7]


@pytest.mark.parametrize("arrays", backends(), ids=lambda arrays: arrays.name)
def test_copies_of_one_text_and_damaged_vectors_do_no_harm(arrays: Any) -> None:
    vectors = np.repeat(unit(1, 5), 2000, axis=0)
    vectors[7] = np.nan
    index = DeviceIndex.build(arrays, DIMENSIONS, 2000, [(np.arange(2000), vectors)])
    mask = np.ones(2000, dtype=bool)
    mask.flags.writeable = False
    for _ in range(3):
        slots = index.look(VectorQuery(vectors[0].astype(np.float32), mask, VIEW, EVERYTHING), 30)
        assert len(set(slots.tolist())) == 30
        assert 7 not in slots


def test_questions_that_arrive_together_share_a_scan_and_a_failure() -> None:
    class Slow(NumpyArrays):
        def __init__(self) -> None:
            self.batches: list[int] = []
            self.entered, self.go_on = threading.Event(), threading.Event()
            self.fails = False

        def maxima(self, room: Any, tiles: int, shown: Any, asked: Any) -> Any:
            self.batches.append(len(asked[0]))
            self.entered.set()
            assert self.go_on.wait(30)
            if self.fails:
                raise RuntimeError("out of memory")
            return super().maxima(room, tiles, shown, asked)

    arrays = Slow()
    vectors, mask = unit(500, 6), np.ones(500, dtype=bool)
    mask.flags.writeable = False
    index = DeviceIndex.build(arrays, DIMENSIONS, 500, [(np.arange(500), vectors)])
    answers: dict[int, Any] = {}

    def ask(number: int) -> None:
        query = VectorQuery(vectors[number].astype(np.float32), mask, VIEW, EVERYTHING)
        try:
            answers[number] = index.look(query, 5)[0]
        except DeviceShort as short:
            answers[number] = short.note

    def together(count: int) -> None:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(count)]
        threads[0].start()
        assert arrays.entered.wait(30)
        for thread in threads[1:]:
            thread.start()
        while len(index._waiting) < count - 1:
            pass
        arrays.go_on.set()
        for thread in threads:
            thread.join()

    together(5)
    assert arrays.batches == [1, 4]
    assert answers == {number: number for number in range(5)}
    arrays.entered.clear()
    arrays.go_on.clear()
    arrays.fails = True
    together(3)
    note = "numpy failed (RuntimeError), so the processor searches"
    assert [answers[number] for number in range(3)] == [note] * 3


def test_a_card_that_is_too_small_says_how_much_is_missing() -> None:
    class Small(NumpyArrays):
        name = "a small card"

        def free_bytes(self) -> int | None:
            return 2**28 + 64 * 2 * 1200

    index = DeviceIndex(Small(), DIMENSIONS, 1100)  # without the usual headroom
    assert index.device_bytes <= 64 * 2 * 1200
    with pytest.raises(DeviceShort, match=r"need .* GB on a small card and .* GB are free"):
        DeviceIndex(Small(), DIMENSIONS, 5000)


def test_which_device_is_chosen() -> None:
    with pytest.raises(InvalidInput, match="device"):
        check_device("tpu")
    assert open_device("cpu", 10**9) is None
    assert open_device("auto", 10) is None
    card = open_device("auto", 10**9)
    if card is not None:
        assert card.free_bytes()
        return
    with pytest.raises((MissingExtra, Unavailable), match="PyTorch") as refused:
        open_device("cuda", 1)
    assert refused.value.hint or isinstance(refused.value, MissingExtra)


def test_a_store_searches_on_a_card_says_so_and_goes_on_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The card is played by numpy; what chooses it, fills it, keeps it current and leaves it is real."""

    class Card(NumpyArrays):
        name = "a card"
        free: int | None = None

        def free_bytes(self) -> int | None:
            return self.free

    monkeypatch.setattr(
        nearest_module, "open_device", lambda device, windows: None if device == "cpu" else Card()
    )
    monkeypatch.setattr(nearest_module, "may_use_device", lambda device: device != "cpu")
    monkeypatch.setattr(embedding_module, "EXACT_LIMIT", 40)
    texts = [f"note {number} about {word}" for number in range(30) for word in ("tea", "rain", "ships")]
    path = tmp_path / "s.mind"
    with Memory.open(path, embedder="hash") as memory:
        memory.remember_many(texts)
        found = memory.search("ships in the rain", mode="vector", limit=5)
        assert "exact on a card, reranked" in found.lanes[0].detail
        memory.remember("ships in the rain, again")
        assert memory.search("ships in the rain", mode="vector")[0].frame.text == "ships in the rain, again"
        many = memory.search_many(["ships", "tea", "rain"] * 12, mode="vector", limit=3)
        assert list(many) == [
            memory.search(query, mode="vector", limit=3) for query in ["ships", "tea", "rain"] * 12
        ]
    with Memory.open(path, device="cpu") as memory:
        exactly = memory.search("ships in the rain", mode="vector", limit=5)
        assert "card" not in exactly.lanes[0].detail
    Card.free = 2**28
    with Memory.open(path) as memory:
        short = memory.search("ships in the rain", mode="vector", limit=5)
        assert "need 0.0 GB on a card and 0.2 GB are free" in short.lanes[0].detail or can_quantize() is False
        assert [hit.frame.id for hit in short] == [hit.frame.id for hit in exactly]
    Card.free = None
    with Memory.open(path) as memory:
        memory.search("tea", mode="vector")

        def broken(*_: Any) -> Any:
            raise RuntimeError("driver shut down")

        monkeypatch.setattr(Card, "maxima", broken)
        after = memory.search("ships in the rain", mode="vector", limit=5)
        assert [hit.frame.id for hit in after] == [hit.frame.id for hit in exactly]
        assert "a card failed (RuntimeError)" in after.lanes[0].detail or can_quantize() is False


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_a_card_that_the_environment_hides_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    monkeypatch.setattr(device_module, "_SIGNS", ("/",))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert device_module.may_use_device("auto")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    assert not device_module.may_use_device("auto")
