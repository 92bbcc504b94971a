"""Time phrases: a written table of meanings, what is no time, how phrases combine, and any text at all."""

from __future__ import annotations

import ast
import random
import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.base.times import format_ms, to_ms
from longmind.search.recency import asks_recency
from longmind.when.find import TimePhrase, find_times, time_range
from longmind.when.lexer import cut
from longmind.when.phrases import ANCHORS, phrases
from longmind.when.reader import Reader

REFERENCE = to_ms(datetime(2023, 5, 17, 14, 30, tzinfo=UTC))  # a Wednesday


def times(text: str, *, reference: int | None = REFERENCE, zone: tzinfo = UTC) -> list[TimePhrase]:
    return find_times(text, reference=reference, zone=zone)


def written(since: int | None, until: int | None) -> str:
    """A range as in the tables below: dates, with a time of day where it is not midnight."""
    return "..".join("" if bound is None else _moment(bound) for bound in (since, until))


def _moment(bound: int) -> str:
    return format_ms(bound).removesuffix("Z").removesuffix(":00").removesuffix("T00:00")


def day(text: str) -> str:
    return f"{text}..{date.fromisoformat(text) + timedelta(days=1)}"


EXAMPLES: list[tuple[str, str, str]] = [
    # dates in digits
    ("the note of 2023-05-07", "2023-05-07", day("2023-05-07")),
    ("logged at 2023-05-07T17:30:00Z", "2023-05-07T17:30:00Z", "2023-05-07T17:30..2023-05-07T17:30:01"),
    ("2023-05-07T17:30:00+02:00", "2023-05-07T17:30:00+02:00", "2023-05-07T15:30..2023-05-07T15:30:01"),
    ("2023-05-07T17:30+02:00", "2023-05-07T17:30+02:00", "2023-05-07T15:30..2023-05-07T15:31"),
    ("2023-05-07 17:30", "2023-05-07 17:30", "2023-05-07T17:30..2023-05-07T17:31"),
    ("report-2023-05-07.pdf", "2023-05-07", day("2023-05-07")),
    ("in 2021-03", "2021-03", "2021-03-01..2021-04-01"),
    ("03/2021", "03/2021", "2021-03-01..2021-04-01"),
    ("2023-W05", "2023-W05", "2023-01-30..2023-02-06"),
    ("20200701", "20200701", day("2020-07-01")),
    ("5/7/2023", "5/7/2023", day("2023-05-07")),
    ("13/7/2023", "13/7/2023", day("2023-07-13")),
    ("5/7/19", "5/7/19", day("2019-05-07")),
    ("5/7/88", "5/7/88", day("1988-05-07")),
    ("2022/11/3", "2022/11/3", day("2022-11-03")),
    ("23.04.2022", "23.04.2022", day("2022-04-23")),
    ("23.04.2022 14:55", "23.04.2022 14:55", "2022-04-23T14:55..2022-04-23T14:56"),
    ("what did we do on 5/7?", "5/7", day("2023-05-07")),
    ("on 22/04", "22/04", day("2023-04-22")),
    # dates in words
    ("May 7, 2023", "May 7, 2023", day("2023-05-07")),
    ("may 7 2023", "may 7 2023", day("2023-05-07")),
    ("Dec. 7, 2020", "Dec. 7, 2020", day("2020-12-07")),
    ("on May 7", "May 7", day("2023-05-07")),
    ("on May 29", "May 29", day("2022-05-29")),
    ("on May 29.\n\nThen", "May 29", day("2022-05-29")),
    ("7 May", "7 May", day("2023-05-07")),
    ("7th of May 2023", "7th of May 2023", day("2023-05-07")),
    ("the 7th of May", "the 7th of May", day("2023-05-07")),
    ("3 June, 2021", "3 June, 2021", day("2021-06-03")),
    ("7-May-2023", "7-May-2023", day("2023-05-07")),
    ("2019/Aug/01", "2019/Aug/01", day("2019-08-01")),
    ("seventh of May", "seventh of May", day("2023-05-07")),
    ("May twenty-ninth", "May twenty-ninth", day("2022-05-29")),
    ("January twenty five nineteen eighty six", "January twenty five nineteen eighty six", day("1986-01-25")),
    ("Feb 29", "Feb 29", day("2020-02-29")),
    ("the fourth of July", "the fourth of July", day("2022-07-04")),
    ("Tuesday, March 7", "Tuesday, March 7", day("2023-03-07")),
    ("Friday the 13th", "Friday the 13th", day("2023-01-13")),
    ("Fri 5/12", "Fri 5/12", day("2023-05-12")),
    ("on the 15th", "the 15th", day("2023-05-15")),
    ("on the 20th", "the 20th", day("2023-04-20")),
    ("Wed Oct 26 15:50:06 2016", "Wed Oct 26 15:50:06 2016", "2016-10-26T15:50:06..2016-10-26T15:50:07"),
    # months
    ("in May", "May", "2023-05-01..2023-06-01"),
    ("in June", "June", "2022-06-01..2022-07-01"),
    ("December", "December", "2022-12-01..2023-01-01"),
    ("in may 2021", "may 2021", "2021-05-01..2021-06-01"),
    ("April of 1987", "April of 1987", "1987-04-01..1987-05-01"),
    ("March '21", "March '21", "2021-03-01..2021-04-01"),
    ("last May", "last May", "2022-05-01..2022-06-01"),
    ("last February", "last February", "2023-02-01..2023-03-01"),
    ("next March", "next March", "2024-03-01..2024-04-01"),
    ("this June", "this June", "2023-06-01..2023-07-01"),
    ("August two thousand and fifteen", "August two thousand and fifteen", "2015-08-01..2015-09-01"),
    # years and more
    ("in 2019", "2019", "2019-01-01..2020-01-01"),
    ("the 2019 budget", "2019", "2019-01-01..2020-01-01"),
    ("the year 2019", "the year 2019", "2019-01-01..2020-01-01"),
    ("in 1845", "1845", "1845-01-01..1846-01-01"),
    ("in nineteen eighty-four", "nineteen eighty-four", "1984-01-01..1985-01-01"),
    ("the 90s", "the 90s", "1990-01-01..2000-01-01"),
    ("1990s music", "1990s", "1990-01-01..2000-01-01"),
    ("the '80s", "the '80s", "1980-01-01..1990-01-01"),
    ("the nineties", "the nineties", "1990-01-01..2000-01-01"),
    ("the 2000s", "the 2000s", "2000-01-01..2010-01-01"),
    ("the 1800s", "the 1800s", "1800-01-01..1900-01-01"),
    ("the 19th century", "the 19th century", "1800-01-01..1900-01-01"),
    ("last decade", "last decade", "2010-01-01..2020-01-01"),
    ("Q1 2021", "Q1 2021", "2021-01-01..2021-04-01"),
    ("2021 Q3", "2021 Q3", "2021-07-01..2021-10-01"),
    ("in Q4", "Q4", "2022-10-01..2023-01-01"),
    ("H2 2020", "H2 2020", "2020-07-01..2021-01-01"),
    ("the third quarter of 2020", "the third quarter of 2020", "2020-07-01..2020-10-01"),
    ("last quarter", "last quarter", "2023-01-01..2023-04-01"),
    ("week 23", "week 23", "2023-06-05..2023-06-12"),
    # seasons
    ("the summer of 2019", "the summer of 2019", "2019-06-01..2019-09-01"),
    ("summer 2018", "summer 2018", "2018-06-01..2018-09-01"),
    ("winter 2020", "winter 2020", "2020-12-01..2021-03-01"),
    ("last winter", "last winter", "2022-12-01..2023-03-01"),
    ("last spring", "last spring", "2022-03-01..2022-06-01"),
    ("this summer", "this summer", "2023-06-01..2023-09-01"),
    ("next fall", "next fall", "2023-09-01..2023-12-01"),
    ("in the fall", "the fall", "2022-09-01..2022-12-01"),
    ("over the summer", "the summer", "2022-06-01..2022-09-01"),
    # weekdays
    ("last Friday", "last Friday", day("2023-05-12")),
    ("last Wednesday", "last Wednesday", day("2023-05-10")),
    ("this Monday", "this Monday", day("2023-05-15")),
    ("this Friday", "this Friday", day("2023-05-19")),
    ("next Tuesday", "next Tuesday", day("2023-05-23")),
    ("this coming Friday", "this coming Friday", day("2023-05-19")),
    ("on Friday", "Friday", day("2023-05-12")),
    ("Wednesday", "Wednesday", day("2023-05-10")),
    ("on tue", "tue", day("2023-05-16")),
    ("Monday's meeting", "Monday", day("2023-05-15")),
    ("Friday of last week", "Friday of last week", day("2023-05-12")),
    ("last week on Tuesday", "last week on Tuesday", day("2023-05-09")),
    ("three Fridays ago", "three Fridays ago", day("2023-04-28")),
    ("Wednesday two months ago", "Wednesday two months ago", day("2023-03-15")),
    ("the Friday before 22 May 2023", "the Friday before 22 May 2023", day("2023-05-19")),
    ("the Monday after May 7", "the Monday after May 7", day("2023-05-08")),
    ("the weekend", "the weekend", "2023-05-13..2023-05-15"),
    ("last weekend", "last weekend", "2023-05-13..2023-05-15"),
    ("this past weekend", "this past weekend", "2023-05-13..2023-05-15"),
    ("this weekend", "this weekend", "2023-05-20..2023-05-22"),
    ("next weekend", "next weekend", "2023-05-27..2023-05-29"),
    ("two weekends ago", "two weekends ago", "2023-05-06..2023-05-08"),
    ("the weekend of May 6", "the weekend of May 6", "2023-05-06..2023-05-08"),
    # from the reference
    ("today", "today", day("2023-05-17")),
    ("yesterday", "yesterday", day("2023-05-16")),
    ("tomorrow", "tomorrow", day("2023-05-18")),
    ("the day before yesterday", "the day before yesterday", day("2023-05-15")),
    ("the day after tomorrow", "the day after tomorrow", day("2023-05-19")),
    ("3 days ago", "3 days ago", day("2023-05-14")),
    ("two weeks ago", "two weeks ago", day("2023-05-03")),
    ("a month ago", "a month ago", day("2023-04-17")),
    ("a couple of months ago", "a couple of months ago", day("2023-03-17")),
    ("a few days ago", "a few days ago", day("2023-05-14")),
    ("a year and a half ago", "a year and a half ago", day("2021-11-17")),
    ("10 years ago", "10 years ago", day("2013-05-17")),
    ("2-3 days ago", "2-3 days ago", "2023-05-14..2023-05-16"),
    ("two or three weeks ago", "two or three weeks ago", "2023-04-26..2023-05-04"),
    ("half an hour ago", "half an hour ago", "2023-05-17T14:00..2023-05-17T14:01"),
    ("3h ago", "3h ago", "2023-05-17T11:30..2023-05-17T11:31"),
    ("2 hours and 20 minutes ago", "2 hours and 20 minutes ago", "2023-05-17T12:10..2023-05-17T12:11"),
    ("in three days", "in three days", day("2023-05-20")),
    ("in 2 hours", "in 2 hours", "2023-05-17T16:30..2023-05-17T16:31"),
    ("a week from Friday", "a week from Friday", day("2023-05-26")),
    ("three weeks from tomorrow", "three weeks from tomorrow", day("2023-06-08")),
    ("last week", "last week", "2023-05-08..2023-05-15"),
    ("last month", "last month", "2023-04-01..2023-05-01"),
    ("last year", "last year", "2022-01-01..2023-01-01"),
    ("this week", "this week", "2023-05-15..2023-05-22"),
    ("next year", "next year", "2024-01-01..2025-01-01"),
    ("the previous month", "the previous month", "2023-04-01..2023-05-01"),
    ("the week before last", "the week before last", "2023-05-01..2023-05-08"),
    ("the year before last", "the year before last", "2021-01-01..2022-01-01"),
    ("the past month", "the past month", "2023-04-17..2023-05-18"),
    ("in the last week", "the last week", "2023-05-10..2023-05-18"),
    ("past 3 days", "past 3 days", "2023-05-14..2023-05-18"),
    ("the last 24 hours", "the last 24 hours", "2023-05-16T14:30..2023-05-17T14:30"),
    ("the last few weeks", "the last few weeks", "2023-04-26..2023-05-18"),
    ("next 3 days", "next 3 days", "2023-05-17..2023-05-21"),
    ("the past decade", "the past decade", "2013-05-17..2023-05-18"),
    ("earlier this week", "earlier this week", "2023-05-15..2023-05-18"),
    ("later this year", "later this year", "2023-05-17..2024-01-01"),
    # by way of another time
    ("3 days after May 7", "3 days after May 7", day("2023-05-10")),
    ("two weeks before Christmas", "two weeks before Christmas", day("2022-12-11")),
    ("two days before yesterday", "two days before yesterday", day("2023-05-14")),
    ("2 years after 2015", "2 years after 2015", "2017-01-01..2018-01-01"),
    ("the week before Christmas", "the week before Christmas", "2022-12-18..2022-12-25"),
    ("the week of May 10", "the week of May 10", "2023-05-08..2023-05-15"),
    ("the week starting May 4", "the week starting May 4", "2023-05-04..2023-05-11"),
    ("end of last month", "end of last month", "2023-04-21..2023-05-01"),
    ("beginning of 2020", "beginning of 2020", "2020-01-01..2020-05-01"),
    ("mid-June", "mid-June", "2022-06-11..2022-06-21"),
    ("early May", "early May", "2023-05-01..2023-05-11"),
    ("late 2019", "late 2019", "2019-09-01..2020-01-01"),
    ("the mid-90s", "the mid-90s", "1994-01-01..1997-01-01"),
    ("the end of the year", "the end of the year", "2023-09-01..2024-01-01"),
    ("the first half of 2019", "the first half of 2019", "2019-01-01..2019-07-01"),
    ("the first week of May", "the first week of May", "2023-05-01..2023-05-08"),
    ("the last week of July", "the last week of July", "2022-07-25..2022-08-01"),
    ("the second week of 2021", "the second week of 2021", "2021-01-11..2021-01-18"),
    ("the first Monday of June", "the first Monday of June", day("2022-06-06")),
    ("last Friday of March 2021", "last Friday of March 2021", day("2021-03-26")),
    ("the first three days of June", "the first three days of June", "2022-06-01..2022-06-04"),
    ("the last day of 2020", "the last day of 2020", day("2020-12-31")),
    ("the 15th of last month", "the 15th of last month", day("2023-04-15")),
    # holidays
    ("at Christmas", "Christmas", day("2022-12-25")),
    ("Christmas 2019", "Christmas 2019", day("2019-12-25")),
    ("last Christmas", "last Christmas", day("2022-12-25")),
    ("New Year's Eve", "New Year's Eve", day("2022-12-31")),
    ("Halloween", "Halloween", day("2022-10-31")),
    ("Valentine's Day", "Valentine's Day", day("2023-02-14")),
    ("valentines day", "valentines day", day("2023-02-14")),
    ("mother's day", "mother's day", day("2023-05-14")),
    ("Thanksgiving 2022", "Thanksgiving 2022", day("2022-11-24")),
    ("Memorial Day 2021", "Memorial Day 2021", day("2021-05-31")),
    ("Easter 2024", "Easter 2024", day("2024-03-31")),
    ("Good Friday", "Good Friday", day("2023-04-07")),
    ("next Easter", "next Easter", day("2024-03-31")),
    ("Labor Day weekend", "Labor Day weekend", "2022-09-03..2022-09-06"),
    # times of day
    ("this morning", "this morning", "2023-05-17T05:00..2023-05-17T12:00"),
    ("tonight", "tonight", "2023-05-17T18:00..2023-05-18T06:00"),
    ("last night", "last night", "2023-05-16T18:00..2023-05-17T06:00"),
    ("yesterday afternoon", "yesterday afternoon", "2023-05-16T12:00..2023-05-16T18:00"),
    ("Friday night", "Friday night", "2023-05-12T18:00..2023-05-13T06:00"),
    ("the morning of May 7", "the morning of May 7", "2023-05-07T05:00..2023-05-07T12:00"),
    ("at 5 pm", "5 pm", "2023-05-17T17:00..2023-05-17T18:00"),
    ("at 9:15 a.m.", "9:15 a.m.", "2023-05-17T09:15..2023-05-17T09:16"),
    ("17:30", "17:30", "2023-05-17T17:30..2023-05-17T17:31"),
    ("at 5:30", "5:30", "2023-05-17T17:30..2023-05-17T17:31"),
    ("half past seven", "half past seven", "2023-05-17T07:30..2023-05-17T07:31"),
    ("quarter to five", "quarter to five", "2023-05-17T16:45..2023-05-17T16:46"),
    ("at noon", "noon", "2023-05-17T12:00..2023-05-17T13:00"),
    ("tomorrow at 5 pm", "tomorrow at 5 pm", "2023-05-18T17:00..2023-05-18T18:00"),
    ("tomorrow at 7", "tomorrow at 7", "2023-05-18T07:00..2023-05-18T08:00"),
    ("5 pm on Friday", "5 pm on Friday", "2023-05-12T17:00..2023-05-12T18:00"),
    ("7 in the evening on Monday", "7 in the evening on Monday", "2023-05-15T19:00..2023-05-15T20:00"),
    ("May 7, 2023 at 5:30 pm", "May 7, 2023 at 5:30 pm", "2023-05-07T17:30..2023-05-07T17:31"),
    ("yesterday from 3 to 5 pm", "yesterday from 3 to 5 pm", "2023-05-16T15:00..2023-05-16T17:00"),
    ("tonight from 7 to 7:30", "tonight from 7 to 7:30", "2023-05-17T19:00..2023-05-17T19:30"),
    ("between 7 and 9 last night", "between 7 and 9 last night", "2023-05-16T19:00..2023-05-16T21:00"),
    # ranges
    ("from May to July 2021", "from May to July 2021", "2021-05-01..2021-08-01"),
    ("from Nov to March 2021", "from Nov to March 2021", "2020-11-01..2021-04-01"),
    ("from July to October", "from July to October", "2022-07-01..2022-11-01"),
    ("between 3 and 5 June", "between 3 and 5 June", "2022-06-03..2022-06-06"),
    ("March 2-5", "March 2-5", "2023-03-02..2023-03-06"),
    ("March 2-5, 2021", "March 2-5, 2021", "2021-03-02..2021-03-06"),
    ("May 3 to June 4, 2020", "May 3 to June 4, 2020", "2020-05-03..2020-06-05"),
    ("2014-2018", "2014-2018", "2014-01-01..2019-01-01"),
    ("between 2014 and 2018", "between 2014 and 2018", "2014-01-01..2019-01-01"),
    ("Monday to Wednesday", "Monday to Wednesday", "2023-05-15..2023-05-18"),
    ("from last Friday to today", "from last Friday to today", "2023-05-12..2023-05-18"),
    ("between now and May 21", "between now and May 21", "2023-05-17T14:30..2023-05-22"),
    ("from 10/25 to 01/25", "from 10/25 to 01/25", "2022-10-25..2023-01-26"),
    # open ranges
    ("since 2019", "since 2019", "2019-01-01.."),
    ("since last Friday", "since last Friday", "2023-05-12.."),
    ("since the start of the year", "since the start of the year", "2023-01-01.."),
    ("from 2019 onwards", "from 2019 onwards", "2019-01-01.."),
    ("2018 or later", "2018 or later", "2018-01-01.."),
    ("after Easter 2021", "after Easter 2021", "2021-04-05.."),
    ("after 2016", "after 2016", "2017-01-01.."),
    ("until Friday", "until Friday", "..2023-05-13"),
    ("by the end of June", "by the end of June", "..2022-07-01"),
    ("before May", "before May", "..2023-05-01"),
    ("before Christmas", "before Christmas", "..2022-12-25"),
    ("before the end of December", "before the end of December", "..2023-01-01"),
    ("prior to 2010", "prior to 2010", "..2010-01-01"),
    ("over a year ago", "over a year ago", "..2022-05-17"),
    ("before the 7/22 trip", "before the 7/22", "..2022-07-22"),
]

