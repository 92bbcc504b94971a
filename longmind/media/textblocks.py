"""Joins the lines that a text recognizer saw into blocks, in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from longmind.media.protocols import Box, TextBlock

_LEAST_SCORE: Final = 0.5
_MOST_CHARACTERS: Final = 600


def join_lines(lines: Sequence[TextBlock]) -> list[TextBlock]:
    """Blocks from top to bottom: pieces of a line joined from left to right, lines joined while near.

    Lines are near if the gap between them is no more than a line's height. What a recognizer was unsure of
    is left out: a wrong word is found by nobody and hides nothing.
    """
    sure = [line for line in lines if line.score >= _LEAST_SCORE and line.text.strip()]
    rows = _rows(sure)
    blocks: list[list[TextBlock]] = []
    for row in rows:
        last = blocks[-1][-1] if blocks else None
        size = sum(len(line.text) for line in blocks[-1]) if blocks else 0
        height = row.box[3] - row.box[1]
        if last is not None and row.box[1] - last.box[3] <= height and size < _MOST_CHARACTERS:
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return [_joined(block, "\n") for block in blocks]


def _rows(lines: Sequence[TextBlock]) -> list[TextBlock]:
    """Pieces whose middles lie within each other's height are one row."""
    rows: list[list[TextBlock]] = []
    for line in sorted(lines, key=lambda line: ((line.box[1] + line.box[3]), line.box[0], line.text)):
        middle = (line.box[1] + line.box[3]) / 2
        if rows and rows[-1][0].box[1] <= middle <= rows[-1][0].box[3]:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_joined(sorted(row, key=lambda line: line.box[0]), "  ") for row in rows]


def _joined(lines: Sequence[TextBlock], separator: str) -> TextBlock:
    boxes = [line.box for line in lines]
    box: Box = (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    text = separator.join(line.text.strip() for line in lines)
    return TextBlock(text, box, min(line.score for line in lines))
