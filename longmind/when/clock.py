"""Reads times of day, with their day or without: '5 pm', 'half past seven', 'tomorrow at 5', 'last night'."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from longmind.when.calendar import GRAINS
from longmind.when.lexer import Token
from longmind.when.meanings import Date, Hours, Node, Unit
from longmind.when.periods import may_begin_period, period
from longmind.when.token_reader import CLOCK, PART, Match, TokenReader, length, whole, year
from longmind.when.words import DAY_PARTS, ONES, PLAIN_WEEKDAYS, TENS, WEEKDAYS, Grain, listed

_POINTS = {"noon": 12, "midnight": 0}
_CLOCK_WORDS = frozenset({*_POINTS, *ONES, *TENS, "a", "half", "quarter"})
"""Words that a reading of the clock may begin with."""
_LEVELS: tuple[Grain, ...] = ("hour", "minute", "second")
_HALF_DAY = timedelta(hours=12)
_JOINTS = frozenset({"-", "to", "till", "until"})
_DATED_CLOCK = "day and time"
_DATED_PART = "day and part of it"
_CLOCK_CUES = frozenset(listed("at by around since until till before after from between to and about than @"))
_SPOKEN_CUES = frozenset(listed("at by around since until till before after about"))
"""Before 'ten thirty' they make it a time; it may be many things elsewhere."""
_TONIGHT = frozenset({"tonight", "tonite"})
_BEGINNINGS = frozenset(
    {*_TONIGHT, *DAY_PARTS, *ONES, *TENS, *listed("this last a half quarter from between in at during the")}
    | {"early", "late", "later", "eod", "cob", "end", "close", "for"}
)
"""Words that a time of day may begin with."""


class Clock(NamedTuple):
    """A reading of the clock."""

    hour: int
    minute: int
    second: int
    level: int
    """The least part given: 0 hours, 1 minutes, 2 seconds."""
    end: int
    is_open: bool
    """It may be of the morning or the afternoon."""
    is_bare: bool = False
    """Only its place makes it a time: a number alone."""

    @property
    def offset(self) -> timedelta:
        return timedelta(hours=self.hour, minutes=self.minute, seconds=self.second)

    def closed(self, *, evening: bool) -> Clock:
        if not self.is_open:
            return self
        return self._replace(hour=self.hour % 12 + (12 if evening else 0), is_open=False)

    def within(self, part: str | None) -> Clock:
        """Settled by the part of the day; without one, 1 to 6 is after noon and 7 to 11 before."""
        if part is None:
            return self.closed(evening=self.hour <= 6 or self.hour == 12)
        if part == "night":
            return self.closed(evening=5 <= self.hour < 12)
        return self.closed(evening=DAY_PARTS[part][0] >= 12 or (part == "midday" and self.hour != 11))


class Reading(NamedTuple):
    """One time on the clock, or two that bound a range; a day and a part of the day make hours of it."""

    first: Clock
    last: Clock | None
    end: int

    @property
    def is_bare(self) -> bool:
        return self.first.is_bare and (self.last is None or self.last.is_bare)

    def hours(self, day: Node | None, part: str | None) -> Hours:
        if self.last is None:
            point = self.first.within(part)
            grain = _LEVELS[point.level]
            return Hours(point.offset, point.offset + GRAINS[grain], grain, day)
        start, end = self._bounds(self.first, self.last, part)
        grain = _LEVELS[max(self.first.level, self.last.level)]
        return Hours(start, end, grain, day, on_clock=False)

    @staticmethod
    def _bounds(first: Clock, last: Clock, part: str | None) -> tuple[timedelta, timedelta]:
        if part is not None:
            last = last.within(part)
        if first.is_open and not last.is_open and part is None:
            late = first.closed(evening=True)
            first = late if last.hour >= 12 and late.offset < last.offset else first.closed(evening=False)
        start = first.within(part).offset
        end = last.closed(evening=False).offset
        while end <= start:
            end += _HALF_DAY if last.is_open else 2 * _HALF_DAY
        return start, end


def clock_range(reader: TokenReader, i: int) -> Reading | None:
    """'from 3 to 5 pm', '9:30-11:00', 'between 4 and 6'."""
    opens = reader.word(i)
    if opens in {"for", "from"} and (lasting := _lasting(reader, i)) is not None:
        return lasting
    j = reader.skip(i, "from", "between")
    first = clock(reader, j, bare=True)
    if first is None:
        return None
    joint = reader.word(first.end) or reader.mark(first.end)
    if joint not in _JOINTS and not (joint == "and" and opens == "between"):
        return None
    last = clock(reader, first.end + 1, bare=True)
    if last is None or (first.is_bare and last.is_bare and j == i):
        return None
    return Reading(first, last, last.end)


def clock(reader: TokenReader, i: int, *, bare: bool) -> Clock | None:
    """A reading of the clock here; with `bare`, a number from 1 to 12 alone is one."""
    token = reader.at(i)
    if token.kind not in {"clock", "number"} and token.text not in _CLOCK_WORDS:
        return None
    if token.kind == "clock":
        hour, minute, second, level, half = token.fields
        is_open = half < 0 and 1 <= hour <= 12 and token.text[0] != "0"
        # '7p' without a colon or a cue may be a page, a price or an apartment.
        is_bare = token.text[-1] in "apAP" and level == 0 and reader.word(i - 1) not in _CLOCK_CUES
        return _with_part(reader, Clock(hour, minute, second, level, i + 1, is_open, is_bare))
    if token.kind == "word" and token.text in _POINTS:
        return Clock(_POINTS[token.text], 0, 0, 0, i + 1, is_open=False)
    past = _past(reader, i)
    if past is not None:
        return _with_part(reader, past)
    if token.kind == "number" and bare and token.value is not None and token.text[-3:-2] == ".":
        return _dotted(token.text, i + 1)
    return _hour_alone(reader, i, bare=bare)


def _hour_alone(reader: TokenReader, i: int, *, bare: bool) -> Clock | None:
    """'7 o'clock', 'six pm', 'nine thirty', '12 noon', and with `bare` '7'."""
    hour_and_end = _hour(reader, i)
    if hour_and_end is None:
        return None
    hour, end = hour_and_end
    word = reader.word(end)
    if word in {"o'clock", "oclock"}:
        return _with_part(reader, Clock(hour, 0, 0, 0, end + 1, is_open=True))
    if word == "noon" and hour == 12:
        return Clock(12, 0, 0, 0, end + 1, is_open=False)
    minutes = whole(reader, reader.skip(end, "-")) if reader.at(i).kind == "word" else None
    minute, level = 0, 0
    if minutes is not None and 10 <= minutes.value <= 59:
        minute, level, end = int(minutes.value), 1, minutes.end
        word = reader.word(end)
    if word in {"am", "pm"} and reader.at(i).kind == "word":
        return Clock(hour % 12 + (12 if word == "pm" else 0), minute, 0, level, end + 1, is_open=False)
    is_said = level == 1 and reader.word(i - 1) in _SPOKEN_CUES
    alone = Clock(hour, minute, 0, level, end, is_open=True, is_bare=not is_said)
    inside = _with_part(reader, alone)
    if inside.end > end and (bare or reader.word(i) != "one"):
        return inside._replace(is_bare=False)
    return alone if (bare or is_said) and not reader.counts_things(end) else None


