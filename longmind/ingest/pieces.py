"""Redacts a document whose pieces (lines in a picture, seconds of a talk) must stay what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from longmind.store.drafts import Piece
from longmind.store.rules import TextRedactor


def redacted_pieces(
    text: str, pieces: Sequence[Piece], redactor: TextRedactor, whole: str
) -> tuple[Piece, ...]:
    """The pieces in `whole`, which is `text` after redaction; none where a secret lies across a border.

    Each stretch between two borders is redacted on its own. Only if all of them together read as the whole
    does are the borders right: otherwise something was found that reaches from one piece into the next.
    """
    raw = text.encode()
    borders = sorted({0, len(raw), *(piece.start for piece in pieces), *(piece.end for piece in pieces)})
    moved = {0: 0}
    stretches: list[str] = []
    length = 0
    for start, end in pairwise(borders):
        stretch = redactor.text(raw[start:end].decode())
        stretches.append(stretch)
        length += len(stretch.encode())
        moved[end] = length
    if "".join(stretches) != whole:
        return ()
    return tuple(
        piece._replace(
            start=moved[piece.start],
            end=moved[piece.end],
            title=None if piece.title is None else redactor.text(piece.title),
            speaker=None if piece.speaker is None else redactor.name(piece.speaker),
            metadata=None if piece.metadata is None else _redacted(piece.metadata, redactor),
        )
        for piece in pieces
    )


def without_line(text: str, pieces: Sequence[Piece], line: str) -> tuple[str, tuple[Piece, ...]]:
    """A document without one of its lines; pieces that are nothing else go with it."""
    position = f"\n{text}\n".find(f"\n{line}\n")
    if position < 0:
        return text, tuple(pieces)
    first = len(text[:position].encode())
    last = min(first + len(line.encode()) + 1, len(text.encode()))  # with the line break behind it
    if last == len(text.encode()) and first:
        first -= 1  # or before it, at the end

    def moved(offset: int) -> int:
        return offset - max(0, min(offset, last) - first)

    raw = text.encode()
    shifted = (piece._replace(start=moved(piece.start), end=moved(piece.end)) for piece in pieces)
    rest = (raw[:first] + raw[last:]).decode()
    return rest, tuple(piece for piece in shifted if piece.start < piece.end)


def _redacted(metadata: Mapping[str, Any], redactor: TextRedactor) -> dict[str, Any]:
    """Texts only: boxes and milliseconds are positions, and a long one can look like a telephone number."""
    return {key: _value(value, redactor) for key, value in metadata.items()}


def _value(value: Any, redactor: TextRedactor) -> Any:
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, list | tuple):
        return [_value(item, redactor) for item in value]
    return value
