"""The type of a question, by rules that give their reason; any string has one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.filters import View
from longmind.search.question import Question, classify
from longmind.search.request import SearchRequest

TYPES = {
    "factual": (
        *("Who wrote the letter?", "where is it", "Which of them", "what is a zebra", "What's his name"),
        *("is it blue?", "did Ana call", "how many are there", "how old is she", "  does it work"),
        *("ERR_42", "the file src/a_b.py", "a::b fails", "v1.2 broke", 'the words "green tea"'),
    ),
    "temporal": (
        *(
            "When did it happen?",
            "how long ago",
            "what day was it",
            "the latest note",
            "What was the last thing",
        ),
        *(
            "before the war",
            "who came first?",
            "since when",
            "recently changed",
            "the history of it",
            "two days ago",
        ),
    ),
    "exploratory": (
        *("Tell me about Ana", "what do we know of zebras", "everything on lamps", "give me an overview"),
        *(
            "summarise the week",
            "list all notes",
            "show me cats",
            "any ideas?",
            "tell me about when it began",
        ),
    ),
    "semantic": (
        "",
        "zebras and lions",
        "cats that drink milk",
        "猫が好き",
        "a note on lamps",
        "whoever",
        "latests",
    ),
}


@pytest.mark.parametrize(
    ("kind", "question"), [(kind, text) for kind, texts in TYPES.items() for text in texts]
)
def test_a_question_has_a_type(kind: str, question: str) -> None:
    assert classify(question).type == kind


def test_case_does_not_matter() -> None:
    for kind, texts in TYPES.items():
        for text in texts:
            assert classify(text.upper()).type == kind, text


def test_the_reason_quotes_the_question() -> None:
    assert classify("so, tell me about cats").reason == "asks for a survey: 'tell me about'"
    assert classify("Who is it").reason == "begins like a question of fact: 'Who'"
    assert classify("cats").reason == "no rule for another type fits"


@settings(derandomize=True, deadline=None, database=None)
@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=300))
def test_any_string_has_a_type_and_a_reason(text: str) -> None:
    found = classify(text)
    assert found.type in TYPES
    assert found.reason
    assert classify(text) == found


def test_only_the_two_ends_of_a_long_question_are_looked_at() -> None:
    assert classify("cats " * 1000 + "when " + "cats " * 1000).type == "semantic"
    assert classify("cats " * 500_000 + "when").type == "temporal"
    assert classify("when " + "cats " * 500_000).type == "temporal"


@pytest.mark.parametrize(
    ("query", "share"),
    [
        ("Who signed Messi in 1982?", 2 / 3),
        ("Looking for hotels. Recommend some.", 0.0),
        ("recommend hotels in Rome", 1 / 3),
    ],
)
def test_a_capital_at_the_beginning_of_a_sentence_is_not_a_name(query: str, share: float) -> None:
    question = Question(SearchRequest.of(query, View.of("notes"), limit=5))
    assert question.names == pytest.approx(share)
