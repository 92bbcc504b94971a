"""Who says that something was wrong, before or after they say what is right, corrects what was held."""

from __future__ import annotations

import pytest

from longmind.extract.admissions import admissions
from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "I take 20 mg every evening.",
            "It's 40 mg I take. I had the wrong strength in my head.",
            "20 mg",
            "40 mg",
        ),
        (
            "I grew up in Derby.",
            "I'd better be exact: it was Belper. I say the other out of habit.",
            "Derby",
            "Belper",
        ),
        ("My dentist is Dr Ahn.", "I got that wrong the other day, my dentist is Dr Aung.", "Ahn", "Aung"),
        (
            "Mia's teacher is Mr Hall.",
            "Her gran put me right: Mia's teacher is called Mr Hull.",
            "Hall",
            "Hull",
        ),
        ("My viola teacher is Mrs Rey.", "I misheard, my viola teacher is Mrs Wray.", "Rey", "Wray"),
        (
            "We're on Django 3.2.",
            "ok I actually looked at the lock file and it's 4.1, not what I said.",
            "3.2",
            "4.1",
        ),
        ("My shoe size is 42.", "I was mistaken, my shoe size is 43.", "42", "43"),
        ("My flight is on 4 June.", "I'd misread the booking. My flight is on 6 June.", "4 June", "6 June"),
        ("Our budget is 9,000.", "It was 7,500. I had the wrong figure in my head.", "9,000", "7,500"),
        (
            "My middle name is Ann.",
            "My sister corrected me. My middle name is Anne, with an e.",
            "Ann",
            "Anne",
        ),
    ],
)
def test_what_was_wrong_never_held(first: str, second: str, gone: str, new: str) -> None:
    before = told(first)
    assert any(gone in fact for fact in before), before
    after = told(first, second)
    assert not any(gone in fact.replace(new, "") for fact in after), after
    assert any(new in fact for fact in after), after


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I grew up in Derby.", "I was wrong about the train, it was late."),
        ("I grew up in Derby.", "Was I wrong? It was Belper that won."),
        ("I grew up in Derby.", "If I got it wrong, it was Belper that I meant to visit."),
        ("I take 20 mg every evening.", "My aunt put me right about the cake: it's 200 g of flour."),
        ("My dentist is Dr Ahn.", "I told him he was wrong. His dentist is Dr Aung."),
        ("I love opera.", "I got the wrong bus today. I love this weather."),
        ("My shoe size is 42.", "The app said the wrong thing, my bank is closed."),
    ],
)
def test_what_was_wrong_elsewhere_mends_nothing(first: str, second: str) -> None:
    before = told(first)
    assert before
    assert set(before) <= set(told(first, second)), told(first, second)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's pilates I go to.", "pilates"),
        ("It's rye bread I eat.", "rye bread"),
        ("It's gluten Dad can't have.", "gluten"),
        ("It's the cello my sister plays.", "cello"),
        ("It's Lidl we shop at.", "Lidl"),
    ],
)
def test_what_is_put_first_is_told_of_whoever_follows(text: str, expected: str) -> None:
    assert any(expected in fact for fact in told(text)), told(text)


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("It's the way I drive.", "way"),
        ("It's a life I love.", "life"),
        ("It's something I eat.", "something"),
        ("It's not the oboe I play.", "oboe"),
    ],
)
def test_what_only_sounds_put_first_tells_nothing(text: str, never: str) -> None:
    assert not any(never in fact for fact in told(text)), told(text)


def test_a_question_and_a_condition_admit_nothing() -> None:
    assert admissions("Did I get it wrong?") == ()
    assert admissions("If I was wrong about that, tell me.") == ()
    assert len(admissions("I was wrong about that. It's 4.")) == 1
