"""Cuts long texts into overlapping windows, and turns character offsets into byte offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from longmind.base.arrays import Int32Array, np
from longmind.base.offsets import to_bytes

Window: TypeAlias = tuple[int, int]

OVERLAP = 32
"""Pieces that two neighbouring windows share."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def cut_windows(words: Sequence[int | None], *, room: int, overlap: int = OVERLAP) -> list[Window]:
    """Ranges of at most `room` pieces that cover all of them; `words` says which word each belongs to.

    The windows are about equally long, so that no short remnant gets a vector of its own, and begin
    and end between words unless a single word is too long for that.
    """
    overlap = min(overlap, room // 4)
    windows: list[Window] = []
    begin, count = 0, len(words)
    while count - begin > room:
        remaining = count - begin
        pieces = -(-(remaining - overlap) // (room - overlap))
        target = begin + -(-(remaining + (pieces - 1) * overlap) // pieces)
        # Backwards as far as the next window still moves on, else forwards, else inside a word.
        ends = (*range(target, begin + overlap, -1), *range(target + 1, begin + room + 1))
        end = next((end_at for end_at in ends if not _inside_word(words, end_at)), target)
        windows.append((begin, end))
        begin = end - overlap
        while begin < end and _inside_word(words, begin):
            begin += 1
    windows.append((begin, count))
    return windows


def _inside_word(words: Sequence[int | None], index: int) -> bool:
    return words[index] is not None and words[index] == words[index - 1]


def owned_ranges(windows: Sequence[Window]) -> list[Window]:
    """The part of each window that it answers for: an overlap is shared out at its middle."""
    borders = [0]
    for (_, end), (begin, _) in pairwise(windows):
        borders.append((begin + end) // 2)
    borders.append(windows[-1][1])
    return list(pairwise(borders))


def encodable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, which is as many bytes long."""
    return _SURROGATE.sub("\ufffd", text)


def byte_spans(text: str, spans: Iterable[Window]) -> Int32Array:
    """Character ranges of the text as int32 ranges of its UTF-8 bytes."""
    characters = np.array(list(spans), dtype=np.int32).reshape(-1, 2)
    if text.isascii():
        return characters
    positions, inverse = np.unique(characters, return_inverse=True)
    offsets = np.array(list(to_bytes(text, positions.tolist()).values()), dtype=np.int32)
    return offsets[inverse].reshape(-1, 2)