NO_TIMES = [
    "You may want to march on",
    "This may be right, or it may not",
    "may I ask you something",
    "10 may be enough",
    "one may ask",
    "the march was long",
    "the second time I tried, a second opinion",
    "I fall asleep",
    "the fall of Rome",
    "written in Spring Boot",
    "the sun is up",
    "she sat on a chair and was wed",
    "v1.10.2 and version 1.2.2023 and release 2019",
    "it costs $2019 or 2019 dollars",
    "2000 people, 2000 followers, in 1500 words",
    "port 2020, room 2021",
    "ERR_2019_05 and a_b.c::d",
    "call 555-123-4567 or 555-2019",
    "24/7 support, 1/2 cup, 50-50",
    "a 4:3 screen, John 3:16",
    "every Monday I run, each week, every other Friday at 5 pm",
    "on Mondays and Friday mornings",
    "how many days did it take",
    "How many books did I read in two weeks?",
    "two weeks of rest for 3 hours",
    "it did not last two hours",
    "at the last minute, at the end of the day",
    "my last day at work, my last name",
    "the first week of school and the last week of school",
    "What did April say? I talked to June. A photo by May.",
    "Jan said hello",
    "a long time ago",
    "on the 2nd floor, on the 5th attempt",
    "in my 20s",
    "ten to one, five to seven",
    "2015-32, 31/04/2023, 2023-02-30",
]


