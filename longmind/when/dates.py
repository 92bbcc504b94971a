"""Reads calendar dates and names: '7 May 2023', '5/7/2023', 'March', 'the 90s', 'Easter', 'last summer'."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from longmind.when import words
from longmind.when.calendar import month_length
from longmind.when.holidays import HOLIDAYS
from longmind.when.meanings import (
    Date,
    Instant,
    IsoWeek,
    Nth,
    Unit,
    Weekend,
    Yearly,
    Years,
    months_from,
)
from longmind.when.token_reader import (
    DIGITS,
    Count,
    Match,
    TokenReader,
    day_of_month,
    ordinal,
    year,
    year_of_two_digits,
)
from longmind.when.words import Grain, Which, listed

_MONTH_CUES = frozenset(
    listed(
        "in since until till before after during last next previous early mid late through throughout "
        "around by"
    )
)
_ALSO_PEOPLE = frozenset({"april", "may", "june", "august", "jan"})
_NUMERIC_CUES = frozenset(listed("on since until till before after by from between dated date of for around"))
_YEAR_CUES = frozenset(
    listed(
        "in since until till before after by during from of year to through around circa early mid late "
        "between and or"
    )
)
_SEASON_CUES = frozenset(
    listed(
        "in during over since until till before after this last next previous early mid late through by "
        "throughout"
    )
)
_QUARTER_CUES = frozenset(listed("in during since until till before after by for of this last next from"))
_AFTER_DAY_NUMBER = frozenset(
    listed(
        "at on in and or to for from i we you he she they it when what who the a until till through but if "
        "my after before"
    )
)
_OTHER_YEARS = frozenset(listed("fiscal financial school academic tax"))
"""Years that begin in another month, which one is not known here."""
_FISCAL = re.compile(r"(?:fy|fiscal|financial)[0-9]{0,4}", re.IGNORECASE)
_MIXED = re.compile(r"[0-9]+[^\W\d_]+$|[^\W\d_]+[0-9]+$")
_LEAP_YEAR = 2000  # without a year, the 29th of February is a day
_NO_VERSION = frozenset({"version", "v", "release", "build"})


def literal(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """Dates in digits; 'month/day' without a year only after a word such as 'on'."""
    token = reader.at(i)
    if token.kind == "instant":
        return _instant(token.text, i)
    if token.kind == "week":
        number, week_year = token.fields[1], token.fields[0]
        return Match(IsoWeek(number, week_year), i + 1, "ISO week") if 1 <= number <= 53 else None
    if token.kind != "date" or reader.word(i - 1) in _NO_VERSION:
        return None
    full_year, month, day = token.fields
    if token.glued and reader.mark(i - 1) in {".", "/", "$", "€", "£", "#"}:
        return None
    if full_year:
        return Match(Date(full_year, month, day or None), i + 1, DIGITS, is_day=bool(day))
    is_listed = reader.at(i - 1).text in {",", "or", "and"} and reader.at(i - 2).kind == "date"
    is_said = cued or is_listed or reader.is_cued(i, _NUMERIC_CUES) or _is_plainly_a_day(reader, i, day)
    if reader.counts_things(i + 1) or not is_said:
        return None
    end = i + 1
    after = year(reader, reader.skip(end, ","), cued=True)
    node = Date(None if after is None else int(after.value), month, day)
    return Match(node, end if after is None else after.end, DIGITS, is_day=True)


def _is_plainly_a_day(reader: TokenReader, i: int, day: int) -> bool:
    """Whether '4/25' is a day without a word that says so: by the time after it, or as nothing else fits.

    '3/4' may be a fraction and '9/11' many things; '2/15' counts what follows it in '2/15 tests'.
    """
    after = reader.at(i + 1)
    if after.kind == "clock" or (reader.word(i + 1) in {"at", "@"} and reader.at(i + 2).kind == "clock"):
        return True
    ends = after.kind == "mark" and after.text not in {"(", "=", "-"}
    return day > 12 and (ends or after.text in _AFTER_DAY_NUMBER) and reader.at(i - 1).kind != "number"


def _instant(text: str, i: int) -> Match | None:
    iso = text.upper().replace(",", ".")
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return None
    clock = re.split("[z+-]", text[11:])[0]
    grain: Grain = "minute" if clock.count(":") == 1 else "second"
    return Match(Instant(moment, grain), i + 1, "ISO date and time")


def named_month(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'May 7, 2023', 'May 2023', 'May 7', 'last May', 'in May'."""
    which, i_month = reader.which(i)
    name = reader.word(i_month)
    if name not in words.MONTHS:
        return None
    month = words.MONTHS[name]
    j = i_month + 1
    if reader.mark(j) == "." and reader.at(j).glued and len(name) <= 4:
        j += 1
    day = _day_after(reader, j, month)
    found_year = _year_after(reader, j)
    if found_year is not None and which is None and (day is None or found_year.end > day.end):
        return Match(Date(int(found_year.value), month), found_year.end, "month and year")
    if day is not None:
        found_year = _year_after(reader, day.end)
        node = Date(_int(found_year), month, int(day.value), which=which)
        return Match(node, day.end if found_year is None else found_year.end, "month and day", is_day=True)
    if _has_impossible_day(reader, j):
        return None
    if which is None and not (cued or _is_month_alone(reader, i_month)):
        return None
    if name in {"may", "march", "mar"} and which is not None and not _is_which_month(reader, i_month, which):
        return None
    return Match(Date(month=month, which=which), i_month + 1, "month")


