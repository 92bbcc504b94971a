"""How much of a fact a question mentions: shared words, whatever their ending."""

from __future__ import annotations

import re
from typing import Final

from longmind.facts.canonical import canonical_text

_WORD: Final = re.compile(r"[^\W_]{3,}")
_ENDINGS: Final = ("ing", "ed", "es", "s", "e")
_FIRST_PERSON: Final = frozenset({"i", "me", "my", "mine", "myself"})


def word_stems(text: str) -> frozenset[str]:
    """Words of three letters or more, without the endings that inflection puts on them."""
    return frozenset(_stem(word) for word in _WORD.findall(canonical_text(text)))


def speaks_of_oneself(text: str) -> bool:
    """Whether a question is asked in the first person."""
    return not _FIRST_PERSON.isdisjoint(re.split(r"[^\w]+", canonical_text(text)))


def overlap(question: frozenset[str], text: str) -> int:
    """How many of the question's words a fact shares; its own words are split at underscores too."""
    return len(question & word_stems(text.replace("_", " "))) if question else 0


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
