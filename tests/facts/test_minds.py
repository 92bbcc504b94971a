"""What somebody comes to like, likes no more, or thinks of no more as they did."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("before", "text", "gone", "held"),
    [
        ("I hate cilantro.", "Cilantro has grown on me.", "hates cilantro", "likes cilantro"),
        ("My sister hates opera.", "Opera won my sister over.", "hates opera", "sister likes opera"),
        ("I hate opera.", "I'm a total convert to opera now.", "hates opera", "user likes opera"),
        ("I hate opera.", "I don't mind opera any more.", "hates opera", ""),
        ("I love tea.", "I've lost my taste for tea.", "loves tea", ""),
        ("I love chess.", "I've lost all interest in chess lately.", "loves chess", ""),
        ("I love sushi.", "Sushi isn't my thing any more.", "loves sushi", ""),
        ("I love football.", "Football has lost its appeal for me.", "loves football", ""),
        ("I love tofu.", "I'm so bored of tofu.", "loves tofu", ""),
        ("I hate jogging.", "I've changed my mind about jogging, it's great.", "hates jogging", ""),
        ("I hate beetroot.", "I take back what I said about beetroot.", "hates beetroot", ""),
        ("I hate tofu.", "You can suggest tofu again.", "hates tofu", ""),
        ("I can't stand okra.", "Feel free to put okra in my meals again.", "dislikes okra", ""),
        ("Never suggest pork recipes.", "You can suggest pork recipes again.", "pork", ""),
        # "Them" are what can be liked as a kind, and not the one thing told of since
        ("I hate plums.", "I tried some plums in Split and now I love them.", "hates plums", "loves plums"),
        (
            "I hate leeks.",
            "You can put leeks in my menus. A friend made me a tart and now I adore them.",
            "hates leeks",
            "user adores leeks",
        ),
    ],
)
def test_what_somebody_thought_of_a_thing_is_over(before: str, text: str, gone: str, held: str) -> None:
    facts = [fact.lower() for fact in told(before, text)]
    assert not [fact for fact in facts if gone in fact]
    assert not held or [fact for fact in facts if held in fact]


@pytest.mark.parametrize(
    ("before", "text", "held"),
    [
        ("I hate moss.", "Moss has grown on my roof.", "hates moss"),
        ("I hate jogging.", "I haven't changed my mind about jogging.", "hates jogging"),
        ("I hate jogging.", "Did I change my mind about jogging?", "hates jogging"),
        ("I hate tofu.", "Never suggest tofu again.", "hates tofu"),
        ("I hate tofu.", "You can put the tofu article in the list again.", "hates tofu"),
        ("I'm allergic to nuts.", "You can put nuts in my recipes again.", "allergic_to nuts"),
        ("I love tea.", "I lost my tea tin in Split.", "loves tea"),
        ("I love buses.", "I'm tired of waiting for buses.", "loves buses"),
        ("I love sushi.", "Sushi isn't my brother's thing any more.", "loves sushi"),
        ("I love chess.", "My brother has lost all interest in chess.", "user loves chess"),
    ],
)
def test_what_somebody_thinks_of_a_thing_stays(before: str, text: str, held: str) -> None:
    assert [fact for fact in told(before, text) if held in fact]


@pytest.mark.parametrize(
    ("before", "text", "gone"),
    [
        ("My brother plays rugby for Bath.", "My brother doesn't play any more.", "plays"),
        ("My mum teaches maths in Hull.", "My mum no longer teaches.", "teaches"),
        ("My aunt is a driver.", "My aunt can't drive any more.", "driver"),
        ("I play bass in a band.", "I don't play any more.", "plays"),
        ("My brother Tor plays goalie for Luleå.", "My brother has hung up his skates.", "plays"),
        ("My uncle is a boxer.", "My uncle hung up his gloves.", "boxer"),
        ("My brother is vegan.", "My brother eats fish now.", "vegan"),
    ],
)
def test_what_somebody_does_no_more_is_over_whatever_it_was_done_to(
    before: str, text: str, gone: str
) -> None:
    assert not [fact for fact in told(before, text) if gone in fact]


@pytest.mark.parametrize(
    ("before", "text", "held"),
    [
        ("I run a bakery.", "I don't run any more.", "runs bakery"),
        ("My mum teaches maths.", "My sister no longer teaches.", "mother teaches maths"),
        ("I play bass.", "I don't play any more golf.", "plays bass"),
        ("I play bass.", "I hung up the washing.", "plays bass"),
        ("My brother is vegan.", "My brother catches fish now.", "diet vegan"),
    ],
)
def test_what_somebody_still_does_stays(before: str, text: str, held: str) -> None:
    assert [fact for fact in told(before, text) if held in fact]


@pytest.mark.parametrize(
    ("before", "text", "gone", "held"),
    [
        ("I'm a tram driver.", "I've moved over from trams to the ticket office.", "role", "ticket office"),
        ("I work in sales.", "I moved across from sales to support.", "in sales", "works_in support"),
        ("My brother plays hockey.", "My brother had to stop playing hockey.", "plays", ""),
        (
            "My colleague Stefan runs the depot in Graz.",
            "The depot is run by Miriam now.",
            "Stefan runs",
            "owner Miriam",
        ),
    ],
)
def test_work_in_other_hands_or_at_another_place_is_over(
    before: str, text: str, gone: str, held: str
) -> None:
    facts = told(before, text)
    assert not [fact for fact in facts if gone in fact]
    assert not held or [fact for fact in facts if held in fact]


@pytest.mark.parametrize(
    ("before", "text", "held"),
    [
        ("I'm a tram driver.", "I've moved my boxes over from the garage to the office.", "role tram driver"),
        ("My brother plays hockey.", "My brother had to stop for petrol.", "plays hockey"),
        (
            "My colleague Stefan runs the depot in Graz.",
            "The canteen is run by Miriam now.",
            "Stefan runs the depot",
        ),
    ],
)
def test_work_goes_on_beside_what_else_is_told(before: str, text: str, held: str) -> None:
    assert [fact for fact in told(before, text) if held in fact]
