"""What somebody likes, cannot stand and eats: with what tells which, and in the words people use."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements

SAID = [
    # Which of a kind is meant belongs to the value: who avoids noisy hotels does not avoid hotels
    ("I prefer jobs that pay well.", ["prefers jobs that pay well"]),
    ("I avoid cars that have leather seats due to the smell.", ["avoids cars that have leather seats"]),
    ("I dislike hotels that are too close to the beach because I like it calm.",
     ["dislikes hotels that are too close to the beach"]),
    ("I dislike tools that promote themselves or nag.", ["dislikes tools that promote themselves or nag"]),
    ("I love people who read.", ["likes people who read"]),
    ("I like books that are long and hard to read.", ["likes books that are long and hard to read"]),
    ("I don't like listening to songs that are loud.", ["not likes listening to songs that are loud"]),
    ("I refuse to wear brands that exploit people.", ["refuses_to wear brands that exploit people"]),
    ("I love jazz, which my dad played.", ["likes jazz"]),
    ("I love that you asked.", []),
    ("I like the book that you gave me.", []),
    # Adjectives of one noun are one value
    ("I prefer traditional, in-person lessons.", ["prefers traditional in-person lessons"]),
    ("I dislike dry, factual textbooks.", ["dislikes dry factual textbooks"]),
    ("I prefer to visit quieter, less touristy spots.", ["prefers to visit quieter less touristy spots"]),
    ("I like quiet, tea and books.", ["likes books", "likes quiet", "likes tea"]),
    ("I like jazz, good food and wine.", ["likes good food", "likes jazz", "likes wine"]),
    ("I enjoy modern, minimalist rooms and prefer more traditional, ornate clothes.",
     ["likes modern minimalist rooms", "prefers more traditional ornate clothes"]),
    # Told by a noun
    ("I have a strong aversion to raw fish.", ["dislikes raw fish"]),
    ("I have an intense dislike for rap and grime, finding the lyrics dull.",
     ["dislikes rap and grime"]),
    ("I have a real fondness for old trams.", ["likes old trams"]),
    ("I have a clear preference for window seats.", ["prefers window seats"]),
    ("My preference is for window seats.", ["prefers window seats"]),
    ("I have no love for football.", ["dislikes football"]),
    ("I prefer not to eat late.", ["not likes to eat late"]),
    ("I prefer not to say.", []),
    ("I have a lot of love for you.", []),
    # What is sensed, and anything of a kind
    ("I dislike the scent of citrus.", ["dislikes the scent of citrus"]),
    ("I hate reading anything related to war.", ["dislikes reading anything related to war"]),
    # Diets
    ("I'm on a strict vegan diet.", ["diet vegan"]),
    ("I follow a gluten-free diet.", ["diet gluten-free"]),
    ("I'm on a diet.", ["is_on a diet"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_a_taste_is_read_whole(text: str, expected: list[str]) -> None:
    said = [
        f"{'' if statement.polarity else 'not '}{statement.slot} {statement.value}"
        for statement in find_statements(text)
        if statement.subject == "speaker" and statement.action == "record"
    ]
    assert sorted(said) == expected
