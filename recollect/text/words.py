"""From text to index terms: fold, split, drop the words that say nothing, stem.

Three kinds of terms share one namespace: stems of words; identifiers as wholes, marked with `=`; and pairs
of neighbouring characters for scripts that put no spaces between words.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Any, Final

ANALYZER: Final = "words/1"
"""Names these rules; an index made by other rules is rebuilt."""

STOP_WORDS: Final = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below
    between both but by can could d did do does doing don down during each few for from further had has
    have having he her here hers herself him himself his how i if in into is it its itself just ll m me
    more most my myself no nor not now of off on once only or other our ours ourselves out over own re s
    same she should so some such t than that the their theirs them themselves then there these they this
    those through to too under until up ve very was we were what when where which while who whom why
    will with would you your yours yourself yourselves
    """.split()
)

_MOST_CHARACTERS = 64
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Both begin at the start of a run and never backtrack into it: linear on any input.
_CAMEL_WORD = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]))[A-Za-z0-9]++")
_JOINED = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"_*+[A-Za-z0-9]++(?:[_./:\\@#$%&+=~>-]++[A-Za-z0-9]++)++"  # parts with joiners between them
    r"|[A-Za-z]++[0-9]++[A-Za-z0-9]*+)"  # letters and digits in one
)
_UNSEGMENTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # East Asian
    "\U00020000-\U0003ffff]+"
)
_COMBINING = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_STRIPPED = ("LATIN", "GREEK", "CYRILLIC")
_stemmers = threading.local()


def fold(text: str) -> str:
    """Compatibility forms and case unified; accents dropped after Latin, Greek and Cyrillic letters only."""
    if text.isascii():
        return text.lower()
    folded = text.translate(_FOLDS)
    return _fold_whole(folded) if _COMBINING.search(folded) else folded


def _fold_whole(text: str) -> str:
    """The rule itself; `fold` applies it to single characters where none of them combines with another."""
    out: list[str] = []
    strip = False
    for character in unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()):
        if unicodedata.combining(character):
            if not strip:
                out.append(character)
            continue
        strip = character.isascii() or unicodedata.name(character, "").startswith(_STRIPPED)
        out.append(character)
    return unicodedata.normalize("NFC", "".join(out))


class _Folds(dict[int, str]):
    """Folded forms of single characters, found as they are met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_whole(chr(code))
        return folded


_FOLDS: Final = _Folds()


def terms(text: str) -> list[str]:
    """The index terms of a text in reading order, without the whole identifiers."""
    if text.isascii():
        words = _ASCII_WORD.findall(text.lower())
        found = [stem(word) for word in words if word not in STOP_WORDS]
        return found + camel_parts(text)
    found = []
    for word in _WORD.findall(fold(text)):
        if _UNSEGMENTED.search(word):
            found += _unsegmented(word)
        elif word not in STOP_WORDS:
            found.append(stem(word))
    return found + camel_parts(text)


def count_terms(text: str) -> tuple[Counter[str], int]:
    """How often each term occurs, whole identifiers included, and the number of content words."""
    found = terms(text)
    counts = Counter(found)
    counts.update(identifiers(text))
    return counts, len(found)


def identifiers(text: str) -> list[str]:
    """Things that are written as one and meant as one: `ERR_42`, `src/a_b.py`, `v1.2.3`."""
    return [_bounded("=" + run.lower()) for run in _JOINED.findall(text)]


def camel_parts(text: str) -> list[str]:
    """`getUserName` also as its parts."""
    parts: list[str] = []
    for word in _CAMEL_WORD.findall(text):
        pieces = _CAMEL.findall(word)
        if len(pieces) > 1:
            parts += [stem(piece.lower()) for piece in pieces if piece.lower() not in STOP_WORDS]
    return parts


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    if not word.isalpha() or not word.isascii():
        return _bounded(word)
    return _bounded(str(_stemmer().stemWord(word)))


def _unsegmented(word: str) -> list[str]:
    """Runs of such a script as overlapping pairs; what stands between them as words."""
    found = []
    last = 0
    for run in _UNSEGMENTED.finditer(word):
        between = word[last : run.start()]
        if between and between not in STOP_WORDS:
            found.append(stem(between))
        text = run[0]
        found += [text] if len(text) == 1 else [text[i : i + 2] for i in range(len(text) - 1)]
        last = run.end()
    if word[last:] and word[last:] not in STOP_WORDS:
        found.append(stem(word[last:]))
    return found


def _bounded(term: str) -> str:
    if len(term) <= _MOST_CHARACTERS:
        return term
    return term[:40] + "#" + hashlib.blake2b(term.encode(), digest_size=8).hexdigest()


def _stemmer() -> Any:
    """One per thread: the C object keeps a cache that is not shared safely."""
    if not hasattr(_stemmers, "english"):
        import Stemmer

        _stemmers.english = Stemmer.Stemmer("porter")
    return _stemmers.english
