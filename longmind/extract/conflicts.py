"""Whether two statements can both be so."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from longmind.extract.patterns import pattern
from longmind.extract.statements import ANY, Statement

_ARTICLES = frozenset({"a", "an", "the", "to", "my", "our", "on", "in"})
_COMPARISON = pattern(r"\s+(?:to|over|than|rather than|instead of)\s+", re.IGNORECASE)
_PLAIN = frozenset("job account membership subscription leas position rol contract".split())
"""Words for what a thing is held by, which the value itself seldom has."""
_TIES = frozenset("fiance fiancee boyfriend girlfriend partner wife husband engaged_to".split())
_WORD = pattern(r"[\w@+]+(?:[.'@+-][\w@+]+)*")
_ORDINAL = pattern(r"^(\d+)(?:st|nd|rd|th)$")
_OPPOSED = ({"likes", "dislikes"},)


@lru_cache(maxsize=4096)  # one value is compared with many, and in every turn again
def normal_value(value: str) -> str:
    """The form in which values are compared: case, articles, punctuation and word endings dropped."""
    folded = unicodedata.normalize("NFKC", value).casefold().replace("’", "'")
    words = _WORD.findall(folded)
    return " ".join([_stem(word) for word in words if word not in _ARTICLES] or map(_stem, words))


def _tokens(value: str) -> list[str]:
    return normal_value(value).split()


def _stem(word: str) -> str:
    """Enough to bring "smoking" to "smoke" and "cats" to "cat"; a name or a number stays as it is."""
    if not word.isalpha() or not word.isascii():
        return _ORDINAL.sub(r"\1", word)
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
            word = word[:-1]
    elif word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def conflicts(first: Statement, second: Statement) -> str | None:
    """Why the two contradict each other, or None if both can be so.

    What is over competes with nothing, but it does contradict that the same thing still holds.
    """
    if _subject(first.subject) != _subject(second.subject):
        return None
    same_slot = first.slot == second.slot
    left, right = _tokens(first.value), _tokens(second.value)
    if same_slot and left == right:
        if first.holds == second.holds:
            return None
        if first.ended != second.ended:
            return f"{first.slot}: the same value, and one says it is over"
        return f"{first.slot}: the same value, said and denied"
    if not (first.holds and second.holds):
        return None
    if {first.slot, second.slot} in _OPPOSED:
        return "liked and disliked" if left == right else None
    if not same_slot:
        tied = {first.slot, second.slot} <= _TIES and left == right
        return "the same person, and now another tie" if tied else None
    if first.slot == "prefers":
        return _turned_preference(first.value, second.value)
    if first.cardinality == "one" and not _compatible(left, right):
        return f"{first.slot}: one value each, and they differ"
    return None


def ends(ending: Statement, held: Statement) -> bool:
    """Whether the one says that the other is over, by its slot and value or by the words of its value."""
    if ending.action != "end" and ending.old is None:
        return False
    if _subject(ending.subject) != _subject(held.subject) or not held.holds:
        return False
    return may_end(ending, held.slot, normal_value(held.value))


def may_end(ending: Statement, slot: str, normal: str) -> bool:
    """Whether an ending speaks of something, by its slot and its value in normal form alone."""
    if ending.slot not in (ANY, slot) and ending.old is None:
        return False
    if ending.whole:
        return True
    old_words = words_of_ending(ending)
    return bool(old_words) and old_words <= set(normal.split())


def words_of_ending(ending: Statement) -> frozenset[str]:
    """The words, in normal form, that the value of whatever it ends has; of no value if there are none."""
    return _telling(ending.old if ending.old is not None else ending.value)


@lru_cache(maxsize=16)  # one ending is compared with much that somebody has told
def _telling(value: str) -> frozenset[str]:
    return frozenset(_tokens(value)) - _PLAIN


@lru_cache(maxsize=1024)
def _subject(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _compatible(left: list[str], right: list[str]) -> bool:
    """Whether one value only says more than the other: "Lisbon" and "Lisbon, Portugal"."""
    few, many = sorted((set(left), set(right)), key=len)
    return few <= many


def _turned_preference(first: str, second: str) -> str | None:
    one, other = _COMPARISON.split(first, maxsplit=1), _COMPARISON.split(second, maxsplit=1)
    if len(one) != 2 or len(other) != 2:
        return None
    turned = _tokens(one[0]) == _tokens(other[1]) and _tokens(one[1]) == _tokens(other[0])
    return "prefers: the same two, the other way round" if turned else None
