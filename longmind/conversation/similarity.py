"""Whether two texts say the same: words in one form, their overlap, and where a like text can be found."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from longmind.base.words import fold
from longmind.text.words import bounded

_WORD: Final = re.compile(r"\w+(?:[.'’@+-]\w+)*")
MOST_WORDS: Final = 256
"""Of a long text only so many words are compared."""


def words_of(text: str) -> frozenset[str]:
    """Distinct words: case and accents folded, punctuation dropped, "User's" and "User" alike."""
    words: dict[str, None] = {}
    for match in _WORD.finditer(fold(text)):
        word = match.group().replace("’", "'").removesuffix("'s")
        words[word] = None
        if len(words) == MOST_WORDS:
            break
    return frozenset(words)


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared words as a part of all; two texts without words are alike."""
    if not left and not right:
        return 1.0
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def word_term(space: str, word: str) -> str:
    """A word in `text_word`, where parts of spaces are apart. Words have no blanks: the last one divides."""
    return f"{space} {bounded(word)}"


def word_postings(space: str, text: str) -> dict[str, int]:
    """The words of a memory, each with the number of all of them."""
    words = words_of(text)
    return {word_term(space, word): len(words) for word in words}


def probes(rarest_first: Sequence[str], threshold: float) -> Iterator[tuple[str, int, int]]:
    """Words to look up, each with the least and most number of words that a like text can have.

    A text that lacks the first i words shares at most n - i, so it must be short to be like; after enough
    words no text can be. So common words, which come last, are looked up for short texts only, or not at all.
    """
    count = len(rarest_first)
    least = math.ceil(threshold * count - 1e-9)
    for skipped, word in enumerate(rarest_first):
        shared = count - skipped
        most = math.floor(shared / threshold - skipped + 1e-9)
        if most < least:
            return
        yield word, least, most
