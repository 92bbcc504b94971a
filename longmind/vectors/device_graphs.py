"""Scans recorded as CUDA graphs: twenty small launches after the pass over the rows become one.

Importing this needs PyTorch with CUDA. Measured with `python -m bench gpu`: the pass over ten million rows
takes less than two milliseconds, and starting the steps behind it one by one a third of that again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch

from longmind.base.arrays import Float32Array
from longmind.vectors.device_arrays import TILE, Look, Scanner, TorchArrays, unpacked

_MOST_RECORDINGS: Final = 8
"""For each filter, by the number of questions and of rows wanted; each keeps the maxima of all tiles."""


class RecordedScanner(Scanner):
    """A scan that is asked for a second time is recorded; from then on it is played back."""

    arrays: TorchArrays

    def __init__(self, arrays: TorchArrays, room: Any, tiles: int, shown: Any) -> None:
        super().__init__(arrays, room, tiles, shown)
        self._recordings: dict[tuple[int, int, int], _Recording | None] = {}
        self._can_record = True

    def start(self, questions: Float32Array, number: int, tile_count: int) -> Callable[[], Look]:
        key = (_rounded_up(len(questions)), number, tile_count)
        if not self._can_record or key not in self._recordings:
            self._keep(key, None)
            return super().start(questions, number, tile_count)
        recording = self._recordings[key]
        if recording is None:
            try:
                recording = _Recording(self, key[0], questions.shape[1], number, tile_count)
            except RuntimeError:  # a driver that records nothing scans all the same
                self._can_record = False
                return super().start(questions, number, tile_count)
        self._keep(key, recording)
        return recording.start(questions)

    def _keep(self, key: tuple[int, int, int], recording: _Recording | None) -> None:
        self._recordings.pop(key, None)
        self._recordings[key] = recording
        while len(self._recordings) > _MOST_RECORDINGS:
            del self._recordings[next(iter(self._recordings))]


def _rounded_up(count: int) -> int:
    """Recordings are of a power of two of questions: those that are missing are zeros."""
    return 1 << (count - 1).bit_length()


class _Recording:
    """All steps of a first look, at fixed places in the card's memory."""

    def __init__(
        self, scanner: RecordedScanner, count: int, dimensions: int, number: int, tile_count: int
    ) -> None:
        self._scanner, self._number, self._wanted = scanner, number, tile_count
        device = scanner.room.device
        # Pinned memory is sent without a copy of the driver's own, and without waiting for the scan before.
        self._sent = torch.zeros((count, dimensions), dtype=torch.float32).pin_memory()
        self._questions = torch.zeros((count, dimensions), dtype=torch.float32, device=device)
        stream, current = torch.cuda.Stream(device), torch.cuda.current_stream(device)
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            self._steps()  # kernels are compiled and libraries make their buffers, which cannot be recorded
        current.wait_stream(stream)
        self._graph = torch.cuda.CUDAGraph()
        # Other threads may use the card meanwhile: only what this one starts is recorded.
        with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
            self._maxima, self._asked, self._packed = self._steps()
        self._answer = torch.empty(self._packed.shape, dtype=torch.float32).pin_memory()

    def _steps(self) -> tuple[Any, Any, Any]:
        scanner, arrays = self._scanner, self._scanner.arrays
        asked = arrays.rounded(self._questions)
        maxima = arrays.maxima(scanner.room, scanner.tiles, scanner.shown, asked)
        last, chosen = arrays.best_tiles(maxima, self._wanted)
        scores = arrays.rescored(scanner.room, chosen, scanner.shown, asked)
        best, positions = arrays.top(scores, min(self._number, self._wanted * TILE))
        return maxima, asked, arrays.packed(best, positions, chosen, last)

    def start(self, questions: Float32Array) -> Callable[[], Look]:
        count = len(questions)
        self._sent.numpy()[:count] = questions
        self._sent.numpy()[count:] = 0
        self._questions.copy_(self._sent, non_blocking=True)
        self._graph.replay()
        self._answer.copy_(self._packed, non_blocking=True)
        return lambda: self._look(count)

    def _look(self, count: int) -> Look:
        torch.cuda.current_stream(self._questions.device).synchronize()
        asked = self._questions[:count], self._asked[1]
        return Look(self._maxima[:count], asked, *unpacked(self._answer.numpy()[:count]))
