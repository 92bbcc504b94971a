"""Plain things told loosely: without apostrophes, capitals or a verb of their own, or before a question."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my dogs name is waffles hes a corgi", "user dog waffles"),
        ("my dogs name is waffles hes a corgi", "waffles is corgi"),
        ("my mums name is ines", "user mother ines"),
        ("omg guess what im a nurse now!! passed everything", "user role nurse"),
        ("My favourite composer has always been Fauré.", "user favorite_composer Fauré"),
        ("I'm turning 30 on 19 August, and I want it quiet.", "user birthday 19 August"),
        ("I turn forty on March 3rd.", "user birthday March 3rd"),
        ("The doctor's put me on metformin, 500 mg twice a day.", "take metformin"),
        ("My cardiologist has started me on ramipril.", "takes ramipril"),
        (
            "I love open-water swimming and can't stand treadmills, can you build me a plan?",
            "user dislikes treadmills",
        ),
        ("We use RabbitMQ and I like Go, could you write the worker?", "user likes Go"),
        ("My flight to Oslo on Friday leaves at 7:40.", "user flight leaves at 7:40"),
        ("I live in Hull with two dogs, would you feed them oats?", "user lives_in Hull"),
    ],
)
def test_what_is_told_loosely_is_read(text: str, expected: str) -> None:
    after = told(text)
    assert any(expected in line for line in after), after


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("my dogs love bones", "dog "),
        ("my sisters are called Ann and Bea", "sister's"),
        ("Guess what I want for lunch?", "want"),
        ("The doctor's put me on hold.", "take"),
        ("The nurse put me on the list.", "take"),
        ("The heating is turning on at six.", "birthday"),
        ("He's turning left on Elm Street.", "birthday"),
        ("If I love swimming, can you build me a plan?", "loves"),
        ("My flight to Oslo on Friday leaves at 7:40.", "Oslo on Friday"),
        ("The meeting with Ana on Tuesday starts at 10.", "Ana on Tuesday starts"),
    ],
)
def test_what_only_looks_like_it_is_not(text: str, wrong: str) -> None:
    after = told(text)
    assert not any(wrong in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("i live in patras", "moved to volos btw, love it here", "patras", "lives_in volos"),
        ("i live in patras", "just moved to volos with my gf", "patras", "lives_in volos"),
        ("i live in patras", "ive moved to volos for uni", "patras", "lives_in volos"),
        (
            "CI runs on Buildkite.",
            "We've moved CI off Buildkite and on to CircleCI.",
            "Buildkite",
            "CircleCI",
        ),
        ("CI runs on Buildkite.", "We moved CI to CircleCI.", "Buildkite", "runs_on CircleCI"),
        ("We use RabbitMQ for jobs.", "We decided to replace RabbitMQ with NATS.", "RabbitMQ", "uses NATS"),
        (
            "Catriona's wedding is on 14 September 2024 at Culzean Castle.",
            "Catriona's wedding is now at Dundas Castle, the date hasn't moved.",
            "Culzean",
            "on 14 September 2024 at Dundas Castle",
        ),
    ],
)
def test_what_is_told_loosely_takes_the_place_of_what_was_told(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("i live in patras", "moved to linux, way nicer than windows", "lives_in patras"),
        ("i live in patras", "i moved to nights, been here since april", "lives_in patras"),
        ("i live in patras", "moved to product management for work", "lives_in patras"),
        ("i live in patras", "my sis moved to volos, she likes it here", "user lives_in patras"),
        ("CI runs on Buildkite.", "We moved the docs to Confluence.", "runs_on Buildkite"),
        ("We use RabbitMQ.", "We decided to replace the boiler with a heat pump.", "uses RabbitMQ"),
    ],
)
def test_another_change_leaves_what_was_told(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after
