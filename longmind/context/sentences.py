"""Sentences as byte ranges, and which of them say most: extracts, never new words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from longmind.text.words import terms

Range = tuple[int, int]

_END = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+|\n+")
_MOST_SENTENCES: Final = 400


def sentences(text: str) -> list[Range]:
    """Half-open UTF-8 byte ranges of the sentences, without the blank space around them."""
    found: list[Range] = []
    offset = done = 0
    bounds = [(match.start(), match.end()) for match in _END.finditer(text)] + [(len(text), len(text))]
    start = 0
    for end, resume in bounds:
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            lead = start + len(piece) - len(piece.lstrip())
            offset += len(text[done:lead].encode())
            size = len(stripped.encode())
            found.append((offset, offset + size))
            offset, done = offset + size, lead + len(stripped)
        start = resume
    return found


def cut(text: str, ranges: Sequence[Range]) -> str:
    """The pieces of a text, with an ellipsis where something between them is left out."""
    raw = text.encode()
    out = ""
    last = None
    for start, end in ranges:
        if last is not None:
            between = raw[last:start].decode(errors="replace")
            out += between if not between.strip() else " … "
        out += raw[start:end].decode(errors="replace")
        last = end
    return out


def salient(text: str, *, words: int) -> list[Range]:
    """The sentences that share most with the rest of the text, up to about so many words, in order."""
    spans = sentences(text)[:_MOST_SENTENCES]
    raw = text.encode()
    pieces = [raw[start:end].decode() for start, end in spans]
    counted = [Counter(terms(piece)) for piece in pieces]
    whole: Counter[str] = Counter()
    for counts in counted:
        whole.update(counts)
    scores = []
    for place, counts in enumerate(counted):
        weight = sum(math.log1p(whole[term]) for term in counts)
        score = weight / math.sqrt(1 + sum(counts.values())) * (1.25 if place == 0 else 1.0)
        # Rounded: the sum follows the order of the words, and the last bit of a logarithm is the C library's.
        scores.append(round(score, 9))
    return _fill(spans, pieces, scores, words)


def answering(text: str, wanted: Sequence[str], *, words: int) -> list[Range]:
    """The sentences that say most of the wanted terms, each with its neighbours while there is room."""
    spans = sentences(text)[:_MOST_SENTENCES]
    raw = text.encode()
    pieces = [raw[start:end].decode() for start, end in spans]
    looked_for = set(wanted)
    own = [len(looked_for.intersection(terms(piece))) for piece in pieces]
    scores = []
    for place, count in enumerate(own):
        before = own[place - 1] if place else 0
        after = own[place + 1] if place + 1 < len(own) else 0
        scores.append(count + 0.3 * (before + after) + (0.1 if place == 0 else 0.0))
    return _fill(spans, pieces, scores, words)


def _fill(spans: list[Range], pieces: list[str], scores: list[float], words: int) -> list[Range]:
    chosen: list[int] = []
    room = words
    for place in sorted(range(len(spans)), key=lambda place: (-scores[place], place)):
        size = len(pieces[place].split())
        if size <= room or not chosen:
            chosen.append(place)
            room -= size
        if room <= 0:
            break
    return [spans[place] for place in sorted(chosen)]
