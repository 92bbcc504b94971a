"""Reads times said from the reference: 'yesterday', 'last week', 'past 3 days', 'two weeks ago'."""

from __future__ import annotations

from longmind.when.calendar import Duration
from longmind.when.dates import day_first, literal, named_month
from longmind.when.meanings import Date, Node, Range, Shifted, SoFar, Unit, Weekday, Weekend, Window
from longmind.when.token_reader import (
    AGO,
    AHEAD,
    UNIT,
    WINDOW,
    Match,
    TokenReader,
    cardinal,
    day_of_month,
    length,
    ordinal,
    unit,
)
from longmind.when.words import DAY_PARTS, DAYS, PERIOD_UNITS, PLAIN_WEEKDAYS, WEEKDAYS, listed

_PAST_AUXILIARIES = frozenset(listed("did was were had didn wasn weren hadn"))
_WEEKDAY_CUES = frozenset(listed("on since until till by before after last next this from"))
_ONLY_WEEKDAYS = frozenset(listed("mon tue tues thu thur thurs fri weds"))
"""Short for a weekday and nothing else in English, as 'sat', 'sun' and 'wed' are."""
_SIGNS = {"last": -1, "this": 0, "next": 1, "coming": 1}
_BEFORE_VERBS = frozenset(listed("t not will would should can could to may might must does did"))
"""'It did not last two hours' is not about the past two hours."""
_SENTENCE_ENDS = frozenset({".", "!", "?", "\n"})
_FARTHEST_BACK = 40


def named_day(reader: TokenReader, i: int) -> Match | None:
    return Match(Unit("day", DAYS[reader.word(i)]), i + 1, "named day", is_day=True)


def which_unit(reader: TokenReader, i: int) -> Match | None:
    """'last week', 'this month', 'the past year', 'next week on Tuesday'."""
    article = reader.word(i) == "the"
    which, j = reader.which(i + 1 if article else i)
    measure = unit(reader, j)
    if which is None or measure is None or reader.word(j).endswith("s"):
        return None
    which_word = reader.word(j - 1)
    grain, times, end = measure
    if reader.word(end) == "of" or (reader.word(end) in {"before", "after"} and article):
        return None
    is_window = (
        which != "this"
        and which_word not in {"previous", "upcoming", "following"}
        and (article or which_word == "past")
    )
    if grain == "hour" and which != "this":
        is_window = True
    elif grain not in PERIOD_UNITS and not (
        grain == "day" and which_word == "past" and reader.word(j) == "day"
    ):
        return None
    if is_window:
        return Match(Window(Duration.of(times, grain), _SIGNS[which]), end, WINDOW)
    node = Unit(grain, _SIGNS[which])
    weekday = _weekday_after(reader, end) if grain == "week" else None
    if weekday is not None:
        number, end = weekday
        return Match(Weekday(number, week=node), end, "weekday of a week", is_day=True)
    return Match(node, end, UNIT)


def _weekday_after(reader: TokenReader, i: int) -> tuple[int, int] | None:
    j = reader.skip(i, "on", ",", "-")
    j = reader.skip(j, "on")
    name = reader.word(j)
    is_short = name in WEEKDAYS and (j > i or reader.at(j).capital)
    return (WEEKDAYS[name], j + 1) if name in PLAIN_WEEKDAYS or is_short else None


def window(reader: TokenReader, i: int) -> Match | None:
    """'the last 3 days', 'past few weeks', 'next 2 hours', '5 past years'."""
    start = reader.skip(i, "the")
    which, j = reader.which(start)
    if which is None:
        return _window_counted_first(reader, start)
    if reader.word(i) == "last" and reader.word(i - 1) in _BEFORE_VERBS:
        return None
    distance = None if reader.word(j) in {"a", "an"} else length(reader, j)
    if distance is not None and reader.word(distance.end) == "ago":
        distance = length(reader, j, most_parts=1)
    if (
        distance is None
        or which == "this"
        or (reader.word(distance.end) == "of" and reader.word(j - 1) != "past")
    ):
        return None
    node = Window(distance.duration, _SIGNS[which])
    return Match(node, distance.end, WINDOW, is_vague=distance.is_vague)


