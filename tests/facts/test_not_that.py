"""What something is not, and what it is: "it's not Hull, it's Goole", told long after."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "My blood type is O negative.",
            "I looked at my donor card. It's not O negative, it's AB negative.",
            "O negative",
            "blood_type AB negative",
        ),
        ("My blood type is A negative.", "It isn't A negative, it's B positive.", "negative", "B positive"),
        (
            "My brother Sam lives in Hull.",
            "I asked him. It's not Hull, it's Goole.",
            "Hull",
            "Sam lives_in Goole",
        ),
        ("I weigh 80 kg.", "It's not 80, it's 84.", "80", "weighs 84 kg"),
        ("My blood group is O negative.", "I'm AB positive.", "O negative", "AB-positive"),
        ("My blood type is O negative.", "My blood group is B positive.", "O negative", "B positive"),
    ],
)
def test_what_it_is_takes_the_place_of_what_it_is_not(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    "second",
    [
        "Is it not O negative, or is it B positive?",
        "It's not raining, it's sunny.",
        "It's not just Leeds, it's York, too.",
        "If it's not O negative, it's B positive.",
        "My son Eirik is B positive.",
    ],
)
def test_a_blood_type_stays(second: str) -> None:
    assert "user blood_type O negative" in told("My blood type is O negative.", second)
