"""What the wording of a question says about whose words are meant, and what is wanted."""

from __future__ import annotations

import pytest

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
