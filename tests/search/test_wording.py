"""What the wording of a question says about whose words are meant, and what is wanted."""

from __future__ import annotations

import random
import re

import pytest

from longmind.search import question, standing, wording
from longmind.search.wording import is_request, side_meant


@pytest.mark.parametrize(
    "question",
    [
        "Can you tell me where the spare key is?",
        "Could you please remind me which port the server uses?",
        "Do you know when the museum opens?",
        "Would you show me the deployment steps?",
        "What is the wifi password of the office, thank you",
        "Where does Ana live?",
    ],
)
def test_politeness_names_nobody(question: str) -> None:
    assert side_meant(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend for the trip?",
        "Which book have you suggested?",
        "What was the restaurant you told me about?",
        "Can you remind me what your advice was?",
        "Could you remind me of the shop we talked about?",
        "You previously mentioned a library for dates, which one?",
    ],
)
def test_what_the_assistant_said_is_asked_for(question: str) -> None:
    assert side_meant(question) == "assistant"


@pytest.mark.parametrize(
    "question",
    ["Where did I park?", "Can you tell me what my sister's name is?", "How many points do I need to earn?"],
)
def test_what_the_user_said_is_asked_for(question: str) -> None:
    assert side_meant(question) == "user"


@pytest.mark.parametrize(
    "question",
    [
        "Can you recommend a hotel in Rome?",
        "What should I cook tonight?",
        "Any tips for a long flight?",
        "I'm looking for a new phone.",
        "Help me plan my weekend.",
        "What are some good podcasts?",
    ],
)
def test_a_wish_is_a_request(question: str) -> None:
    assert is_request(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did Ana recommend?",
        "Which hotel was suggested for Rome?",
        "Where does the config live?",
        "How many points do I need to earn?",
        "python parse json from file",
    ],
)
def test_a_question_about_what_was_said_is_no_request(question: str) -> None:
    assert not is_request(question)


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
def test_of_a_very_long_blank_nothing_asks(blank: str) -> None:
    assert wording.asking_part(blank * 5000) == ""
    assert wording.asking_part(f"{blank * 5000}where is it?") == "where is it?"


_RULES = {
    "told by you": wording._TOLD_BY_YOU,
    "first person": wording._FIRST_PERSON,
    "request": wording._REQUEST,
    "several": wording._SEVERAL,
    "temporal": question._TEMPORAL,
    "exploratory": question._EXPLORATORY,
    "past": standing._ASKS_PAST,
}


@pytest.mark.parametrize("name", _RULES)
def test_a_rule_that_looks_for_its_words_first_matches_what_its_pattern_matches(name: str) -> None:
    """Sentences of the words that the pattern is made of: nearly all that it can match comes up."""
    rule = _RULES[name]
    words = sorted({*re.findall(r"[a-z]+'?[a-z]*", re.sub(r"\\[a-z]", " ", rule.pattern.pattern)), "Ana"})
    words += [f"{stem}ize" for stem in ("summar", "chronolog", "evolv")]
    words += [f"{word}s" for word in ("recommendation", "suggestion", "idea", "change")]
    draw = random.Random(7)
    matched = 0
    for _ in range(4000):
        sentence = " ".join(draw.choices(words, k=draw.randint(1, 7)))
        sentence = sentence.title() if draw.random() < 0.2 else sentence
        expected = rule.pattern.search(sentence)
        assert (rule.search(sentence) is None) == (expected is None), sentence
        matched += expected is not None
    assert matched > 100