def _dotted(text: str, end: int) -> Clock | None:
    hour, minute = (int(part) for part in text.split("."))
    if hour > 23 or minute > 59:
        return None
    return Clock(hour, minute, 0, 1, end, is_open=1 <= hour <= 12, is_bare=True)


def _with_part(reader: TokenReader, reading: Clock) -> Clock:
    """'7 in the morning', '8 at night'."""
    if not reading.is_open:
        return reading
    j = reader.phrase(reading.end, "in", "the") or reader.phrase(reading.end, "at")
    if j is None:
        return reading
    j = reader.skip(j, "early", "late")
    part = reader.word(j)
    return reading.within(part)._replace(end=j + 1) if part in DAY_PARTS else reading


def _hour(reader: TokenReader, i: int) -> tuple[int, int] | None:
    number = _up_to(reader, i, 12)
    if number is None:
        return None
    after = reader.at(number[1])
    is_fraction = after.glued and after.text in {".", "/", "%", ":"} and reader.at(number[1] + 1).glued
    return None if is_fraction else number


def _up_to(reader: TokenReader, i: int, most: int) -> tuple[int, int] | None:
    """A number of hours or minutes in digits or words, and the position after it."""
    token = reader.at(i)
    if token.kind == "number" and token.text.isdigit() and len(token.text) <= 2:
        value, end = int(token.text), i + 1
    elif (number := whole(reader, i)) is not None:
        value, end = int(number.value), number.end
    else:
        return None
    return (value, end) if 1 <= value <= most else None


