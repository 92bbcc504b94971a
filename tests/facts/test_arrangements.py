"""Appointments that their other side moves, races that are not run, and marriages that are over."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told

DENTIST = "I have the dentist on 13 March at 10:20."
MARATHON = "I'm signed up for the Chicago Marathon on October 12!"


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            DENTIST,
            "The dentist rang, my appointment is moved to 18 March at 14:00.",
            "13 March",
            "dentist appointment on 18 March",
        ),
        (
            "I have a dentist appointment on 13 March at 10:20.",
            "The dentist rang. My appointment was moved to 18 March at 14:00.",
            "13 March",
            "dentist appointment on 18 March",
        ),
        (
            DENTIST,
            "The dentist's office rang: the appointment is now 18 March at 14:00.",
            "13 March",
            "dentist appointment on 18 March",
        ),
        (
            "I'm seeing the physio on 3 May at 9.",
            "The physio called me today, my appointment is now on 5 May at 10.",
            "3 May",
            "physio appointment on 5 May",
        ),
    ],
)
def test_an_appointment_is_with_whoever_rang(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("second", "new"),
    [
        ("The vet rang, my appointment is moved to 18 March at 14:00.", "vet"),
        ("The bank called, my appointment is moved to 18 March at 14:00.", "bank"),
        ("The dentist rang, my sister's appointment is moved to 18 March at 14:00.", "sister"),
        ("The phone rang, my haircut is on 18 March at 14:00.", "haircut"),
    ],
)
def test_an_appointment_with_somebody_else_stays_beside_it(second: str, new: str) -> None:
    after = told(DENTIST, second)
    assert any("13 March" in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (MARATHON, "Had to pull out of the Chicago Marathon, stress fracture."),
        (MARATHON, "I've pulled out of the Chicago Marathon."),
        (MARATHON, "I had to drop out of the Chicago Marathon."),
        (MARATHON, "Bad news: I'm pulling out of the Chicago Marathon."),
        (MARATHON, "My knee is gone so I've had to withdraw from the Chicago Marathon."),
        ("I signed up for the pottery course.", "I dropped out of the pottery course."),
        ("I'm registered for the Berlin half marathon.", "Had to withdraw from the Berlin half marathon."),
        ("I'm entered in the chess tournament.", "I'm pulling out of the chess tournament."),
        ("I enrolled in the Spanish course.", "Had to bow out of the Spanish course, no time."),
    ],
)
def test_who_pulls_out_is_not_signed_up_any_more(first: str, second: str) -> None:
    assert not any(
        word in line
        for line in told(first, second)
        for word in ("signed_up", "registered", "entered", "enrol")
    )


@pytest.mark.parametrize(
    "second",
    [
        "Ines had to pull out of the Chicago Marathon.",
        "Should I pull out of the Chicago Marathon?",
        "I had to pull out of the Boston Marathon.",
        "Might have to pull out of the Chicago Marathon.",
        "I had to pull out of the driveway backwards.",
    ],
)
def test_who_does_not_pull_out_stays_signed_up(second: str) -> None:
    assert any("Chicago" in line for line in told(MARATHON, second))


@pytest.mark.parametrize("first", ["I'm married to Carla.", "My wife is Carla."])
@pytest.mark.parametrize(
    "second",
    [
        "The divorce from Carla came through this week.",
        "My divorce from Carla is final.",
        "I'm officially divorced from Carla.",
        "Big week, the divorce from Carla was finalised on Monday.",
    ],
)
def test_a_divorce_that_is_through_ends_the_marriage(first: str, second: str) -> None:
    check_replaced(first, second, "Carla", "marital_status divorced")


@pytest.mark.parametrize(
    "second",
    [
        "Ana's divorce from Piotr came through this week.",
        "The divorce from Piotr came through for my sister.",
        "If the divorce from Piotr came through, she could sell.",
        "My sister's divorce from Piotr is final.",
    ],
)
def test_somebody_elses_divorce_ends_no_marriage_of_the_speaker(second: str) -> None:
    after = told("My wife is Carla.", second)
    assert any("wife Carla" in line for line in after), after
