"""What is so no longer because something else is told of now: a firm, a weight, a cleaner, a subject."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.conftest import START
from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("before", "text", "gone", "held"),
    [
        ("I'm at Siemens these days.", "I work at Bosch now.", "is_at siemens", "works_at bosch"),
        ("im in dundee btw", "moved 2 perth last week", "is_in dundee", "lives_in perth"),
        ("I'm in good hands.", "I live in Perth.", "", "lives_in perth"),
        ("My dog Rex weighs 30 kg.", "Rex is up to 33 kg now.", "30 kg", "weighs 33 kg"),
        ("I weigh 68 kilos.", "Stepped on the scales: 63 kg now!", "68", "weighs 63 kg"),
        ("I weigh 68 kilos.", "Prices are up to 90 pounds.", "90", "weighs 68 kilos"),
        ("Our cleaner is Maria.", "Jo is our new cleaner.", "maria", "cleaner jo"),
        ("I'm studying law.", "I've changed my major to history, still at Ghent.", "law", "studies history"),
        ("I hate golf.", "I was wrong about golf. I love it.", "hates golf", "loves golf"),
        (
            "I can't bear opera.",
            "I saw Tosca and I was wrong about opera, I adore it.",
            "bear",
            "adores opera",
        ),
        ("Keep answers short.", "Long, detailed answers are what I want now.", "short", "long and detailed"),
    ],
)
def test_what_is_told_of_now_is_so_instead(before: str, text: str, gone: str, held: str) -> None:
    facts = [fact.lower() for fact in told(before, text)]
    assert not gone or not [fact for fact in facts if gone in fact]
    assert [fact for fact in facts if held in fact]


@pytest.mark.parametrize(
    ("text", "loved"),
    [
        ("Oh wonderful, the train's cancelled again. I just love standing in the cold.", False),
        ("Great, it's raining. I just love rain.", False),
        ("Oh great tip, thanks! I just love opera.", True),
        ("I went to Tosca. I just love opera.", True),
    ],
)
def test_a_sigh_before_it_makes_love_the_opposite(text: str, loved: bool) -> None:
    assert any("loves" in fact for fact in told(text)) is loved


def test_a_journey_on_a_day_to_come_is_a_plan_that_may_be_cancelled() -> None:
    assert any("plans" in fact and "Madeira" in fact for fact in told("We fly to Madeira on 3 October."))
    assert not any("plans" in fact for fact in told("We fly to Madeira every summer."))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("My friend Jo, who lives in Leeds, visits us on 30 March.", "Jo lives_in Leeds"),
        ("I'm meeting Jeremy, who's 36, for lunch on 30 March.", "Jeremy age 36"),
        ("I prefer in-person meetings, like my March 30 mentor lunch.", "user prefers in-person meetings"),
    ],
)
def test_a_date_of_something_else_is_not_when_a_state_begins(text: str, fact: str) -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        memory.conversation("c").add_turn("user", text)
        now = memory.revision
        changes = memory.facts.diff(AsOf(system=0, valid=0), AsOf(system=now, valid=now))
        known = [str(change.after.fact) for change in changes if change.after is not None]
        hits = [change.after.fact for change in changes if change.after is not None]
        assert fact in [f"{hit.subject} {hit.predicate} {hit.object}" for hit in hits], known


def test_the_memory_of_what_begins_later_tells_its_first_day() -> None:
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as memory:
        memory.conversation("c").add_turn("user", "From 1 November 2031 I'll be working for Havbris.")
        assert [item.content for item in memory.memories.list()] == [
            "User works at Havbris from 1 November 2031"
        ]


def test_a_deed_told_with_a_bare_date_lies_behind() -> None:
    assert [fact for fact in told("I attended the May 5 workshop.") if "did" in fact] == [
        f"user did attended the 5 May {_year_before(5, 5)} workshop"
    ]


def _year_before(month: int, day: int) -> int:
    started = FrozenClock(START).now() / 1000
    then = datetime.fromtimestamp(started, UTC)
    return then.year - ((then.month, then.day) < (month, day))


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I manage the bakery on Mill Road.", "I no longer manage the bakery."),
        ("I manage the bakery on Mill Road.", "I don't manage the bakery any more."),
        ("I read crime novels.", "I don't read crime novels anymore."),
        ("I captain the village team.", "I stopped captaining the village team."),
        ("I captain the village team.", "I no longer captain the village team."),
        ("I see a therapist.", "I've stopped seeing a therapist."),
        ("I need reading glasses.", "I don't need glasses any more."),
    ],
)
def test_what_a_verb_of_the_moment_told_for_long_ends_by_the_same_verb(before: str, text: str) -> None:
    assert len(told(before)) == 1
    assert told(before, text) == []


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I'm a volunteer with the harbour patrol in Mallaig.", "I'm no longer on the harbour patrol."),
        ("I'm the secretary of the parish council.", "I'm not on the parish council any more."),
        ("I sing in the chorus at St Mary's.", "I'm not in the chorus any more."),
    ],
)
def test_who_has_left_a_group_is_nothing_in_it(before: str, text: str) -> None:
    assert told(before)
    assert told(before, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'm no longer on the night patrol.",
        "If I'm no longer on the harbour patrol, who does it?",
        "My brother is no longer on the harbour patrol.",
        "Am I no longer on the harbour patrol?",
    ],
)
def test_who_left_another_group_stays_in_this_one(text: str) -> None:
    first = "I'm a volunteer with the harbour patrol in Mallaig."
    assert told(first)[0] in told(first, text)


@pytest.mark.parametrize(
    "texts",
    [
        ("My bank is Onyx.", "Switched my banking to Talfin.", "Went back to Onyx, Talfin kept crashing."),
        ("Switched my banking to Talfin.", "I still bank with Onyx."),
    ],
)
def test_a_bank_has_one_name_for_all_its_words(texts: tuple[str, ...]) -> None:
    held = told(*texts)
    assert held == ["user bank Onyx"] or held == ["user banks_with Onyx"]


def test_who_works_in_banking_has_the_same_bank() -> None:
    held = told("I bank with Onyx.", "I work in banking.", "My banking app is Talfin.")
    assert "user banks_with Onyx" in held
