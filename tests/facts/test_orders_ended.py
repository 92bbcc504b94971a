"""Orders that end: "stop answering in Polish", and what is asked for in the place of a part of one."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told

ITALIAN = "Answer me in Italian from now on."
QUOTES = "When you write Ruby for me, use double quotes and two spaces."


@pytest.mark.parametrize(
    ("second", "new"),
    [
        ("Stop answering in Italian. Use Danish instead.", "answer_language Use Danish instead"),
        ("Stop answering in Italian, use Danish instead.", "answer_language use Danish instead"),
        ("Please stop replying in Italian and write in Danish.", "answer_language write in Danish"),
        ("No more answers in Italian, please. Answer in Danish.", "answer_language Answer in Danish"),
    ],
)
def test_another_language_takes_the_place_of_one_that_is_over(second: str, new: str) -> None:
    check_replaced(ITALIAN, second, "Italian", new)


@pytest.mark.parametrize(
    "second",
    ["Stop answering in Italian.", "Please stop writing to me in Italian.", "No more replies in Italian."],
)
def test_an_order_for_a_language_ends(second: str) -> None:
    assert told(ITALIAN, second) == []


@pytest.mark.parametrize(
    "second",
    [
        "Stop answering in Polish.",
        "Should you stop answering in Italian?",
        "If you stop answering in Italian I forget it all.",
        "Stop speaking Italian, my brother said to me.",
        "Stop answering in Italian just this once.",
    ],
)
def test_an_order_for_a_language_is_kept(second: str) -> None:
    assert any("answer_language Answer me in Italian" in line for line in told(ITALIAN, second))


def test_what_is_not_to_be_is_no_answer_language() -> None:
    held = told("Never answer in Polish.")
    assert held == ["user instruction Never answer in Polish"]
    assert "user speaks Italian" in told("I speak Italian.", "Stop answering in Italian.")


def test_a_wish_for_nothing_ever_is_an_order() -> None:
    held = told("Keep your replies under four sentences. No emojis, ever.")
    assert "user emoji No emojis, ever" in held
    assert len(held) == 2
    assert told("No sugar, ever.") == []


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            QUOTES,
            "I changed my mind about quotes: single quotes in Ruby, please.",
            "double",
            "single quotes and two",
        ),
        (
            "Keep your summaries to three paragraphs.",
            "I've changed my mind, five paragraphs please.",
            "three",
            "summaries to five paragraphs",
        ),
    ],
)
def test_a_part_of_an_order_is_told_anew(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    "second",
    [
        "Should it be single quotes instead?",
        "I might use single quotes instead.",
        "My brother has single quotes in his code.",
        "I bought two chairs instead.",
        "Use single quotes, please.",
    ],
)
def test_a_part_of_an_order_is_kept(second: str) -> None:
    assert any("double quotes and two spaces" in line for line in told(QUOTES, second))
