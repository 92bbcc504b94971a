"""A bare value that mends what was told last, where the speaker has looked it up or takes it back."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from tests.facts.test_doubt import START, held


def told_within_the_hour(*texts: str) -> list[str]:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        for text in texts:
            talk.add_turn("user", text)
            clock.advance(seconds=1200)
        return held(memory)


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("Our office is on the second floor.", "Scrap that, third floor.", "second", "third"),
        ("I fly out of Luton on Friday.", "Hang on, the ticket says Heathrow.", "Luton", "Heathrow"),
        (
            "I fly out of Luton on Friday.",
            "Just opened the booking and it says Heathrow.",
            "Luton",
            "Heathrow",
        ),
        ("I take 50 mg of sertraline.", "The box says 75 mg, not 50.", "50 mg", "75 mg"),
        ("My train leaves at 9:40.", "Sorry, just looked at the ticket, 9:50.", "9:40", "9:50"),
    ],
)
def test_what_was_told_last_is_mended(first: str, second: str, gone: str, new: str) -> None:
    after = told_within_the_hour(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("Our office is on the second floor.", "The sign says Exit.", "second"),
        ("I take 50 mg of sertraline.", "The box says take with food.", "50 mg"),
        ("I take 50 mg of sertraline.", "The box says 28 tablets.", "50 mg"),
        ("I fly out of Luton on Friday.", "The map says Leeds is two hours away.", "Luton"),
        ("My train leaves at 9:40.", "What does the ticket say?", "9:40"),
    ],
)
def test_what_a_paper_says_besides_mends_nothing(first: str, second: str, kept: str) -> None:
    after = told_within_the_hour(first, second)
    assert any(kept in line for line in after), after