def _past(reader: TokenReader, i: int) -> Clock | None:
    """'half past seven', 'quarter to five', 'twenty past eight', '10 minutes to six'."""
    j = reader.skip(i, "a")
    word = reader.word(j)
    minutes = {"half": 30, "quarter": 15}.get(word)
    end = j + 1
    is_short = False
    if minutes is None:
        count = _up_to(reader, i, 59)
        if count is None:
            return None
        minutes, end = count
        after_unit = reader.skip(end, "minutes", "minute", "min", "mins")
        is_short = after_unit == end
        end = after_unit
    relation = reader.word(end)
    if relation not in {"past", "to"} or (relation == "to" and (is_short or word == "half")):
        return None
    hour = _hour(reader, end + 1)
    if hour is None or reader.counts_things(hour[1]):
        return None
    value, after = hour
    if relation == "to":
        value, minutes = (value - 2) % 12 + 1, 60 - minutes
    return Clock(value, minutes, 0, 1, reader.skip(after, "o'clock", "oclock"), is_open=True)


def may_begin_moment(reader: TokenReader, i: int) -> bool:
    """Whether `moment` may read one here, by the first token alone."""
    return _may_begin_time(reader.at(i)) or may_begin_period(reader.at(i))


def _may_begin_time(token: Token) -> bool:
    if token.kind == "number":
        return token.value is not None and token.value < 60
    return token.kind == "clock" or token.text in _BEGINNINGS


def moment(reader: TokenReader, i: int, *, cued: bool = False) -> Match | None:
    """A day, a stretch of days, or a time of day with or without its day."""
    time = None
    if _may_begin_time(reader.at(i)):
        time = _named_day_part(reader, i) or _clock_first(reader, i, cued=cued) or _part_first(reader, i)
    day = period(reader, i, cued=cued)
    if day is not None:
        joined = _joined(reader, day)
        if time is None or joined.end >= time.end:
            return joined
    return time


def _joined(reader: TokenReader, day: Match) -> Match:
    """The day with the time of day said after it."""
    if not day.is_day:
        return day
    j = reader.skip(_after_abbreviation(reader, day.end), ",")
    part = _day_part(reader, reader.skip(j, "in", "at", "during"))
    if part is not None:
        name, end = part
        timed = _clock_after(reader, end, day.node, name)
        return timed or Match(_hours(name, day.node), end, _DATED_PART)
    timed = _clock_after(reader, j, day.node, None) or _clock_bound(reader, j, day.node)
    return day if timed is None else _with_year_last(reader, day, timed)


