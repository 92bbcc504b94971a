"""What sort of thing something is: a Nokia is a phone, ibuprofen a painkiller, where one works a firm.

People seldom name a thing again when it is over: they cancel "the streaming subscription", leave "the firm"
and sell "the car". The table, `kinds.txt`, is general knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, cast

Sort = Literal["tie", "home", "goods", "animal", "use"]
"""How such a thing ends: what somebody belongs to or has booked is left or cancelled, a home given up, goods
are sold, animals die or are given away, and what is used, taken or done is stopped."""


class Kind(NamedTuple):
    """A sort of thing, of which people mostly have one, or speak of all of theirs at once."""

    sort: Sort
    one: bool
    """Whether most people have one at a time."""
    nouns: frozenset[str]
    """What it is called, in small letters and in the singular."""
    predicates: frozenset[str]
    """What holds one, whatever its name is."""
    names: dict[str, bool]
    """Names of things of this sort, in small letters; whether one is also a plain word."""


def _fields(text: str) -> list[str]:
    return [" ".join(field.split()) for field in text.split(",") if field.strip()]


@cache
def kinds() -> tuple[Kind, ...]:
    """All sorts of things."""
    text = files("longmind.extract").joinpath("kinds.txt").read_text(encoding="utf-8")
    table: list[Kind] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        how, nouns, predicates, names = line.split("|")
        sort, number = how.split()
        known = {name.lower(): name != name.lower() for name in _fields(names)}
        words = frozenset(_fields(nouns)), frozenset(predicates.split())
        table.append(Kind(cast(Sort, sort), number == "one", *words, known))
    return tuple(table)


Numbers = dict[str, tuple[int, ...]]
"""By a word, the numbers of the kinds that have it."""


@cache
def kinds_by_noun() -> Numbers:
    """By what people call them."""
    return _numbered((noun, number) for number, kind in enumerate(kinds()) for noun in kind.nouns)


@cache
def kinds_by_predicate() -> Numbers:
    """By the predicates that hold one of theirs."""
    return _numbered((name, number) for number, kind in enumerate(kinds()) for name in kind.predicates)


@cache
def kinds_by_first_word() -> Numbers:
    """By the first word of a name."""
    return _numbered((name.split()[0], number) for number, kind in enumerate(kinds()) for name in kind.names)


def _numbered(pairs: Iterable[tuple[str, int]]) -> Numbers:
    numbers: dict[str, dict[int, None]] = {}
    for word, number in pairs:
        numbers.setdefault(word, {})[number] = None
    return {word: tuple(of_word) for word, of_word in numbers.items()}
