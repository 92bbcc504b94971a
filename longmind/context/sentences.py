"""Extractive summaries: sentences as byte ranges, and which of them say most. Never new words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from longmind.text.words import terms

Range = tuple[int, int]

_END = re.compile(r"[.!?。！？][\"'”’)\]]*(\s+)|(\n+)")
"""The group is what stands between two sentences: a pattern that began with it would be tried everywhere."""
_MOST_SENTENCES: Final = 400
"""Of one text; later ones are not scored, so that a very long text costs no more than this."""
_FIRST_WEIGHT: Final = 1.25
"""The first sentence mostly says what a text is about."""
_NEIGHBOUR_WEIGHT: Final = 0.3
"""A sentence beside one that answers mostly belongs to the answer."""


def sentences(text: str) -> list[Range]:
    """Half-open UTF-8 byte ranges of the sentences, without the blank space around them."""
    ranges: list[Range] = []
    offset = done = 0
    bounds = [match.span(match.lastindex or 0) for match in _END.finditer(text)] + [(len(text), len(text))]
    start = 0
    is_ascii = text.isascii()  # a byte for each character
    for end, resume in bounds:
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            lead = start + len(piece) - len(piece.lstrip())
            offset += lead - done if is_ascii else len(text[done:lead].encode())
            size = len(stripped) if is_ascii else len(stripped.encode())
            ranges.append((offset, offset + size))
            offset, done = offset + size, lead + len(stripped)
        start = resume
    return ranges


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
    return salient_of_sizes(text, [words])[0]


def salient_of_sizes(text: str, sizes: Iterable[int]) -> list[list[Range]]:
    """`salient` for several numbers of words; the sentences are weighed once."""
    spans = sentences(text)[:_MOST_SENTENCES]
    raw = text.encode()
    pieces = [raw[start:end].decode() for start, end in spans]
    said = [terms(piece) for piece in pieces]
    weights = {term: math.log1p(count) for term, count in Counter(chain.from_iterable(said)).items()}
    scores = []
    for index, words in enumerate(said):
        weight = sum([weights[term] for term in dict.fromkeys(words)])
        score = weight / math.sqrt(1 + len(words)) * (_FIRST_WEIGHT if index == 0 else 1.0)
        # Rounded: the sum follows the order of the words, and the last bit of a logarithm is the C library's.
        scores.append(round(score, 9))
    return [_fill(spans, pieces, scores, size) for size in sizes]


def answering(text: str, query_terms: Sequence[str], *, words: int) -> list[Range]:
    """The sentences with most of the terms of a question, and their neighbours while there is room."""
    spans = sentences(text)[:_MOST_SENTENCES]
    raw = text.encode()
    pieces = [raw[start:end].decode() for start, end in spans]
    distinct = set(query_terms)
    matches = [len(distinct.intersection(terms(piece))) for piece in pieces]
    scores = []
    for index, count in enumerate(matches):
        before = matches[index - 1] if index else 0
        after = matches[index + 1] if index + 1 < len(matches) else 0
        # The tenth decides between sentences that match alike: the first one introduces the rest.
        scores.append(count + _NEIGHBOUR_WEIGHT * (before + after) + (0.1 if index == 0 else 0.0))
    return _fill(spans, pieces, scores, words)


def _fill(spans: list[Range], pieces: list[str], scores: list[float], words: int) -> list[Range]:
    """The best sentences that fit, in the order of the text; one at least, however long it is."""
    chosen: list[int] = []
    room = words
    for index in sorted(range(len(spans)), key=lambda index: (-scores[index], index)):
        size = len(pieces[index].split())
        if size <= room or not chosen:
            chosen.append(index)
            room -= size
        if room <= 0:
            break
    return [spans[index] for index in sorted(chosen)]
