"""The words of a value by which things are told apart."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from longmind.facts.canonical import alias_norm

_SMALL: Final = frozenset(
    "a an the my our his her their your its this that these those of in on at to for from with by and or i "
    "me we us he she it they them is are was were be been job account membership subscription new old up "
    "all any some one position role contract lease place any more".split()
)
_WORD: Final = re.compile(r"[\w@#+]+")


@lru_cache(maxsize=4096)  # of every fact that a turn is compared with, in every turn
def words_of(text: str) -> frozenset[str]:
    """The words of a text by which things are told apart, without endings of number."""
    words = []
    for word in _WORD.findall(alias_norm(text)):
        if word not in _SMALL:
            plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
            words.append(word[:-1] if plural else word)
    return frozenset(words)


_DOER: Final = re.compile(r"(\w{3,}?)(?:ing|er|ers|e)")


@lru_cache(maxsize=4096)
def stem_of(word: str) -> str:
    """ "Smoking" and "smoker" by what they share."""
    match = _DOER.fullmatch(word)
    return match[1] if match is not None else word


@lru_cache(maxsize=4096)
def stems_of(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem_of, words))


def has_kin(word: str, words: frozenset[str]) -> bool:
    """Whether the word is there, or one of its kin: "locksmithing" and "locksmith"."""
    if word in words or stem_of(word) in stems_of(words):
        return True
    return len(word) > 5 and any(len(other) > 4 and word.startswith(other) for other in words)


def kin_of(word: str) -> set[str]:
    """Words and stems of which one is among any words that have kin of a word."""
    longer = {word[:size] for size in range(5, len(word))} if len(word) > 5 else set()
    return {word, stem_of(word), *longer}