@pytest.mark.parametrize(("text", "phrase", "expected"), EXAMPLES, ids=[text for text, _, _ in EXAMPLES])
def test_a_phrase_means_this_range(text: str, phrase: str, expected: str) -> None:
    found = times(text)
    assert [(each.text, written(each.since, each.until)) for each in found] == [(phrase, expected)]


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert times(text) == []


def test_offsets_point_at_the_phrase_in_the_text() -> None:
    text = "Ärger — what did Zoë say last Friday, and what in May 2021?"
    found = times(text)
    assert [text[each.start : each.end] for each in found] == ["last Friday", "May 2021"]


@pytest.mark.parametrize(
    ("text", "relation", "grain"),
    [
        ("in 2019", "at", "year"),
        ("since 2019", "since", "year"),
        ("before May", "before", "month"),
        ("until Friday", "before", "day"),
        ("after 2016", "after", "year"),
        ("from May to July", "between", "month"),
        ("from 3 to 5 pm", "between", "hour"),
        ("around May 7", "around", "day"),
        ("two weeks ago", "at", "week"),
        ("about two weeks ago", "around", "week"),
        ("a few days ago", "around", "day"),
        ("the summer of 2019", "at", "quarter"),
        ("the 90s", "at", "decade"),
        ("at 17:30", "at", "minute"),
        ("2023-05-07T17:30:00Z", "at", "second"),
    ],
)
def test_relation_and_grain_say_how_the_phrase_was_meant(text: str, relation: str, grain: str) -> None:
    (found,) = times(text)
    assert (found.relation, found.grain) == (relation, grain)


