"""What somebody is back to holds again, and what came instead is over."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("texts", "gone", "again"),
    [
        (
            (
                "I'm on the early shift.",
                "I've moved to the late shift.",
                "Back on the early shift as of today.",
            ),
            "late shift",
            "early shift",
        ),
        (
            (
                "I'm on the early shift at the plant.",
                "They've put me on the late shift since Monday.",
                "They've put me back on the early shift.",
            ),
            "late shift",
            "early shift",
        ),
        (
            (
                "We do our calls on Skype.",
                "We do our calls on Jitsi now.",
                "And we're back to Skype for the calls.",
            ),
            "Jitsi",
            "Skype",
        ),
        (
            ("I bank with N26.", "I've switched to Revolut.", "I've gone back to N26 for everything."),
            "Revolut",
            "N26",
        ),
        (
            (
                "I train at PureGym.",
                "I train at Bannatyne now.",
                "Bannatyne was miles away so I'm back training at PureGym.",
            ),
            "Bannatyne",
            "PureGym",
        ),
    ],
)
def test_what_somebody_is_back_to_holds_again(texts: tuple[str, ...], gone: str, again: str) -> None:
    after = told(*texts)
    assert not any(gone in line for line in after), after
    assert any(again in line for line in after), after


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (
            ("I'm on the early shift.", "I've moved to the late shift.", "Am I back on the early shift?"),
            "late",
        ),
        (
            (
                "I'm on the early shift.",
                "I've moved to the late shift.",
                "I might go back on the early shift.",
            ),
            "late",
        ),
        (("I'm on the early shift.", "Swapped to the late shift with Dan this Friday."), "early shift"),
        (("I use Skype.", "We're back to normal for the calls."), "Skype"),
        (("I live in Hove.", "I moved to Lyon.", "Back in Hove for the weekend."), "Lyon"),
        (("I live in Hove.", "I moved to Lyon.", "My sister is back in Hove."), "Lyon"),
        (("I train at PureGym.", "I use Strava.", "I'm back at PureGym after the flu."), "Strava"),
    ],
)
def test_what_nobody_is_back_to_ends_nothing(texts: tuple[str, ...], kept: str) -> None:
    after = told(*texts)
    assert any(kept in line for line in after), after
