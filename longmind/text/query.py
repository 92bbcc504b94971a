"""A question as terms to look up. User text is never query syntax, but for double quotes around a phrase."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from longmind.base.words import STOP_WORDS
from longmind.text.words import folded, identifiers, plain_words, terms, without_identifiers

MOST_TERMS: Final = 64
MOST_PHRASES: Final = 16
MOST_CHARACTERS: Final = 20_000
_PHRASE = re.compile(r'"([^"]{1,1000}+)"|“([^“”]{1,1000}+)”')
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextQuery:
    """What the text lane looks for."""

    terms: tuple[str, ...]
    """Distinct, in reading order."""
    words: tuple[str, ...]
    """The same as plain words, with their accents, for languages with stems of their own."""
    pairs: tuple[tuple[str, str], ...]
    """Terms that stand side by side in the question."""
    identifiers: tuple[str, ...]
    names_only: bool
    """True: beside the identifiers, nothing is said that one could look for."""
    phrases: tuple[str, ...]
    """Folded, white space collapsed."""
    truncated: bool
    """True: the question was longer than what is looked at."""

    @property
    def is_empty(self) -> bool:
        return not self.terms and not self.identifiers


def plan_text(question: str) -> TextQuery:
    """Any string of any length gives a plan; of a very long one the beginning counts."""
    scanned = question[:MOST_CHARACTERS]
    words = terms(scanned)
    plain = dict.fromkeys(word for word in plain_words(scanned) if word not in STOP_WORDS)
    distinct = tuple(dict.fromkeys(words))
    names = tuple(dict.fromkeys(identifiers(scanned)))
    phrases = (spaced(folded(plain or curly)) for plain, curly in _PHRASE.findall(scanned))
    distinct_phrases = tuple(dict.fromkeys(phrase for phrase in phrases if phrase))
    return TextQuery(
        terms=distinct[:MOST_TERMS],
        words=tuple(plain)[:MOST_TERMS],
        pairs=tuple(dict.fromkeys(_neighbours(words)))[:MOST_TERMS],
        identifiers=names[:MOST_TERMS],
        names_only=bool(names) and not terms(without_identifiers(scanned)),
        phrases=distinct_phrases[:MOST_PHRASES],
        truncated=len(question) > MOST_CHARACTERS
        or max(len(distinct), len(names)) > MOST_TERMS
        or len(distinct_phrases) > MOST_PHRASES,
    )


def spaced(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def said_phrases(text: str, phrases: Iterable[str]) -> list[str]:
    """Those of the phrases that a text says, whatever its case, accents and white space."""
    folded_text = spaced(folded(text))
    return [phrase for phrase in phrases if phrase in folded_text]


def _neighbours(words: list[str]) -> Iterable[tuple[str, str]]:
    return ((a, b) for a, b in pairwise(words) if a != b)