def _day_after(reader: TokenReader, i: int, month: int) -> Count | None:
    """The day after its month, as in 'May 7', 'May the 7th', 'May-07'."""
    is_joined = reader.at(i).glued and reader.mark(i) in {"-", "/"}
    day = day_of_month(reader, i + 1 if is_joined else reader.skip(i, "the", ","))
    if day is None or day.value > month_length(_LEAP_YEAR, month) or reader.word(day.end) == "be":
        return None
    return day


def _has_impossible_day(reader: TokenReader, i: int) -> bool:
    """'Feb 30' is not February: what was said is not a day at all."""
    token = reader.at(i)
    return token.kind in {"number", "ordinal"} and token.value is not None and 29 < token.value < 100


def _is_month_alone(reader: TokenReader, i: int) -> bool:
    name = reader.word(i)
    if name in words.PLAIN_MONTHS:
        return True
    if reader.word(i - 1) in {"and", "or"}:
        return reader.word(i - 2) in words.MONTHS and (name != "may" or reader.at(i).capital)
    if reader.word(i - 1) == "by" and name in _ALSO_PEOPLE:
        return False
    if reader.word(i - 1) == "from" and name == "march" and reader.at(i).capital:
        return True  # 'the photo from March'; 'from April' may be from her
    return reader.word(i - 1) in _MONTH_CUES or (reader.mark(i - 1) == "-" and reader.word(i - 2) == "mid")


def _is_which_month(reader: TokenReader, i: int, which: Which) -> bool:
    """Whether 'this May' and 'last March' are months, where 'this may help' and 'the last march' are not."""
    if which == "this":
        return reader.at(i).capital and reader.word(i + 1) not in words.VERBS_AFTER_MAY
    return reader.at(i).capital or reader.word(i - 2) != "the"


def _year_after(reader: TokenReader, i: int) -> Count | None:
    """The year of a date that has just been read."""
    j = reader.skip(i, ",", "-", "/", ".")
    if j == i and reader.word(i) in {"of", "in"}:
        return year(reader, i + 1, cued=True) or (
            year_of_two_digits(reader, i + 1) if reader.word(i) == "of" else None
        )
    if j > i and reader.mark(i) in {"-", "/", "."} and not reader.at(i).glued:
        return None
    return year(reader, j, cued=True)


