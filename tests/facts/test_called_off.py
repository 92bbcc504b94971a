"""An engagement that is broken off, and whose it is."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told

ENGAGED = "I'm engaged to Matteo."


@pytest.mark.parametrize(
    "second",
    [
        "Matteo and I broke off the engagement in the spring.",
        "We've called off the wedding.",
        "I broke off my engagement.",
        "We finally called off our wedding.",
        "Matteo and I have split up.",
    ],
)
def test_an_engagement_ends(second: str) -> None:
    assert not any("engaged_to" in line for line in told(ENGAGED, second))


@pytest.mark.parametrize(
    "second",
    [
        "My brother broke off his engagement.",
        "My brother called off the wedding.",
        "We heard that Jo called off the wedding.",
        "Should we call off the wedding?",
        "We almost broke off the engagement.",
        "We might call off the wedding.",
        "We moved the wedding to July.",
    ],
)
def test_an_engagement_stays(second: str) -> None:
    assert "user engaged_to Matteo" in told(ENGAGED, second)