def _window_counted_first(reader: TokenReader, i: int) -> Match | None:
    count = cardinal(reader, i)
    if count is None or reader.word(i) in {"a", "an"} or not 1 < count.value < 1000:
        return None
    which, j = reader.which(count.end)
    measure = unit(reader, j)
    if which is None or which == "this" or measure is None or not reader.word(j).endswith("s"):
        return None
    grain, times, end = measure
    node = Window(Duration.of(count.value * times, grain), _SIGNS[which])
    return Match(node, end, WINDOW, is_vague=count.is_vague)


def ago(reader: TokenReader, i: int) -> Match | None:
    """'two weeks ago', 'a couple of months ago', '2-3 days ago', 'in three days', 'an hour from now'."""
    if reader.word(i) == "in":
        return _ahead(reader, i)
    several = _several(reader, i)
    if several is not None:
        return several
    distance = length(reader, i)
    if distance is None:
        return None
    after = reader.word(distance.end)
    within_day = distance.duration.is_within_day
    if (
        after == "ago"
        or reader.phrase(distance.end, "before", "now")
        or reader.phrase(distance.end, "before", "today")
    ):
        end = distance.end + (1 if after == "ago" else 2)
        return Match(
            Shifted(distance.duration, -1), end, AGO, is_day=not within_day, is_vague=distance.is_vague
        )
    if after == "from" and reader.word(distance.end + 1) in {"now", "today"}:
        if within_day and reader.word(distance.end + 1) == "today":
            return None
        node = Shifted(distance.duration, 1)
        return Match(node, distance.end + 2, AHEAD, is_day=not within_day, is_vague=distance.is_vague)
    return None


def _ahead(reader: TokenReader, i: int) -> Match | None:
    """'in three days', unless what stands before it is about the past: 'how many did I read in two weeks'."""
    distance = length(reader, i + 1)
    if distance is None or reader.word(distance.end) in {"of", "ago"} or _is_about_past(reader, i):
        return None
    node = Shifted(distance.duration, 1)
    is_day = not distance.duration.is_within_day
    return Match(node, distance.end, AHEAD, is_day=is_day, is_vague=distance.is_vague)


def _is_about_past(reader: TokenReader, i: int) -> bool:
    for j in range(i - 1, max(i - _FARTHEST_BACK, -1), -1):
        if reader.mark(j) in _SENTENCE_ENDS:
            return False
        if (
            reader.word(j) in _PAST_AUXILIARIES
            or reader.phrase(j, "how", "many")
            or reader.phrase(j, "how", "much")
        ):
            return True
    return False


def _several(reader: TokenReader, i: int) -> Match | None:
    """'two or three weeks ago', '2-3 days ago'."""
    low = cardinal(reader, i)
    if (
        low is None
        or low.is_vague
        or (reader.word(low.end) not in {"or", "to"} and reader.mark(low.end) != "-")
    ):
        return None
    high = cardinal(reader, low.end + 1)
    measure = None if high is None else unit(reader, high.end)
    if (
        high is None
        or measure is None
        or reader.word(measure[2]) != "ago"
        or not low.value < high.value <= 1000
    ):
        return None
    grain, times, end = measure
    far: Node = Shifted(Duration.of(high.value * times, grain), -1)
    return Match(Range(far, Shifted(Duration.of(low.value * times, grain), -1)), end + 1, AGO)


def days_ago(reader: TokenReader, i: int) -> Match | None:
    """'two weekends ago', 'three Fridays ago'."""
    count = cardinal(reader, i)
    if count is None or reader.word(count.end + 1) != "ago" or not 1 <= count.value <= 100:
        return None
    name = reader.word(count.end).removesuffix("s")
    weeks = int(count.value)
    if name == "weekend":
        node: Node = Weekend(of=Unit("week", -weeks))
    elif name in PLAIN_WEEKDAYS:
        node = Shifted(Duration(days=7 * (weeks - 1)), -1, Weekday(WEEKDAYS[name], "last"))
    else:
        return None
    is_day = name != "weekend"
    return Match(node, count.end + 2, AGO, is_day=is_day, is_vague=count.is_vague)


