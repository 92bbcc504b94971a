"""Standing orders told again with another value, and orders for other cases, which are kept beside them."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from tests.conftest import START
from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "Write code samples in Java for me.",
            "so from today write code samples in Kotlin for me.",
            "Java",
            "instruction write code samples in Kotlin",
        ),
        (
            "Write code samples in Java for me.",
            "Please write code samples in Kotlin from now on.",
            "Java",
            "Kotlin",
        ),
        (
            "Keep your summaries to three bullet points.",
            "Make it six bullet points for summaries.",
            "three",
            "six bullet points",
        ),
        (
            "Keep your summaries to three bullet points.",
            "Summaries should be six bullet points from now on.",
            "three",
            "six bullet points",
        ),
        (
            "Always reply in British English when you draft things for me",
            "from now on write my drafts in American English",
            "British",
            "American English",
        ),
        (
            "Always cite sources in APA style when I ask for facts.",
            "Always cite sources in MLA style when I ask for facts.",
            "APA",
            "MLA",
        ),
        ("Always give me prices in euros.", "From now on give me prices in dollars.", "euros", "dollars"),
        (
            "Give me recipes with two steps, always.",
            "From now on give me recipes with five steps.",
            "two",
            "five steps",
        ),
        ("in mails use formal English.", "in mails use plain English.", "formal", "plain English in mails"),
        (
            "Always write code samples in Java for me.",
            "Always give me code samples in Kotlin.",
            "Java",
            "Kotlin",
        ),
    ],
)
def test_an_order_takes_the_place_of_one_that_differs_in_its_value(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("in mails use formal English.", "in chat use slang.", ("formal English", "slang")),
        (
            "Always use formal English in mails.",
            "Always use informal English in chat.",
            ("formal English in mails", "informal English in chat"),
        ),
        (
            "Always sign my mails with Best wishes.",
            "Always sign my letters with Yours sincerely.",
            ("Best wishes", "Yours sincerely"),
        ),
        (
            "Always write code samples in Java for me.",
            "Always write SQL samples in Postgres for me.",
            ("Java", "Postgres"),
        ),
        ("Write code samples in Java for me.", "Always answer in Polish.", ("Java", "Polish")),
        (
            "Write code samples in Java for me.",
            "Always write code samples with two spaces.",
            ("Java", "two spaces"),
        ),
        ("Write code samples in Java for me.", "Never write code samples in Kotlin.", ("in Java", "Never")),
        (
            "Always use euros in reports for me.",
            "Always use euros in mails for me.",
            ("in reports", "in mails"),
        ),
        (
            "Always answer in German.",
            "Always answer in French when I write in French.",
            ("German", "French"),
        ),
        ("Always remind me of my pills at 8.", "Always remind me of my pills at 20.", ("at 8", "at 20")),
        ("Write code samples in Java for me.", "I wrote my code samples in Kotlin.", ("Java",)),
        ("Write code samples in Java for me.", "Should I write code samples in Kotlin?", ("Java",)),
    ],
)
def test_orders_for_other_cases_are_kept_side_by_side(first: str, second: str, kept: tuple[str, ...]) -> None:
    after = told(first, second)
    for each in kept:
        assert any(each in line for line in after), after


def test_the_tone_of_one_case_changes_and_that_of_the_other_stays() -> None:
    after = told(
        "Always use formal English in mails.",
        "Always use informal English in chat.",
        "Always use blunt English in chat.",
    )
    assert sorted(line.removeprefix("user ") for line in after) == [
        "answer_tone Always use formal English in mails",
        "instruction Always use blunt English in chat",
    ]


_FIRST = "Sign my emails with 'Kind regards'."
_SECOND = "Sign my emails with 'Warmly' instead."


def _orders(*texts: str) -> list[str]:
    """The memories of orders after turns of the user."""
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        for text in texts:
            talk.add_turn("user", text)
            clock.advance(days=30)
        return [each.content for each in memory.memories.list(limit=50) if " asks: " in each.content]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (
            (_FIRST, f"I'm bored of Kind regards. {_SECOND}"),
            ["User asks: Sign their emails with 'Warmly' instead"],
        ),
        ((_FIRST, "I'm tired of Kind regards."), []),
        (("I'm bored of bullet points.",), []),
        ((_FIRST, "I'm bored of winter."), ["User asks: Sign their emails with 'Kind regards'"]),
        ((_FIRST, "Are you bored of Kind regards?"), ["User asks: Sign their emails with 'Kind regards'"]),
    ],
)
def test_who_is_bored_of_an_order_does_not_ask_for_it(texts: tuple[str, ...], kept: list[str]) -> None:
    assert _orders(*texts) == kept