def day_first(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'7 May 2023', 'the 7th of May', '7-May-2023'."""
    start = reader.skip(i, "the")
    day = day_of_month(reader, start)
    if day is None:
        return None
    j = (
        day.end + 1
        if reader.at(day.end).glued and reader.mark(day.end) in {"-", "/"}
        else reader.skip(day.end, "of", "-", ",")
    )
    name = reader.word(j)
    if name not in words.MONTHS or day.value > month_length(_LEAP_YEAR, words.MONTHS[name]):
        return None
    found_year = _year_after(reader, j + 1)
    if found_year is None and name in {"may", "march", "mar"} and not _is_day_of(reader, start, j, cued=cued):
        return None
    node = Date(_int(found_year), words.MONTHS[name], int(day.value))
    return Match(node, j + 1 if found_year is None else found_year.end, "day and month", is_day=True)


def _is_day_of(reader: TokenReader, day: int, month: int, *, cued: bool) -> bool:
    """Whether '7 may' is a day, where '7 may be enough' is not."""
    if reader.word(month + 1) in words.VERBS_AFTER_MAY:
        return False
    is_last = reader.at(month + 1).kind == "mark"
    return cued or is_last or reader.at(month).capital or reader.at(day).kind == "ordinal" or day + 1 < month


def year_first(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'2019 May', '2019/Aug/01'."""
    token = reader.at(i)
    if token.kind != "number" or len(token.text) != 4:
        return None
    year_number = year(reader, i, cued=True)
    if year_number is None:
        return None
    j = reader.skip(year_number.end, "-", "/", ",")
    name = reader.word(j)
    if name not in words.MONTHS or (name in {"may", "march"} and not cued and not reader.at(j).capital):
        return None
    after = reader.skip(j + 1, "-", "/")
    day = day_of_month(reader, after)
    if day is not None and day.value <= month_length(_LEAP_YEAR, words.MONTHS[name]):
        return Match(
            Date(int(year_number.value), words.MONTHS[name], int(day.value)),
            day.end,
            "year, month and day",
            is_day=True,
        )
    return Match(Date(int(year_number.value), words.MONTHS[name]), j + 1, "month and year")


def day_alone(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'on the 15th': a day of a month that is not named."""
    if not (
        cued or reader.word(i - 1) in {"on", "since", "until", "till", "before", "after", "by", "around"}
    ):
        return None
    start = reader.skip(i, "the")
    day = ordinal(reader, start)
    if day is None or not 1 <= day.value <= 31 or reader.at(start).kind != "ordinal":
        return None
    after = reader.at(day.end)
    if after.kind == "word" and after.text not in _AFTER_DAY_NUMBER:
        return None
    return Match(Date(day=int(day.value)), day.end, "day of the month", is_day=True)


def plain_year(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'2019', 'the year 2019', 'in nineteen eighty-four'."""
    j = reader.skip(i, "the")
    named = reader.word(j) == "year"
    if j > i and not named:
        return None
    cued = cued or named or reader.word(i - 1) in _YEAR_CUES
    of_year = j if named else i - 1
    if reader.word(of_year - (reader.word(of_year) == "year")) in _OTHER_YEARS:
        return None
    year_number = year(reader, j + 1 if named else i, cued=cued)
    if year_number is None or reader.at(i).kind == "short" or _is_part_of_date(reader, i, year_number.end):
        return None
    return Match(Years(int(year_number.value), "year"), year_number.end, "year")


def _is_part_of_date(reader: TokenReader, i: int, end: int) -> bool:
    """Whether digits beside the year show a date that was not understood: '2016 10 16', 'Feb 30 2019'."""
    before, after = reader.at(i - 1), reader.at(end)
    if after.kind == "number" and not after.glued and reader.at(end + 1).kind == "number":
        return True
    before = reader.at(i - 2) if before.text == "," else before
    is_day = before.kind == "ordinal" or (before.kind == "number" and len(before.text) <= 2)
    is_mixed = before.kind == "other" and _MIXED.match(before.text) is not None
    return is_mixed or (is_day and reader.at(i - 1).kind != "mark")


def decade(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'the 90s', '1990s', 'the nineties', 'the 1800s', 'the 19th century'."""
    j = reader.skip(i, "the")
    token = reader.at(j)
    if token.kind == "decade":
        first = token.fields[0]
        if first < 100:
            if j == i and not cued and token.text[0].isdigit():
                return None
            first += 1900 if first >= 30 else 2000
        grain: Grain = "century" if first % 100 == 0 and first < 2000 else "decade"
        return Match(Years(first, grain), j + 1, grain) if first >= 1000 else None
    if (
        token.text in words.DECADES
        and token.kind == "word"
        and (j > i or cued or reader.word(i - 1) in {"in", "mid", "late", "early"})
    ):
        two_digits = words.DECADES[token.text]
        return Match(Years(two_digits + (1900 if two_digits >= 30 else 2000), "decade"), j + 1, "decade")
    nth = ordinal(reader, j)
    if nth is not None and reader.word(nth.end) == "century" and 10 <= nth.value <= 30:
        return Match(Years(int(nth.value - 1) * 100, "century"), nth.end + 1, "century")
    return None


def holiday(reader: TokenReader, i: int) -> Match | None:
    """'Christmas', 'last Easter', "New Year's Eve 2019"."""
    which, start = reader.which(i)
    for names, day in HOLIDAYS.get(_singular(reader.word(start)), ()):
        j = start
        for name in names:
            if _singular(reader.word(j)) not in {name, _singular(name)}:
                break
            j = reader.possessive(j + 1)
        else:
            if names[-1] == "year" and (
                reader.word(start) != "new" or not _is_holiday_new_year(reader, start, j)
            ):
                continue
            end = j if reader.mark(j - 1) != "'s" or names == ("valentine",) else j - 1
            return _holiday_with_year(reader, Yearly(day, which=which), j, end)
    return None


def _holiday_with_year(reader: TokenReader, feast: Yearly, i: int, end: int) -> Match:
    """The holiday or its weekend, with the year that may follow."""
    found_year = _year_after(reader, i) if feast.which is None else None
    if found_year is not None:
        feast, end = replace(feast, year=int(found_year.value)), found_year.end
    if reader.word(end) != "weekend":
        return Match(feast, end, "holiday", is_day=True)
    end += 1
    if feast.year is None and feast.which is None and (found_year := _year_after(reader, end)) is not None:
        feast, end = replace(feast, year=int(found_year.value)), found_year.end
    return Match(Weekend(of=feast), end, "weekend of a holiday")


def _is_holiday_new_year(reader: TokenReader, start: int, end: int) -> bool:
    """'New Year' is a day; 'a new year' and 'the new year' are not."""
    return reader.at(start).capital or reader.mark(end - 1) == "'s" or reader.word(end - 1) == "years"


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 and word not in {"christmas", "xmas"} else word


def season(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'last winter', 'the summer of 2019', 'in the fall'."""
    which, start = reader.which(i)
    j = start if which is not None else reader.skip(i, "the")
    name = reader.word(j)
    if name not in words.SEASONS:
        return None
    found_year = _year_after(reader, j + 1)
    first_month = words.SEASONS[name]
    if found_year is not None and which is None:
        return Match(Yearly(months_from(first_month, 3), int(found_year.value)), found_year.end, "season")
    if reader.word(j + 1) == "of":
        return None
    if which is None:
        if not (cued or reader.word(i - 1) in _SEASON_CUES):
            return None
        if name in {"spring", "fall"} and reader.at(j).capital and reader.at(j + 1).capital:
            return None
    return Match(Yearly(months_from(first_month, 3), which=which, nearest=True), j + 1, "season")


def quarter(reader: TokenReader, i: int, *, cued: bool) -> Match | None:
    """'Q3 2020', '2020 Q3', 'in Q3', 'the third quarter of 2020'."""
    start = i
    before = year(reader, i, cued=True) if reader.at(i).kind == "number" else None
    if before is not None:
        i = reader.skip(before.end, "-", ",")
    token = reader.at(i)
    if token.kind != "quarter":
        return None
    if _is_fiscal(reader, start, i):
        return None
    shares, number, *written = token.fields
    months = 12 // shares
    share = months_from(1 + months * (number - 1), months)
    if written:
        return Match(Yearly(share, written[0]), i + 1, "quarter")
    if before is not None:
        return Match(Yearly(share, int(before.value)), i + 1, "quarter")
    after = _year_after(reader, i + 1)
    if after is not None:
        return Match(Yearly(share, int(after.value)), after.end, "quarter")
    which, j = reader.which(reader.skip(i + 1, "of"))
    if which is not None and reader.word(j) == "year":
        node = Nth(number, "quarter", Unit("year", {"last": -1, "this": 0}.get(which, 1)))
        return Match(node, j + 1, "quarter") if shares == 4 else None
    if shares == 2 or not (cued or reader.is_cued(start, _QUARTER_CUES) or _is_quarter_alone(reader, i)):
        return None
    return Match(Yearly(share), i + 1, "quarter")


def _is_fiscal(reader: TokenReader, start: int, i: int) -> bool:
    """Whether a quarter is of a fiscal year, which begins in a month that is not known: 'Q3 FY24'."""
    beside = (reader.at(start - 1).text, reader.at(reader.skip(i + 1, "of", "in", "-", "/", "'")).text)
    return any(_FISCAL.fullmatch(text) for text in beside)


def _is_quarter_alone(reader: TokenReader, i: int) -> bool:
    """'Q3' of a plan or a report, not 'Q3:' or 'Q3)' of a list of questions."""
    is_label = reader.mark(i - 1) == "#" or reader.mark(i + 1) in {":", ")", "-", "/"}
    return reader.at(i).capital and not is_label


def numbered_week(reader: TokenReader, i: int) -> Match | None:
    """'week 23', 'week 3 of 2027'."""
    if reader.word(i) != "week" or reader.at(i + 1).kind != "number":
        return None
    number = reader.at(i + 1).value or 0
    if not 1 <= number <= 53 or number != int(number):
        return None
    which, j = reader.which(reader.skip(i + 2, "of"))
    if which is not None and reader.word(j) == "year":
        week = IsoWeek(int(number), year_offset={"last": -1, "this": 0}.get(which, 1))
        return Match(week, j + 1, "ISO week")
    after = year(reader, i + 3, cued=True) if reader.word(i + 2) == "of" else None
    return Match(IsoWeek(int(number), _int(after)), i + 2 if after is None else after.end, "ISO week")


def _int(count: Count | None) -> int | None:
    return None if count is None else int(count.value)
