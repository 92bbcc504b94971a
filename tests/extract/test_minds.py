"""What a text says somebody likes, told by a pronoun, from the back or by what it does to them."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements

SAID = [
    ("Swimming is what I enjoy these days.", ["likes swimming"]),
    ("Rooibos is what I drink now.", ["drinks rooibos"]),
    ("Patience is what I need.", []),
    ("It's gluten that makes me ill.", ["is intolerant to gluten"]),
    ("Milk gives me cramps.", ["is intolerant to Milk"]),
    ("Flying makes me ill.", []),
    ("The news makes me ill.", []),
    ("I've fallen in love with pottery.", ["likes pottery"]),
    ("I fell in love with Anna.", []),
    ("She has taken to calling me late.", []),
    ("I'm over 50.", []),
    ("Please never suggest tofu, I can't stand it.", ["dislikes tofu"]),
    ("Never put raisins in anything, I hate them.", ["dislikes raisins"]),
    ("Rewrite this text, I love it.", []),
    ("Send the report to Tom, I hate it.", []),
    ("She made me a scarf and I love them.", []),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_a_text_says_this_of_its_speaker(text: str, expected: list[str]) -> None:
    said = [
        f"{statement.slot} {statement.value}"
        for statement in find_statements(text)
        if statement.subject == "speaker" and statement.slot != "instruction" and statement.holds
    ]
    assert sorted(said) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We've got three kids, Isla, Rory and wee Fergus.", ["child Fergus", "child Isla", "child Rory"]),
        ("I like Paris, Rome and old films.", ["likes old films"]),
        ("For deliveries call me on 07700 900123.", ["phone 07700 900123"]),
        ("Call me on Monday.", []),
        ("They had my old number. Mine is 07700 900123.", ["phone 07700 900123"]),
        ("Their score was 12. Mine is 14.", []),
        ("My phone number is 07700 900123 if the florist asks.", ["phone 07700 900123"]),
        ("I look after the payments service.", ["is responsible for the payments service"]),
        ("I look after the kids.", []),
        ("My part of the system is the search index.", ["is responsible for the search index"]),
        ("Tests are back. Still lactose intolerant though.", ["diet lactose intolerant"]),
        ("Still waiting for the bus.", []),
        ("Lamb is my favourite.", ["likes Lamb"]),
        ("This one is my favourite.", []),
    ],
)
def test_what_is_told_beside_the_point_is_read(text: str, expected: list[str]) -> None:
    said = [
        f"{statement.slot} {statement.value}"
        for statement in find_statements(text)
        if statement.subject == "speaker" and statement.slot in ("child", "phone", "is", "diet", "likes")
    ]
    assert sorted(each for each in said if each not in ("likes Paris", "likes Rome")) == expected
