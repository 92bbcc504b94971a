"""Reads a day with its time of day, in either order: 'tomorrow at 5 pm', 'the morning of May 7'."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from longmind.when.clock import POINTS, Reading, clock, clock_range
from longmind.when.derived import Hours
from longmind.when.nodes import Date, Node, Unit
from longmind.when.numbers import year
from longmind.when.periods import period
from longmind.when.reader import CLOCK, PART, Found, Reader
from longmind.when.words import DAY_PARTS, listed

_DATED_CLOCK = "day and time"
_DATED_PART = "day and part of it"
_CLOCK_CUES = frozenset(listed("at by around since until till before after from between to and about than @"))
_TONIGHT = frozenset({"tonight", "tonite"})


def moment(reader: Reader, i: int, *, cued: bool = False) -> Found | None:
    """A day, a stretch of days, or a time of day with or without its day."""
    found = _named_part(reader, i) or _clock_first(reader, i, cued=cued) or _part_first(reader, i)
    day = period(reader, i, cued=cued)
    if day is not None:
        joined = _joined(reader, day)
        if found is None or joined.end >= found.end:
            return joined
    return found


def _joined(reader: Reader, day: Found) -> Found:
    """The day with the time of day said after it."""
    if not day.is_day:
        return day
    j = reader.skip(day.end, ",")
    part = _part(reader, reader.skip(j, "in", "at", "during"))
    if part is not None:
        name, end = part
        timed = _clock_after(reader, end, day.node, name)
        return timed or Found(_hours(name, day.node), end, _DATED_PART)
    timed = _clock_after(reader, j, day.node, None)
    return day if timed is None else _with_year_last(reader, day, timed)


def _with_year_last(reader: Reader, day: Found, timed: Found) -> Found:
    """'Oct 26 15:50:06 2016'."""
    after = year(reader, timed.end, cued=True)
    if after is None or not isinstance(day.node, Date) or not isinstance(timed.node, Hours):
        return timed
    if day.node.year is not None or reader.at(timed.end).kind != "number":
        return timed
    dated = replace(timed.node, day=replace(day.node, year=int(after.value)))
    return timed._replace(node=dated, end=after.end)


def _clock_after(reader: Reader, i: int, day: Node | None, part: str | None) -> Found | None:
    """A clock time after its day or part of the day: ' at 7', ', 5:30 pm', ' from 3 to 5'."""
    i = reader.skip(i, ",")
    at = reader.skip(i, "at", "@", "around")
    found = clock_range(reader, reader.skip(i, "at"))
    if found is None:
        point = clock(reader, at, bare=at > i)
        if point is None or (part is None and point.is_bare and reader.at(point.end).text == "-"):
            return None
        found = Reading(point, None, point.end)
    rule = _DATED_CLOCK if day is not None else CLOCK
    return Found(found.hours(day, part), found.end, rule, is_range=found.last is not None)


def _clock_first(reader: Reader, i: int, *, cued: bool) -> Found | None:
    """A clock time with the day after it ('5 pm on Friday'), or alone where that is sure."""
    found = clock_range(reader, i)
    is_range = found is not None
    if found is None:
        point = clock(reader, i, bare=reader.word(i - 1) in {"at", "around"})
        if point is None:
            return None
        found = Reading(point, None, point.end)
    if reader.word(found.end) in {"every", "each", "daily"} or reader.counts_things(found.end):
        return None
    j = reader.skip(found.end, ",", "on", "of")
    named = _named_part_of(reader, j)
    if named is not None:
        name, end, day = named
        return Found(found.hours(day, name), end, _DATED_CLOCK, is_range=is_range)
    dated = period(reader, j, cued=True)
    if dated is not None and dated.is_day:
        part = _part(reader, reader.skip(dated.end, "in"))
        end = dated.end if part is None else part[1]
        hours = found.hours(dated.node, None if part is None else part[0])
        return Found(hours, end, _DATED_CLOCK, is_range=is_range)
    before = reader.word(i - 1) or reader.mark(i - 1)
    is_sure = reader.at(i).kind != "clock" or not found.first.is_open or is_range
    if found.is_bare or not (is_sure or cued or before in _CLOCK_CUES):
        return None
    return Found(found.hours(None, None), found.end, CLOCK, is_range=is_range)


def _part_first(reader: Reader, i: int) -> Found | None:
    """'the morning of May 7', 'in the evening', 'in the morning at 7'."""
    j = reader.skip(i, "in", "at", "during")
    part = _part(reader, j)
    if part is None or (reader.word(i) == "at" and part[0] != "night"):
        return None
    name, end = part
    day = period(reader, reader.skip(end, "of", "on"), cued=True)
    if day is not None and day.is_day:
        return Found(_hours(name, day.node), day.end, _DATED_PART)
    if j == i:
        return None
    return _clock_after(reader, end, None, name) or Found(_hours(name, None), end, PART)


def _named_part(reader: Reader, i: int) -> Found | None:
    """'this morning', 'tonight', 'last night', with a clock time or not."""
    named = _named_part_of(reader, i)
    if named is None:
        return None
    name, end, day = named
    return _clock_after(reader, end, day, name) or Found(_hours(name, day), end, _DATED_PART)


def _named_part_of(reader: Reader, i: int) -> tuple[str, int, Node] | None:
    word, after = reader.word(i), reader.word(i + 1)
    if word in _TONIGHT:
        return "night", i + 1, Unit("day", 0)
    if word == "this" and after in DAY_PARTS:
        return after, i + 2, Unit("day", 0)
    if word == "last" and after in {"night", "evening"}:
        return after, i + 2, Unit("day", -1)
    return None


def _part(reader: Reader, i: int) -> tuple[str, int] | None:
    """'morning', 'the late afternoon'; 'early' and 'late' change nothing."""
    j = reader.skip(i, "the")
    j = reader.skip(j, "early", "late")
    name = reader.word(j)
    return (name, j + 1) if name in DAY_PARTS and name not in POINTS else None


def _hours(name: str, day: Node | None) -> Hours:
    start, end = DAY_PARTS[name]
    return Hours(timedelta(hours=start), timedelta(hours=end), "hour", day, is_point=False)
