"""Which of two values mends the other: the same kind of thing, or the same word spelled right."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from longmind.facts.words import words_of

_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)\b",
    re.IGNORECASE,
)

_NUMBER = re.compile(r"\d[\d.,:]*")
_DAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)

_OF_CLOCKS = re.compile(r"\bat \d{1,2}(?::\d\d)?$")
_OF_AMOUNTS = re.compile(r"\D?\d[\d.,]* ?(?!(?:[ap]m|o'clock|uhr|h)\b)[^\W\d]{2}", re.IGNORECASE)
"""No hour: "10 degrees"."""


def no_hour(old: str, new: str) -> bool:
    """Whether an amount cannot be meant in the place of an hour."""
    return _OF_CLOCKS.search(old) is not None and _OF_AMOUNTS.match(new) is not None


def _shape(text: str) -> str:
    if _ORDINAL.search(text) is not None:
        return "ordinal"
    if _DAY.search(text) is not None and not any(c.isdigit() for c in text):
        return "day"
    word = text.split()[-1] if text.split() else ""
    return "number" if any(c.isdigit() for c in text) else "name" if word[:1].isupper() else "word"


def alike(old: str, new: str) -> bool:
    if _shape(new) == "number":
        return re.search(r"\d", old) is not None and not no_hour(old, new)
    if _shape(old) == _shape(new) == "ordinal":
        return True
    if _shape(old) == _shape(new) and _shape(new) in ("name", "day"):
        return True
    return bool(words_of(old) & words_of(new)) or spelled_alike(old, new)


def spelled_alike(old: str, new: str) -> bool:
    """ "Tampre" and "Tampere": one is what the other was meant to be."""
    shorter, longer = sorted((old.casefold(), new.casefold()), key=len)
    return len(shorter) > 3 and SequenceMatcher(None, shorter, longer).ratio() > 0.8


def _counted(old: str, new: str) -> tuple[int, int] | None:
    """Where the old value counts what the new one counts: "3 pm" in "at 3 pm on Friday"."""
    number = _NUMBER.match(new.strip())
    if number is None or not (unit := new.strip()[number.end() :].strip()):
        return None
    match = re.search(rf"{_NUMBER.pattern}\s*{re.escape(unit)}(?!\w)", old, re.IGNORECASE)
    return None if match is None else match.span()


def mended(old: str, new: str) -> str:
    """The old value with what is mended in it: "42 guests" and "24" are "24 guests"."""
    if _shape(new) == "number" and " " not in new.strip():
        return _NUMBER.sub(lambda _: new, old, count=1)
    if (place := _counted(old, new)) is not None:
        return f"{old[: place[0]]}{new.strip()}{old[place[1] :]}"
    if _shape(old) == _shape(new) == "ordinal" and (ordinal := _ORDINAL.search(new)) is not None:
        return _ORDINAL.sub(ordinal[0], old, count=1)
    if _shape(old) == _shape(new) == "day" and (day := _DAY.fullmatch(new.strip())) is not None:
        return _DAY.sub(day[0], old, count=1)
    return new
