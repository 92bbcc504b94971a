"""Values that somebody has, plays, speaks or studies."""

from __future__ import annotations

import re

from longmind.extract import lexicon
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import (
    DEICTIC,
    Spans,
    extent,
    known_entry,
    may_follow,
    trimmed,
    without_tail,
)

_QUANTITY = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|several|twin|\d{1,2}|my own)"
_COUNT = pattern(rf"{_QUANTITY} ", re.IGNORECASE)
_AFTER_OWNED = pattern(r",|\s(?:and|in|on|at|for|with|from|near|to|that|by)\s")
_AFTER_ILLNESS = pattern(r",|\s(?:in|at|by|after|and|last|when|as|on)\s")
_AFTER_FIELD = pattern(r",|\s(?:at|in|for|with|on|and|to|as)\s")
_AND = pattern(r"(?:,? and|,|,? as well as|,? &) (?:the )?")
_DEGREE = pattern(
    r"(?:fluent|native|conversational|basic|some|a little(?: bit of)?|a bit of|broken|decent|good|both) ",
    re.IGNORECASE,
)
_NO_FIELD = frozenset(
    "hard well a an abroad together night to that what how when where why who which all every each some any "
    "more the my our if because and but or like just only really also much many for with in on at by "
    "not no".split()
)


def possession(text: str, start: int, end: int) -> Spans | None:
    """Something owned, with an article or a number: "a food truck", "three rental properties"."""
    if _COUNT.match(text, start, end) is None:
        return None
    stop = extent(text, start, end)
    cut = _AFTER_OWNED.search(text, start, stop)
    whole = stop
    begin, stop = trimmed(text, start, without_tail(text, start, cut.start() if cut else stop))
    words = text[begin:stop].lower().split()
    if not 2 <= len(words) <= 7 or words[1] in ("lot", "few", "couple", "bit", "of"):
        return None
    if any(word in DEICTIC for word in words):
        return None
    further = None if cut is None else _FURTHER.match(text, cut.start(), whole)
    more = None if further is None else possession(text, further.end(), end)
    return [(begin, stop), *(more or ())]


_HEAD_WORD = pattern(r"[\w'-]+")
_GIVEN_NAME = pattern(
    r" (?:named|called) [^\W\d_a-z][\w'-]+(?:(?:, [^\W\d_a-z][\w'-]+)* and [^\W\d_a-z][\w'-]+)?"
)
_FURTHER = pattern(r"(?:,? and|,|,? plus) ")
_NOT_COUNTED = DEICTIC | frozenset("no the my hot in with for and of to at on great".split())


def _members(text: str, start: int, end: int, nouns: frozenset[str]) -> Spans | None:
    """Phrases such as "two cats and a dog named Rex" whose head is one of `nouns`."""
    spans: Spans = []
    position = start
    while (stop := _member_end(text, position, end, nouns)) is not None:
        spans.append((position, stop))
        joined = _FURTHER.match(text, stop, end)
        if joined is None:
            break
        position = joined.end()
    return spans or None


def _member_end(text: str, start: int, end: int, nouns: frozenset[str]) -> int | None:
    """Where a phrase of at most five words ends whose last word, or last two, are the noun."""
    count = _COUNT.match(text, start, end)
    before = ""
    for number, word in enumerate(_HEAD_WORD.finditer(text, count.end() if count else start, end)):
        low = word.group().lower()
        if number > 4 or low in _NOT_COUNTED:
            return None
        if _singular(low) & nouns or _singular(f"{before} {low}") & nouns:
            name = _GIVEN_NAME.match(text, word.end(), end)
            stop = name.end() if name else word.end()
            if may_follow(text, stop, end):
                return stop
        before = low
    return None


def _singular(word: str) -> set[str]:
    return {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"}


def pet(text: str, start: int, end: int) -> Spans | None:
    """Animals that live with somebody."""
    return _members(text, start, end, lexicon.PETS)


def relative(text: str, start: int, end: int) -> Spans | None:
    """Members of the family, counted: "two kids", "a son named Leo"."""
    return _members(text, start, end, lexicon.RELATIVES)


def condition(text: str, start: int, end: int) -> Spans | None:
    """Illnesses and conditions that last."""
    spans: Spans = []
    position = start
    while (stop := known_entry(text, position, end, lexicon.CONDITIONS)) is not None:
        # "anxiety about the exam" passes; "anxiety" stays.
        if not may_follow(text, stop, end) or text.startswith(" about", stop):
            break
        spans.append((position, stop))
        joined = _AND.match(text, stop, end)
        if joined is None:
            break
        position = joined.end()
    return spans or None


def diagnosis(text: str, start: int, end: int) -> Spans | None:
    """Whatever a diagnosis names."""
    spans = condition(text, start, end)
    if spans is not None:
        return spans
    stop = extent(text, start, end)
    cut = _AFTER_ILLNESS.search(text, start, stop)
    begin, stop = trimmed(text, start, without_tail(text, start, cut.start() if cut else stop))
    words = text[begin:stop].lower().split()
    return [(begin, stop)] if 1 <= len(words) <= 5 and not any(word in DEICTIC for word in words) else None


def game_or_instrument(text: str, start: int, end: int) -> Spans | None:
    """What is played: instruments, sports and games known by name."""
    spans: Spans = []
    position = start + 4 if text[start : start + 4].lower() == "the " else start
    begin = start
    while (stop := known_entry(text, position, end, lexicon.INSTRUMENTS_AND_GAMES)) is not None:
        spans.append((begin, stop))
        joined = _AND.match(text, stop, end)
        if joined is None:
            break
        begin = position = joined.end()
    return spans or None


def languages(text: str, start: int, end: int) -> Spans | None:
    """Languages, one by one, each with how well it is spoken."""
    spans: Spans = []
    position = start
    while position < end:
        level = _DEGREE.match(text, position, end)
        stop = known_entry(text, level.end() if level else position, end, lexicon.LANGUAGES)
        if stop is None:
            break
        spans.append((position, stop))
        joined = _AND.match(text, stop, end)
        if joined is None:
            break
        position = joined.end()
    return spans or None


def field_of_study(text: str, start: int, end: int) -> Spans | None:
    """A field of study or of work: one to four plain words."""
    stop = extent(text, start, end)
    cut = _AFTER_FIELD.search(text, start, stop)
    begin, stop = trimmed(text, start, without_tail(text, start, cut.start() if cut else stop))
    words = text[begin:stop].lower().split()
    if not 1 <= len(words) <= 4 or words[0] in _NO_FIELD or any(word in DEICTIC for word in words):
        return None
    return [(begin, stop)]
