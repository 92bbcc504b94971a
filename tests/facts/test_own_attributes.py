"""What the speaker told as theirs, told again by its bare or definite noun; and what others have."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from tests.conftest import START
from tests.facts.test_doubt import check_replaced, held, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("My dentist is Dr Fairweather.", "The dentist is Dr Okafor.", "Fairweather", "dentist Dr Okafor"),
        ("My dentist is Dr Fairweather.", "Dentist is Dr Okafor.", "Fairweather", "dentist Dr Okafor"),
        (
            "My dentist is Dr Fairweather.",
            "The dentist's name is Dr Okafor.",
            "Fairweather",
            "user dentist Dr Okafor",
        ),
        ("My landlord is Mr Petrov.", "the landlord is now Mr Dudek", "Petrov", "landlord Mr Dudek"),
        (
            "My landlord is Mr Petrov.",
            "My landlord's brother took over. The landlord is Mr Dudek now.",
            "Petrov",
            "user landlord Mr Dudek",
        ),
        ("My supervisor is Prof Lind.", "The supervisor is now Prof Wong.", "Lind", "Prof Wong"),
        ("my employee ID is HX-20417", "Employee ID is HX-20471.", "HX-20417", "employee_id HX-20471"),
        ("my employee ID is HX-20417", "The new employee ID is HX-20471.", "HX-20417", "HX-20471"),
        ("My locker number is 14.", "The locker number is 41.", "14", "locker_number 41"),
        ("My sort code is 20-00-11.", "Sort code is 20-00-12.", "20-00-11", "20-00-12"),
        ("My car insurance is Aviva.", "Car insurance is Admiral now.", "Aviva", "car_insurance Admiral"),
        ("My car is a Skoda.", "The car is a Volvo now.", "Skoda", "car Volvo"),
    ],
)
def test_a_bare_or_definite_noun_means_what_the_speaker_has_one_of(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    "mended",
    [
        "Sorry sorry, typing mistake. Employee ID is HX-20471.",
        "Sorry, typo. The employee ID is HX-20471.",
    ],
)
def test_a_typing_mistake_is_mended_by_what_comes_next(mended: str) -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        talk.add_turn("user", "my employee ID is HX-20417")
        clock.advance(seconds=20)
        talk.add_turn("user", mended)
        assert held(memory) == ["user employee_id HX-20471"]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("My landlord is Mr Petrov.", "Ana's landlord came round. The landlord is Mr Dudek.", "Mr Petrov"),
        (
            "My landlord is Mr Petrov.",
            "My sister has trouble with her flat. The landlord is Mr Dudek.",
            "Mr Petrov",
        ),
        (
            "My landlord is Mr Petrov.",
            "My brother's flat is damp. The landlord is Mr Dudek.",
            "Mr Petrov",
        ),
        ("My vet is Dr Amin.", "In the film the vet is Dr Lopez.", "vet Dr Amin"),
        ("My vet is Dr Amin.", "At my mum's, the vet is Dr Lopez.", "vet Dr Amin"),
        ("My vet is Dr Amin.", "Is the vet Dr Lopez?", "vet Dr Amin"),
        ("My landlord is Mr Petrov.", "The landlord is annoying.", "landlord Mr Petrov"),
        ("My landlord is Mr Petrov.", "The landlord is a crook.", "landlord Mr Petrov"),
        ("My dentist is Dr Fairweather.", "The dentist is really nice.", "dentist Dr Fairweather"),
        ("My gym is PureGym.", "The gym is packed.", "gym PureGym"),
        ("My gym is PureGym.", "The gym is in Hove.", "gym PureGym"),
        ("My gym is PureGym.", "The gym is shut this week.", "gym PureGym"),
        ("My bank is Barclays.", "The bank is closed over Christmas.", "bank Barclays"),
        ("My dentist is Dr Fairweather.", "The dentist is closed on Mondays.", "dentist Dr Fairweather"),
        ("My dentist is Dr Fairweather.", "The dentist is shut until Thursday.", "dentist Dr Fairweather"),
        ("My gym is PureGym.", "The gym is closed today, annoyingly.", "gym PureGym"),
    ],
)
def test_what_others_have_and_what_a_thing_is_like_replace_nothing(
    first: str, second: str, kept: str
) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("My landlord is Mr Petrov.", "The landlord is Mr Dudek.", "landlord Mr Petrov"),
        ("My employee ID is HX-20417.", "Employee ID is HX-20471.", "employee_id HX-20417"),
    ],
)
def test_a_document_does_not_speak_of_what_the_reader_has(first: str, second: str, kept: str) -> None:
    after = told(first, second, last_as_document=True)
    assert any(kept in line for line in after), after
    assert not any("Dudek" in line or "20471" in line for line in after), after
