"""Looks at tokens by position, and reads numbers, ordinals, years and lengths of time from them."""

from __future__ import annotations

from collections.abc import Container, Set
from typing import Final, NamedTuple

from longmind.when import words
from longmind.when.calendar import Duration
from longmind.when.lexer import Tokens, full_year
from longmind.when.meanings import Node
from longmind.when.words import Grain, Which, listed

AGO: Final = "so long ago"
AHEAD: Final = "so long from now"
CLOCK: Final = "time of day"
DIGITS: Final = "date in digits"
NOW: Final = "now"
PART: Final = "part of the day"
UNIT: Final = "calendar unit"
WINDOW: Final = "last or next so long"
"""Names of rules that other rules ask for; the rest are named where they are read."""


class Match(NamedTuple):
    """A meaning, the position after its last token, and the rule that saw it."""

    node: Node
    end: int
    rule: str
    is_day: bool = False
    """One calendar day: a time of day may be said with it."""
    is_vague: bool = False
    is_range: bool = False


class TokenReader:
    """Tokens that may be asked for at any position; outside the text there are empty marks."""

    __slots__ = ("_words", "at", "count", "kinds", "texts")

    def __init__(self, tokens: Tokens) -> None:
        self.count = tokens.count
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.at = tokens.at
        self._words = [
            text if kind == "word" else "" for kind, text in zip(self.kinds, self.texts, strict=True)
        ]

    def word(self, i: int) -> str:
        return self._words[i]

    def mark(self, i: int) -> str:
        return self.texts[i] if self.kinds[i] == "mark" else ""

    def skip(self, i: int, *texts: str) -> int:
        """The next position if the token here is one of these words or marks, else this one."""
        return i + 1 if self.texts[i] in texts and self.kinds[i] in {"word", "mark"} else i

    def phrase(self, i: int, *texts: str) -> int | None:
        """The position after these words, if they stand here one after the other."""
        for text in texts:
            if self.word(i) != text:
                return None
            i += 1
        return i

    def has_any(self, texts: Set[str], start: int, end: int) -> bool:
        return not texts.isdisjoint(self.texts[start:end])

    def positions(self, texts: Set[str], start: int, end: int) -> list[int]:
        """Where one of these words or marks stands."""
        return [at for at, text in enumerate(self.texts[start:end], start) if text in texts]

    def possessive(self, i: int) -> int:
        return i + 1 if self.at(i).glued and self.mark(i) in {"'s", "'", "’"} else i

    def which(self, i: int) -> tuple[Which | None, int]:
        """'last', 'this', 'next' and their like here ('this past', 'this coming'), and the position after."""
        word = self.word(i)
        if word not in words.WHICH:
            return None, i
        after = self.word(i + 1)
        if word == "this" and after in words.WHICH and after not in {"this", "current"}:
            return words.WHICH[after], i + 2
        return words.WHICH[word], i + 1

    def counts_things(self, i: int) -> bool:
        """Whether what stands here makes the number before it a quantity: '2000 people', '50 %', '3 days'."""
        kind, text = self.kinds[i], self.texts[i]
        if kind == "word":
            return text in words.MEASURES or text in words.UNITS
        return kind == "mark" and text in {"%", "$", "€", "£", "°", "+", "x", "*", "="}

    def is_cued(self, i: int, cues: Container[str]) -> bool:
        """Whether one of the cue words stands before this position, an article between them or not."""
        before = self.word(i - 1)
        if before == "the":
            before = self.word(i - 2)
        return before in cues


CARDINALS: Final = frozenset(
    {*words.ONES, *words.TENS, *words.VAGUE_NUMBERS, *listed("a an half hundred dozen number fraction")}
)
ORDINAL_WORDS: Final = frozenset({*words.ORDINALS, *words.ORDINAL_TENS, *words.TENS})
"""The words (and the kind of token) that a quantity, and an ordinal in words, may begin with."""

_MOST_PARTS = 4
_AFTER_ARTICLE = frozenset({"half", "hundred", "dozen", *words.VAGUE_NUMBERS})
_NUMBERED = frozenset(
    listed(
        "version v release build port room no number page line step rfc iso error code id model flight "
        "route highway pin ext extension lot apt apartment suite box chapter section article figure bus "
        "python level table row"
    )
)
"""A number after one of these is a name, not a year."""


