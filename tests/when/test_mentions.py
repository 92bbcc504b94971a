"""Time phrases as they stand in a text."""

from __future__ import annotations

import pytest

from longmind.extract.moments import find_moment, moment_at


@pytest.mark.parametrize(
    ("text", "phrase", "sort"),
    [
        ("we left yesterday morning", "yesterday morning", "past"),
        ("it broke two weeks ago", "two weeks ago", "past"),
        ("she came last Friday night", "last Friday night", "past"),
        ("back in 2015 it rained", "back in 2015", "past"),
        ("we leave tomorrow", "tomorrow", "future"),
        ("in three days", "in three days", "future"),
        ("it opens next summer", "next summer", "future"),
        ("born on 14 February 1992", "on 14 February 1992", "either"),
        ("since May 2019", "since May 2019", "either"),
        ("on March 12", "on March 12", "either"),
        ("in the summer of 2019", "in the summer of 2019", "either"),
        ("from 2010 to 2014", "from 2010 to 2014", "either"),
        ("for about ten years now", "for about ten years now", "span"),
        ("every other Tuesday", "every other Tuesday", "repeated"),
        ("on Mondays", "on Mondays", "repeated"),
        ("three times a week", "three times a week", "repeated"),
        ("on 2024-05-01", "on 2024-05-01", "either"),
    ],
)
def test_time_phrases_are_found_and_sorted(text: str, phrase: str, sort: str) -> None:
    found = find_moment(text, 0, len(text))
    assert found is not None
    assert (text[found[0] : found[1]], found[2]) == (phrase, sort)


@pytest.mark.parametrize(
    "text", ["you may go", "march on", "a second opinion", "I saw Sunday's paper", "in Rome", ""]
)
def test_other_words_are_no_time(text: str) -> None:
    assert find_moment(text, 0, len(text)) is None


def test_a_phrase_can_be_asked_for_at_one_place() -> None:
    assert moment_at("see you in May", 8, 14) == (8, 14, "either")
    assert moment_at("see you in May", 4, 14) is None