def _after_abbreviation(reader: TokenReader, i: int) -> int:
    """Past the full stop of 'mon. 3pm', where a time on the clock follows it."""
    is_short = reader.word(i - 1) in WEEKDAYS and reader.word(i - 1) not in PLAIN_WEEKDAYS
    ends = is_short and reader.mark(i) == "." and reader.at(i).glued
    return i + 1 if ends and reader.at(reader.skip(i + 1, "at", "@")).kind == "clock" else i


def _clock_bound(reader: TokenReader, i: int, day: Node) -> Match | None:
    """The part of the day before or after a time on the clock: 'today before 4pm', 'Friday after 10'."""
    is_before, j = reader.word(i) in {"before", "by", "until", "till"}, i + 1
    if not is_before and reader.word(i) != "after":
        no_later = reader.phrase(i, "no", "later", "than")
        later = reader.phrase(i, "later", "than")
        if no_later is None and later is None:
            return None
        is_before, j = no_later is not None, no_later or later or j
    point = clock(reader, j, bare=True)
    if point is None or reader.counts_things(point.end):
        return None
    offset, whole_day = point.within(None).offset, 2 * _HALF_DAY
    start, end = (timedelta(0), offset) if is_before else (offset, whole_day)
    if start >= end:
        return None
    node = Hours(start, end, _LEVELS[point.level], day, on_clock=False)
    return Match(node, point.end, _DATED_CLOCK, is_range=True)


def _with_year_last(reader: TokenReader, day: Match, timed: Match) -> Match:
    """'Oct 26 15:50:06 2016'."""
    after = year(reader, timed.end, cued=True)
    if after is None or not isinstance(day.node, Date) or not isinstance(timed.node, Hours):
        return timed
    if day.node.year is not None or reader.at(timed.end).kind != "number":
        return timed
    dated = replace(timed.node, day=replace(day.node, year=int(after.value)))
    return timed._replace(node=dated, end=after.end)


def _clock_after(reader: TokenReader, i: int, day: Node | None, part: str | None) -> Match | None:
    """A clock time after its day or part of the day: ' at 7', ', 5:30 pm', ' from 3 to 5'."""
    i = reader.skip(i, ",")
    at = reader.skip(i, "at", "@", "around")
    reading = clock_range(reader, reader.skip(i, "at"))
    if reading is None:
        point = clock(reader, at, bare=at > i)
        if point is None or (part is None and point.is_bare and reader.at(point.end).text == "-"):
            return None
        reading = Reading(point, None, point.end)
    rule = _DATED_CLOCK if day is not None else CLOCK
    return Match(reading.hours(day, part), reading.end, rule, is_range=reading.last is not None)