_AFTER_YEAR = frozenset([*".,?!)]\"'’”:;-/", "'s"])


class Count(NamedTuple):
    value: float
    end: int
    is_vague: bool = False


class Length(NamedTuple):
    duration: Duration
    end: int
    is_vague: bool = False


def whole(reader: TokenReader, i: int) -> Count | None:
    """A number below one hundred in words."""
    word = reader.word(i)
    if word in words.ONES:
        return Count(words.ONES[word], i + 1)
    if word in words.TENS:
        j = reader.skip(i + 1, "-")
        ones = words.ONES.get(reader.word(j), 10)
        return Count(words.TENS[word] + ones, j + 1) if ones < 10 else Count(words.TENS[word], i + 1)
    return None


def cardinal(reader: TokenReader, i: int) -> Count | None:
    """A quantity: '3', '2.5', 'three', 'a', 'a couple of', 'half an', 'one and a half'."""
    token = reader.at(i)
    if token.kind == "fraction" and token.value is not None:
        return Count(token.value, reader.skip(i + 1, "a", "an"))
    if token.kind == "number" and token.value is not None:
        return _with_half(reader, Count(token.value, i + 1))
    word = token.text if token.kind == "word" else ""
    if word == "half":
        return Count(0.5, reader.skip(i + 1, "a", "an"))
    if word in {"a", "an"}:
        after = reader.word(i + 1)
        return cardinal(reader, i + 1) if after in _AFTER_ARTICLE else Count(1, i + 1)
    if word in words.VAGUE_NUMBERS:
        return Count(words.VAGUE_NUMBERS[word], reader.skip(i + 1, "of"), is_vague=True)
    if word in {"hundred", "dozen"}:
        return Count(100 if word == "hundred" else 12, i + 1)
    number = whole(reader, i)
    if number is None:
        return None
    if reader.word(number.end) == "hundred":
        return Count(number.value * 100, number.end + 1)
    return _with_half(reader, number)


def _with_half(reader: TokenReader, count: Count) -> Count:
    """'2 1/2', 'one and a half'."""
    after = reader.at(count.end)
    if after.kind == "fraction" and after.value is not None:
        return Count(count.value + after.value, count.end + 1)
    if reader.word(count.end) == "and":
        j = reader.skip(count.end + 1, "a")
        if reader.word(j) == "half":
            return Count(count.value + 0.5, j + 1)
    return count


def ordinal(reader: TokenReader, i: int) -> Count | None:
    """'7th', 'seventh', 'twenty-first'."""
    token = reader.at(i)
    if token.kind == "ordinal" and token.value is not None:
        return Count(token.value, i + 1)
    word = reader.word(i)
    if word in words.ORDINALS:
        return Count(words.ORDINALS[word], i + 1)
    if word in words.ORDINAL_TENS:
        return Count(words.ORDINAL_TENS[word], i + 1)
    if word in words.TENS:
        j = reader.skip(i + 1, "-")
        ones = words.ORDINALS.get(reader.word(j), 10)
        if ones < 10:
            return Count(words.TENS[word] + ones, j + 1)
    return None


def day_of_month(reader: TokenReader, i: int) -> Count | None:
    """1 to 31 as digits, an ordinal, or in words; not when it counts what follows."""
    token = reader.at(i)
    number = ordinal(reader, i)
    if number is None and token.kind == "number" and token.text.isdigit() and len(token.text) <= 2:
        number = Count(int(token.text), i + 1)
    if number is None and (number := whole(reader, i)) is not None and number.value < 2:
        number = None
    if number is None or not 1 <= number.value <= 31 or reader.counts_things(number.end):
        return None
    if reader.mark(i - 1) in {"$", "€", "£", "#"} or reader.word(number.end) in {"thousand", "hundred"}:
        return None
    after = reader.at(number.end)
    return None if after.glued and after.text in {":", "."} and reader.at(number.end + 1).glued else number


