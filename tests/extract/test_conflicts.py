"""When two statements cannot both be so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.extract.conflicts import conflicts, normal_value
from longmind.extract.finder import find_statements
from longmind.extract.statements import Statement
from tests.extract.labelled import score_conflicts


def only(text: str) -> Statement:
    [statement] = find_statements(text)
    return statement


@pytest.mark.parametrize("conflict", [True, False])
def test_labelled_pairs_are_seen_for_what_they_are(conflict: bool) -> None:
    for part in ("dev", "held", None):
        score = score_conflicts(conflict=conflict, part=part)
        print(
            f"\n{'conflicts' if conflict else 'no conflicts'} {part or 'all'}: {score.found}/{score.labelled}"
        )
        assert score.recall >= 0.95, "\n".join(score.missed)
    assert score.labelled >= 45


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("I live in Porto.", "I moved to Lisbon.", "lives_in: one value each"),
        ("I like jazz.", "I don't like jazz.", "said and denied"),
        ("I like jazz.", "I hate jazz.", "liked and disliked"),
        ("I work at Acme.", "I used to work at Acme.", "it is over"),
        ("I prefer tea to coffee.", "I prefer coffee over tea.", "the other way round"),
    ],
)
def test_the_reason_says_what_contradicts(first: str, second: str, reason: str) -> None:
    assert reason in (conflicts(only(first), only(second)) or "")


def test_a_conflict_is_one_from_either_side() -> None:
    texts = ["I like jazz.", "I hate jazz.", "I live in Rome.", "I used to live in Rome.", "I live in Oslo."]
    for one in map(only, texts):
        for other in map(only, texts):
            assert (conflicts(one, other) is None) == (conflicts(other, one) is None)
        assert conflicts(one, one) is None


def test_what_is_over_does_not_compete_with_what_holds() -> None:
    assert conflicts(only("I used to live in Porto."), only("I live in Lisbon.")) is None


def test_a_fuller_value_is_no_other_value() -> None:
    assert conflicts(only("I live in Lisbon."), only("I live in Lisbon, Portugal.")) is None
    assert conflicts(only("My name is Ana."), only("My name is Ana Silva.")) is None


def test_subjects_are_compared_without_regard_to_case() -> None:
    assert conflicts(only("Ana lives in Rome."), only("ANA lives in Oslo.")) is not None
    assert conflicts(only("Ana lives in Rome."), only("Rui lives in Oslo.")) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the Beatles", "The Beatles!"),
        ("cats", "cat"),
        ("smoking", "smoke"),
        ("June 4th", "june 4"),
        ("to cook", "cooking"),
        ("ＴＯＫＹＯ", "Tokyo"),
    ],
)
def test_values_are_compared_in_their_normal_form(one: str, other: str) -> None:
    assert normal_value(one) == normal_value(other)


@given(st.text(max_size=40))
def test_blanks_and_stops_around_a_value_do_not_matter(value: str) -> None:
    assert normal_value(f"  {value} . ") == normal_value(value)
