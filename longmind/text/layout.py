"""What the text index holds: the words of a frame, and how postings are laid out."""

from __future__ import annotations

import struct
from collections import Counter
from typing import Final

from longmind.text.words import count_terms

BLOCK_BITS: Final = 12
"""A block covers 4,096 frame ids: small enough to rewrite per commit, large enough to read quickly."""

RECORD: Final = struct.Struct("<HB")
"""One posting: the frame's place in its block, and how often it says the word."""

REBUILT: Final = "text.rebuilt"
"""The setting that says when the index was last made anew: whoever keeps a part of it in memory looks."""

Counted = tuple[Counter[str], int]


def count_frame(text: str, title: str | None, speaker: str | None) -> Counted:
    """The terms of a frame: its title, its speaker and its text, each said once."""
    pieces = [text]
    if title and not text.startswith(title):
        pieces.insert(0, title)
    if speaker and not text.startswith(speaker):
        pieces.insert(0, speaker)
    return count_terms("\n".join(pieces))