def weekday(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'last Friday', 'Monday', 'Tuesday, March 7', 'Friday the 13th', 'Friday of last week'."""
    which, j = reader.which(i)
    name = reader.word(j)
    if name not in WEEKDAYS:
        return None
    number, end = WEEKDAYS[name], j + 1
    if reader.mark(end) == "." and reader.at(end).glued and name not in PLAIN_WEEKDAYS:
        end += 1
    dated = _dated(reader, end, number)
    if dated is not None:
        return dated
    if reader.word(j + 1) in {"mornings", "afternoons", "evenings", "nights"}:
        return None
    if name not in PLAIN_WEEKDAYS and not _is_short_weekday(reader, j, cued=cued or which is not None):
        return None
    if which is None:
        shifted = ago(reader, reader.skip(j + 1, ","))
        if shifted is not None and isinstance(shifted.node, Shifted) and shifted.is_day:
            return Match(Weekday(number, week=shifted.node), shifted.end, "weekday of a week", is_day=True)
        after = which_unit(reader, reader.skip(j + 1, "of"))
        if after is not None and isinstance(after.node, Unit) and after.node.grain == "week":
            return Match(Weekday(number, week=after.node), after.end, "weekday of a week", is_day=True)
    return Match(Weekday(number, which), j + 1, "weekday", is_day=True)


def _is_short_weekday(reader: TokenReader, i: int, *, cued: bool) -> bool:
    """Whether 'sat', 'wed' or 'sun' is a day, not the verb or the star."""
    if reader.word(i) == "sun":
        return reader.at(i).capital and reader.word(i - 1) in {"on", "last", "next"}
    if cued or reader.word(i - 1) in _WEEKDAY_CUES:
        return True
    after = reader.at(i + 1)
    if after.kind == "clock" or (after.text in {"at", "@"} and reader.at(i + 2).kind in {"clock", "number"}):
        return True
    return reader.word(i) in _ONLY_WEEKDAYS and (after.kind == "mark" or after.text in DAY_PARTS)


def _dated(reader: TokenReader, i: int, number: int) -> Match | None:
    """A date after its weekday: ', March 7', ' the 13th', ' 7/6', ' 31'."""
    j = reader.skip(i, ",", "(")
    closes = reader.mark(i) == "("
    match = (
        named_month(reader, j, cued=False) or day_first(reader, j, cued=True) or literal(reader, j, cued=True)
    )
    if match is not None and isinstance(match.node, Date) and match.node.day is not None:
        date = match.node
        end = match.end + 1 if closes and reader.mark(match.end) == ")" else match.end
        return Match(Date(date.year, date.month, date.day, number), end, match.rule, is_day=True)
    start = reader.skip(i, "the")
    day = day_of_month(reader, start)
    token = reader.at(start)
    if closes or day is None or (reader.at(day.end).glued and reader.mark(day.end) in {"-", "/"}):
        return None
    if token.kind == "word" and (start == i or ordinal(reader, start) is None):
        return None
    if token.kind == "number" and not _may_follow_day(reader, day.end):
        return None
    return Match(
        Date(day=int(day.value), weekday=number), day.end, "weekday and day of the month", is_day=True
    )


def _may_follow_day(reader: TokenReader, i: int) -> bool:
    return reader.at(i).kind in {"mark", "clock"} or reader.word(i) in {"at", "from", "between"}


def weekend(reader: TokenReader, i: int) -> Match | None:
    """'the weekend', 'last weekend', 'this past weekend'."""
    which, j = reader.which(i)
    j = reader.skip(i, "the") if which is None else j
    if j == i or reader.word(j) != "weekend" or reader.word(j + 1) in {"of", "before", "after"}:
        return None
    return Match(Weekend(which), j + 1, "weekend")


def so_far(reader: TokenReader, i: int) -> Match | None:
    """'earlier this week', 'later in the year', 'earlier today'."""
    is_earlier = reader.word(i) == "earlier"
    j = reader.skip(i + 1, "in")
    if reader.word(j) == "today":
        return Match(SoFar("day", is_earlier), j + 1, "earlier or later in a unit")
    measure = unit(reader, j + 1)
    if measure is None or measure[0] not in {*PERIOD_UNITS, "day"} or reader.word(j) not in {"this", "the"}:
        return None
    if reader.word(j) == "the" and j == i + 1:
        return None
    return Match(SoFar(measure[0], is_earlier), measure[2], "earlier or later in a unit")
