"""Facts dated by the time phrases of the sentence, relative to the moment it was said."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from longmind import FrozenClock
from longmind.base.times import FOREVER, AsOf, format_ms, to_ms
from longmind.facts.extraction import ReferenceExtractor, Source
from tests.facts.conftest import World

SAID = to_ms(datetime(2024, 6, 20, 9, tzinfo=UTC))  # a Thursday


def day(text: str) -> int:
    return to_ms(datetime.fromisoformat(text).replace(tzinfo=UTC))


def read(text: str) -> list[tuple[str, str, str | None, str | None]]:
    """Each fact of the text: what to do, its value, and the dates it names."""
    facts = ReferenceExtractor().extract(Source(text, "default", "text", occurred_at=SAID)).facts
    return [(fact.action, str(fact.value), _date(fact.valid_from), _date(fact.valid_to)) for fact in facts]


def _date(moment: int | None) -> str | None:
    return None if moment is None else format_ms(moment)[:10]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I moved to Lisbon two years ago.", "2022-06-20"),
        ("Two years ago I moved to Lisbon.", "2022-06-20"),
        ("I moved to Lisbon almost two years ago.", "2022-06-20"),
        ("I moved to Lisbon last March.", "2024-03-01"),
        ("Last March I moved to Lisbon.", "2024-03-01"),
        ("We moved to Lisbon last month, by the way.", "2024-05-01"),
        ("I moved to Lisbon last year.", "2023-01-01"),
        ("I moved to Lisbon in the summer of 2019.", "2019-06-01"),
        ("I've lived in Lisbon since last year.", "2023-01-01"),
        ("I've lived in Lisbon since 2015.", "2015-01-01"),
        ("I live in Lisbon since May.", "2024-05-01"),
        ("I moved to Lisbon in May.", "2024-05-01"),
        ("I moved to Lisbon yesterday.", "2024-06-19"),
        ("I moved to Lisbon on 5 May 2021.", "2021-05-05"),
        ("I moved to Lisbon on March 5th, 2021.", "2021-03-05"),
        ("I moved to Lisbon in early 2021.", "2021-01-01"),
        ("I moved to Lisbon a couple of months ago.", "2024-04-20"),
    ],
)
def test_a_fact_begins_when_it_is_said_to_have_begun(text: str, start: str) -> None:
    assert read(text) == [("record", "Lisbon", start, None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I worked at Acme from 2015 to 2018.", ("record", "Acme", "2015-01-01", "2019-01-01")),
        ("I worked at Acme between 2015 and 2018.", ("record", "Acme", "2015-01-01", "2019-01-01")),
        ("I worked at Acme from May 2015 to March 2018.", ("record", "Acme", "2015-05-01", "2018-04-01")),
        ("I work at Acme until next year.", ("record", "Acme", None, "2026-01-01")),
        ("I work at Acme until March 2025.", ("record", "Acme", None, "2025-04-01")),
        ("I lived in Porto until 2019.", ("record", "Porto", None, "2020-01-01")),
        ("I used to live in Porto until last March.", ("record", "Porto", None, "2024-04-01")),
        ("I no longer work at Acme since last year.", ("end", "Acme", None, "2023-01-01")),
        ("From next year I work at Globex.", ("record", "Globex", "2025-01-01", None)),
        ("From 1 July 2025 I work at Globex.", ("record", "Globex", "2025-07-01", None)),
    ],
)
def test_a_fact_ends_when_it_is_said_to_end(
    text: str, expected: tuple[str, str, str | None, str | None]
) -> None:
    assert read(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Porto.",
        "I moved to Porto recently.",
        "I moved to Porto on 5/7/2023.",  # the fifth of July or the seventh of May
        "I live in Porto for three years.",
        "I moved to Porto at 5 pm.",
        "I live in Porto every summer.",
        'I moved to Porto and read "1984".',
        "I moved to Porto because of the song “Summer of 2019”.",
    ],
)
def test_what_names_no_time_or_more_than_one_is_dated_when_it_was_said(text: str) -> None:
    assert [fact for fact in read(text) if fact[1] == "Porto"] == [("record", "Porto", None, None)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('My favourite book is "1984".', "1984"),
        ("My favourite movie is Blade Runner 2049.", "Blade Runner 2049"),
        ('My favourite song is "Summer of 69".', "Summer of 69"),
        ("My favourite song is “Last Christmas”.", "Last Christmas"),
    ],
)
def test_a_time_in_a_title_is_part_of_the_title(text: str, value: str) -> None:
    assert read(text) == [("record", value, None, None)]


def test_without_a_moment_only_what_is_absolute_is_dated() -> None:
    extract = ReferenceExtractor().extract
    for text, start in (
        ("I moved to Lisbon in 2019.", "2019-01-01"),
        ("I moved to Lisbon last March.", None),
    ):
        [fact] = extract(Source(text, "default", "text")).facts
        assert _date(fact.valid_from) == start


# In a store


def held(world: World, at: str) -> list[str]:
    return [str(hit.fact.object) for hit in world.facts.about("user", as_of=AsOf(FOREVER, day(at)))]


def test_an_old_move_is_found_in_the_years_since(world: World) -> None:
    world.remember("I live in Porto.", occurred_at=day("2020-01-05"))
    world.remember("I moved to Lisbon two years ago.", occurred_at=SAID)
    assert [held(world, at) for at in ("2021-05-05", "2022-06-19", "2022-06-20", "2030-01-01")] == [
        ["Porto"],
        ["Porto"],
        ["Lisbon"],
        ["Lisbon"],
    ]


def test_what_was_so_until_a_year_is_held_before_its_end_only(world: World) -> None:
    world.remember("I lived in Stavanger until 2019.", occurred_at=SAID)
    assert [held(world, at) for at in ("2018-06-01", "2019-06-01", "2020-06-01", "2024-07-01")] == [
        ["Stavanger"],
        ["Stavanger"],
        [],
        [],
    ]


def test_an_end_without_a_start_leaves_room_for_what_is_dated(world: World) -> None:
    world.remember("I worked at Acme from 2005 to 2009.", occurred_at=SAID)
    world.remember("I worked at Globex until 2014.", occurred_at=SAID)
    world.remember("I have worked at Initech since 2013.", occurred_at=SAID)
    world.remember("I worked at Hooli until 2016.", occurred_at=SAID)
    assert [held(world, at) for at in ("2007-01-01", "2011-01-01", "2014-01-01", "2024-07-01")] == [
        ["Acme"],
        ["Globex"],
        ["Initech"],
        ["Initech"],
    ]


def test_an_end_that_is_said_ends_what_was_held(world: World) -> None:
    world.remember("I work at Acme.", occurred_at=day("2020-01-05"))
    world.remember("I no longer work at Acme since last year.", occurred_at=SAID)
    assert [held(world, at) for at in ("2022-12-31", "2023-01-01", "2024-07-01")] == [["Acme"], [], []]


def test_an_end_said_to_lie_before_the_start_still_ends_it_now(world: World) -> None:
    world.remember("I work at Acme.", occurred_at=day("2024-01-05"))
    world.remember("I no longer work at Acme since last year.", occurred_at=SAID)
    assert [held(world, at) for at in ("2024-02-01", "2024-07-01")] == [["Acme"], []]


def test_what_begins_next_year_is_known_but_not_held_yet(world: World) -> None:
    world.remember("I work at Acme.", occurred_at=day("2020-01-05"))
    world.remember("From next year I work at Globex.", occurred_at=SAID)
    assert [held(world, at) for at in ("2024-12-31", "2025-01-01")] == [["Acme"], ["Globex"]]


def test_what_lasts_until_next_year_ends_by_itself(world: World) -> None:
    world.remember("I work at Acme until next year.", occurred_at=SAID)
    assert [held(world, at) for at in ("2024-06-19", "2024-06-21", "2025-12-31", "2026-01-01")] == [
        [],
        ["Acme"],
        ["Acme"],
        [],
    ]


def test_a_sentence_is_dated_by_when_it_was_said_not_by_the_clock(
    location: str, new_world: Callable[..., World], clock: FrozenClock
) -> None:
    world = new_world(location)
    world.remember("I moved to Lisbon last year.", occurred_at=day("2015-03-01"))
    assert world.facts.about("user")[0].valid_from == day("2014-01-01")


@pytest.mark.parametrize(
    ("text", "has_ended"),
    [
        ("We got married on June 5, 2020.", False),
        ("I got a dog in March 2020.", False),
        ("I got my degree in 2019.", False),
        ("We got our electricity from Northpower in 2019.", True),
        ("I cycled to work in 2019.", True),
    ],
)
def test_what_went_on_for_a_year_is_over_with_it_and_what_was_got_is_not(text: str, has_ended: bool) -> None:
    facts = read(text)
    assert facts
    assert any(end is not None for *_, end in facts) is has_ended


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("From 1 July 2024 Ines is our team lead.", [("record", "Ines", "2024-07-01", None)]),
        ("Since 3 March Ola is my landlord.", [("record", "Ola", None, None)]),
        ("Marek is our team lead until the end of July.", [("record", "Marek", None, "2024-08-01")]),
        (
            "Nordplast had its plant in Odense until 2019. Since then it's been in Vejle.",
            [("record", "in Odense", None, "2020-01-01"), ("record", "in Vejle", None, None)],
        ),
    ],
)
def test_who_is_something_to_the_speaker_is_dated_too(
    text: str, expected: list[tuple[str, str, str | None, str | None]]
) -> None:
    assert read(text) == expected
