"""When and where something is now, told by another name for it than before; and what is so from a day on."""

from __future__ import annotations

import pytest

from longmind import AsOf, FrozenClock, Memory
from longmind.base.times import to_ms
from tests.conftest import START
from tests.facts.test_doubt import check_replaced, held, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "I go to karate every Tuesday.",
            "My karate class is on Mondays now.",
            "habit go to karate",
            "Mondays",
        ),
        ("I have orchestra on Wednesdays.", "Orchestra is on Thursdays now.", "Wednesdays", "Thursdays"),
        ("I row on Tuesdays.", "My rowing is on Thursdays now.", "habit row", "Thursdays"),
        (
            "I do ceramics on Saturdays.",
            "My ceramics course is on Sundays these days.",
            "Saturdays",
            "Sundays",
        ),
        ("I attend a Polish class on Mondays.", "Polish class is on Fridays now.", "attend", "Fridays"),
        ("Our band rehearses in the barn.", "Rehearsals are in the attic now.", "barn", "attic"),
        ("I train at Ironhold.", "Training is at the Elm gym now.", "Ironhold", "Elm"),
        ("Our team meets in the canteen.", "From now on meetings are in room Berlin.", "canteen", "Berlin"),
        ("I have physio at 9 on Mondays.", "Physio is at 11 these days.", "at 9", "11"),
        ("I bike to the office.", "Since they opened the tunnel I take the metro to work.", "bikes", "metro"),
        ("I drive to work.", "Since the surgery I take the bus to work.", "drives", "bus"),
        (
            "I buy our bread from Hofmann.",
            "Since we moved I buy our bread from Steiner.",
            "Hofmann",
            "Steiner",
        ),
    ],
)
def test_an_occasion_is_when_and_where_it_was_last_said_to_be(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I go to karate every Tuesday.", "My judo class is on Mondays now.", "habit go to karate"),
        ("I have orchestra on Wednesdays.", "My sister's orchestra is on Thursdays now.", "Wednesdays"),
        ("I have orchestra on Wednesdays.", "Orchestra is on Thursdays too now.", "Wednesdays"),
        ("I have orchestra on Wednesdays.", "Orchestra is in the attic now.", "Wednesdays"),
        ("Our band rehearses in the barn.", "Auditions are in the attic now.", "barn"),
        ("Our band rehearses in the barn.", "Rehearsals are at 8 now.", "barn"),
        ("I go to karate every Tuesday.", "My karate belt is in the car now.", "habit go to karate"),
        ("I do ceramics on Saturdays.", "My ceramics exam is on Sunday now.", "Saturdays"),
        ("I have lunch with Ana on Fridays.", "Lunch is at one now.", "Fridays"),
        ("I drive to work.", "Since it's near I walk to the gym.", "drives"),
        ("I take the bus to work.", "Since I like reading I take the train to Berlin.", "bus"),
    ],
)
def test_another_occasion_or_another_side_of_it_ends_nothing(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


def test_of_two_groups_it_is_not_said_which_rehearses_elsewhere() -> None:
    after = told(
        "My choir rehearses in the hall and my band rehearses in the barn.",
        "Rehearsals are in the attic now.",
    )
    assert any("hall" in line for line in after), after
    assert any("barn" in line for line in after), after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("From 1 May 2024 I'll be deputy head of the school.", "user role deputy head of the school"),
        ("I'll be a ward manager from 1 May 2024.", "user role ward manager"),
        ("From May 2024 our rent will be 900.", "user rent 900"),
        ("From 1 May 2024 rehearsals will be in the attic.", "rehearsals is_in the attic"),
        ("Standup will be at 10 from 1 May 2024.", "standup is_at 10"),
        ("Starting 1 May 2024 I'll be working at Bosch.", "user works_at Bosch"),
        ("From 1 May 2024 I'll be on the night shift.", "user is_on the night shift"),
    ],
)
def test_what_will_be_so_from_a_day_is_so_from_then_on(text: str, expected: str) -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        memory.conversation("c").add_turn("user", text)
        assert expected in held(memory), held(memory)
        early = memory.facts.diff(
            AsOf(system=0, valid=0), AsOf(system=AsOf.LATEST.system, valid=to_ms("2024-04-15T00:00:00Z"))
        )
        said = [
            f"{change.after.fact.subject} {change.after.fact.predicate}" for change in early if change.after
        ]
        assert not [line for line in said if expected.startswith(line)], said


@pytest.mark.parametrize(
    "text",
    [
        "From Monday I'll be in Rome.",
        "I'll be in Rome from Monday to Friday.",
        "From Monday I'll be on holiday.",
        "From tomorrow I'll be happy.",
        "Rita will be in Rome from Monday.",
    ],
)
def test_who_will_be_away_for_a_while_only_plans_it(text: str) -> None:
    assert not [line for line in told(text) if " is_" in line or " is " in line or " role " in line]


FLIGHT = "We fly to Oslo on 3 October 2026."


@pytest.mark.parametrize(
    "text",
    [
        "Trip's off. The kids have chickenpox.",
        "We had to cancel the holiday.",
        "Had to knock the trip on the head.",
        "The flights have been cancelled.",
    ],
)
def test_a_journey_that_is_called_off_is_no_plan(text: str) -> None:
    assert any("Oslo" in fact for fact in told(FLIGHT))
    assert not any("Oslo" in fact for fact in told(FLIGHT, text))


@pytest.mark.parametrize(
    "text",
    [
        "If the trip is cancelled I'll cry.",
        "The trip might be cancelled.",
        "Is the trip off?",
        "The holiday season is off to a good start.",
        "My phone is off.",
        "I cancelled the gym.",
    ],
)
def test_what_is_not_called_off_goes_on(text: str) -> None:
    assert any("Oslo" in fact for fact in told(FLIGHT, text))


def test_of_two_journeys_it_is_not_said_which_is_off() -> None:
    held_now = told(f"{FLIGHT} We're going to Rome on 5 November 2026.", "The trip is off.")
    assert any("Oslo" in fact for fact in held_now)
    assert any("Rome" in fact for fact in held_now)
