"""Exact search on a GPU: all windows as float16 on the card, filters as masks beside them.

It stands where the quantised codes stand: it finds the windows that are nearest, and their cosines are
computed again from what is stored.
"""

from __future__ import annotations

import importlib.util
import operator
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from longmind.base.arrays import BoolArray, Float16Array, Float32Array, Int64Array, np
from longmind.base.checks import check_choice
from longmind.base.columns import FrameMask, Mask, is_shown
from longmind.base.errors import MissingExtra, Unavailable
from longmind.base.ordering import distinct
from longmind.store.engine import Connection
from longmind.vectors.device_arrays import TILE, Arrays, Scanner, TorchArrays, nearest
from longmind.vectors.quantized import VectorQuery

Device = Literal["auto", "cpu", "cuda"]
DEVICES: Final[tuple[Device, ...]] = ("auto", "cpu", "cuda")

DEVICE_LIMIT: Final = 500_000
"""From so many windows on, a card that is there is used by itself. Below, the processor takes a few
milliseconds more for a search, but a process needs seconds to load PyTorch, and half a gigabyte."""

_SIGNS: Final = ("/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg")
"""Where Linux, also as a guest of Windows, shows that there is a driver."""
_PADDING: Final = 64
"""Dimensions are filled up with zeros to whole multiples of this, as the kernels take them."""
_HEADROOM: Final = 1.25
"""Rows that there is room for, for each row there is: windows are added without moving all others."""
_RESERVE: Final = 2**28
"""Bytes of the card that are left for masks, scores and others."""
_MOST_MASKS: Final = 8
"""Filters whose masks stay on the card; each takes a byte for each window."""


class DeviceShort(Exception):
    """The card has not enough memory, or failed; `note` says what that means for a search."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note


def check_device(device: str) -> Device:
    """A name that is known; for "cuda", one that is there."""
    check_choice(device, "device", DEVICES)
    if device == "cuda":
        _cuda()
    return cast(Device, device)


def open_device(device: Device, windows: int) -> Arrays | None:
    """Where so many windows are to be searched; None for the processor."""
    if device == "cpu" or (device == "auto" and windows < DEVICE_LIMIT):
        return None
    if device == "cuda":
        return _cuda()
    if not _may_have_card():
        return None
    try:
        return _cuda()
    except (MissingExtra, Unavailable):
        return None


def may_use_device(device: Device) -> bool:
    """Whether it is worth counting vectors for: a card is asked for, or there may be one."""
    return device == "cuda" or (device == "auto" and _may_have_card())


def _may_have_card() -> bool:
    """Whether there may be one, told without importing PyTorch, which takes seconds."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1") or importlib.util.find_spec("torch") is None:
        return False
    return any(Path(path).exists() for path in _SIGNS) or os.name == "nt"


def _cuda() -> Arrays:
    try:
        import torch
    except ImportError:
        raise MissingExtra("Searching on a GPU needs PyTorch.", extra="gpu") from None
    if not torch.cuda.is_available():
        raise Unavailable(
            "PyTorch finds no CUDA device here.",
            hint="Check nvidia-smi and that PyTorch is a CUDA build, or open the store with device='cpu'.",
        )
    return TorchArrays("cuda")


@dataclass(eq=False, slots=True)
class _Ticket:
    """A question that waits for a scan, and what came of it."""

    question: VectorQuery
    limit: int
    slots: Int64Array | None = None
    error: BaseException | None = None


