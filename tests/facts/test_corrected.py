"""What was counted, measured or looked up again, and what was written in the place of something else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.conftest import START
from tests.facts.test_doubt import held


def told_at_once(*texts: str) -> list[str]:
    """What is held after turns of the user, each a minute after the one before."""
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        for text in texts:
            talk.add_turn("user", text)
            clock.advance(seconds=60)
        return held(memory)


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "The flat is 71 square metres.",
            "I measured again and I had it wrong. It's 67 square metres, the balcony doesn't count.",
            "71",
            "67",
        ),
        ("My class has 27 kids.", "I miscounted, forgot the new boy. It's 28.", "27", "28"),
        ("The table is 180 cm long.", "Measured again, it's 176 cm.", "180", "176"),
        ("Our garden is 300 square metres.", "I remeasured it, it's only 280 square metres.", "300", "280"),
        ("We have 12 hens.", "Counted again, there are 13.", "12", "13"),
        ("My rent is 900.", "I looked at the contract again: it's 920.", "900", "920"),
        ("The course costs 300 euros.", "Just checked the website, it's 340 euros.", "300", "340"),
        ("My appointment is on 3 May.", "Just checked the card, it's on 5 May.", "on 3 May", "5 May"),
        (
            "Our son starts at the Waldorf school.",
            "Hm I wrote Waldorf but it's the Elm one.",
            "Waldorf",
            "Elm",
        ),
        ("My sister lives in Porto.", "I said Porto but it's Braga.", "Porto", "Braga"),
        ("The rent is 850.", "I wrote 850 but it's 885.", "850", "885"),
        ("My brother works at Siemens.", "I said Siemens but meant Bosch.", "Siemens", "Bosch"),
        ("Our trainer is Catarina Lobo.", "Not Catarina, Carolina.", "Catarina", "Carolina"),
    ],
)
def test_what_is_said_to_be_otherwise_takes_the_place_of_what_was_said(
    first: str, second: str, gone: str, new: str
) -> None:
    after = told_at_once(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("My class has 27 kids.", "I miscounted the eggs. It's 28 of them.", "27"),
        ("My sister lives in Porto.", "I said Porto but I was joking about the weather.", "Porto"),
        ("My rent is 900.", "I wrote to the landlord but it's Sunday.", "900"),
        ("My rent is 900.", "I looked at the contract again. It's long.", "900"),
        ("We have 12 hens.", "I counted the eggs again, there are 13.", "12"),
        ("My flight is at 9.", "I checked the weather, it's 10 degrees.", "at 9"),
        ("My appointment is on 3 May.", "I checked my inbox, it's full.", "on 3 May"),
    ],
)
def test_what_is_said_of_something_else_mends_nothing(first: str, second: str, kept: str) -> None:
    after = told_at_once(first, second)
    assert any(kept in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "My niece Ines is studying botany at Hull.",
            "Correction on Ines: she's doing biology, not botany.",
            "botany",
            "Ines studies biology",
        ),
        (
            "My niece Ines is studying botany.",
            "Ines is doing biology, not botany.",
            "botany",
            "Ines studies biology",
        ),
        (
            "My son Theo plays the cello.",
            "Correction: Theo's doing viola, not cello.",
            "cello",
            "plays viola",
        ),
    ],
)
def test_the_value_that_is_denied_names_what_is_mended(first: str, second: str, gone: str, new: str) -> None:
    after = told_at_once(first, second)
    assert not any(gone in line for line in after), after
    assert any(line.endswith(new) for line in after), after


@pytest.mark.parametrize(
    "text",
    [
        "Is Ines doing biology, not botany?",
        "Ines said that Sam is doing biology, not botany.",
        "Ines might do biology, not botany.",
        "Sam is doing biology, not botany.",
        "Ines is doing well, not badly.",
    ],
)
def test_what_denies_nothing_of_somebody_mends_nothing(text: str) -> None:
    assert "Ines studies botany" in told_at_once("My niece Ines is studying botany.", text)


def test_what_was_swapped_was_so_until_then() -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        talk.add_turn("user", "I'm a dispatcher at Vane Freight.")
        clock.advance(days=5)
        between = datetime.fromtimestamp(clock.now() / 1000, UTC)
        clock.advance(days=25)
        talk.add_turn("user", "Swapped Vane Freight for Corrie Mills today. First day done.")
        then = AsOf(system=memory.revision, valid=between)
        changes = memory.facts.diff(AsOf(system=0, valid=0), then)
        values = [str(change.after.fact.object) for change in changes if change.after]
        assert any("Vane Freight" in value for value in values), values
        assert not any("Corrie" in value for value in values), values
