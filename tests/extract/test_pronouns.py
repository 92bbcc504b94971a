"""Whom "she" and "he" mean behind a clause that names two."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Greta passed the archive over to Bruno, she maintains search now.", "search owner Greta"),
        ("Greta handed the rota over to Bruno. She lives in Hull.", "Greta lives_in Hull"),
        ("Greta handed the rota over to Bruno and he manages the rota now.", "rota owner Bruno"),
        ("Paul sold the tractor to Dario, he owns a quad bike now.", "Paul owns quad bike"),
        ("I phoned Nadia, she lives in Hull now.", "Nadia lives_in Hull"),
        ("My sister phoned Bruno, he lives in Hull now.", "Bruno lives_in Hull"),
        ("My sister phoned Nadia, she lives in Hull now.", "user/sister lives_in Hull"),
        ("Greta phoned Bruno. Bruno is well, he lives in Hull now.", "Bruno lives_in Hull"),
    ],
)
def test_who_did_the_one_does_the_other(text: str, expected: str) -> None:
    assert expected in told(text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Greta passed the archive over to Bruno, she maintains search now.", "search owner Bruno"),
        ("Greta handed the rota over to Bruno. She lives in Hull.", "Bruno lives_in Hull"),
        ("Greta phoned Nadia, she lives in Hull now.", "lives_in Hull"),
        ("Greta talked to Bruno. He lives in Hull.", "lives_in Hull"),
    ],
)
def test_of_two_who_meet_it_may_be_either(text: str, wrong: str) -> None:
    assert not any(wrong in line for line in told(text))
