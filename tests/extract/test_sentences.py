"""Where sentences begin and end, and what in them is somebody else's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.extract.sentences import MASK, mask, split_sentences


def sentences(text: str) -> list[str]:
    masked = mask(text)
    return [masked[each.start : each.end] for each in split_sentences(masked)]


@given(st.text(max_size=200))
def test_masking_keeps_every_position(text: str) -> None:
    assert len(mask(text)) == len(text)


@given(st.text(max_size=200))
def test_sentences_come_in_order_without_overlap(text: str) -> None:
    position = 0
    for each in split_sentences(mask(text)):
        assert position <= each.start < each.end <= len(text)
        position = each.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One", "Two", "Three", "Four"]),
        ("Dr. Okafor met Mrs. Lee. They talked.", ["Dr. Okafor met Mrs. Lee", "They talked"]),
        ("I met Ursula K. Le Guin.", ["I met Ursula K. Le Guin"]),
        ("Version 1.2 is out. Good.", ["Version 1.2 is out", "Good"]),
        ("- I sail\n- I ski\n", ["I sail", "I ski"]),
        ("1. First\n2) Second", ["First", "Second"]),
        ("## Title\nText", ["Title", "Text"]),
        ("Well... fine", ["Well", "fine"]),
        ("", []),
    ],
)
def test_text_falls_into_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_long_line_that_only_wraps_is_one_sentence() -> None:
    text = "After a good many years in one and the same old house we\nmoved to Rome."
    assert sentences(text) == [text[:-1]]


@pytest.mark.parametrize(
    "text",
    [
        "```\nI live in Rome\n```",
        "~~~py\nI live in Rome",
        "`I live in Rome`",
        "> I live in Rome",
        '"I live in Rome, and you?"',
        "“I live in Rome”",
        "'I live in Rome'",
        "<!-- I live in Rome -->",
        'x = "I live in Rome"',
        "$ echo I live in Rome",
        "https://example.org/I-live-in-Rome",
    ],
)
def test_code_quotations_and_markup_are_blotted_out(text: str) -> None:
    assert "live" not in mask(text)


def test_a_short_quoted_title_stays() -> None:
    assert MASK not in mask('My favourite book is "The Dispossessed" by far.')


def test_an_apostrophe_opens_no_quotation() -> None:
    assert MASK not in mask("I'm sure that's Ana's, isn't it? The dogs' bowls aren't.")


def test_a_label_says_who_speaks_until_the_next_paragraph() -> None:
    text = "Ana: Hello. I sail.\nRui: Me too.\n\nIt rained."
    labels = [each.label for each in split_sentences(mask(text))]
    assert labels == ["Ana", "Ana", "Rui", None]


def test_questions_are_marked() -> None:
    assert [each.question for each in split_sentences("Really? Yes. Why?!")] == [True, False, True]
