"""How a frame is shown in a line: its day, who said it, the part that matters, and its id."""

from __future__ import annotations

import re
from collections.abc import Set

from longmind.base.recall_marks import harmless
from longmind.base.times import format_ms

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")


def line(frame: int, occurred_at: int, text: str, who: str = "") -> str:
    """One line; stored text cannot begin another, nor cite."""
    said = " ".join(text.split())
    speaker = f"{' '.join(who.split())}: " if who and not said.startswith(who) else ""
    return f"- {format_ms(occurred_at)[:10]} {harmless(speaker + said)} [frame {frame}]"


def snippet(text: str, words: Set[str], most: int) -> str:
    """The beginning, or the stretch around the sentence that has most of the words."""
    flat = text.strip()
    if len(flat) <= most:
        return flat
    best, place, found = 0, 0, 0
    for sentence in _SENTENCE.split(flat[:20_000]):
        at = flat.find(sentence, place)
        place = at + len(sentence)
        score = len(words & set(re.findall(r"\w{3,}", sentence.casefold())))
        if score > best:
            best, found = score, at
    start = 0 if found + most // 4 <= most else found
    cut = flat[start : start + most - 2].strip()
    return f"{'… ' if start else ''}{cut}{' …' if start + most < len(flat) else ''}"
