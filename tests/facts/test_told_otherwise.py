"""What is told anew in other words takes the place of what was told before."""

from __future__ import annotations

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.facts.test_doubt import START, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("My locker at the pool is number 88.", "They've moved me, I've got locker 102 now.", "88", "102"),
        (
            "Our bakery closes at half past four.",
            "We've changed the hours, the bakery closes at six now.",
            "half past four",
            "six",
        ),
        (
            "The code for the garage door is 3391.",
            "The garage code has been changed to 7710.",
            "3391",
            "7710",
        ),
        (
            "My boat insurance policy is number AV-10293.",
            "The boat insurance policy number is different this year, AV-55810.",
            "AV-10293",
            "AV-55810",
        ),
        ("The beta release is set for 5 May.", "We've pushed the release to 19 May.", "5 May", "19 May"),
        (
            "The product launch is on 5 May.",
            "Marketing wasn't ready, so the launch got moved to 2 June.",
            "5 May",
            "2 June",
        ),
        (
            "My membership number at the library is 40021.",
            "New library card, the membership number is 58113 now.",
            "40021",
            "58113",
        ),
        (
            "Our team meeting starts at ten.",
            "Team meeting is at half past eleven these days.",
            "at ten",
            "half past eleven",
        ),
        ("I pay 640 euros rent.", "From this month the rent is 690 euros.", "640", "690"),
        ("My seat at the office is desk 14.", "They've put me at desk 31 now.", "14", "31"),
        (
            "The database backups are stored in Backblaze.",
            "The backups are stored in Wasabi now.",
            "Backblaze",
            "Wasabi",
        ),
        (
            "Our summer show has the title Low Tide.",
            "The show is called High Water now.",
            "Low Tide",
            "High Water",
        ),
        ("Retros happen on Miro.", "Retros are on FigJam these days.", "Miro", "FigJam"),
        ("Our standup takes place on Zoom.", "We're back to Teams for the standup.", "Zoom", "Teams"),
        ("The bike shed combination is 4417.", "Shed combination is 9920 from today.", "4417", "9920"),
    ],
)
def test_a_new_value_in_other_words_replaces_the_old_one(
    first: str, second: str, gone: str, new: str
) -> None:
    assert any(gone in line for line in told(first))
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("Our bakery closes at half past four.", "The pharmacy closes at six now.", "half past four"),
        ("Our bakery closes at half past four.", "The bakery opens at six now.", "half past four"),
        ("Our bakery closes at half past four.", "Does the bakery close at six now?", "half past four"),
        ("Our bakery closes at half past four.", "The bakery could close at six now.", "half past four"),
        (
            "The code for the garage door is 3391.",
            "The code for the front door has been changed to 7710.",
            "3391",
        ),
        ("My locker at the pool is number 88.", "My brother has got locker 102 now.", "88"),
        ("My locker at the pool is number 88.", "I've got 102 emails now.", "88"),
        ("My seat at the office is desk 14.", "I'm at desk 31 now, helping Ana.", "14"),
        ("My seat at the office is desk 14.", "The meeting is at desk 31 now.", "14"),
        ("The product launch is on 5 May.", "The launch party was moved to 2 June.", "5 May"),
        ("The product launch is on 5 May.", "They want the launch pushed to 2 June.", "5 May"),
        ("My bin collection day is Tuesday.", "The recycling collection has moved to Thursdays.", "Tuesday"),
        ("I take 50 mg of sertraline.", "My dad takes 75 mg now.", "50 mg"),
        (
            "My boat insurance policy is number AV-10293.",
            "The car insurance policy number is different now, CX-55810.",
            "AV-10293",
        ),
        (
            "The database backups are stored in Backblaze.",
            "The photos are stored in Wasabi now.",
            "Backblaze",
        ),
        (
            "The database backups are stored in Backblaze.",
            "The database passwords are stored in Vault now.",
            "Backblaze",
        ),
        ("I pay 640 euros rent.", "My sister's rent is 690 euros now.", "640"),
        ("Our team meeting starts at ten.", "The team lunch is at half past eleven these days.", "ten"),
    ],
)
def test_what_is_told_of_something_else_changes_nothing(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


def test_of_two_that_are_meant_alike_neither_changes() -> None:
    lockers = ("My locker at the pool is number 88.", "My locker at the gym is number 12.")
    after = told(*lockers, "They've moved me, I've got locker 102 now.")
    assert any("88" in line for line in after), after
    assert any("12" in line for line in after), after


def test_the_past_of_a_replaced_value_stays() -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        talk.add_turn("user", "The database backups are stored in Backblaze.")
        first = clock.now()
        clock.advance(days=30)
        talk.add_turn("user", "The backups are stored in Wasabi now.")
        clock.advance(days=30)
        now = [str(hit.fact.object) for hit in memory.facts.about("database backups")]
        then = [
            str(hit.fact.object)
            for hit in memory.facts.about(
                "database backups", as_of=AsOf(system=AsOf.LATEST.system, valid=first)
            )
        ]
    assert now == ["Wasabi"]
    assert then == ["Backblaze"]
