"""Positions in a text: characters to UTF-8 bytes and back, for many positions in one pass."""

from __future__ import annotations

from collections.abc import Iterable

from longmind.base.errors import InvalidInput


def to_bytes(text: str, positions: Iterable[int]) -> dict[int, int]:
    """The byte offset of each character position."""
    ordered = sorted(set(positions))
    if text.isascii():
        return {position: position for position in ordered}
    offsets: dict[int, int] = {}
    last = offset = 0
    for position in ordered:
        offset += len(text[last:position].encode())
        offsets[position] = offset
        last = position
    return offsets


def to_characters(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """The character position of each byte offset; one inside a character or outside the text is refused."""
    ordered = sorted(set(offsets))
    data = text.encode()
    if ordered and not 0 <= ordered[0] <= ordered[-1] <= len(data):
        raise InvalidInput(f"A range reaches outside the text's {len(data)} bytes.")
    if len(data) == len(text):
        return {offset: offset for offset in ordered}
    positions: dict[int, int] = {}
    last = position = 0
    for offset in ordered:
        try:
            position += len(data[last:offset].decode())
        except UnicodeDecodeError:
            raise InvalidInput(f"Byte {offset} lies inside a character.") from None
        positions[offset] = position
        last = offset
    return positions
