"""Reads every time that is a stretch of days, with those said by way of another: 'the end of last month'."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TypeAlias

from longmind.when import dates, relative, words
from longmind.when.anchors import COMPANY
from longmind.when.calendar import Duration
from longmind.when.holidays import HOLIDAYS
from longmind.when.lexer import Token
from longmind.when.meanings import (
    Beside,
    Holding,
    NearestWeekday,
    Node,
    Nth,
    Part,
    Shifted,
    Unit,
    Weekend,
    Window,
)
from longmind.when.token_reader import (
    AGO,
    AHEAD,
    CARDINALS,
    ORDINAL_WORDS,
    UNIT,
    WINDOW,
    Length,
    Match,
    TokenReader,
    cardinal,
    length,
    ordinal,
    unit,
)

_DEPTH = 2
"""How many times a time may be said by way of another: '3 days after the end of May'."""
_STARTING = frozenset({"starting", "beginning", "commencing"})
_SIGNS = {"before": -1, "after": 1, "following": 1}


def period(reader: TokenReader, i: int, *, cued: bool = False, depth: int = _DEPTH) -> Match | None:
    """The longest time that begins at this token; of equals, the rule listed first."""
    if reader.kinds[i] == "number" and is_alone(reader, i):
        return dates.plain_year(reader, i, cued=cued)
    return by_all_rules(reader, i, cued=cued, depth=depth)


def by_all_rules(reader: TokenReader, i: int, *, cued: bool, depth: int) -> Match | None:
    best: Match | None = None
    for rule in _RULES_AT.get(_beginning(reader.at(i)), ()):
        match = rule(reader, i, cued, depth)
        if match is not None and (best is None or match.end > best.end):
            best = match
    return best


def may_begin_period(token: Token) -> bool:
    """Whether any rule begins at such a token."""
    return _beginning(token) in _RULES_AT


def _beginning(token: Token) -> str:
    return token.text if token.kind == "word" else token.kind


def is_alone(reader: TokenReader, i: int) -> bool:
    """Whether nothing behind a number in digits makes a time with it: then it is a year or none."""
    kind, after = reader.kinds[i + 1], reader.texts[i + 1]
    if kind == "word":
        return after not in COMPANY
    if kind != "mark" or after in {"-", "/"}:
        return False
    return after != "," or reader.word(i + 2) not in words.MONTHS


def _base(reader: TokenReader, i: int, depth: int) -> Match | None:
    """The time by way of which another is said; 'the month' is then the present one."""
    match = period(reader, i, cued=True, depth=depth - 1)
    if match is not None:
        return match
    if reader.word(i) == "the":
        match = period(reader, i + 1, cued=True, depth=depth - 1)
    if match is None:
        j = reader.skip(i, "the", "a")
        named = unit(reader, j)
        if named is not None and named[0] in words.PERIOD_UNITS and not reader.word(j).endswith("s"):
            return Match(Unit(named[0], 0), named[2], UNIT)
    return match


def _nth_of(reader: TokenReader, i: int, depth: int) -> Match | None:
    """'the first week of May', 'the first three days of June', 'the 2nd half of 2019'."""
    j = reader.skip(i, "the")
    if reader.word(j) in {"last", "final"}:
        number, j = -1, j + 1
    else:
        nth = ordinal(reader, j)
        if nth is None:
            return None
        number, j = int(nth.value), nth.end
    count = cardinal(reader, j)
    many = 1
    if count is not None and reader.word(j) not in {"a", "an", "half"}:
        if count.value != int(count.value) or not 1 <= count.value <= 1000:
            return None
        many, j = int(count.value), count.end
    word = reader.word(j)
    after = j + 1
    if many == 1 and number > 0 and (word == "of" or reader.which(j)[0] is not None):
        return _nth_day(reader, reader.skip(j, "of"), number, depth)
    if reader.word(after) not in {"of", "in"}:
        return None
    base = _base(reader, after + 1, depth)
    if base is None or isinstance(base.node, Shifted):
        return None
    if word == "half" and number in {1, 2, -1}:
        return Match(Part(base.node, 2 if number == -1 else number), base.end, "half of a time")
    if word in words.PLAIN_WEEKDAYS:
        return Match(
            Nth(number, "day", base.node, weekday=words.WEEKDAYS[word]),
            base.end,
            "nth in a time",
            is_day=True,
        )
    named = unit(reader, j)
    if named is None or named[0] in {"second", "minute", "hour"}:
        return None
    node = Nth(number, named[0], base.node, count=many * int(named[1]))
    return Match(node, base.end, "nth in a time", is_day=named[0] == "day" and many == 1)


def _nth_day(reader: TokenReader, i: int, number: int, depth: int) -> Match | None:
    """'the 15th of last month'."""
    base = _base(reader, i, depth)
    if base is None or not isinstance(base.node, Unit) or base.node.grain != "month":
        return None
    return Match(Nth(number, "day", base.node), base.end, "nth in a time", is_day=True)


def _part_of(reader: TokenReader, i: int, depth: int) -> Match | None:
    """'the end of last month', 'early 2020', 'mid-June', 'late in the summer'."""
    j = reader.skip(i, "the")
    word = reader.word(j)
    if word not in words.THIRDS:
        return None
    j += 1
    if word in {"beginning", "start", "middle", "end"}:
        if reader.word(j) != "of":
            return None
        j += 1
    elif word == "mid":
        j = reader.skip(j, "-")
    else:
        j = reader.skip(j, "in")
    base = _base(reader, j, depth)
    if base is None or base.rule in {AGO, AHEAD, WINDOW}:
        return None
    if base.rule == UNIT and word in {"early", "late"} and reader.word(j) in {"the", "a"}:
        return None
    return Match(Part(base.node, words.THIRDS[word]), base.end, "part of a time")


def _beside(reader: TokenReader, i: int, depth: int) -> Match | None:
    """'the day before yesterday', 'the week after next', 'the Friday before May 22', 'the week of May 7'."""
    j = reader.skip(i, "the")
    name = reader.word(j)
    relation = reader.word(j + 1)
    if relation == "of" and name in {"week", "weekend"}:
        base = _base(reader, j + 2, depth)
        if base is None or not base.is_day:
            return None
        node: Node = Holding("week", base.node) if name == "week" else Weekend(of=base.node)
        return Match(node, base.end, "week of a day")
    if relation not in _SIGNS:
        return None
    sign = _SIGNS[relation]
    is_weekday = name in words.PLAIN_WEEKDAYS or name == "weekend"
    named = unit(reader, j)
    if (
        named is None or name.endswith("s") or named[0] not in {*words.PERIOD_UNITS, "day"}
    ) and not is_weekday:
        return None
    twice = {-1: "last", 1: "next"}[sign]
    if (
        reader.word(j + 2) == twice
        and reader.word(j + 3) not in words.WEEKDAYS
        and unit(reader, j + 3) is None
    ):
        if name == "weekend":
            return Match(Weekend(of=Unit("week", 2 * sign)), j + 3, "weekend")
        if named is not None and named[0] in words.PERIOD_UNITS:
            return Match(Unit(named[0], 2 * sign), j + 3, UNIT)
    base = _base(reader, j + 2, depth)
    if base is None or (base.rule == UNIT and reader.word(j + 2) == "the"):
        return None
    if is_weekday:
        node = NearestWeekday(
            words.WEEKDAYS.get(name, 5), sign, base.node, days=2 if name == "weekend" else 1
        )
        return Match(node, base.end, "day before or after", is_day=name != "weekend")
    if named is None:
        return None
    node = Beside(Duration.of(named[1], named[0]), sign, base.node)
    return Match(node, base.end, "time before or after", is_day=named[0] == "day")


def _shifted(reader: TokenReader, i: int, depth: int) -> Match | None:
    """'three days after May 7', 'a week from Friday', 'the week starting June 4'."""
    distance = length(reader, i)
    if (
        distance is None
        and (named := unit(reader, reader.skip(i, "the"))) is not None
        and named[0] in words.PERIOD_UNITS
    ):
        distance = Length(Duration.of(named[1], named[0]), named[2])
        if reader.word(distance.end) not in _STARTING:
            return None
    if distance is None or distance.duration.is_within_day:
        return None
    word = reader.word(distance.end)
    lasts = reader.word(i - 1) == "for"
    if lasts and reader.mark(distance.end) == "," and reader.word(distance.end + 1) in {"from", "starting"}:
        distance = distance._replace(end=distance.end + 1)
        word = reader.word(distance.end)
    if word in _STARTING or (lasts and word == "from"):
        base = _base(reader, reader.skip(distance.end + 1, "on", "from", "in"), depth)
        return (
            None
            if base is None
            else Match(Beside(distance.duration, 0, base.node), base.end, "so long from a time")
        )
    j = distance.end + 1
    if word == "on" and reader.word(j) in words.PLAIN_WEEKDAYS and distance.duration.grain == "week":
        base = _base(reader, j, depth)
        if base is None:
            return None
        node = Shifted(distance.duration, 1, base.node, ahead=True)
        return Match(node, base.end, "so long from a time", is_day=True)
    if word == "prior" and reader.word(j) == "to":
        word, j = "before", j + 1
    if word not in {"before", "after", "from", "following"}:
        return None
    base = _base(reader, j, depth)
    if base is None or (base.rule == UNIT and reader.word(j) == "the"):
        return None
    node = Shifted(distance.duration, -1 if word == "before" else 1, base.node, ahead=word == "from")
    return Match(node, base.end, "so long before or after", is_day=base.is_day, is_vague=distance.is_vague)


def _lasting(reader: TokenReader, i: int, depth: int) -> Match | None:
    """'from 18th Dec for 10 days': the day on which it ends is not said, but known."""
    base = _base(reader, i + 1, depth)
    if base is None or not base.is_day or reader.word(base.end) != "for":
        return None
    distance = length(reader, base.end + 1)
    if distance is None or distance.duration.is_within_day:
        return None
    return Match(Beside(distance.duration, 0, base.node), distance.end, "so long from a time")


def _end_of(reader: TokenReader, i: int) -> Match | None:
    """'EOW', 'EOM', 'EOY'."""
    return Match(Part(Unit(words.ENDS[reader.word(i)], 0), "late"), i + 1, "part of a time")


def _within(reader: TokenReader, i: int) -> Match | None:
    """'within two weeks': from now on, unless the words after it say from when."""
    distance = length(reader, i + 1)
    if distance is None or reader.word(distance.end) in {"of", "after", "before", "from"}:
        return None
    return Match(Window(distance.duration, 1), distance.end, WINDOW, is_vague=distance.is_vague)


_Rule: TypeAlias = Callable[[TokenReader, int, bool, int], Match | None]


def _nested(rule: Callable[[TokenReader, int, int], Match | None]) -> _Rule:
    return lambda reader, i, cued, depth: rule(reader, i, depth) if depth else None


def _cued(rule: Callable[..., Match | None]) -> _Rule:
    return lambda reader, i, cued, depth: rule(reader, i, cued=cued)


def _alone(rule: Callable[[TokenReader, int], Match | None]) -> _Rule:
    return lambda reader, i, cued, depth: rule(reader, i)


_THE = frozenset({"the"})
_UNIT_NAMES = frozenset({*words.UNITS, "fortnight", "fortnights"})
_RULES: tuple[tuple[_Rule, Set[str]], ...] = (
    (_nested(_nth_of), _THE | ORDINAL_WORDS | {"last", "final", "ordinal"}),
    (_nested(_part_of), _THE | words.THIRDS.keys()),
    (_nested(_beside), _THE | _UNIT_NAMES | words.PLAIN_WEEKDAYS | {"weekend"}),
    (_nested(_shifted), _THE | CARDINALS | _UNIT_NAMES),
    (_cued(dates.day_first), _THE | ORDINAL_WORDS | words.ONES.keys() | {"number", "ordinal"}),
    (_cued(dates.day_alone), _THE | {"ordinal"}),
    (_cued(dates.decade), _THE | ORDINAL_WORDS | words.DECADES.keys() | {"decade", "ordinal"}),
    (_alone(relative.window), _THE | CARDINALS | words.WHICH.keys()),
    (_alone(relative.ago), CARDINALS | {"in"}),
    (_alone(relative.days_ago), CARDINALS),
    (_nested(_lasting), frozenset({"from"})),
    (_alone(_end_of), words.ENDS.keys()),
    (_alone(_within), frozenset({"within"})),
    (_alone(relative.named_day), frozenset(words.DAYS)),
    (_alone(relative.which_unit), _THE | words.WHICH.keys()),
    (_cued(relative.weekday), words.WHICH.keys() | words.WEEKDAYS.keys()),
    (_alone(relative.weekend), _THE | words.WHICH.keys()),
    (_alone(relative.so_far), frozenset({"earlier", "later"})),
    (_cued(dates.named_month), words.WHICH.keys() | words.MONTHS.keys()),
    (_alone(dates.holiday), words.WHICH.keys() | HOLIDAYS.keys() | {name + "s" for name in HOLIDAYS}),
    (_cued(dates.season), _THE | words.WHICH.keys() | words.SEASONS.keys()),
    (_alone(dates.numbered_week), frozenset({"week"})),
    (_cued(dates.literal), frozenset({"instant", "week", "date"})),
    (_cued(dates.year_first), frozenset({"number"})),
    (_cued(dates.quarter), frozenset({"number", "quarter"})),
    (_cued(dates.plain_year), _THE | words.ONES.keys() | words.TENS.keys() | {"year", "number"}),
)
"""Each rule with the words and kinds of token it may begin at; of two that read as far, the first listed."""

_RULES_AT: dict[str, tuple[_Rule, ...]] = {
    begin: tuple(rule for rule, begins in _RULES if begin in begins)
    for begin in {begin for _, begins in _RULES for begin in begins}
}
