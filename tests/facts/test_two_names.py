"""One person by several names: by a title and a surname, by a first name, by what everybody calls them."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("texts", "held"),
    [
        (("My accountant is Dr. Ines Pahl.", "Dr Pahl has a dog."), "Dr. Ines Pahl has_pet"),
        (("My accountant is Dr. Ines Pahl.", "Ines lives in Braga."), "Dr. Ines Pahl lives_in Braga"),
        (
            (
                "Dr. Ines Pahl is our head of research.",
                "Everyone calls Dr Pahl Nessie. Nessie lives in Bonn.",
            ),
            "Dr. Ines Pahl lives_in Bonn",
        ),
        (
            ("Everyone at Kestrel calls Alexandra Winter 'Lexi', so I do too.", "Lexi lives in Bonn."),
            "Alexandra Winter lives_in Bonn",
        ),
        (("My boss Dr. Ines Pahl plays chess.",), "user boss Dr. Ines Pahl"),
    ],
)
def test_what_is_told_of_either_name_is_told_of_one_person(texts: tuple[str, ...], held: str) -> None:
    assert [fact for fact in told(*texts) if held in fact]


@pytest.mark.parametrize(
    ("texts", "no"),
    [
        (("My accountant is Dr. Ines Pahl.", "Dr Lund lives in Braga."), "Pahl lives_in"),
        (("We call Monday Funday. Funday is great.",), "nickname"),
        (("My boss Dr. Ines Pahl plays chess.",), "boss Dr$"),
        (("Everyone calls Ben Bear. Tom lives in Bonn.",), "Ben lives_in"),
    ],
)
def test_nobody_is_taken_for_another(texts: tuple[str, ...], no: str) -> None:
    assert not [fact for fact in told(*texts) if no in f"{fact}$"]


def test_a_short_name_that_everyone_uses_is_the_same_person() -> None:
    held = told(
        "Everyone calls my cousin Bartholomew just Barty.",
        "Barty lives in Tours.",
        "Bartholomew has moved to Lille.",
    )
    assert "Bartholomew lives_in Lille" in held
    assert not any("Tours" in line for line in held)


@pytest.mark.parametrize("text", ["We call my boss Tom Ford.", "I call my cousin Bartholomew just once."])
def test_what_gives_nobody_another_name(text: str) -> None:
    assert not any("nickname" in line for line in told(text))