def _lasting(reader: TokenReader, i: int) -> Reading | None:
    """'from 2pm for 2 hours', 'for 2 hours from 2pm': the time at which it ends is not said, but known."""
    distance = length(reader, i + 1) if reader.word(i) == "for" else None
    start = distance.end if distance is not None else i
    if reader.word(start) != "from":
        return None
    first = clock(reader, start + 1, bare=distance is not None)
    if first is None:
        return None
    end = first.end
    if distance is None:
        distance = length(reader, end + 1) if reader.word(end) == "for" else None
        end = distance.end if distance is not None else end
    if distance is None or not distance.duration.is_within_day:
        return None
    first = first.within(None)
    stop = first.offset + timedelta(seconds=distance.duration.seconds)
    seconds = int(stop.total_seconds())
    last = Clock(seconds // 3600, seconds % 3600 // 60, seconds % 60, max(first.level, 1), end, is_open=False)
    return Reading(first, last, end)


def _clock_first(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """A clock time with the day after it ('5 pm on Friday'), or alone where that is sure."""
    reading = clock_range(reader, i)
    is_range = reading is not None
    if reading is None:
        point = clock(reader, i, bare=reader.word(i - 1) in {"at", "around"})
        if point is None:
            return None
        reading = Reading(point, None, point.end)
    if reader.word(reading.end) in {"every", "each", "daily"} or reader.counts_things(reading.end):
        return None
    j = reader.skip(reading.end, ",", "on", "of")
    named = _named_part_of(reader, j)
    if named is not None:
        name, end, day = named
        return Match(reading.hours(day, name), end, _DATED_CLOCK, is_range=is_range)
    dated = period(reader, j, cued=True)
    if dated is not None and dated.is_day:
        part = _day_part(reader, reader.skip(dated.end, "in"))
        end = dated.end if part is None else part[1]
        hours = reading.hours(dated.node, None if part is None else part[0])
        return Match(hours, end, _DATED_CLOCK, is_range=is_range)
    before = reader.word(i - 1) or reader.mark(i - 1)
    is_sure = reader.at(i).kind != "clock" or not reading.first.is_open or is_range
    if reading.is_bare or not (is_sure or cued or before in _CLOCK_CUES):
        return None
    return Match(reading.hours(None, None), reading.end, CLOCK, is_range=is_range)


def _part_first(reader: TokenReader, i: int) -> Match | None:
    """'the morning of May 7', 'in the evening', 'in the morning at 7'."""
    j = reader.skip(i, "in", "at", "during")
    part = _day_part(reader, j)
    if part is None or (reader.word(i) == "at" and part[0] != "night"):
        return None
    name, end = part
    day = period(reader, reader.skip(end, "of", "on"), cued=True)
    if day is not None and day.is_day:
        return Match(_hours(name, day.node), day.end, _DATED_PART)
    if j == i:
        return None
    return _clock_after(reader, end, None, name) or Match(_hours(name, None), end, PART)


def _named_day_part(reader: TokenReader, i: int) -> Match | None:
    """'this morning', 'tonight', 'last night', with a clock time or not."""
    named = _named_part_of(reader, i)
    if named is None:
        return None
    name, end, day = named
    return _clock_after(reader, end, day, name) or Match(_hours(name, day), end, _DATED_PART)


def _named_part_of(reader: TokenReader, i: int) -> tuple[str, int, Node] | None:
    word, after = reader.word(i), reader.word(i + 1)
    if word in _TONIGHT:
        return "night", i + 1, Unit("day", 0)
    if (part := _end_of_day(reader, i)) is not None:
        name, end = part
        dated = period(reader, reader.skip(end, "on", "of"), cued=True)
        return None if dated is not None and dated.is_day else (name, end, Unit("day", 0))
    if word in {"early", "late", "later"}:
        j = i + 1 if after != "in" else i + 2
        return _named_part_of(reader, j) if reader.word(j) == "this" else None
    if word == "this" and after in DAY_PARTS:
        return after, i + 2, Unit("day", 0)
    if word == "last" and after in {"night", "evening"}:
        return after, i + 2, Unit("day", -1)
    return None


def _day_part(reader: TokenReader, i: int) -> tuple[str, int] | None:
    """'morning', 'the late afternoon'; 'early' and 'late' change nothing."""
    if (part := _end_of_day(reader, i)) is not None:
        return part
    j = reader.skip(i, "the")
    j = reader.skip(j, "early", "late")
    name = reader.word(j)
    return (name, j + 1) if name in DAY_PARTS and name not in _POINTS else None


def _end_of_day(reader: TokenReader, i: int) -> tuple[str, int] | None:
    """'EOD', 'end of day', 'close of business'; 'at the end of the day' is mostly a figure of speech."""
    i = reader.skip(i, "the") if reader.word(i + 1) in {"eod", "cob"} else i
    if reader.word(i) in {"eod", "cob"}:
        return reader.word(i), i + 1
    end = reader.phrase(i, "end", "of", "day")
    if end is not None:
        return "eod", end
    end = reader.phrase(i, "close", "of", "business")
    return None if end is None else ("cob", end)


def _hours(name: str, day: Node | None) -> Hours:
    start, end = DAY_PARTS[name]
    return Hours(timedelta(hours=start), timedelta(hours=end), "hour", day, on_clock=False)
