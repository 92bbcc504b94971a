"""Times as people type them: short forms, and phrases that are understood whole or not at all."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from longmind.base.times import to_ms
from longmind.when.find import find_times, time_range

REFERENCE = to_ms(datetime(2024, 4, 12, 15, 30, tzinfo=UTC))  # a Friday


def ranges(text: str) -> list[tuple[str, str | None, str | None]]:
    return [
        (phrase.text, _short(phrase.since), _short(phrase.until))
        for phrase in find_times(text, reference=REFERENCE)
    ]


def _short(moment: int | None) -> str | None:
    if moment is None:
        return None
    return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


@pytest.mark.parametrize(
    ("text", "phrase", "since", "until"),
    [
        ("4/25 at 4:00pm", "4/25 at 4:00pm", "2023-04-25 16:00", "2023-04-25 16:01"),
        ("Rent was due 2/15, was it not?", "2/15", "2024-02-15", "2024-02-16"),
        ("14april 2015", "14april 2015", "2015-04-14", "2015-04-15"),
        ("sold on Dec31 , 1994", "Dec31 , 1994", "1994-12-31", "1995-01-01"),
        ("away for 10 days from 18th Dec", "10 days from 18th Dec", "2023-12-18", "2023-12-28"),
        ("away for 1 week, from 20th dec", "1 week, from 20th dec", "2023-12-20", "2023-12-27"),
        ("it lasts for 2 hours from 2pm", "for 2 hours from 2pm", "2024-04-12 14:00", "2024-04-12 16:00"),
        ("call me at 7p", "7p", "2024-04-12 19:00", "2024-04-12 20:00"),
        ("tomorrow at 9a", "tomorrow at 9a", "2024-04-13 09:00", "2024-04-13 10:00"),
        ("we met at ten thirty", "ten thirty", "2024-04-12 10:30", "2024-04-12 10:31"),
        ("send it by EOD", "by EOD", None, "2024-04-13"),
        ("done by EOD tomorrow", "by EOD tomorrow", None, "2024-04-14"),
        ("due COB tomorrow", "COB tomorrow", "2024-04-13 17:00", "2024-04-13 18:00"),
        ("by close of business", "by close of business", None, "2024-04-12 18:00"),
        ("EOM", "EOM", "2024-04-21", "2024-05-01"),
        ("sales in Q3 of last year", "Q3 of last year", "2023-07-01", "2023-10-01"),
        ("sales in week 27 of last year", "week 27 of last year", "2023-07-03", "2023-07-10"),
        ("Q3 looked good", "Q3", "2023-07-01", "2023-10-01"),
        ("see you mon.", "mon", "2024-04-08", "2024-04-09"),
        ("fri 9am", "fri 9am", "2024-04-05 09:00", "2024-04-05 10:00"),
        ("back in 1/2 h", "in 1/2 h", "2024-04-12 16:00", "2024-04-12 16:01"),
        ("in 2 1/2 hours", "in 2 1/2 hours", "2024-04-12 18:00", "2024-04-12 18:01"),
        ("today before 4pm", "today before 4pm", "2024-04-12", "2024-04-12 16:00"),
        ("yesterday after 10", "yesterday after 10", "2024-04-11 10:00", "2024-04-12"),
        ("a week on Friday", "a week on Friday", "2024-04-26", "2024-04-27"),
        ("he reigned 1952-64", "1952-64", "1952-01-01", "1965-01-01"),
        ("the following week", "the following week", "2024-04-15", "2024-04-22"),
        ("within two weeks", "within two weeks", "2024-04-12", "2024-04-27"),
        ("away from 18th Dec for 10 days", "from 18th Dec for 10 days", "2023-12-18", "2023-12-28"),
        ("call on mon. 3pm", "mon. 3pm", "2024-04-08 15:00", "2024-04-08 16:00"),
        ("sales of 2023Q3 fell", "2023Q3", "2023-07-01", "2023-10-01"),
        ("3Q23 results", "3Q23", "2023-07-01", "2023-10-01"),
        ("3Q 2022 results", "3Q 2022", "2022-07-01", "2022-10-01"),
        ("right now", "right now", "2024-04-12 15:30", "2024-04-12 15:30"),
    ],
)
def test_everyday_forms_are_understood(text: str, phrase: str, since: str | None, until: str | None) -> None:
    assert ranges(text) == [(phrase, since, until)]


@pytest.mark.parametrize(
    "text",
    [
        "feb 30 2019",
        "On 2016 10 16 it began",
        "profit in fiscal year 2008",
        "2/15 tests pass",
        "add 3/4 of the flour",
        "apartment 7p",
        "Q3: what is a frame?",
        "the cat sat.",
        "every now and then",
        "Q3 FY24 results",
        "FY2024 Q3 results",
        "Q3 of fiscal 2024",
        "ten thirty second clips",
        "chapters 12-14",
        "the 555-1952-64 line",
    ],
)
def test_what_is_not_understood_whole_is_left_alone(text: str) -> None:
    assert ranges(text) == []


def test_now_is_no_range_to_search() -> None:
    assert time_range(find_times("Where do I live now?", reference=REFERENCE)) is None