def test_every_phrase_names_its_rule() -> None:
    (found,) = times("two weeks ago")
    assert found.rule == "so long ago"


class TestWithoutAReference:
    @pytest.mark.parametrize(
        "text", ["yesterday", "in May", "two weeks ago", "on Friday", "at 5 pm", "this year"]
    )
    def test_a_relative_phrase_is_reported_and_unresolved(self, text: str) -> None:
        (found,) = times(text, reference=None)
        assert found.unresolved
        assert found.relative
        assert time_range([found]) is None

    @pytest.mark.parametrize(
        "text", ["2019", "May 7, 2023", "the 90s", "from Nov to March 2021", "the Friday before 22 May 2023"]
    )
    def test_an_absolute_phrase_is_resolved_all_the_same(self, text: str) -> None:
        (without,) = times(text, reference=None)
        (within,) = times(text)
        assert without == within
        assert not without.relative
        assert not without.unresolved


class TestPreference:
    def test_the_future_is_taken_when_preferred(self) -> None:
        found = find_times("on Friday, or in March", reference=REFERENCE, prefer="future")
        assert [written(each.since, each.until) for each in found] == [
            day("2023-05-19"),
            "2024-03-01..2024-04-01",
        ]

    def test_a_full_date_has_no_preference(self) -> None:
        past = find_times("May 7, 2030", reference=REFERENCE)
        assert past == find_times("May 7, 2030", reference=REFERENCE, prefer="future")


