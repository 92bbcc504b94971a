"""Sentences that put things in another order, or leave out what the one before said, are read."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements
from longmind.extract.statements import SPEAKER

Told = tuple[str, str, str, bool, bool]


def told(text: str) -> set[Told]:
    """Subject, slot, value, and whether it is so and whether it is over."""
    return {
        (each.subject, each.slot, each.value, each.polarity, each.ended) for each in find_statements(text)
    }


def holds(subject: str, slot: str, value: str) -> Told:
    return (subject, slot, value, True, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What Noor plays is a viola.", holds("Noor", "plays", "a viola")),
        ("My job title, in case it matters, is tax clerk.", holds(SPEAKER, "job_title", "tax clerk")),
        ("A neighbour of mine, Hilde, works at Bosch.", holds("Hilde", "works_at", "Bosch")),
        ("My birthday? 9 March 1984.", holds(SPEAKER, "birthday", "9 March 1984")),
        ("My blood type is A, my son's is B.", holds(f"{SPEAKER}/son", "blood_type", "B")),
        ("No tables in your answers.", holds(SPEAKER, "answer_format", "do not use tables in your answers")),
        ("The style guide says tabs, so don't use spaces.", holds(SPEAKER, "code_style", "don't use spaces")),
        ("My name's not Jon, it's Jan.", holds(SPEAKER, "name", "Jan")),
        ("I work at Siemens and my wife at Bosch.", holds(f"{SPEAKER}/wife", "works_at", "Bosch")),
        ("My son lives in Oslo and my wife in Bergen.", holds(f"{SPEAKER}/wife", "lives_in", "Bergen")),
        ("Anja is back and leading the platform team again.", holds("platform team", "owner", "Anja")),
        ("I stopped being vegan.", (SPEAKER, "diet", "vegan", False, True)),
        ("My brother moved out of Leeds and into York.", holds(f"{SPEAKER}/brother", "lives_in", "York")),
        ("We're no longer with Vodafone, it's Telia now.", holds(SPEAKER, "is_with", "Telia")),
        ("I've lived in Rome and Milan.", (SPEAKER, "lives_in", "Rome", True, True)),
        ("I've lived in Rome for years.", holds(SPEAKER, "lives_in", "Rome")),
        ("Our dog Rex died last spring.", (SPEAKER, "dog", "Rex", False, True)),
    ],
)  # fmt: skip
def test_what_is_said_in_another_order_is_understood(text: str, expected: Told) -> None:
    assert expected in told(text), sorted(told(text))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I don't know what Peter is doing.", "Peter"),
        ("Rather than Monday, we meet on Thursday now.", "than Monday"),
        ("I have a son, Tom, who is five, and a daughter, Mia.", "a daughter"),
        ("My laptop is a ThinkPad, my phone a Pixel.", "my phone a Pixel"),
        ("He's switched to drums, pray for us.", "us"),
        ("She took over from Piers, who'd run it since 2010.", "run it"),
        ("I used to smoke, now I do neither.", "neither"),
    ],
)
def test_nothing_is_made_of_what_only_looks_like_a_statement(text: str, wrong: str) -> None:
    statements = find_statements(text, pronouns=True)
    assert not [each for each in statements if each.value == wrong and each.slot != "has_relative"]


def test_evidence_of_a_reworded_sentence_is_where_it_was_written() -> None:
    text = "Well, what Noor plays is a viola."
    [statement] = find_statements(text)
    assert text[statement.value_start : statement.value_end] == "a viola"
    assert "Noor plays" in text[statement.start : statement.end]


@pytest.mark.parametrize(
    ("text", "not_said_of", "value"),
    [
        ("Ravi, whose brother is a pilot, teaches chemistry.", f"{SPEAKER}/brother", "pilot"),
        ("Maja is left-handed and so is her son.", "Maja", "son"),
        ("My parents live in Split, my brother in Zadar.", SPEAKER, "Split"),
        ("Our intern Mei speaks Cantonese.", SPEAKER, "Cantonese"),
        ("My daughter Wren is allergic to eggs and my son Jay to bees.", "Wren", "bees"),
        ("Pavel took the night shift and Anya the early one.", "Pavel", "early"),
        ("I support Spurs, unlike Tariq.", SPEAKER, "Tariq"),
        ("I like cats more than dogs.", SPEAKER, "dogs"),
        ("People keep assuming I'm French.", SPEAKER, "French"),
        ("For example, say my name is Bob.", SPEAKER, "Bob"),
        ("Sure, because I just love sitting in traffic.", SPEAKER, "traffic"),
    ],
)
def test_what_is_said_of_one_is_not_held_of_another(text: str, not_said_of: str, value: str) -> None:
    assert not [each for each in told(text) if each[0] == not_said_of and value in each[2]]
