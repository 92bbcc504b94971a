"""What is so now is told in the place of what was so before, in whichever words either was told."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from longmind.facts.anew import doing_of, takes_the_place_of
from tests.conftest import START
from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("I go running on Tuesdays.", "I go running on Fridays now.", "Tuesdays", "Fridays"),
        ("I drive a truck for Maersk.", "I'm driving for Kuehne these days.", "Maersk", "Kuehne"),
        ("I go to work by train.", "I cycle to work now.", "train", "cycles_to work"),
        ("I take the bus to the office.", "I walk to work these days.", "bus", "walks_to work"),
        ("I walk to school.", "I take the tram to school now.", "walks_to school", "tram"),
        ("I use a Samsung tablet and a Nokia.", "I'm on a Fairphone now.", "Nokia", "Fairphone"),
        ("I work five days a week.", "I work three days a week now.", "five days", "three days"),
        ("I am on the late shift.", "I'm back on the early shift.", "late shift", "early shift"),
        ("I work in the Turin office.", "They moved me to the Bari office.", "Turin", "Bari office"),
        ("Our team uses Signal for alerts.", "Our team went back to Slack for alerts.", "Signal", "Slack"),
        ("I teach chemistry.", "I've switched to teaching physics.", "chemistry", "teaches physics"),
        ("I'm running Ubuntu at home.", "I've switched back to Debian.", "Ubuntu", "Debian"),
        ("I use Slack and I bank with Northmere.", "We went over to Teams.", "Slack", "Teams"),
    ],
)
def test_what_is_told_anew_takes_the_place_of_what_was_told(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I go running on Tuesdays.", "I go swimming on Fridays now.", "Tuesdays"),
        ("I go running on Tuesdays.", "I also go running on Fridays now.", "Tuesdays"),
        ("I drive long haul for Maersk.", "I'm looking for a new book now.", "Maersk"),
        ("I go to work by train.", "I cycle to the gym now.", "train"),
        ("I take the bus to the office.", "My sister walks to work now.", "bus"),
        ("I use a Nokia.", "I use Firefox now.", "Nokia"),
        ("I work five days a week.", "I swim three times a week now.", "five days"),
        ("I play the cello.", "I play the flute now.", "cello"),
        ("I work for Maersk as a clerk.", "I work from home now.", "Maersk"),
        ("I speak Greek with my mother.", "I speak Dutch with my neighbours now.", "Greek"),
        ("Our team uses Signal for alerts.", "We went back to the beach.", "Signal"),
        ("I live in Bari and work in the port.", "They moved me to a window seat.", "Bari"),
        ("I bank with Northmere and rent from Elmhurst.", "We went over to Teams.", "Northmere"),
        ("My wife Gulnara is a pharmacist.", "Gulnara works at the clinic these days.", "pharmacist"),
    ],
)
def test_what_is_told_of_something_else_ends_nothing(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


def test_a_fact_is_taken_apart_by_its_prepositions() -> None:
    doing = doing_of("drives", "long haul for Schenker")
    assert (doing.verb, doing.thing, doing.rest) == ("drive", ("long", "haul"), {"for": ("Schenker",)})
    assert doing_of("habit", "go swimming on Mondays").verb == "go"
    assert takes_the_place_of(doing_of("driving_for", "Dachser"), doing)
    assert not takes_the_place_of(doing_of("driving_to", "Dachser"), doing)


def test_a_memory_follows_the_fact_that_it_was_placed_under() -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        for text in (
            "Our family uses Signal for messages.",
            "Our family has switched to WhatsApp for messages.",
            "Our family has gone back to Signal for messages.",
        ):
            talk.add_turn("user", text)
            clock.advance(days=30)
        active = [memory.content for memory in memory.memories.list()]
    assert not any("WhatsApp" in content for content in active), active
    assert any("Signal" in content for content in active), active