class TestZones:
    def test_a_day_is_the_day_of_the_zone(self) -> None:
        zone = timezone(timedelta(hours=9))
        (found,) = times("today", reference=to_ms(datetime(2023, 5, 17, 20, tzinfo=UTC)), zone=zone)
        assert written(found.since, found.until) == "2023-05-17T15:00..2023-05-18T15:00"

    def test_a_day_of_a_clock_change_is_an_hour_shorter(self) -> None:
        (found,) = times("2023-03-26", zone=ZoneInfo("Europe/Berlin"))
        assert found.until is not None
        assert found.since is not None
        assert found.until - found.since == 23 * 3_600_000

    def test_hours_ago_are_elapsed_hours_across_a_clock_change(self) -> None:
        zone = ZoneInfo("Europe/Berlin")
        reference = to_ms(datetime(2023, 3, 26, 10, tzinfo=zone))
        (found,) = times("12 hours ago", reference=reference, zone=zone)
        assert found.since == reference - 12 * 3_600_000

    def test_an_hour_the_clock_skips_is_no_empty_range(self) -> None:
        (found,) = times("2023-03-26 at 2 am", zone=ZoneInfo("Europe/Berlin"))
        assert found.since is not None
        assert found.until is not None
        assert found.since < found.until

    def test_an_offset_in_the_text_wins_over_the_zone(self) -> None:
        (found,) = times("2023-05-07T17:30:00Z", zone=ZoneInfo("Asia/Tokyo"))
        assert found.since == to_ms(datetime(2023, 5, 7, 17, 30, tzinfo=UTC))

    def test_a_reference_outside_the_calendar_is_refused(self) -> None:
        with pytest.raises(InvalidInput):
            times("today", reference=2**62)


