"""Cuts long texts into overlapping windows, and turns character offsets into byte offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from longmind.base.arrays import Int32Array, np

Window: TypeAlias = tuple[int, int]

OVERLAP = 32
"""Pieces that two neighbouring windows share."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def cut_windows(words: Sequence[int | None], *, room: int, overlap: int = OVERLAP) -> list[Window]:
    """Ranges of at most `room` pieces that cover all of them; `words` says which word each belongs to.

    The windows are about equally long, so that the last one is no remnant, and begin and end between
    words unless a single word is too long for that.
    """
    overlap = min(overlap, room // 4)
    windows: list[Window] = []
    begin, count = 0, len(words)
    while count - begin > room:
        left = count - begin
        pieces = -(-(left - overlap) // (room - overlap))
        target = begin + -(-(left + (pieces - 1) * overlap) // pieces)
        # Backwards as far as the next window still moves on, else forwards, else inside a word.
        places = (*range(target, begin + overlap, -1), *range(target + 1, begin + room + 1))
        end = next((place for place in places if not _inside_word(words, place)), target)
        windows.append((begin, end))
        begin = end - overlap
        while begin < end and _inside_word(words, begin):
            begin += 1
    windows.append((begin, count))
    return windows


def _inside_word(words: Sequence[int | None], place: int) -> bool:
    return words[place] is not None and words[place] == words[place - 1]


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
    points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    widths = 1 + (points > 0x7F) + (points > 0x7FF).astype(np.int32) + (points > 0xFFFF)
    offsets = np.zeros(len(text) + 1, dtype=np.int32)
    np.cumsum(widths, out=offsets[1:])
    return offsets[characters]
