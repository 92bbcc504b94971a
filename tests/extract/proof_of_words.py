"""Whether a pattern matches nothing without one of some words, by going through all it may match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from longmind.extract.needed_words import _ANYTHING, _MOST, _known_words, _of_one, _TooMany

Item = tuple[Any, Any]


def all_have(words: Set[str], source: str, flags: int) -> bool:
    """Whether one of the words stands in each match, as a whole run of letters."""
    return _needs(words, parser.parse(source, flags), frozenset({""}))


def _needs(words: Set[str], items: Iterable[Item], before: Set[str]) -> bool:
    """Whether any part of a sequence has one of the words in each of the texts that it matches."""
    texts = before
    for op, argument in _in_line(items):
        if op is ops.ASSERT and argument[0] > 0 and _needs(words, argument[1], texts):
            return True
        if op is ops.BRANCH and all(_needs(words, branch, texts) for branch in argument[1]):
            return True
        try:
            following = _of_one(op, argument)
        except _TooMany:
            following = {_ANYTHING}
        if len(texts) * len(following) > _MOST:
            if _have(words, texts):
                return True
            texts = {text[-1:] for text in texts}
        if len(texts) * len(following) > _MOST:
            following = {_ANYTHING}
        texts = {first + second for first, second in product(texts, following)}
    return _have(words, texts)


def _have(words: Set[str], texts: Set[str]) -> bool:
    return all(not words.isdisjoint(_known_words(text)) for text in texts)


def _in_line(items: Iterable[Item]) -> Iterator[Item]:
    for op, argument in items:
        if op is ops.SUBPATTERN:
            yield from _in_line(argument[-1])
        elif op is ops.ATOMIC_GROUP:
            yield from _in_line(argument)
        else:
            yield op, argument