class TestTimeRange:
    def of(self, text: str) -> str | None:
        found = time_range(times(text))
        return None if found is None else written(*found)

    def test_no_phrase_gives_no_range(self) -> None:
        assert self.of("what is my name?") is None

    def test_one_phrase_is_the_range(self) -> None:
        assert self.of("what did I do in May 2021?") == "2021-05-01..2021-06-01"

    def test_ranges_that_overlap_narrow_each_other(self) -> None:
        assert self.of("in 2021, was it in May 2021?") == "2021-05-01..2021-06-01"

    def test_ranges_apart_are_joined(self) -> None:
        assert self.of("the novels I finished in January and March 2021") == "2021-01-01..2021-04-01"

    def test_open_ranges_bound_each_other(self) -> None:
        assert self.of("after 2016 and before 2019") == "2017-01-01..2019-01-01"

    def test_an_open_range_that_would_leave_nothing_is_passed_over(self) -> None:
        assert self.of("in 2015, after 2016") == "2015-01-01..2016-01-01"

    def test_a_time_of_day_alone_is_no_range_to_search(self) -> None:
        assert self.of("what do I take at 7 am, and in the evening?") is None

    def test_weeks_ago_reach_three_days_either_way(self) -> None:
        assert self.of("two weeks ago") == "2023-04-30..2023-05-07"

    def test_days_ago_are_that_day(self) -> None:
        assert self.of("3 days ago") == day("2023-05-14")

    def test_around_a_day_takes_the_days_beside_it(self) -> None:
        assert self.of("around May 7") == "2023-05-06..2023-05-09"

    def test_a_vague_number_widens_by_its_unit(self) -> None:
        assert self.of("a few days ago") == "2023-05-13..2023-05-16"


