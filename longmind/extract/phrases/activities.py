"""Values that are doings: verb phrases without the time they are done at."""

from __future__ import annotations

import re

from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import DEICTIC, Spans, extent, trimmed, without_tail
from longmind.extract.phrases.possessions import game_or_instrument, languages

_DOING_STOP = pattern(
    r",(?!\d)|\s(?:(?<!\bwent )(?<!\bgo )(?<!\bgoing )(?<!\bgone )"
    r"to (?:see|get|help|make|celebrate|find|learn|be)|(?<![A-Z\d])and(?! [A-Z]))\s"
)


_AMOUNTS = frozenset("few lot couple bit little".split())
_TOO_LITTLE = frozenset("be do try say need have bed sleep hell ask check let go".split())
_BARE = (["went"], ["going"], ["having"], ["taking"], ["getting"])
_LEFT_OPEN = frozenset("at for with about of from into than".split())
"""What ends so tells of a thing named before: "the dinner I volunteered at"."""
WITHOUT_ITS_OBJECT = pattern(
    r"(?:bought|got|made|had|took|received|gave|saw|watched|visited|attended|sold|discovered|ordered|adopted|"
    r"booked|built|wore|brought)(?: (?:just|recently|yesterday|today|online|there|here|back|last \w+|"
    r"(?:in|on|at|from) (?!(?:front|top)\b)[\w ]+))*(?: (?:is|are|was|were|has|will)\b|\s*(?:$|[,.]))"
    r"|[\w ]*?\b(?:at|for|with|to|about) (?:back (?:on|in)|on|is|was|were)\b",
    re.IGNORECASE,
)
"""A verb that needs an object and has none is told of what stands before: "the bag I bought is broken"."""
_NO_DOING = frozenset("assume say honest not never probably miss need".split())
_A_THING = pattern(r"(?:an?|my|our) ", re.IGNORECASE)
_DOUBLE = pattern(
    r"(?:an?|my|our) [a-z-]+ and [a-z-]+ (?:[a-z]+ing|party|night|evening|dinner|lunch|brunch|picnic|weekend|"
    r"trip|tour|festival|event|workshop|class|show|fair)\b",
    re.IGNORECASE,
)
"""One thing that two words tell of: "a wine and cheese tasting"."""
_HOW_TO = pattern(r"(?:how )?to \w", re.IGNORECASE)
_VICE = pattern(
    r"(?:smoking|drinking|vaping|gambling|biting my nails|procrastinating|eating (?:meat|sugar|dairy))"
    r"(?![\w-])",
    re.IGNORECASE,
)


def doing(text: str, start: int, end: int) -> Spans | None:
    """A doing told by its verb phrase, without the time it was done."""
    stop = extent(text, start, end)
    cut = _DOING_STOP.search(text, start, stop)
    begin, stop = trimmed(text, start, without_tail(text, start, cut.start() if cut else stop))
    words = re.findall(r"[\w'-]+", text[begin:stop].lower())
    if not 1 <= len(words) <= 24 or any(word in DEICTIC for word in words):
        return None
    if words[0] in ("a", "an", "my", "our") and (len(words) < 2 or words[1] in _AMOUNTS):
        return None
    if WITHOUT_ITS_OBJECT.match(text, begin, stop) is not None or words[-1] in _LEFT_OPEN:
        return None
    if words[0] in _NO_DOING or (words[0] in _TOO_LITTLE and len(words) < 3) or words in _BARE:
        return None
    return [(begin, stop)]


def thing_planned(text: str, start: int, end: int) -> Spans | None:
    """A plan told by a noun: "a trip to Norway"."""
    if _A_THING.match(text, start, end) is None:
        return None
    double = _DOUBLE.match(text, start, end)
    return doing(text, start, end) if double is None else [(start, double.end())]


def learned(text: str, start: int, end: int) -> Spans | None:
    """What is being learned: a language, an instrument, or how to do something."""
    if _HOW_TO.match(text, start, end):
        return doing(text, start, end)
    return languages(text, start, end) or game_or_instrument(text, start, end)


def habit_given_up(text: str, start: int, end: int) -> Spans | None:
    """A habit named by its doing: "smoking"."""
    match = _VICE.match(text, start, end)
    return None if match is None else [(start, match.end())]
