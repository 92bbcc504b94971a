"""What is told plainly with something around it, what it is told in the place of, and what is not told."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements
from longmind.extract.wording import render
from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        # An exclamation before what is told
        ("I hate swimming.", "Who would have thought it, I love swimming now!", "hates", "loves swimming"),
        ("I love camping.", "Would you believe it, I hate camping now.", "loves", "hates camping"),
        ("I dislike radishes.", "Guess what, I really like radishes now.", "dislikes", "likes radishes"),
        ("I can't stand techno.", "Never thought I'd say this, I enjoy techno now.", "dislikes", "techno"),
        ("I live in Porto.", "Plot twist: I live in Braga now.", "Porto", "Braga"),
        # Somebody who has come to like it
        ("My cousin Tove hates beetroot.", "Tove has come round to beetroot.", "hates", "Tove"),
        ("I dislike coriander.", "I've finally come around to coriander.", "dislikes", "likes coriander"),
        ("Omar can't stand opera.", "Omar has grown to love opera.", "dislikes", "Omar likes opera"),
        ("I hate chess.", "I've developed a taste for chess.", "hates", "likes chess"),
        # "So that's mine now"
        ("My phone is a Nokia.", "Got an iPhone for work, so that's my phone now.", "Nokia", "iPhone"),
        ("My laptop is a ThinkPad.", "We bought a Framework, so that's my laptop now.", "ThinkPad", "Framew"),
        ("I drive a Fiesta.", "Picked up a Kona today, so that's my car now.", "Fiesta", "Kona"),
        (
            "I write my essays in Word.",
            "I've taken my essays to Bear, that's what I write in now.",
            "Word",
            "Bear",
        ),
        # Another branch, team or ward
        ("Ines works in the Lyon branch.", "Ines moved to the Metz branch in January.", "Lyon", "the Metz"),
        ("Omar works in the Turin office.", "Omar has transferred to the Bari office.", "Turin", "Bari"),
        ("My aunt Isa works at the north depot.", "Isa moved to the south depot.", "north", "south depot"),
        ("Ruud works on the early shift.", "Ruud has moved to the late shift.", "early", "late shift"),
    ],
)
def test_what_is_told_plainly_takes_the_place_of_what_was_told(
    first: str, second: str, gone: str, new: str
) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I hate chess.", "Who would have thought that I love chess problems?", "hates chess"),
        ("I hate chess.", "Would you believe it if I told you that I love chess?", "hates chess"),
        ("I hate chess.", "My friend said: guess what, we love chess!", "hates chess"),
        ("Tove dislikes beetroot.", "Tove has come round to the house twice.", "Tove dislikes beetroot"),
        ("Tove dislikes beetroot.", "Tove hasn't come round to beetroot.", "Tove dislikes beetroot"),
        ("Tove dislikes visits.", "Tove has come round to help.", "Tove dislikes visits"),
        ("My phone is a Nokia.", "My boss got an iPhone, so that's her phone now.", "Nokia"),
        ("My phone is a Nokia.", "Got a Nikon for work, so that's a relief now.", "Nokia"),
        ("My phone is a Nokia.", "If I got an iPhone, would you say that's my phone now?", "Nokia"),
        ("Ines works in the Lyon branch.", "Ines moved to the front row.", "Lyon branch"),
        ("Ines works in the Lyon branch.", "Ines hasn't moved to the Metz branch.", "Lyon branch"),
        ("Ines works in the Lyon branch.", "Marta moved to the Metz branch.", "Lyon branch"),
    ],
)
def test_what_only_sounds_like_it_leaves_what_was_told(first: str, second: str, kept: str) -> None:
    assert any(kept in line for line in told(first, second)), told(first, second)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("My favourite card game is rummy.", "user favorite_card_game rummy"),
        ("My favourite ice cream flavour is pistachio.", "user favorite_ice_cream_flavour pistachio"),
        ("My all-time favourite video game is Celeste.", "user favorite_video_game Celeste"),
        ("My favourite kind of tea is rooibos.", "user favorite_tea rooibos"),
        ("What I love most is tennis.", "user loves tennis"),
        ("Rosa is picky. What she can't stand is liquorice.", "Rosa dislikes liquorice"),
        ("I have a brother called Per and a sister called Lis.", "user sister Lis"),
        ("We have a cat called Dot, a rabbit called Ivo and a dog called Bess.", "user rabbit Ivo"),
        ("We have a cat called Dot, a rabbit called Ivo and a dog called Bess.", "user dog Bess"),
        ("We have a hen called Dot and a goat called Bess.", "user has_pet goat called Bess"),
        ("We've adopted a dog, Ziggy.", "user dog Ziggy"),
        ("I bought a horse and called her Juno.", "user horse Juno"),
        ("I have two kids. The oldest is called Ines.", "user oldest Ines"),
        ("We have five children, the youngest is called Abe.", "user youngest Abe"),
        ("also my bday is 9 june dont forget 🎂", "user birthday 9 june"),
        ("I'm vegan, don't forget!", "user diet vegan"),
        ("Orrin Works makes frozen dumplings.", "Orrin Works makes frozen dumplings"),
        ("Orrin Works sells lamps. It was founded in 1988.", "Orrin Works founded_in 1988"),
        ("Larch Tools makes hedge cutters. It is based in Ems.", "Larch Tools lives_in Ems"),
        ("ma sister lives in fife", "user/sister lives_in fife"),
        ("ma cousins called Eilidh, shes a vet in Perth", "Eilidh works_in Perth"),
        ("I take the bus to work and my dad drives a van.", "user takes the bus to work"),
        ("Larch Tools makes hedge cutters for farms.", "Larch Tools makes hedge cutters for farms"),
    ],
)
def test_what_is_told_plainly_is_held(text: str, line: str) -> None:
    assert line in told(text), told(text)


@pytest.mark.parametrize(
    "text",
    [
        "At this rate I'll be moving to Tonga next week.",
        "Haha, at this rate I'm going to join a circus in May.",
        "With that rate of luck, at this rate I'll become a hermit by Friday.",
        "What I hate is that nobody listens.",
        "What I love about Rome is the light.",
        "My favourite part of the day is dawn.",
        "Please don't forget my birthday.",
        "Ines makes mistakes.",
        "The tram I take to work broke down.",
        "The team I lead moved to Porto.",
        "The gym I go to closed.",
        "My feet are killing me.",
        "My back is bothering me.",
        "Ma says hi.",
        "Ines makes good points.",
        "I have two vans, the oldest is called Betty?",
    ],
)
def test_what_is_said_for_effect_is_not_held(text: str) -> None:
    assert told(text) == [], told(text)


def test_a_trader_is_no_firm() -> None:
    assert told("Ana sells lamps. It is hard work.") == ["Ana sells lamps"]


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("My parents live in Faro.", "User's parents live in Faro"),
        ("My grandparents have two goats.", "User's grandparents have two goats"),
        ("My kids are vegetarian.", "User's kids are vegetarian"),
        ("My cats hate the vet.", "User's cats hate the vet"),
        ("My boss lives in Faro.", "User's boss lives in Faro"),
    ],
)
def test_several_do_what_one_does(text: str, memory: str) -> None:
    assert memory in [render(statement) for statement in find_statements(text)]
