"""Where a text mentions a time, and of what kind."""

from __future__ import annotations

import pytest

from longmind.when.mentions import find_mention, mention_at
from tests.extract.labelled import rows


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
        ("for about ten years now", "for about ten years now", "length"),
        ("every other Tuesday", "every other Tuesday", "repeated"),
        ("on Mondays", "on Mondays", "repeated"),
        ("three times a week", "three times a week", "repeated"),
        ("on 2024-05-01", "on 2024-05-01", "either"),
    ],
)
def test_time_phrases_are_found_and_sorted(text: str, phrase: str, sort: str) -> None:
    found = find_mention(text, 0, len(text))
    assert found is not None
    assert (text[found[0] : found[1]], found[2]) == (phrase, sort)


@pytest.mark.parametrize(
    "text", ["you may go", "march on", "a second opinion", "I saw Sunday's paper", "in Rome", ""]
)
def test_other_words_are_no_time(text: str) -> None:
    assert find_mention(text, 0, len(text)) is None


def test_a_phrase_can_be_asked_for_at_one_place() -> None:
    assert mention_at("see you in May", 8, 14) == (8, 14, "either", 11)
    assert mention_at("see you in May", 4, 14) is None


@pytest.mark.parametrize(
    "text",
    ["Blade Runner 2049", "the song “Last Christmas” again", 'she read "Summer of 1969" twice', "Sunday"],
)
def test_names_and_titles_are_no_time(text: str) -> None:
    assert find_mention(text, 0, len(text)) is None


def test_mentions_are_found_in_the_sentence_that_is_asked_for() -> None:
    text = "We met in May. It rained last week! I left\nyesterday"
    mentions = []
    position = 0
    while (mention := find_mention(text, position, len(text))) is not None:
        mentions.append(text[mention.start : mention.end])
        position = mention.end
    assert mentions == ["in May", "last week", "yesterday"]
    assert find_mention(text, 15, 30) is None


def test_what_is_found_in_a_text_is_found_at_its_place() -> None:
    """`mention_at` leaves a place early where no time can begin: never one where a time was found."""
    count = 0
    for row in rows("utterances.jsonl"):
        text, position = row["text"], 0
        while (mention := find_mention(text, position, len(text))) is not None:
            assert mention_at(text, mention.start, len(text)) == mention, text
            position = mention.end
            count += 1
    assert count > 20