def year(reader: TokenReader, i: int, *, cued: bool) -> Count | None:
    """A year; without a cue, digits from 1900 to 2099 that nothing beside them makes a quantity."""
    token = reader.at(i)
    if token.kind == "short" and cued:
        return Count(token.fields[0], i + 1)
    if token.kind != "number" or len(token.text) != 4 or not token.text.isdigit():
        return _year_in_words(reader, i) if cued else None
    value = int(token.text)
    if not (1000 <= value <= 2999 if cued else 1900 <= value <= 2099):
        return None
    if token.glued and reader.at(i - 1).text not in {"(", "[", '"', "'", "“", "‘", "/", ","} and not cued:
        return None
    after = reader.at(i + 1)
    if reader.counts_things(i + 1) or reader.word(i - 1) in _NUMBERED:
        return None
    if after.glued and after.text not in _AFTER_YEAR:
        return None
    if reader.mark(i + 1) == "-" and reader.at(i + 2).glued and not _ends_years(reader, i + 2, value):
        return None
    if not cued and value % 100 == 0 and after.kind == "word" and not after.capital:
        return None
    return Count(value, i + 1)


def _ends_years(reader: TokenReader, i: int, first: int) -> bool:
    """Whether what stands behind a year and a dash may end a range: '1952-1964', '1952-64', '2019-May'."""
    text = reader.at(i).text
    if not text.isdigit():
        return True
    if len(text) == 2:
        return int(text) > first % 100 and not reader.at(i + 1).glued
    return len(text) == 4 and 1000 <= int(text) <= 2999


def year_of_two_digits(reader: TokenReader, i: int) -> Count | None:
    """'of 87': two digits that only their place makes a year."""
    token = reader.at(i)
    if token.kind == "number" and len(token.text) == 2 and token.text.isdigit():
        return None if reader.counts_things(i + 1) else Count(full_year(int(token.text)), i + 1)
    return None


def _year_in_words(reader: TokenReader, i: int) -> Count | None:
    """'nineteen eighty-four', 'seventeen hundred', 'two thousand and five', 'twenty twenty'."""
    high = whole(reader, i)
    if high is None:
        return None
    after = reader.word(high.end)
    if after == "thousand" and high.value == 2:
        j = reader.skip(high.end + 1, "and")
        low = whole(reader, j)
        return Count(2000 + low.value, low.end) if low else Count(2000, high.end + 1)
    if not 13 <= high.value <= 21:
        return None
    if after == "hundred":
        j = reader.skip(high.end + 1, "and")
        low = whole(reader, j)
        return Count(high.value * 100 + low.value, low.end) if low else Count(high.value * 100, high.end + 1)
    low = whole(reader, reader.skip(high.end, "-"))
    if low is None or low.value < 10 or reader.counts_things(low.end):
        return None
    return Count(high.value * 100 + low.value, low.end)


def unit(reader: TokenReader, i: int) -> tuple[Grain, float, int] | None:
    """A unit of time: its grain, how many of that grain it is, and the position after it."""
    word = reader.word(i)
    if word in {"fortnight", "fortnights"}:
        return "week", 2, i + 1
    if word in words.UNITS:
        return words.UNITS[word], 1, i + 1
    is_counted = reader.at(i - 1).kind in {"number", "fraction"}
    if word in words.LETTER_UNITS and is_counted and (reader.at(i).glued or word == "h"):
        return words.LETTER_UNITS[word], 1, i + 1
    return None


def length(reader: TokenReader, i: int, *, most_parts: int = _MOST_PARTS) -> Length | None:
    """A length of time: 'two weeks', 'a year and a half', '2 hours and 20 minutes', 'a few days'."""
    total: Length | None = None
    for _ in range(most_parts):
        part = _part(reader, i)
        if part is None or (total is not None and part.duration.grain == total.duration.grain):
            break
        duration = part.duration if total is None else total.duration.plus(part.duration)
        total = Length(duration, part.end, part.is_vague or (total is not None and total.is_vague))
        i = part.end
        if reader.word(i) == "and" or reader.mark(i) == ",":
            i += 1
    return total


def _part(reader: TokenReader, i: int) -> Length | None:
    count = cardinal(reader, i)
    if count is None:
        return None
    measure = unit(reader, reader.skip(count.end, "-", "full", "whole"))
    if measure is None:
        return None
    grain, times, end = measure
    value = count.value * times
    if reader.phrase(end, "and", "a", "half") is not None:
        value, end = value + times / 2, end + 3
    try:
        duration = Duration.of(value, grain)
    except ValueError:
        return None
    return Length(duration, end, count.is_vague)
