"""Where a text mentions a time, with or without a range: for readers of sentences, who need its place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal, NamedTuple

from longmind.base.words import runs_of_letters
from longmind.when.anchors import ANCHORS, GLUE, may_begin, may_hold_a_phrase, may_name_a_time
from longmind.when.calendar import Calendar, NeedsReference
from longmind.when.meanings import Node
from longmind.when.phrases import Phrase, find_phrases
from longmind.when.token_reader import AGO, AHEAD, DIGITS, UNIT, WINDOW
from longmind.when.words import WHICH

Kind = Literal["past", "future", "either", "length", "repeated"]


class Mention(NamedTuple):
    """Characters `start` to `end`, and what kind of time they are; `core` is where its preposition ends."""

    start: int
    end: int
    kind: Kind
    core: int

    def moved(self, by: int) -> Mention:
        return Mention(self.start + by, self.end + by, self.kind, self.core + by)


# A preposition belongs to the mention: "I moved to Porto in May" is about Porto, not "Porto in".
_LEAD = re.compile(
    r"(?<![\w'-])(?:(?:back )?(?:in|on|at|over|for|from|by|around|during|as of|effective)(?: the)?"
    r"|almost|nearly|just|less than|at least) $",
    re.IGNORECASE,
)
# "I volunteer at, yesterday": words that never stand before "yesterday" or "two weeks ago".
_NO_LEAD = re.compile(r"(?:in|on|at|over|for|during) ", re.IGNORECASE)
_LONGEST_LEAD = 16
# Other rules name a time only after a preposition: "Blade Runner 2049" and "Sunday" in a list are names.
_STANDS_ALONE = frozenset(
    {
        AGO,
        AHEAD,
        DIGITS,
        UNIT,
        WINDOW,
        "named day",
        "month and day",
        "day and month",
        "month and year",
        "year, month and day",
        "ISO date and time",
        "day and time",
        "day and part of it",
        "earlier or later in a unit",
        "time before or after",
        "so long before or after",
    }
)
_COUNTED_FROM_NOW = frozenset({AGO, "named day"})
_UNIT = r"(?:minute|hour|day|night|week|weekend|fortnight|month|quarter|semester|term|year|decade)s?"
_WHEN = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|morning|afternoon|evening|night|spring|summer|autumn|fall"
    rf"|winter|christmas|easter|thanksgiving|{_UNIT}"
)
_PART = r"(?: (?:morning|afternoon|evening|night)s?)?"
_COUNT = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|a few|several|many|some|a couple of|a couple|couple of|half a|a good)"
)
_PLACELESS = re.compile(
    rf"""(?<![\w'-])(?:
      (?P<past>the\ other\ (?:day|night|week)
        |(?:years|months|weeks|ages|a\ while|a\ long\ time|not\ long)\ ago
        |{_COUNT}\ (?:\w+\ )?{_UNIT}\ back|back\ in\ (?:college|school|high\ school)
        |when\ (?:i|we|he|she|they)\ (?:was|were)\ (?:in\ (?:high\ school|school|college|university|my\ \w+)
          |a\ (?:kid|child|teenager|student)|young(?:er)?|little|small|\d{{1,2}}|\w+teen|twenty
          |(?:six|seven|eight|nine|ten|eleven|twelve)\b)(?:\ years\ old)?
        |(?:as|since\ i\ was)\ a\ (?:kid|child|teenager|teen|student)
        |over\ the\ (?:weekend|summer|holidays|winter|break)|recently|lately)
    | (?P<future>soon|someday|one\ day)
    | (?P<length>for\ (?:about\ |around\ |roughly\ |almost\ |nearly\ |over\ |more\ than\ |less\ than
          \ |just\ |at\ least\ |the\ (?:past|last)\ )?{_COUNT}\ (?:\w+\ )?{_UNIT}(?:\ now)?
        |for\ (?:years|ages|a\ while|months|weeks|decades|a\ long\ time|the\ (?:spring|summer|autumn|fall
          |winter)|my\ (?:whole|entire)\ life)(?:\ now)?
        |since\ (?:childhood|birth|college|university|high\ school|then|my\ \w+|i\ was\ \w+(?:\ \w+)?)
        |(?:all|most\ of)\ my\ life)
    | (?P<repeated>(?:almost\ |nearly\ |pretty\ much\ )?every
          \ (?:single\ |other\ |second\ )?(?:{_WHEN}){_PART}
        |(?:once|twice|(?:\d+|two|three|four|five|six|several|a\ few|a\ couple\ of)\ times)
          \ (?:a|per|every|each)\ (?:day|week|month|year)
        |daily|weekly|monthly|on\ a\ (?:daily|weekly|regular)\ basis
        |on\ (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s|\ (?:morning|afternoon|evening|night)s)
          |weekends|weekdays|weeknights)
        |on\ the\ (?:first|second|third|fourth|last)\ (?:mon|tues|wednes|thurs|fri|satur|sun)day
          \ (?:of|in)\ (?:each|every)\ month
        |most\ (?:days|mornings|evenings|nights|weekends|weeks))
    )(?![\w'-])""",
    re.VERBOSE | re.IGNORECASE,
)
"""Times that have no range: vague ones, lengths of time and what comes again and again."""
_PLACELESS_WORDS = frozenset(
    "other ago back when as since over recently lately soon someday one for all most every once twice times "
    "daily weekly monthly on".split()
)
"""At least one of these stands in whatever the pattern finds."""

_WORDS_OF_TIME = ANCHORS | frozenset(
    "day days night nights week weeks weekend weekends weekdays weeknights fortnight month months quarter "
    "semester term year years decade decades minute minutes hour hours ages while time ago back college "
    "school university kid child teenager teen student young younger little small summer holidays winter "
    "break spring autumn fall recently lately soon someday life childhood birth then every once twice times "
    "daily weekly monthly basis most morning mornings evening evenings since when".split()
)
"""At least one of these, or a digit, stands in every mention; most sentences have none."""
_DIGIT = re.compile(r"\d")
_FIRST_WORD = re.compile(r"['’]?\w+")
_OPENERS = GLUE | frozenset(
    "years months weeks ages many some when as since recently lately soon someday all most pretty every "
    "once twice daily weekly monthly".split()
)
# One set of characters first, which is searched for quickest.
_SENTENCE_END = re.compile(r"[.!?\n](?:(?<=\n)\s*|(?<!\n)\s+(?=[^\W\d_a-z]))")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»")
_WITNESS = Calendar(datetime(2001, 5, 16, 9), UTC)  # noqa: DTZ001
"""Some morning in the middle of a week, month and year, to see on which side of now a phrase lies."""


def find_mention(text: str, start: int, end: int) -> Mention | None:
    """The first mention that lies within `text[start:end]`."""
    searched = _searched(text)
    begins = searched.begins
    for number in range(bisect_right(begins, start) - 1, len(begins) - 1):
        if begins[number] >= end:
            break
        for mention in searched.mentions(number):
            if start <= mention.start and mention.end <= end:
                return mention
    return None


def mention_at(text: str, start: int, end: int) -> Mention | None:
    """The mention that begins exactly at `start`, with its preposition or after it."""
    first = _FIRST_WORD.match(text, start, end)
    if first is None or (first[0].lower() not in _OPENERS and not first[0][0].isdigit()):
        return None  # most clauses begin with "I" or a name
    if not may_begin(text, start, end) and _PLACELESS.match(text, start, end) is None:
        return None
    searched = _searched(text)
    number = bisect_right(searched.begins, start) - 1
    if number + 1 >= len(searched.begins):
        return None
    for mention in searched.mentions(number):
        if start in (mention.start, mention.core) and mention.end <= end:
            return mention
    return None


class _Searched:
    """A text by sentences, each searched for times once, when it is first asked for."""

    __slots__ = ("_by_sentence", "begins", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.begins = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        self._by_sentence: dict[int, tuple[Mention, ...]] = {}

    def mentions(self, number: int) -> tuple[Mention, ...]:
        """The mentions of one sentence, by their places in the whole text."""
        mentions = self._by_sentence.get(number)
        if mentions is None:
            offset = self.begins[number]
            own = _mentions(self.text[offset : self.begins[number + 1]])
            mentions = self._by_sentence[number] = tuple(mention.moved(offset) for mention in own)
        return mentions


@lru_cache(maxsize=4)  # the rules ask for many places of one text
def _searched(text: str) -> _Searched:
    return _Searched(text)


@lru_cache(maxsize=512)  # a sentence is quoted, answered and read again; and greetings are all alike
def _mentions(text: str) -> tuple[Mention, ...]:
    words = runs_of_letters(text)
    has_digit = _DIGIT.search(text) is not None
    if not has_digit and _WORDS_OF_TIME.isdisjoint(words):
        return ()
    found = [] if _PLACELESS_WORDS.isdisjoint(words) else [*_placeless(text)]
    if (has_digit or may_hold_a_phrase(words)) if text.isascii() else may_name_a_time(text):
        found += _ranged(text)
    if not found:
        return ()
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    mentions: list[Mention] = []
    for mention in sorted(found, key=lambda item: (item.start, -item.end)):
        is_title = any(start < mention.start and mention.end < end for start, end in quoted)
        if not is_title and (not mentions or mention.start >= mentions[-1].end):
            mentions.append(mention)
    return tuple(mentions)


def _placeless(text: str) -> Iterator[Mention]:
    for match in _PLACELESS.finditer(text):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        yield Mention(match.start(), match.end(), kind, match.start())


def _ranged(text: str) -> Iterator[Mention]:
    for phrase, core, end, first_word in find_phrases(text):
        lead = _LEAD.search(text, max(core - _LONGEST_LEAD, 0), core)
        alone = phrase.relation != "at" or phrase.rule in _STANDS_ALONE or first_word in WHICH
        if lead is not None and phrase.rule in _COUNTED_FROM_NOW and _NO_LEAD.match(lead.group()):
            lead = None
        if lead is not None or alone:
            is_back = lead is not None and lead[0].lower().startswith("back")
            kind = "past" if is_back else _kind(phrase)
            yield Mention(core if lead is None else lead.start(), end, kind, core)


def _kind(phrase: Phrase) -> Kind:
    """On which side of the moment it is said the time lies, where the phrase itself says so."""
    if phrase.relation == "before":
        return "future" if phrase.includes else "either"
    side = _side_of_now(phrase.node)
    if side is None:
        return "either"
    return "length" if phrase.relation == "since" else side


@lru_cache(maxsize=2048)  # "yesterday" and "next week" are said again and again
def _side_of_now(node: Node) -> Kind | None:
    """On which side of a moment what is counted from it lies; None where it is not counted from one."""
    try:
        node.resolve(Calendar(None, UTC))
        return None
    except NeedsReference:
        pass
    except (OverflowError, ValueError):
        return None
    if node.floats:
        return None
    try:
        span = node.resolve(_WITNESS)
    except (OverflowError, ValueError):
        return "either"
    today = _WITNESS.unit("day", 0)
    return "past" if span.end <= today.start else "future" if span.start >= today.end else "either"