class DeviceIndex:
    """One partition's windows on a card. Questions that arrive during a scan share the next one."""

    recall = 1.0

    def __init__(self, arrays: Arrays, dimensions: int, expected: int = 0) -> None:
        self._arrays = arrays
        self._dimensions = dimensions
        self._width = -(-dimensions // _PADDING) * _PADDING
        self._frames: Int64Array = np.zeros(0, dtype=np.int64)
        self._filters: list[tuple[tuple[BoolArray, ...], Scanner, int]] = []
        """By the arrays that a mask of frames is made of: the scans under it, and how many windows show."""
        self._waiting: list[_Ticket] = []
        self._lock = threading.Lock()
        self._queue_lock = threading.Lock()
        self._capacity = 0
        self._room: Any = None
        self._reserve(max(expected, TILE))

    @classmethod
    def build(
        cls, arrays: Arrays, dimensions: int, expected: int, parts: Iterable[tuple[Int64Array, Float16Array]]
    ) -> DeviceIndex:
        """All windows, in parts; `DeviceShort` where they do not fit."""
        index = cls(arrays, dimensions, expected)
        for frames, vectors in parts:
            index.add(frames, vectors)
        return index

    @property
    def method(self) -> str:
        """How it searches, for the report of the lane."""
        return f"exact on {self._arrays.name}"

    @property
    def nbytes(self) -> int:
        """In the memory of this process; the rows are on the card."""
        return int(self._frames.nbytes)

    @property
    def device_bytes(self) -> int:
        return self._capacity * self._width * 2

    def add(self, frames: Int64Array, vectors: Float16Array) -> None:
        with self._lock:
            used = len(self._frames)
            self._filters.clear()  # first, since each one holds on to the rows it scans
            if used + len(frames) > self._capacity:
                self._reserve(used + len(frames))
            padded = vectors
            if self._width != self._dimensions:
                padded = np.zeros((len(vectors), self._width), dtype=np.float16)
                padded[:, : self._dimensions] = vectors
            self._guarded(lambda: self._arrays.write(self._room, used, padded))
            self._frames = np.concatenate([self._frames, frames])

    def find(self, question: VectorQuery, db: Connection, limit: int) -> Int64Array:
        return self.frames_at(self.look(question, limit))

    def frames_at(self, slots: Any) -> Int64Array:
        """The frames of the windows at these places, ascending and each once."""
        return distinct(self._frames[slots])

    def look(self, question: VectorQuery, limit: int) -> Int64Array:
        """The places of the nearest windows; together with whoever else asks now."""
        ticket = _Ticket(question, limit)
        with self._queue_lock:
            self._waiting.append(ticket)
        with self._lock:
            if ticket.slots is None and ticket.error is None:
                with self._queue_lock:
                    batch, self._waiting = self._waiting, []
                self._serve(batch)
        if ticket.error is not None:
            raise ticket.error
        assert ticket.slots is not None
        return ticket.slots

    def look_many(self, questions: Sequence[VectorQuery], limit: int) -> list[Int64Array]:
        """The places of the nearest windows for each; one scan for all that are under one filter."""
        batch = [_Ticket(question, limit) for question in questions]
        with self._lock:
            self._serve(batch)
        for ticket in batch:
            if ticket.error is not None:
                raise ticket.error
        return [ticket.slots for ticket in batch if ticket.slots is not None]

    def _serve(self, batch: Sequence[_Ticket]) -> None:
        groups: dict[tuple[int, ...], list[_Ticket]] = {}
        for ticket in batch:
            mask = ticket.question.mask
            parts = [values for _, values in mask.parts] if isinstance(mask, FrameMask) else [mask]
            groups.setdefault((ticket.limit, *map(id, parts)), []).append(ticket)
        for (limit, *_), group in groups.items():
            try:
                vectors = np.stack([ticket.question.vector for ticket in group])
                for ticket, slots in zip(
                    group, self._scan(vectors, group[0].question.mask, limit), strict=True
                ):
                    ticket.slots = slots
            except BaseException as error:  # each thread that waits raises it itself
                for ticket in group:
                    ticket.error = error

    def _scan(self, vectors: Float32Array, mask: Mask, limit: int) -> list[Int64Array]:
        scanner, count = self._scanner(mask)
        number = min(limit, count)
        if number == 0:
            return [np.zeros(0, dtype=np.int64) for _ in vectors]
        padded = vectors
        if self._width != self._dimensions:
            padded = np.zeros((len(vectors), self._width), dtype=np.float32)
            padded[:, : self._dimensions] = vectors
        slots, scores = self._guarded(lambda: nearest(scanner, padded, number))
        return [row[np.isfinite(values)] for row, values in zip(slots, scores, strict=True)]

    def _scanner(self, mask: Mask) -> tuple[Scanner, int]:
        """The scans under a mask of frames, as one of windows on the card; kept for the next question."""
        arrays = tuple(values for _, values in mask.parts) if isinstance(mask, FrameMask) else (mask,)
        for position, (parts, scanner, count) in enumerate(self._filters):
            if len(parts) == len(arrays) and all(map(operator.is_, parts, arrays)):
                self._filters.append(self._filters.pop(position))
                return scanner, count
        tiles = -(-len(self._frames) // TILE)
        shown = is_shown(mask, self._frames)
        flags = self._guarded(lambda: self._arrays.flags(shown, tiles))
        scanner = self._arrays.scanner(self._room, tiles, flags)
        count = int(np.count_nonzero(shown))
        # Kept by identity, which says something only of a mask that nobody changes.
        if not any(values.flags.writeable for values in arrays):
            self._filters = [*self._filters[1 - _MOST_MASKS :], (arrays, scanner, count)]
        return scanner, count

    def _reserve(self, rows: int) -> None:
        capacity = -(-int(rows * _HEADROOM) // TILE) * TILE
        needed, free = capacity * self._width * 2, self._arrays.free_bytes()
        if free is not None and needed + _RESERVE > free:
            capacity = -(-rows // TILE) * TILE  # without headroom, rather than not at all
            needed = capacity * self._width * 2
            if needed + _RESERVE > free:
                raise DeviceShort(
                    f"the vectors need {needed / 2**30:.1f} GB on {self._arrays.name} and "
                    f"{free / 2**30:.1f} GB are free, so they are searched on the processor"
                )
        self._room = self._guarded(
            lambda: (
                self._arrays.room(capacity, self._width)
                if self._room is None
                else self._arrays.grown(self._room, len(self._frames), capacity)
            )
        )
        self._capacity = capacity

    def _guarded(self, work: Any) -> Any:
        try:
            return work()
        except (
            RuntimeError,
            MemoryError,
        ) as error:  # PyTorch: no memory, or a driver that failed
            note = f"{self._arrays.name} failed ({type(error).__name__}), so the processor searches"
            raise DeviceShort(note) from error