class TestRecency:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("What is my latest job?", "latest"),
            ("my most   recent visit", "most recent"),
            ("Where did we eat last time?", "last time"),
            ("Where do I currently live?", "currently"),
            ("the newest entry", "newest"),
            ("What is her current address?", "her current"),
            ("When did I last see Bob?", "When did I last"),
            ("What was the last movie I watched?", "the last"),
            ("How often do I play now?", "now"),
        ],
    )
    def test_words_that_ask_for_the_newest_are_named(self, text: str, words: str) -> None:
        assert asks_recency(text) == words

    @pytest.mark.parametrize(
        "text",
        [
            "What did I do last week?",
            "When did we meet last Friday?",
            "my last name",
            "by Friday at the latest",
            "How long does it last in the fridge?",
            "until now",
            "",
        ],
    )
    def test_other_questions_do_not_ask_for_it(self, text: str) -> None:
        assert asks_recency(text) is None


class TestLimits:
    def test_only_the_first_characters_are_read(self) -> None:
        text = "x" * 50 + " yesterday"
        assert find_times(text, reference=REFERENCE, most_characters=50) == []
        assert len(find_times(text, reference=REFERENCE, most_characters=len(text))) == 1

    def test_a_word_cut_by_the_limit_is_not_read(self) -> None:
        assert find_times("in 20190", reference=REFERENCE, most_characters=7) == []

    @pytest.mark.parametrize(
        "text",
        [
            "1" * 1_000_000,
            " " * 1_000_000,
            "1.1" * 300_000,
            "1-" * 500_000,
            "_" * 1_000_000,
            "\n \n" * 300_000,
        ],
        ids=["digits", "spaces", "dots", "dashes", "underscores", "lines"],
    )
    def test_a_megabyte_of_one_thing_is_read_through(self, text: str) -> None:
        assert find_times(text, reference=REFERENCE, most_characters=len(text)) == []
        assert asks_recency(text, most_characters=len(text)) is None

    @pytest.mark.parametrize("text", ["the end of " * 400, "2 days before " * 400, "from 1 to " * 400])
    def test_phrases_nested_without_end_are_no_phrase(self, text: str) -> None:
        assert find_times(text, reference=REFERENCE, most_characters=len(text)) == []

    @pytest.mark.parametrize("text", ["in 99999 years", "99999 years ago", "9999999999999 days ago"])
    def test_times_outside_the_calendar_are_left_out(self, text: str) -> None:
        assert times(text) == []


