"""Positions in a text: characters to UTF-8 bytes and back."""

from __future__ import annotations

from collections.abc import Iterable

from longmind.base.errors import InvalidInput


class ByteOffsets:
    """The byte offset of any character position of one text.

    Each answer is counted from the one before, so that ascending positions cost one pass over the text.
    A lone surrogate counts as the three bytes it would take if it could be encoded.
    """

    __slots__ = ("_ascii", "_offset", "_position", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        self._position = self._offset = 0

    def __getitem__(self, position: int) -> int:
        if self._ascii:
            return position
        if position >= self._position:
            self._offset += _size(self._text[self._position : position])
        else:
            self._offset -= _size(self._text[position : self._position])
        self._position = position
        return self._offset


def to_bytes(text: str, positions: Iterable[int]) -> dict[int, int]:
    """The byte offset of each character position."""
    offsets = ByteOffsets(text)
    return {position: offsets[position] for position in sorted(set(positions))}


def to_characters(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """The character position of each byte offset; one inside a character or outside the text is refused."""
    ordered = sorted(set(offsets))
    encoded = text.encode()
    if ordered and not 0 <= ordered[0] <= ordered[-1] <= len(encoded):
        raise InvalidInput(
            f"A range reaches outside the text's {len(encoded)} bytes.",
            hint="Ranges count UTF-8 bytes: measure them with len(text.encode()).",
        )
    if len(encoded) == len(text):
        return {offset: offset for offset in ordered}
    positions: dict[int, int] = {}
    last = position = 0
    for offset in ordered:
        try:
            position += len(encoded[last:offset].decode())
        except UnicodeDecodeError:
            raise InvalidInput(
                f"Byte {offset} lies inside a character.",
                hint="Ranges count UTF-8 bytes: measure them with len(text.encode()).",
            ) from None
        positions[offset] = position
        last = offset
    return positions


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
