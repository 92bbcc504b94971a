"""What a device index computes with: numpy, or PyTorch on a processor or a CUDA device.

Rows are float16, in tiles of consecutive ones. A scan keeps only the best score of each tile, so that it
writes a hundredth of what it reads and the choice of the best is made among few numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from longmind.base.arrays import BoolArray, Float16Array, Float32Array, Int64Array, np

TILE: Final = 128
"""Rows that share one best score: the most that a kernel of one block holds for 64 questions."""
_CHUNK: Final = 2**17
"""Rows whose scores are computed at once where no kernel keeps them on the chip."""
_SPARE: Final = 8
"""Tiles beyond those that are needed, at the least, so that a first look is nearly always enough."""
_PIECE: Final = 8 * TILE
"""Scores that the best are chosen from at once: rows of the tiles looked at come in such pieces."""
_ATTEMPTS: Final = 4
_HALF: Final = 2.0**-11
"""What rounding to float16 may change of a number, as a share of it."""


class Arrays(Protocol):
    """A place for rows, and the three steps of a scan; all arrays it returns are its own, but for `rows`."""

    name: str
    rounding: float
    """How far a score of `maxima` may be off, beside what rounding the question does."""

    def free_bytes(self) -> int | None:
        """Memory that is free for rows; None where the machine's own memory is used."""

    def room(self, rows: int, dimensions: int) -> Any:
        """An empty matrix of float16."""

    def write(self, room: Any, start: int, rows: Float16Array) -> None:
        """Put rows there, what is not a number as zero."""

    def grown(self, room: Any, used: int, rows: int) -> Any:
        """A larger matrix that begins with the used rows of this one."""

    def flags(self, shown: BoolArray, tiles: int) -> Any:
        """Which rows may be found, up to the end of the last tile."""

    def asked(self, questions: Float32Array) -> Any:
        """Questions as they are and rounded to float16; sent once, since a transfer waits for the scan."""

    def maxima(self, room: Any, tiles: int, shown: Any, asked: Any) -> Any:
        """The best score of each tile for each rounded question: (questions, tiles)."""

    def best_tiles(self, maxima: Any, number: int) -> tuple[Any, Any]:
        """For each question the tiles with the best maxima, in any order, and the least of these maxima."""

    def top(self, scores: Any, number: int) -> tuple[Any, Any]:
        """For each question the best scores, falling, and where they are."""

    def rescored(self, room: Any, chosen: Any, shown: Any, asked: Any) -> Any:
        """The scores of all rows of these tiles: (questions, tiles chosen * TILE)."""

    def rows(
        self, best: Any, positions: Any, chosen: Any, last: Any
    ) -> tuple[Int64Array, Float32Array, Float32Array]:
        """The rows at places among the chosen tiles, their scores, and `last`, as arrays of numpy."""

    def scanner(self, room: Any, tiles: int, shown: Any) -> Scanner:
        """What scans so many tiles under one filter, as often as it is asked for."""


@dataclass(frozen=True, slots=True)
class Look:
    """The best rows of the tiles that were looked at, and what a wider look goes on from."""

    maxima: Any
    asked: Any
    rows: Int64Array
    values: Float32Array
    last: Float32Array
    """The best score of the last tile that was looked at, for each question."""


class Scanner:
    """Scans of the rows under one filter, each step started for itself."""

    def __init__(self, arrays: Arrays, room: Any, tiles: int, shown: Any) -> None:
        self.arrays, self.room, self.tiles, self.shown = arrays, room, tiles, shown

    def start(self, questions: Float32Array, number: int, tile_count: int) -> Callable[[], Look]:
        """Begin to look for the `number` best rows in the `wanted` best tiles; call the result to wait."""
        asked = self.arrays.asked(questions)
        maxima = self.arrays.maxima(self.room, self.tiles, self.shown, asked)
        return lambda: self.look_again(maxima, asked, number, tile_count)

    def look_again(self, maxima: Any, asked: Any, number: int, tile_count: int) -> Look:
        """The same among other tiles, without another scan."""
        last, chosen = self.arrays.best_tiles(maxima, tile_count)
        scores = self.arrays.rescored(self.room, chosen, self.shown, asked)
        best, positions = self.arrays.top(scores, min(number, tile_count * TILE))
        return Look(maxima, asked, *self.arrays.rows(best, positions, chosen, last))