_WORDS = st.sampled_from(
    sorted(
        {word for text, _, _ in EXAMPLES for word in text.split()} | {"the", "of", "and", ",", "0", "31", "'"}
    )
)
_SENTENCES = st.lists(_WORDS, max_size=12).map(" ".join)
_MOMENTS = st.integers(to_ms(datetime(2, 1, 1, tzinfo=UTC)), to_ms(datetime(9998, 1, 1, tzinfo=UTC)))
_NAIVE = st.datetimes(datetime(1950, 1, 1), datetime(2090, 1, 1))  # noqa: DTZ001 - as hypothesis wants them
_ZONES = st.sampled_from(
    [UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata"), ZoneInfo("America/New_York")]
)


def check(text: str, found: list[TimePhrase]) -> None:
    for each in found:
        assert 0 <= each.start < each.end <= len(text)
        assert text[each.start : each.end] == each.text
        if each.since is not None and each.until is not None:
            assert each.since < each.until
    for one, other in pairwise(found):
        assert one.end <= other.start
    whole = time_range(found)
    if whole is not None and None not in whole:
        since, until = whole
        assert since is not None
        assert until is not None
        assert since < until


@given(text=st.text(max_size=200), reference=st.none() | _MOMENTS, zone=_ZONES)
def test_any_text_gives_well_formed_phrases(text: str, reference: int | None, zone: tzinfo) -> None:
    check(text, find_times(text, reference=reference, zone=zone))
    asks_recency(text)


@given(text=_SENTENCES, reference=st.none() | _MOMENTS, zone=_ZONES, future=st.booleans())
@settings(max_examples=400)
def test_any_mixture_of_time_words_gives_well_formed_phrases(
    text: str, reference: int | None, zone: tzinfo, future: bool
) -> None:
    found = find_times(text, reference=reference, zone=zone, prefer="future" if future else "past")
    check(text, found)
    if reference is not None:
        assert not any(each.unresolved for each in found)


@given(text=_SENTENCES, reference=_MOMENTS)
def test_the_same_text_gives_the_same_phrases(text: str, reference: int) -> None:
    assert find_times(text, reference=reference) == find_times(text, reference=reference)


@given(
    moment=st.dates(date(1900, 1, 1), date(2099, 12, 30)),
    form=st.sampled_from(
        ["%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%B %d, %Y", "%d %B %Y", "%dth of %B %Y", "%Y/%b/%d"]
    ),
    zone=_ZONES,
)
def test_a_written_date_comes_back(moment: date, form: str, zone: tzinfo) -> None:
    text = moment.strftime(form)
    (found,) = find_times(f"What happened on {text}?", reference=None, zone=zone)
    start = datetime(moment.year, moment.month, moment.day, tzinfo=zone)
    after = moment + timedelta(days=1)
    assert found.text == text
    assert found.since == to_ms(start)
    assert found.until == to_ms(datetime(after.year, after.month, after.day, tzinfo=zone))


@given(days=st.integers(0, 5000), reference=_NAIVE)
def test_days_ago_count_back_from_the_reference(days: int, reference: datetime) -> None:
    (found,) = times(f"{days} days ago", reference=to_ms(reference.replace(tzinfo=UTC)))
    assert (
        found.since
        == to_ms(datetime(reference.year, reference.month, reference.day, tzinfo=UTC)) - days * 86_400_000
    )


@given(
    name=st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
    reference=_NAIVE,
)
def test_a_weekday_lies_in_the_seven_days_before_today(name: str, reference: datetime) -> None:
    (found,) = times(f"on {name}", reference=to_ms(reference.replace(tzinfo=UTC)))
    assert found.since is not None
    start = datetime.fromtimestamp(found.since / 1000, UTC)
    assert start.strftime("%A") == name
    assert 1 <= (reference.date() - start.date()).days <= 7


def _words_of_the_grammar() -> set[str]:
    """Every word in any text of the modules that read times: what a rule may ask for is among them."""
    folder = Path(find_times.__code__.co_filename).parent
    return {
        word
        for path in sorted(folder.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in re.findall(r"[^\W\d_]+", node.value.lower())
    }


def test_without_a_digit_or_an_anchor_there_is_no_time() -> None:
    """`find_times` looks no closer at texts without these, so no rule may do without them."""
    others = sorted(_words_of_the_grammar() - ANCHORS)
    assert len(others) > 200
    chance = random.Random(5)
    for _ in range(4000):
        said = [chance.choice([str.lower, str.capitalize])(word) for word in chance.choices(others, k=6)]
        text = chance.choice([" ", ", ", " - ", "-", "'s "]).join(said[:2]) + " " + " ".join(said[2:])
        assert list(phrases(Reader(cut(text, 1000)))) == [], text
        assert find_times(text, reference=None) == []
