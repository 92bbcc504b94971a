"""Relative times in words made dates: "yesterday", said on 4 May 2024, is "on 3 May 2024"."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from longmind.when.anchors import may_name_a_time
from longmind.when.find import TimePhrase, find_times

_LEAD: Final = re.compile(
    r"\b(?:in|on|at|by|until|till|since|from|before|after|for|during|around|over|of|to)(?: the)? $",
    re.IGNORECASE,
)
_DAY_MS: Final = 86_400_000
_AHEAD: Final = re.compile(r"\b(?:next|this|on|tomorrow|upcoming|coming|in)\b", re.IGNORECASE)
_WEEKDAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_BARE_WEEKDAY: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)
_DUE: Final = re.compile(r"\b(?:due|payable|valid) $", re.IGNORECASE)
_CLOCK: Final = re.compile(r"(?:,? (?:at|around) |, ).*$", re.IGNORECASE)
_NOUN_PHRASE: Final = re.compile(
    r"\b(?:an?|the|my|our|your|his|her|its|their|this|that|these|those|each|every|no"
    r"|two|three|four|five|six|seven|eight|nine|ten|several|some|many|few|both)(?: [a-z-]+)? $",
    re.IGNORECASE,
)
"""What begins a noun phrase that has not come to its noun yet: "a positive", "their"."""
_NO_NOUN: Final = frozenset(
    "i we you he she it they there this that these those my our your his her its their a an the and "
    "or but so because since when while if though although as than that which who to in on at by for "
    "from of off with without about into onto over under after before during until till up down out "
    "back away again too also only just is was are were am be been being will would can could may "
    "might must shall should has have had do does did not never then now here nor yet all both "
    "morning afternoon evening night noon midday lunchtime week weekend onwards".split()
)
_HAS_OWN: Final = re.compile(r"(?:since|until|till|from|by|before|after|between|in|on|at)\b", re.IGNORECASE)


def with_dates(text: str, said_at: int | None, *, prefer: str = "future") -> str:
    """The text with each relative day, week, month or year by its date; without a moment, as it is."""
    if said_at is None or not may_name_a_time(text):
        return text
    pieces: list[str] = []
    at = 0
    for phrase in find_times(text, reference=said_at, prefer="future" if prefer == "future" else "past"):
        before, behind = text[: phrase.start], text[phrase.end :]
        if (
            prefer != "past"
            and _BARE_WEEKDAY.fullmatch(phrase.text)
            and stands_before_its_noun(before, behind)
        ):
            continue  # "the Saturday market" is held every week
        if phrase.text.lower().startswith("within") and _DUE.search(before):
            continue  # "due within thirty days", whenever that begins
        if behind.startswith((" of each ", " of every ")):
            continue  # "the first Sunday of each month"
        dated = _dated(phrase, before, behind)
        if dated is not None:
            pieces += [text[at : phrase.start], dated]
            at = phrase.end
    return "".join([*pieces, text[at:]]) if pieces else text


def stands_before_its_noun(before: str, behind: str) -> bool:
    """Whether a time tells which thing is meant and takes no preposition: "a positive May review"."""
    if behind.startswith(("'s", "’s")):
        return True
    word = re.match(r" (?:[a-z][a-z'’-]*)", behind)
    if word is None or word.group().strip() in _NO_NOUN:
        return False
    return _NOUN_PHRASE.search(before) is not None


def tells_which(text: str, start: int, end: int, stop: int) -> bool:
    """Whether a bare date tells which thing is meant and not when: "my May 15 lunch", "the June issue"."""
    if _BY_ITSELF.match(text, start) is not None:
        return False
    return stands_before_its_noun(text[max(0, start - 40) : start], text[end:stop])


_BY_ITSELF: Final = re.compile(
    r"(?:in|on|at|by|since|until|till|from|before|after|between|during|last|next|this|yesterday|today|tonight|"
    r"tomorrow|every|each|back|\w+ \w+ ago|the)\b",
    re.IGNORECASE,
)
"""So begins a time that belongs to the verb."""


def _dated(phrase: TimePhrase, before: str, behind: str) -> str | None:
    if not phrase.relative or phrase.unresolved or phrase.is_time_of_day or phrase.relation != "at":
        return None
    if phrase.since is None or phrase.until is None:
        return None
    first = datetime.fromtimestamp(phrase.since / 1000, UTC)
    days = (phrase.until - phrase.since) / _DAY_MS
    lead = (
        _LEAD.search(before) is not None
        or _HAS_OWN.match(phrase.text) is not None
        or stands_before_its_noun(before, behind)
    )
    own = _HAS_OWN.match(phrase.text)
    own_words = f"{own.group()} " if own is not None else ""
    if phrase.grain in ("minute", "hour", "second"):
        clock = _CLOCK.search(phrase.text)
        if clock is None or clock.start() == 0:
            return None
        named = f"{first:%A} " if _WEEKDAY.search(phrase.text) else "" if lead else "on "
        return f"{own_words}{named}{first.day} {first:%B %Y}{clock.group()}"
    if days <= 1.1:
        named = f"{first:%A} " if _WEEKDAY.search(phrase.text) else ""
        clock = re.search(r" (?:at|around) .*$", phrase.text)
        before_day = own_words or ("" if lead or named else "on ")
        return f"{before_day}{named}{first.day} {first:%B %Y}{clock.group() if clock else ''}"
    if days <= 2.1 and re.search(r"\bweekend\b", phrase.text, re.IGNORECASE):
        return f"{own_words or ('' if lead else 'on ')}the weekend of {first.day} {first:%B %Y}"
    if phrase.grain == "week" or days <= 8:
        return f"{own_words or ('' if lead else 'in ')}the week of {first.day} {first:%B %Y}"
    if phrase.grain == "month" or 27 < days < 32:
        return f"{own_words or ('' if lead else 'in ')}{first:%B %Y}"
    if phrase.grain == "year" or 364 < days < 367:
        return f"{own_words or ('' if lead else 'in ')}{first.year}"
    return None