class NumpyArrays:
    """The same steps in plain numpy: the reference that the others are compared with."""

    name = "numpy"
    rounding = 0.0

    def free_bytes(self) -> int | None:
        return None

    def room(self, rows: int, dimensions: int) -> Float16Array:
        return np.zeros((rows, dimensions), dtype=np.float16)

    def write(self, room: Any, start: int, rows: Float16Array) -> None:
        room[start : start + len(rows)] = np.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)

    def grown(self, room: Any, used: int, rows: int) -> Any:
        larger = self.room(rows, room.shape[1])
        larger[:used] = room[:used]
        return larger

    def flags(self, shown: BoolArray, tiles: int) -> BoolArray:
        flags = np.zeros(tiles * TILE, dtype=bool)
        flags[: len(shown)] = shown
        return flags

    def asked(self, questions: Float32Array) -> Any:
        return questions, questions.astype(np.float16).astype(np.float32)

    def maxima(self, room: Any, tiles: int, shown: Any, asked: Any) -> Any:
        scores = room[: tiles * TILE].astype(np.float32) @ asked[1].T
        scores[~shown] = -np.inf
        return scores.reshape(tiles, TILE, len(asked[1])).max(axis=1).T

    def best_tiles(self, maxima: Any, number: int) -> tuple[Any, Any]:
        values, tiles = self.top(maxima, number)
        return values[:, -1], tiles

    def top(self, scores: Any, number: int) -> tuple[Any, Any]:
        positions = np.argsort(-scores, axis=1, kind="stable")[:, :number]
        return np.take_along_axis(scores, positions, axis=1), positions

    def rescored(self, room: Any, chosen: Any, shown: Any, asked: Any) -> Any:
        tiles = room[: len(shown)].reshape(-1, TILE, room.shape[1])
        flags = shown.reshape(-1, TILE)
        scores = np.stack(
            [
                tiles[numbers].astype(np.float32) @ vector
                for numbers, vector in zip(chosen, asked[0], strict=True)
            ]
        )
        return np.where(flags[chosen], scores, -np.inf).reshape(len(asked[0]), -1)

    def rows(self, best: Any, positions: Any, chosen: Any, last: Any) -> tuple[Any, Any, Any]:
        return np.take_along_axis(chosen, positions // TILE, axis=1) * TILE + positions % TILE, best, last

    def scanner(self, room: Any, tiles: int, shown: Any) -> Scanner:
        return Scanner(self, room, tiles, shown)


class TorchArrays:
    """PyTorch; with Triton, which comes with it for CUDA, a scan is one pass over the rows."""

    def __init__(self, device: str) -> None:
        import torch

        self._torch: Any = torch
        self._device = torch.device(device)
        self._kernels: Any = None
        self.name = f"torch {device}"
        self.rounding = 0.0
        if self._device.type == "cuda":
            try:
                from longmind.vectors import device_kernels
            except ImportError:  # PyTorch without Triton: its matrix product rounds the scores to float16
                self.rounding = _HALF
            else:
                self._kernels = device_kernels
                self.name = f"{torch.cuda.get_device_name(self._device)}"

    def free_bytes(self) -> int | None:
        if self._device.type != "cuda":
            return None
        return int(self._torch.cuda.mem_get_info(self._device)[0])

    def _moved(self, values: np.ndarray[Any, Any]) -> Any:
        """On the device. PyTorch warns of arrays that cannot be written to, as those read from blocks."""
        return self._torch.from_numpy(np.require(values, requirements=("C", "W"))).to(self._device)

    def room(self, rows: int, dimensions: int) -> Any:
        return self._torch.zeros((rows, dimensions), dtype=self._torch.float16, device=self._device)

    def write(self, room: Any, start: int, rows: Float16Array) -> None:
        part = self._moved(rows)
        room[start : start + len(rows)] = self._torch.nan_to_num(part, nan=0.0, posinf=0.0, neginf=0.0)

    def grown(self, room: Any, used: int, rows: int) -> Any:
        larger = self.room(rows, room.shape[1])
        larger[:used] = room[:used]
        return larger

    def flags(self, shown: BoolArray, tiles: int) -> Any:
        flags = self._torch.zeros(tiles * TILE, dtype=self._torch.bool, device=self._device)
        flags[: len(shown)] = self._moved(shown)
        return flags

    def asked(self, questions: Float32Array) -> Any:
        return self.rounded(self._moved(questions))

    def rounded(self, questions: Any) -> Any:
        """Questions that are on the card, and the same as the scan takes them."""
        return questions, questions.half() if self._kernels is None else self._kernels.columns(questions)

    def maxima(self, room: Any, tiles: int, shown: Any, asked: Any) -> Any:
        torch, questions = self._torch, asked[1]
        if self._kernels is not None:
            return self._kernels.maxima(room, tiles, shown, questions)[: len(asked[0])]
        wide = self._device.type != "cuda"
        best = torch.empty((len(questions), tiles), dtype=torch.float32, device=self._device)
        turned = questions.float().T if wide else questions.T
        for start in range(0, tiles * TILE, _CHUNK):
            end = min(start + _CHUNK, tiles * TILE)
            rows = room[start:end]
            scores = ((rows.float() if wide else rows) @ turned).float()
            scores.masked_fill_(~shown[start:end, None], -torch.inf)
            best[:, start // TILE : end // TILE] = scores.view(-1, TILE, len(questions)).amax(dim=1).T
        return best

    def best_tiles(self, maxima: Any, number: int) -> tuple[Any, Any]:
        values, tiles = self._torch.topk(maxima, number, dim=1, sorted=False)
        return values.amin(dim=1), tiles

    def top(self, scores: Any, number: int) -> tuple[Any, Any]:
        torch, (count, width) = self._torch, scores.shape
        if number > _PIECE or width % _PIECE or width == _PIECE:
            values, positions = torch.topk(scores, number, dim=1, sorted=True)
            return values, positions
        # One block of the card chooses from one row, however long: pieces are chosen from side by side.
        pieces = scores.view(count, -1, _PIECE)
        values, positions = torch.topk(pieces, number, dim=2, sorted=False)
        starts = torch.arange(0, width, _PIECE, device=scores.device)
        positions += starts[None, :, None]
        values, order = torch.topk(values.view(count, -1), number, dim=1, sorted=True)
        return values, positions.view(count, -1).gather(1, order)

    def rescored(self, room: Any, chosen: Any, shown: Any, asked: Any) -> Any:
        torch, questions = self._torch, asked[0]
        if self._kernels is not None:
            return self._kernels.rescored(room, chosen, shown, questions)
        tiles = room[: len(shown)].view(-1, TILE, room.shape[1])
        flags = shown.view(-1, TILE)
        rows = [
            (tiles[numbers].float() @ vector).masked_fill_(~flags[numbers], -torch.inf).view(-1)
            for numbers, vector in zip(chosen, questions, strict=True)
        ]
        return torch.stack(rows)

    def rows(self, best: Any, positions: Any, chosen: Any, last: Any) -> tuple[Any, Any, Any]:
        return unpacked(self.packed(best, positions, chosen, last).cpu().numpy())

    def packed(self, best: Any, positions: Any, chosen: Any, last: Any) -> Any:
        """Scores, `last` and rows side by side: one transfer for all three, since each waits for the card."""
        torch = self._torch
        rows = chosen.gather(1, positions // TILE) * TILE + positions % TILE
        return torch.cat([best, last[:, None], rows.to(torch.int32).view(torch.float32)], dim=1)

    def scanner(self, room: Any, tiles: int, shown: Any) -> Scanner:
        if self._kernels is None:
            return Scanner(self, room, tiles, shown)
        from longmind.vectors.device_graphs import RecordedScanner

        return RecordedScanner(self, room, tiles, shown)


def unpacked(packed: Float32Array) -> tuple[Int64Array, Float32Array, Float32Array]:
    """What `packed` laid side by side, as arrays of their own: rows, scores and `last`."""
    number = packed.shape[1] // 2
    rows = packed[:, number + 1 :].view(np.int32).astype(np.int64)
    return rows, packed[:, :number].copy(), packed[:, number].copy()


def nearest(scanner: Scanner, questions: Float32Array, number: int) -> tuple[Int64Array, Float32Array]:
    """For each question the `number` best rows that are shown, best first, with their scores.

    The best rows lie in the tiles with the best maxima, at most one tile for each. Maxima are of questions
    rounded to float16, and off by no more than `slack`: what lies further below cannot matter. Where more
    lies inside, as among copies of one text, more tiles are looked at, but not without end.
    """
    tiles, dimensions = scanner.tiles, questions.shape[1]
    tile_count = min(tiles, -(-(number + max(_SPARE, number // 8)) // _SPARE) * _SPARE)
    answer = scanner.start(questions, number, tile_count)
    # Computed here while the card scans.
    rounded = questions.astype(np.float16).astype(np.float32)
    slack = np.linalg.norm(questions - rounded, axis=1) + scanner.arrays.rounding + dimensions * 2.0**-24
    look = answer()
    for _ in range(_ATTEMPTS - 1):
        if tile_count == tiles or bool((look.values[:, -1] >= look.last + slack).all()):
            break
        tile_count = min(tiles, 2 * tile_count)
        look = scanner.look_again(look.maxima, look.asked, number, tile_count)
    return look.rows, look.values
