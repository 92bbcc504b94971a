"""Values that are taken back in the sentence that tells them, or by "it's Houston I connect through"."""

from __future__ import annotations

import pytest

from tests.facts.test_corrected import told_at_once


@pytest.mark.parametrize(
    ("text", "gone", "new"),
    [
        ("I was born in Tampere, no, sorry, I meant Turku.", "Tampere", "born_in Turku"),
        ("I was born in Tampere, sorry, no, Turku.", "Tampere", "born_in Turku"),
        ("I was born in Tampere - hang on, no - Turku.", "Tampere", "born_in Turku"),
        ("I was born in Tampere, or rather Turku.", "Tampere", "born_in Turku"),
        ("I was born in Tampere, no, sorry, in Turku.", "Tampere", "born_in Turku"),
        ("I was born in Tampere, sorry, make that Turku.", "Tampere", "born_in Turku"),
        ("I was born in Tampere, no, actually Turku.", "Tampere", "born_in Turku"),
        ("I live in Hove... wait no, sorry, Portslade.", "Hove", "lives_in Portslade"),
        ("I live in Hove, no, it's Portslade.", "Hove", "lives_in Portslade"),
        ("My sister lives in Oslo, no, wait, I mean Bergen.", "Oslo", "user/sister lives_in Bergen"),
        ("I work at Nordea, oops, I meant to say Danske Bank.", "Nordea", "works_at Danske Bank"),
        ("my dog is called Rex, argh sorry, no, I meant Max", "Rex", "dog Max"),
    ],
)
def test_a_sentence_may_break_off_with_several_words(text: str, gone: str, new: str) -> None:
    after = told_at_once(text)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I live in Hove, no, sorry, I meant no offence.", "lives_in Hove"),
        ("I love Turku, no, wait, hear me out.", "loves Turku"),
        ("I live in Turku, sorry, I mean it's lovely there.", "lives_in Turku"),
        ("I live in Turku, sorry, no idea why I said that.", "lives_in Turku"),
        ("I live in Turku, no, really, it's true.", "lives_in Turku"),
        ("I love jazz, sorry, classical too.", "loves jazz"),
        ("I work in Bath, no, my sister works in Bristol.", "Bath"),
    ],
)
def test_what_goes_on_takes_nothing_back(text: str, kept: str) -> None:
    after = told_at_once(text)
    assert any(kept in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "My connecting airport is Dallas.",
            "Sorry, just looked at the ticket, it's Houston I connect through.",
            "Dallas",
            "connecting_airport Houston",
        ),
        ("My dentist is Dr Poole.", "Actually, it's Dr Anand I see.", "Poole", "dentist Dr Anand"),
        ("My dentist is Dr Poole.", "Oops, no, it's Dr Anand that I see.", "Poole", "dentist Dr Anand"),
        ("My train is at 9:15.", "Sorry, it's 9:45 I leave.", "9:15", "train at 9:45"),
    ],
)
def test_what_stands_out_in_a_sentence_is_what_is_right(first: str, second: str, gone: str, new: str) -> None:
    after = told_at_once(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    "second",
    [
        "Sorry, it's lovely weather I hear.",
        "Sorry, it's Tuesday I hope.",
        "Sorry, it's Marta I was talking about.",
        "It's Marta I work with.",
    ],
)
def test_what_is_no_correction_leaves_what_was_told(second: str) -> None:
    after = told_at_once("My dentist is Dr Poole.", second)
    assert any("dentist Dr Poole" in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "Our boat's a 29-foot sloop called Solveig.",
            "No wait, 29 is our old one. This one's 34 foot.",
            "29",
            "34-foot sloop called Solveig",
        ),
        ("My car has 120 horsepower.", "Sorry, 120 is my old car, this one has 150.", "120", "150"),
        ("My rent is 900.", "Sorry, 900 was the old rent, it's 950 now.", "900", "rent 950"),
        ("My rent is 900.", "Wait, 900 is our old flat. It's 950.", "900", "rent 950"),
    ],
)
def test_what_was_told_of_the_old_one_is_mended(first: str, second: str, gone: str, new: str) -> None:
    after = told_at_once(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    "second",
    ["Sorry, 800 was my old rent, it's fine.", "Sorry, the old flat was 40 metres.", "800 was my old rent."],
)
def test_the_old_one_may_be_spoken_of_and_nothing_mended(second: str) -> None:
    assert "user rent 900" in told_at_once("My rent is 900.", second)
