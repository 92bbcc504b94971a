"""Finds the time phrases of a text, resolves them against a reference, and joins them into one range."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, timedelta, tzinfo

from longmind.base.errors import InvalidInput
from longmind.when.anchors import Relation, may_name_a_time
from longmind.when.calendar import GRAINS, Calendar, NeedsReference, Prefer
from longmind.when.meanings import Part
from longmind.when.phrases import Phrase, find_phrases
from longmind.when.token_reader import CLOCK, DIGITS, NOW, PART
from longmind.when.words import Grain

_MS = timedelta(milliseconds=1)
_DAY_OR_MONTH = re.compile(r"0?([1-9]|1[0-2])[/-](?!0?\1[/-])(?:0?[1-9]|1[0-2])(?:[/-][0-9]{2,4})?")


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase and the half-open range of unix milliseconds it means.

    `start` and `end` are character offsets in the text. One bound is None where the phrase leaves it open
    ('since 2019'); both are None when the phrase could not be resolved without a reference time.
    `grain` is the precision of what was said: 'two weeks ago' names a day to the week.
    `relative` says that the range depends on the reference.
    """

    text: str
    start: int
    end: int
    since: int | None
    until: int | None
    grain: Grain
    relation: Relation
    rule: str
    relative: bool

    @property
    def unresolved(self) -> bool:
        """The phrase is relative and no reference time was given."""
        return self.since is None and self.until is None

    @property
    def ambiguous(self) -> bool:
        """'5/7/2023' is read as the seventh of May; elsewhere it is the fifth of July."""
        return self.rule == DIGITS and _DAY_OR_MONTH.fullmatch(self.text) is not None

    @property
    def is_time_of_day(self) -> bool:
        """A time of day without its day: of which day is a guess."""
        return self.rule in {CLOCK, PART}

    @property
    def is_now(self) -> bool:
        """'now': the moment of speaking, and nothing to look for in the past."""
        return self.rule == NOW


def find_times(
    text: str,
    *,
    reference: int | None,
    zone: tzinfo = UTC,
    prefer: Prefer = "past",
    most_characters: int = 2_000,
) -> list[TimePhrase]:
    """The time phrases in the first `most_characters` characters of an English text, from left to right.

    What recurs and names no year ('in May', 'on Friday', 'at Christmas') is by default the latest that has
    begun, since a search looks back; `prefer="future"` takes the first that is not over. Month comes before
    day in '5/7/2023' unless that is not a date. Weeks begin on Monday. Seasons are those of the north, in
    whole months, and a winter belongs to the year it begins in. Phrases outside the years 1 to 9999 are left
    out.
    """
    if not may_name_a_time(text[: max(most_characters, 0)]):
        return []
    calendar = Calendar.at(reference, zone=zone, prefer=prefer)
    resolved_phrases = []
    for found in find_phrases(text, most_characters):
        resolved = _resolve(found.phrase, calendar, text=text, start=found.start, end=found.end)
        if resolved is not None:
            resolved_phrases.append(resolved)
    return resolved_phrases


def _resolve(phrase: Phrase, calendar: Calendar, *, text: str, start: int, end: int) -> TimePhrase | None:
    try:
        try:
            bounds, relative = _bounds(phrase, Calendar.at(None, zone=calendar.zone)), False
        except NeedsReference:
            bounds, relative = _bounds(phrase, calendar), True
    except NeedsReference:
        bounds, relative = (None, None, "day"), True
    except InvalidInput:
        raise
    except (OverflowError, ValueError):
        return None
    since, until, grain = bounds
    return TimePhrase(
        text=text[start:end],
        start=start,
        end=end,
        since=since,
        until=until,
        grain=grain,
        relation=phrase.relation,
        rule=phrase.rule,
        relative=relative,
    )


def _bounds(phrase: Phrase, calendar: Calendar) -> tuple[int | None, int | None, Grain]:
    span = phrase.node.resolve(calendar)
    start, end = calendar.to_ms(span.start), calendar.to_ms(span.end)
    if span.end <= span.start:
        raise ValueError("an empty time")
    if end <= start:  # an hour that the clock skips
        end = start + (span.end - span.start) // _MS
    if phrase.relation == "since":
        return start, None, span.grain
    part = phrase.node.part if isinstance(phrase.node, Part) else None
    if phrase.relation == "before":
        to_the_end = (phrase.includes and not phrase.node.is_point) or part == "late"
        return None, end if to_the_end else start, span.grain
    if phrase.relation == "after":
        return start if phrase.node.is_point or part == "early" else end, None, span.grain
    return start, end, span.grain


def time_range(phrases: Iterable[TimePhrase]) -> tuple[int | None, int | None] | None:
    """The one range to search, or None when the phrases give none.

    Bounded ranges with a part in common narrow to it, others join to the range that holds them all; open
    ones ('after 2016', 'before May') then cut it, unless nothing would be left. A time of day without a day
    is no range to search. A phrase said more loosely than its range is widened: 'two weeks ago' to the seven
    days around that day, 'around May 7' and 'a few days ago' by one unit on each side.
    """
    ranges = [
        _searched(phrase)
        for phrase in phrases
        if not (phrase.unresolved or phrase.is_time_of_day or phrase.is_now)
    ]
    closed = [(since, until) for since, until in ranges if since is not None and until is not None]
    since: int | None = None
    until: int | None = None
    if closed:
        since, until = max(low for low, _ in closed), min(high for _, high in closed)
        if since >= until:
            since, until = min(low for low, _ in closed), max(high for _, high in closed)
    for low, high in ranges:
        if low is not None and high is not None:
            continue
        if low is not None and (until is None or low < until):
            since = low if since is None else max(since, low)
        if high is not None and (since is None or since < high):
            until = high if until is None else min(until, high)
    return None if since is None and until is None else (since, until)


def _searched(phrase: TimePhrase) -> tuple[int | None, int | None]:
    since, until = phrase.since, phrase.until
    unit = GRAINS[phrase.grain] // _MS
    margin = 0
    if phrase.relation == "around":
        margin = unit
    elif since is not None and until is not None and until - since < unit:
        margin = (unit - (until - since)) // 2
    return (since if since is None else since - margin), (until if until is None else until + margin)
