"""Finds words by a piece that reaches into an ending: the index holds stems, so the texts are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from longmind.base.arrays import BoolArray, Int64Array, np
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import checked_text, load_query
from longmind.store.tables import batched
from longmind.store.visible import among
from longmind.text.vocabulary import TermList
from longmind.text.words import folded

_LEAST: Final = 3
"""So many characters of a piece must be left of the ending."""

_LONGEST_ENDING: Final = 8
_STEMS: Final = 32
_FRAMES: Final = 500
"""Of a piece, so many stems are followed, and so many frames read."""


def stems_before(vocabulary: TermList, piece: str) -> list[str]:
    """Stems that end as the piece begins, those that share most of it first."""
    if not piece.isascii() or not piece.isalpha():
        return []
    shortest = max(_LEAST, len(piece) - _LONGEST_ENDING)
    beginnings = [piece[:size] for size in range(len(piece) - 1, shortest - 1, -1)]
    if not beginnings:
        return []
    shared = {
        stem: max(len(beginning) for beginning in beginnings if stem.endswith(beginning))
        for stem in vocabulary.ending(beginnings)
        if stem.isalpha()
    }
    return sorted(shared, key=lambda stem: (-shared[stem], stem))[:_STEMS]


def frames_saying(
    db: Connection, dialect: Dialect, piece: str, ids: Int64Array, mask: BoolArray
) -> Int64Array:
    """Those of the frames, as far as the mask shows them, whose text has the piece in it."""

    shown = ids[ids < len(mask)]
    shown = shown[mask[shown]][:_FRAMES]
    matching = [frame_id for frame_id, text in _texts(db, dialect, shown.tolist()) if piece in folded(text)]
    return np.array(sorted(matching), dtype=np.int64)


def _texts(db: Connection, dialect: Dialect, ids: list[int]) -> Iterator[tuple[int, str]]:
    for batch in batched(ids):
        clause = among("f.frame_id", batch)
        for row in db.all(load_query(dialect, clause.sql), clause.values):
            frame, text = checked_text(row)
            yield frame.frame_id, "\n".join((frame.speaker or "", frame.title or "", text))
