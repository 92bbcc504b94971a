"""Cuts text into the tokens that time phrases are made of; linear in the length of any input."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Literal, NamedTuple

from longmind.when import words

Kind = Literal[
    "word",  # letters only; `text` in lower case
    "number",  # `value` when it is a plain number
    "ordinal",  # 7th
    "fraction",  # 1/2, before a unit of time
    "date",  # year, month, day; month and day 0 when not given; year 0 in '5/7'
    "week",  # ISO year and week
    "instant",  # ISO date and time: the text is read by the grammar
    "clock",  # hour, minute, second, the least part given (0, 1, 2), am 0 or pm 12 or neither -1
    "decade",  # first year, or two digits of it
    "quarter",  # quarters per period (4 or 2), number, and the year if it is written onto it
    "short",  # '87
    "mark",
    "other",
]


class Token(NamedTuple):
    kind: Kind
    text: str
    start: int
    end: int
    fields: tuple[int, ...] = ()
    value: float | None = None
    capital: bool = False
    glued: bool = False
    """No white space between this token and the one before."""


_UNIT_NAMES = "|".join(sorted({*words.UNITS, *words.LETTER_UNITS, *words.MONTHS}, key=len, reverse=True))
"""What may be written onto a number: '3h', '14april'."""
_MONTH_NAMES = "|".join(sorted(words.MONTHS, key=len, reverse=True))

# Unbounded repeats are possessive, so no token is scanned twice whatever follows it. Most tokens are letters
# and nothing else, which no alternative but `word` takes: they come first, and after them the marks that
# begin nothing longer.
_ALTERNATIVES = rf"""
      (?P<plain>(?![½¼¾])[^\W\d_]++(?![\w'’]))
    | (?P<punctuation>[^\w\s'’])
    | (?P<instant>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T\ ][0-9]{{2}}:[0-9]{{2}}
          (?::[0-9]{{2}}(?:[.,][0-9]{{1,9}})?)?(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)(?![\w:]|[.,+-][0-9])
    | (?P<fraction>[1-3]/[2-4](?=\s?(?:an?\s)?(?:h|hrs?|hours?|days?|weeks?|months?|years?|yrs?)\b)|[½¼¾])
    | (?P<date>[0-9]{{4}}(?:-[0-9]{{1,2}}-|/[0-9]{{1,2}}/|\.[0-9]{{1,2}}\.)[0-9]{{1,2}}
          | [0-9]{{1,2}}(?:-[0-9]{{1,2}}-|/[0-9]{{1,2}}/|\.[0-9]{{1,2}}\.)[0-9]{{4}}
          | [0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{2}}
          | (?:19|20)[0-9]{{6}}
          | (?:1[0-9]|20)[0-9]{{2}}[-/](?:0[1-9]|1[0-2])
          | (?:0?[1-9]|1[0-2])/(?:1[0-9]|20)[0-9]{{2}}
          | [0-9]{{1,2}}/[0-9]{{1,2}})(?![\w/]|[.,:][0-9])
    | (?P<week>[0-9]{{4}}-?W[0-9]{{2}})(?!\w)
    | (?P<clock>[0-9]{{1,2}}(?:[:.][0-9]{{2}}(?::[0-9]{{2}})?|[0-5][0-9])?\s?(?:[ap]\.m\b\.?|[ap]m\b)
          | [0-9]{{1,2}}(?::[0-9]{{2}})?[ap]\b
          | [0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?)(?![\w/]|[.,:][0-9])
    | (?P<ordinal>[0-9]{{1,2}}(?:st|nd|rd|th))(?=(?:{_MONTH_NAMES})?(?!\w))
    | (?P<decade>(?:['’][0-9]0|[0-9]{{2}}[0-9]0|[2-9]0)['’]?s)(?!\w)
    | (?P<short>['’][0-9]{{2}})(?![\w'’])
    | (?P<quarter>[0-9]{{4}}-?q[1-4]|[1-4]q(?:[0-9]{{4}}|[0-9]{{2}})?|q[1-4]|h[12])(?!\w)
    | (?P<phone>[0-9]++(?:-[0-9]++){{2,}}+)
    | (?P<number>[0-9]++(?:[.,:/][0-9]++)*+)(?=(?:{_UNIT_NAMES})?(?!\w))
    | (?P<word>o['’]clock|(?:{_MONTH_NAMES})(?=[0-9]{{1,2}}(?!\w))|[^\W\d_]++(?!\w))
    | (?P<possessive>['’]s)(?!\w)
    | (?P<other>\w++)
    | (?P<mark>[^\w\s])
"""
_TOKEN = re.compile(_ALTERNATIVES, re.VERBOSE | re.IGNORECASE)
_PIECE = re.compile(
    rf"[^\S\n]*+\n[^\S\n]*+\n\s*+ | \s*+(?:{re.sub('[?]P<[a-z]+>', '?:', _ALTERNATIVES)})",
    re.VERBOSE | re.IGNORECASE,
)
"""A token with the white space before it, or an empty line."""
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3}){1,2}")
_DECIMAL = re.compile(r"[0-9]{1,6}\.[0-9]{1,3}")
_DASHES = "-‐‑–—~"
_FRACTIONS = {"1/2": 0.5, "1/4": 0.25, "3/4": 0.75, "½": 0.5, "¼": 0.25, "¾": 0.75}
_LOWERED = frozenset({"plain", "word", "possessive", "instant", "quarter"})
"""The groups whose texts are compared with words in small letters."""
_MOST_DIGITS = 9
_SHORT_NUMBER = 8
"""From so many digits on a number may be a date."""
_WITHIN = frozenset(".,:/")
_PIVOT = 50
"""Two-digit years below this are of the 2000s, the rest of the 1900s."""


_EDGES = (Token("mark", "", -1, -1),) * 16
"""More than any rule looks past the last token it has read, or before its first."""


class Tokens:
    """The tokens of a stretch of text: the kinds and texts of all, and each of them when it is asked for.

    Few tokens of a text are ever looked at closer than by their text, and making one takes longer than
    finding it. Behind the last there are empty marks, which answer for both sides, since -1 is the last of
    them: no test at each access.
    """

    __slots__ = ("_bare", "_ends", "_made", "_pieces", "count", "kinds", "texts")

    def __init__(self, text: str, begin: int, limit: int, *, is_cut: bool) -> None:
        """From `begin` to `limit`; with `is_cut`, without a token that may go on behind it."""
        pieces = _PIECE.findall(text, begin, limit)
        ends = [*accumulate(map(len, pieces), initial=begin)]
        if is_cut and pieces and ends[-1] == limit:
            pieces.pop()
        self._pieces = pieces
        self._ends = ends
        self._bare = [*map(str.strip, pieces)]
        self.count = len(pieces)
        self.kinds: list[Kind] = ["word"] * self.count
        self.texts = [*map(str.lower, self._bare)]
        self._made: list[Token | None] = [None] * self.count
        for i, bare in enumerate(self._bare):
            if not bare.isalpha():
                self._read_other(text, i, bare)
        self.kinds += ["mark"] * len(_EDGES)
        self.texts += [""] * len(_EDGES)
        self._made += _EDGES

    def _read_other(self, text: str, i: int, bare: str) -> None:
        """What is not a word of letters alone."""
        if len(bare) < 2 and not bare.isalnum() and bare != "_":
            self.kinds[i] = "mark"
            self.texts[i] = "\n" if not bare else "-" if bare in _DASHES else bare
            return
        end = self._ends[i + 1]
        if len(bare) < _SHORT_NUMBER and bare.isdigit() and bare.isascii() and not _goes_on(text, end):
            self.kinds[i] = "number"
            self._made[i] = Token(
                "number", bare, end - len(bare), end, (), int(bare), glued=self._is_glued(i)
            )
            return
        match = _TOKEN.match(text, end - len(bare), self._ends[-1])
        assert match is not None
        token = _token(match, match.lastgroup, glued=self._is_glued(i))
        self._made[i], self.kinds[i], self.texts[i] = token, token.kind, token.text

    def at(self, i: int) -> Token:
        return self._made[i] or self._make(i)

    def _make(self, i: int) -> Token:
        bare, end = self._bare[i], self._ends[i + 1]
        start = end - len(bare or self._pieces[i])
        is_capital = bare[:1].isupper()
        token = Token(self.kinds[i], self.texts[i], start, end, capital=is_capital, glued=self._is_glued(i))
        self._made[i] = token
        return token

    def _is_glued(self, i: int) -> bool:
        return i > 0 and len(self._bare[i]) == len(self._pieces[i]) and bool(self._bare[i - 1])


def _goes_on(text: str, end: int) -> bool:
    """Whether what is behind some digits may make something else of them than a number: '0.05mg', '5mg'."""
    after = text[end : end + 1]
    return after.isalnum() or after == "_" or (after in _WITHIN and text[end + 1 : end + 2].isalnum())


def full_year(two_digits: int) -> int:
    return two_digits + (2000 if two_digits < _PIVOT else 1900)


def _token(match: re.Match[str], group: str | None, *, glued: bool) -> Token:
    text = match.group()
    start, end = match.span()
    fields: tuple[int, ...] = ()
    value: float | None = None
    kind: Kind = _KINDS.get(group or "", "mark")
    if kind in _FIELDS:
        fields = _FIELDS[kind](text)
        kind = kind if fields else "other"
    elif kind == "number":
        value = _number(text)
        kind = "other" if value is None else "number"
    elif kind == "ordinal":
        value = int(text[:-2])
    elif kind == "fraction":
        value = _FRACTIONS.get(text)
        kind = "other" if value is None else "fraction"
    return Token(kind, _plain(text, group), start, end, fields, value, text[:1].isupper(), glued)


def _plain(text: str, group: str | None) -> str:
    if group in {"mark", "punctuation"}:
        return "-" if text in _DASHES else text
    return text.lower().replace("’", "'") if group in _LOWERED else text


def _number(text: str) -> float | None:
    if len(text) <= _MOST_DIGITS and text.isdigit():
        return int(text)
    if _THOUSANDS.fullmatch(text):
        return int(text.replace(",", ""))
    return float(text) if _DECIMAL.fullmatch(text) else None


def _date_fields(text: str) -> tuple[int, ...]:
    """Year, month, day of a date in digits; empty when it cannot be one.

    Slashes and dashes put the month first, unless only the other order is a date; dots put the day first.
    """
    parts = [int(part) for part in re.split(r"[-/.]", text)]
    if len(parts) == 1:
        year, month, day = int(text[:4]), int(text[4:6]), int(text[6:])
    elif len(parts) == 2:
        if parts[0] > 999:
            year, month, day = parts[0], parts[1], 0
        elif parts[1] > 999:
            year, month, day = parts[1], parts[0], 0
        else:
            year, month, day = 0, *parts
    elif parts[0] > 999:
        year, month, day = parts
    else:
        month, day, year = parts
        year = year if year > 999 else full_year(year)
        if "." in text:
            month, day = day, month
    year_first = parts[0] > 999
    if month > 12 and not year_first and 1 <= day <= 12:
        month, day = day, month
    if not 1 <= month <= 12 or day > 31 or (day == 0 and len(parts) != 2):
        return ()
    return year, month, day


def _clock_fields(text: str) -> tuple[int, ...]:
    folded = text.lower()
    half = 12 if "p" in folded else 0 if "a" in folded else -1
    parts = [int(part) for part in re.findall("[0-9]+", folded)]
    if parts[0] > 99:
        parts = list(divmod(parts[0], 100))
    hour, minute, second = (*parts, 0, 0)[:3]
    if minute > 59 or second > 59 or hour > 23 or (half >= 0 and not 1 <= hour <= 12):
        return ()
    if half >= 0:
        hour = hour % 12 + half
    return hour, minute, second, len(parts) - 1, half


def _quarter_fields(text: str) -> tuple[int, ...]:
    """'Q3', 'H1', '3Q', '2024Q3', '3Q24'."""
    folded = text.lower().replace("-", "")
    before, letter, after = folded.partition("h" if folded[0] == "h" else "q")
    if not before:
        return 2 if letter == "h" else 4, int(after)
    if len(before) == 4:
        return 4, int(after), int(before)
    if not after:
        return 4, int(before)
    return 4, int(before), int(after) if len(after) == 4 else full_year(int(after))


_FIELDS: dict[Kind, Callable[[str], tuple[int, ...]]] = {
    "date": _date_fields,
    "clock": _clock_fields,
    "decade": lambda text: (int("".join(filter(str.isdigit, text))),),
    "quarter": _quarter_fields,
    "week": lambda text: (int(text[:4]), int(text[-2:])),
    "short": lambda text: (full_year(int(text[1:])),),
}
"""The numbers in each kind of token; a token without them is nothing of time."""
_KINDS: dict[str, Kind] = {
    "word": "word",
    "plain": "word",
    "number": "number",
    "ordinal": "ordinal",
    "fraction": "fraction",
    "instant": "instant",
    **{kind: kind for kind in _FIELDS},
    "other": "other",
    "phone": "other",
}
"""The kind of token for each group of the pattern that may be the last to match; the rest are marks."""
