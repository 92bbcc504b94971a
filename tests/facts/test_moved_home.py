"""Whoever has moved to a named place lives there, however it is told, and no longer where they did."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("texts", "gone", "home"),
    [
        (("im livin in hove atm", "moved 2 peckham last wk lol so much closer to work"), "hove", "peckham"),
        (("i live in leith", "moved to gorgie on friday, way nearer to the office"), "leith", "gorgie"),
        (("livin in deal now", "sooo we moved again lol, ramsgate this time"), "deal", "ramsgate"),
        (("I live in Oslo.", "We've moved again: Bergen this time."), "Oslo", "Bergen"),
        (("I live in Oslo.", "Moved house again, Saint Ives this time, by the sea."), "Oslo", "Saint Ives"),
    ],
)
def test_a_move_told_offhand(texts: tuple[str, ...], gone: str, home: str) -> None:
    held = told(*texts)
    assert f"user lives_in {home}" in held
    assert not any(gone in line for line in held)


@pytest.mark.parametrize(
    "text",
    [
        "moved to the kitchen, closer to the office",
        "moved to jira last wk lol so much closer to work",
        "moved to thursdays, closer to the weekend",
        "We moved again, Jira this time.",
        "we moved again, thursday this time",
        "we moved again, kitchen this time",
        "Have we moved again, Hull this time?",
        "If we moved again, Hull this time, would you come?",
        "My sister said we moved again, Hull this time.",
        "he moved to hull, closer to work",
    ],
)
def test_what_is_no_new_home(text: str) -> None:
    assert "user lives_in Oslo" in told("I live in Oslo.", text)


@pytest.mark.parametrize(
    ("texts", "gone", "new"),
    [
        (
            ("Mrs. Okafor lives at number 4.", "Mrs. Okafor has moved into a nursing home called Elmfield."),
            "number 4",
            "Mrs. Okafor lives_in nursing home called Elmfield",
        ),
        (
            ("My aunt Joan lives in a cottage on Mill Lane.", "Joan has moved into sheltered housing."),
            "Mill Lane",
            "Joan lives_in sheltered housing",
        ),
        (
            ("I live at 7 Ash Road.", "I've moved into a flat on Dock Street."),
            "Ash Road",
            "user lives_in flat on Dock Street",
        ),
        (
            ("I live in Deal. My address is 7 Ash Road, Deal.", "I've moved into a flat on Dock Street."),
            "Ash Road",
            "user lives_in Deal",
        ),
    ],
)
def test_a_dwelling_takes_the_place_of_another(texts: tuple[str, ...], gone: str, new: str) -> None:
    held = told(*texts)
    assert not any(gone in line for line in held), held
    assert new in held


@pytest.mark.parametrize(
    "text",
    [
        "I've moved into a bigger office.",
        "I might move into a flat on Dock Street.",
        "I've moved into a flat on Dock Street for the summer.",
        "We've finally moved into the house.",
        "My sister said she moved into a flat on Dock Street.",
        "Should I have moved into a flat on Dock Street?",
        "I moved into house design.",
    ],
)
def test_what_is_no_other_dwelling(text: str) -> None:
    assert "user address 7 Ash Road" in told("I live at 7 Ash Road.", text)
