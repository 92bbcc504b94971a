"""Who has an office or a thing of theirs elsewhere now, and what is told in the place of what."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from tests.conftest import START
from tests.facts.test_doubt import check_replaced, held, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "Our building manager is Tomasz Gil.",
            "Beata Rutka has replaced Tomasz Gil as building manager.",
            "Tomasz Gil",
            "user building_manager Beata Rutka",
        ),
        ("Our treasurer is Ben.", "Mia took over from Ben as treasurer.", "Ben", "user treasurer Mia"),
        ("Lena owns billing.", "Marco has replaced Lena as owner of billing.", "Lena", "billing owner Marco"),
        (
            "My manager is Tom Gil.",
            "Beata Rutka has replaced Tom Gil as my manager.",
            "Tom Gil",
            "Beata Rutka",
        ),
    ],
)
def test_who_takes_over_an_office_has_it_in_the_place_of_the_other(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


def test_an_office_is_handed_on_in_a_mail() -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        memory.remember("The building manager is Tomasz Gil.", speaker="Jan Kow")
        clock.advance(days=30)
        memory.remember(
            "Dear all, please note that Beata Rutka has replaced Tomasz Gil as building manager at Wrzos.",
            speaker="Jan Kow",
        )
        after = held(memory)
    assert not any("Gil" in line for line in after), after
    assert "building manager is Beata Rutka" in after
    assert "Wrzos building_manager Beata Rutka" in after


def test_others_words_hand_on_nothing_of_the_users() -> None:
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        memory.conversation("c").add_turn("user", "Our treasurer is Ben.")
        clock.advance(days=30)
        memory.remember("Mia took over from Ben as treasurer.", speaker="Jan Kow")
        assert "user treasurer Ben" in held(memory)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("Our captain is Ben.", "Mia almost replaced Ben as captain.", "captain Ben"),
        ("Our captain is Ben.", "Mia replaced Ben as treasurer of the choir.", "captain Ben"),
        ("Our captain is Ben.", "Mia replaced Ben as soon as she could.", "captain Ben"),
        ("Our captain is Ben.", "If Mia replaced Ben as captain, we'd win.", "captain Ben"),
    ],
)
def test_an_office_that_was_not_handed_on_stays(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "My dentist is Dr Amelia Farquhar. Her practice is on Bath Street.",
            "Dr Farquhar has moved her practice to Ingram Street.",
            "Bath Street",
            "practice Ingram Street",
        ),
        ("My sister Ana's studio is in Faro.", "Ana has moved her studio to Lagos.", "Faro", "studio Lagos"),
        ("Marta's bakery is in Porto.", "Marta relocated her bakery to Braga.", "Porto", "bakery Braga"),
        ("Ana's stall is on Saturdays.", "Ana has moved her stall to Sundays.", "Saturdays", "stall Sundays"),
    ],
)
def test_what_somebody_else_moves_is_elsewhere_then(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("second", "wrong"),
    [
        ("Tom moved his family to Ohio.", "family Ohio"),
        ("Tom moved his hand to the left.", "hand"),
        ("Tom changed his mind to go to York.", "go to York"),
        ("Tom has moved his chair to the window.", "chair"),
    ],
)
def test_what_has_no_place_of_its_own_is_not_held_by_it(second: str, wrong: str) -> None:
    after = told("Tom lives in Leeds.", second)
    assert "Tom lives_in Leeds" in after
    assert not any(line.startswith(f"Tom {wrong}") or wrong == "go to York" in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "I teach third grade at a charter school in Memphis.",
            "New year, new challenge: they've moved me up to sixth grade!",
            "third",
            "teaches sixth grade at a charter school in Memphis",
        ),
        ("I teach third grade.", "I've been moved to fifth grade.", "third", "teaches fifth grade"),
        ("I teach year 9 at Elm School.", "They moved me to year 11.", "year 9", "year 11 at Elm School"),
        (
            "Always reply in British English when you draft things for me.",
            "My readers are all in the States, so from now on write my drafts in American English instead.",
            "British",
            "American English",
        ),
        (
            "Always write in British English.",
            "My readers are in the States, so from now on please use American English.",
            "British",
            "use American English",
        ),
        ("Always answer in German.", "I'm fluent, so from today answer in English.", "German", "in English"),
        (
            "My favourite pastime is watching cricket.",
            "I don't enjoy cricket any more, I'm into snooker.",
            "watching cricket",
            "snooker",
        ),
        ("My favourite hobby is playing chess.", "I hate chess now.", "playing", "hates chess"),
    ],
)
def test_the_next_takes_the_place_of_the_one_before(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I teach third grade.", "My daughter moved up to sixth grade.", "teaches third grade"),
        ("I teach third grade.", "They've moved me to the chess club.", "teaches third grade"),
        ("Always reply in British English.", "My client writes in American English.", "British English"),
        ("Always reply in British English.", "I'm retired, so from now on I write less.", "British English"),
        ("My favourite hobby is collecting chess books.", "I hate chess now.", "collecting chess books"),
        ("My favourite pastime is watching cricket.", "I don't enjoy playing cricket any more.", "watching"),
        (
            "My favourite pastime is watching cricket.",
            "My brother doesn't enjoy cricket.",
            "watching cricket",
        ),
        ("My favourite pastime is watching cricket.", "I don't hate cricket.", "watching cricket"),
    ],
)
def test_what_is_told_of_something_else_stays(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after
