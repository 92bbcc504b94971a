"""Two kernels in Triton: the best score of each tile in one pass over the rows, and scores of chosen tiles.

Importing this needs Triton. Measured with `python -m bench gpu`: the matrix units make the products cheap, so
that reading the rows once is nearly all that a scan costs.
"""

from __future__ import annotations

from typing import Any, Final

import torch
import triton
import triton.language as tl

from longmind.vectors.device_arrays import TILE

_STEP: Final = 64
"""Dimensions that are multiplied at a time; rows are padded to whole steps."""
_LEAST_QUESTIONS: Final = 16
"""A matrix unit takes no fewer columns."""
_MOST_QUESTIONS: Final = 64
"""More columns need more registers than a block has; more questions are scanned for in turn."""


@triton.jit
def _maxima_kernel(
    rows,
    shown,
    questions,
    best,
    tiles,
    DIMENSIONS: tl.constexpr,
    STEP: tl.constexpr,
    TILE_ROWS: tl.constexpr,
    QUESTIONS: tl.constexpr,
):
    tile = tl.program_id(0)
    row = tile.to(tl.int64) * TILE_ROWS + tl.arange(0, TILE_ROWS)
    column = tl.arange(0, QUESTIONS)
    step = tl.arange(0, STEP)
    scores = tl.zeros((TILE_ROWS, QUESTIONS), dtype=tl.float32)
    for start in range(0, DIMENSIONS, STEP):
        part = tl.load(rows + row[:, None] * DIMENSIONS + (start + step)[None, :])
        asked = tl.load(questions + (start + step)[:, None] * QUESTIONS + column[None, :])
        scores = tl.dot(part, asked, scores)
    seen = tl.load(shown + row)
    scores = tl.where(seen[:, None] != 0, scores, float("-inf"))
    tl.store(best + column.to(tl.int64) * tiles + tile, tl.max(scores, axis=0))


@triton.jit
def _rescore_kernel(
    rows,
    shown,
    chosen,
    questions,
    scores,
    count,
    DIMENSIONS: tl.constexpr,
    STEP: tl.constexpr,
    TILE_ROWS: tl.constexpr,
):
    position = tl.program_id(0)
    question = tl.program_id(1)
    tile = tl.load(chosen + question * count + position)
    offset = tl.arange(0, TILE_ROWS)
    row = tile.to(tl.int64) * TILE_ROWS + offset
    step = tl.arange(0, STEP)
    total = tl.zeros((TILE_ROWS,), dtype=tl.float32)
    for start in range(0, DIMENSIONS, STEP):
        part = tl.load(rows + row[:, None] * DIMENSIONS + (start + step)[None, :]).to(tl.float32)
        asked = tl.load(questions + question * DIMENSIONS + start + step)
        total += tl.sum(part * asked[None, :], axis=1)
    seen = tl.load(shown + row)
    total = tl.where(seen != 0, total, float("-inf"))
    tl.store(scores + (question.to(tl.int64) * count + position) * TILE_ROWS + offset, total)


def columns(questions: Any) -> Any:
    """Questions as columns in float16, in groups that fit a block: (groups, dimensions, questions)."""
    count, dimensions = questions.shape
    width = min(_MOST_QUESTIONS, max(_LEAST_QUESTIONS, triton.next_power_of_2(count)))
    groups = -(-count // width)
    padded = torch.zeros((groups * width, dimensions), dtype=torch.float16, device=questions.device)
    padded[:count] = questions
    return padded.view(groups, width, dimensions).transpose(1, 2).contiguous()


def maxima(rooms: Any, tiles: int, shown: Any, groups: Any) -> Any:
    """(questions, tiles): the best score of each tile; what stands for no question is behind the others."""
    count, dimensions, width = groups.shape
    best = torch.empty((count * width, tiles), dtype=torch.float32, device=rooms.device)
    for number in range(count):
        _maxima_kernel[(tiles,)](
            rooms,
            shown.view(torch.uint8),
            groups[number],
            best[number * width :],
            tiles,
            DIMENSIONS=dimensions,
            STEP=_STEP,
            TILE_ROWS=TILE,
            QUESTIONS=width,
            num_warps=4,
            num_stages=3,
        )
    return best


def rescored(rooms: Any, chosen: Any, shown: Any, questions: Any) -> Any:
    """(questions, chosen * TILE): the scores of all rows of the chosen tiles, in float32."""
    count = chosen.shape[1]
    scores = torch.empty((len(questions), count * TILE), dtype=torch.float32, device=rooms.device)
    _rescore_kernel[(count, len(questions))](
        rooms,
        shown.view(torch.uint8),
        chosen.contiguous(),
        questions,
        scores,
        count,
        DIMENSIONS=rooms.shape[1],
        STEP=_STEP,
        TILE_ROWS=TILE,
        num_warps=4,
    )
    return scores
