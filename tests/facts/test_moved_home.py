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
