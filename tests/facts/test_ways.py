"""By which way somebody goes now, and what they are back to."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("I go to work by car.", "I've given up driving to work, I go by bus now.", "car", "bus to work"),
        ("I drive to work.", "I don't drive to work any more, I take the bus.", "drives", "the bus to work"),
        ("I take the tram to work.", "I no longer take the tram to work, I cycle now.", "tram", "cycles_to"),
        ("I cycle to the office.", "I've stopped cycling to the office, I walk now.", "cycles", "walks_to"),
        ("I drive to work.", "I used to drive to work but now I cycle.", "drives", "cycles_to work"),
        (
            "I go to work by car.",
            "I stopped going to work by car, I go by train now.",
            "car",
            "train to work",
        ),
        (
            "My commute is an hour each way by train into Copenhagen.",
            "I've started cycling to work instead of getting the train.",
            "train",
            "cycles_to work",
        ),
        (
            "I take the bus to work.",
            "I've started taking the tram to work instead.",
            "bus",
            "the tram to work",
        ),
        (
            "I take the bus to work.",
            "I've begun walking to work rather than taking the bus.",
            "bus",
            "walks_to work",
        ),
    ],
)
def test_a_new_way_takes_the_place_of_the_old_one(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I go to work by car.", "I've given up driving to work."),
        ("I drive to work.", "I've given up driving to the office."),
        ("I commute by car.", "I don't drive to work any more."),
    ],
)
def test_who_gives_up_driving_to_work_goes_there_by_car_no_more(first: str, second: str) -> None:
    after = told(first, second)
    assert not any("car" in line or "drives" in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I drive to work.", "I've given up driving to the gym, I walk there now.", "drives_to work"),
        ("I take the bus to work.", "I've given up driving, my eyes are bad.", "takes the bus to work"),
        ("I take the bus to work.", "I've started running.", "takes the bus to work"),
        (
            "I cycle to work.",
            "I've started cycling to the gym instead of getting the train.",
            "cycles_to work",
        ),
        ("I go to work by car.", "I've stopped going to the gym.", "goes_to work by car"),
        ("I go to work by car.", "My brother has stopped driving to work.", "goes_to work by car"),
        ("I drive to work.", "I never drive to town, I take the bus.", "drives_to work"),
    ],
)
def test_another_journey_is_left_as_it_is(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


@pytest.mark.parametrize(
    ("slot", "third", "expected"),
    [
        ("My running shoes are", "Back to Hokas for running. The Brooks went to charity.", "Hokas"),
        ("My running shoes are", "Back to Hokas again.", "Hokas"),
        ("My running shoes are", "I've gone back to Hokas for running.", "Hokas"),
        ("My running shoes are", "OK, back in Hokas now.", "Hokas"),
        ("My running shoes are", "Back to Hokas for trails only.", "Brooks"),
        ("My running shoes are", "Back to Hokas, how do I clean them?", "Brooks"),
        ("My running shoes are", "Back to Hokas. What do they weigh?", "Brooks"),
    ],
)
def test_who_is_back_to_something_has_it_again(slot: str, third: str, expected: str) -> None:
    after = told(f"{slot} Hokas.", f"{slot} Brooks now.", third)
    assert f"user running_shoes {expected}" in after, after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "I train at the Ironworks gym on Quay Street three times a week.",
            "I've switched gyms. I go to Limber Hall now, it's much quieter than Ironworks.",
            "Ironworks",
            "gym Limber Hall",
        ),
        (
            "I go to the Ironworks gym.",
            "I've changed gyms, I'm at Limber Hall now.",
            "Ironworks",
            "Limber Hall",
        ),
        (
            "I work out at the Ironworks gym.",
            "I've switched gyms and go to PureGym now.",
            "Ironworks",
            "PureGym",
        ),
    ],
)
def test_of_one_gym_the_next_takes_the_place(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("My gym is Limber Hall, it's quieter than Ironworks.", "gym Limber Hall"),
        ("My car is a Golf. It's a bit old.", "car Golf"),
        ("My password is hunter2, it's weak.", "password hunter2"),
        ("My commute is long, it's 40 minutes.", "commute 40 minutes"),
        ("My birthday is soon, it's 3 May.", "birthday on 3 May"),
        ("My phone is old, it's a Nokia.", "phone_model Nokia"),
    ],
)
def test_what_a_thing_is_like_is_not_what_it_is(text: str, kept: str) -> None:
    assert [line for line in told(text) if kept in line] == told(text)


def test_a_place_that_is_visited_again_is_no_home() -> None:
    after = told("I live in Porto.", "I moved to Faro.", "Back to Porto for a wedding this week.")
    assert "user lives_in Faro" in after, after
    assert "user lives_in Porto" in told(
        "I live in Porto.", "I moved to Faro.", "Back in Porto for good now."
    )
