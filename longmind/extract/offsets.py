"""From positions in a string to positions in its UTF-8 bytes."""

from __future__ import annotations

from array import array


class ByteOffsets:
    """Byte positions of one text: nothing to compute for ASCII, one pass over anything else.

    A lone surrogate counts as the three bytes it would take if it could be encoded.
    """

    __slots__ = ("_table",)

    def __init__(self, text: str) -> None:
        self._table: array[int] | None = None
        if text.isascii():
            return
        table = array("l", [0])
        position = 0
        for character in text:
            code = ord(character)
            position += 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
            table.append(position)
        self._table = table

    def __getitem__(self, position: int) -> int:
        return position if self._table is None else self._table[position]
