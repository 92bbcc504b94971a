"""Statements as sentences people read."""

from __future__ import annotations

import pytest

from longmind.extract.dating import with_dates
from longmind.extract.finder import find_statements
from longmind.extract.wording import render
from tests.extract.labelled import rows


def rendered(text: str, speaker: str | None = None) -> list[str]:
    return [render(statement, speaker=speaker) for statement in find_statements(text)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("I like JRPGs", "User likes JRPGs"),
        ("my name is Alex", "User's name is Alex"),
        ("I don't eat meat.", "User does not eat meat"),
        ("I no longer like techno.", "User no longer likes techno"),
        ("I used to live in Porto.", "User used to live in Porto"),
        ("I don't live in Madrid anymore.", "User no longer lives in Madrid"),
        ("I'm not from Canada.", "User is not from Canada"),
        ("I'm a nurse.", "User is a nurse"),
        ("I'm no longer a nurse.", "User is no longer a nurse"),
        ("I was a nurse for years.", "User used to be a nurse"),
        ("I'm 34.", "User is 34 years old"),
        ("I was born on 3 May 1990.", "User was born on 3 May 1990"),
        ("I was born in Graz.", "User was born in Graz"),
        ("I live with my grandparents.", "User lives with their grandparents"),
        ("I broke my wrist two weeks ago.", "User broke their wrist two weeks ago"),
        ("In 2017 I moved to Warsaw.", "User moved to Warsaw in 2017"),
        ("I've lived in Atlanta for ten years.", "User has lived in Atlanta for ten years"),
        ("I plan to visit Kyoto in April.", "User plans to visit Kyoto in April"),
        ("I'm flying to Tokyo on March 12.", "User plans on flying to Tokyo on March 12"),
        ("I'm planning a trip to Norway.", "User is planning a trip to Norway"),
        ("I go to the gym every morning.", "User goes to the gym every morning"),
        ("I quit smoking.", "User gave up smoking"),
        ("I don't smoke.", "User does not smoke"),
        ("I'm diabetic.", "User is diabetic"),
        ("My favourite colour is teal.", "User's favorite color is teal"),
        ("My mother-in-law is called Ruth.", "User's mother-in-law is Ruth"),
        ("Ingrid married Lars in 2014.", "Ingrid married Lars in 2014"),
        ("Ana goes to the gym every day.", "Ana goes to the gym every day"),
        ("I grew up in Tulsa.", "User grew up in Tulsa"),
    ],
)
def test_a_statement_reads_as_a_sentence(text: str, sentence: str) -> None:
    assert rendered(text) == [sentence]


def test_a_move_tells_both_places() -> None:
    assert rendered("Ana moved from Porto to Lisbon in May.") == [
        "Ana moved away from Porto",
        "Ana moved to Lisbon in May",
    ]


def test_the_month_of_a_move_lies_behind_and_that_of_a_plan_ahead() -> None:
    june = 1_748_865_600_000  # 2 June 2025
    [move] = find_statements("Ana moved to Lisbon in May.")
    [plan] = find_statements("We are going to Rome in May.")
    assert render(move, said_at=june) == "Ana moved to Lisbon in May 2025"
    assert render(plan, said_at=june) == "User plans on going to Rome in May 2026"


def test_the_speaker_is_called_by_name_where_it_is_known() -> None:
    assert rendered("I like JRPGs and my sister is called Bea.", speaker="Alex") == [
        "Alex likes JRPGs",
        "Alex's sister is Bea",
    ]


def test_every_labelled_statement_can_be_rendered_with_its_value() -> None:
    for name in ("facts.jsonl", "utterances.jsonl"):
        for row in rows(name):
            for statement in find_statements(row["text"], free=False):
                sentence = render(statement)
                assert sentence.startswith(("User", statement.subject.split("/")[0]))
                assert "  " not in sentence
                assert statement.value.split()[-1].replace("’", "'") in sentence.replace("’", "'")


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("got a new April 30 deadline", "got a new 30 April 2024 deadline"),
        ("missed their May 23 session", "missed their 23 May 2023 session"),
        ("finished last week's homework", "finished the week of 22 April 2024's homework"),
        ("moved in last week with Ana", "moved in the week of 22 April 2024 with Ana"),
        ("saw the doctor yesterday and rested", "saw the doctor on 3 May 2024 and rested"),
        ("went hiking last weekend", "went hiking on the weekend of 27 April 2024"),
    ],
)
def test_a_time_before_its_noun_takes_no_preposition(text: str, dated: str) -> None:
    may = 1_714_824_000_000  # 4 May 2024
    assert with_dates(text, may, prefer="past") == dated


def test_what_a_past_verb_tells_is_told_in_the_past() -> None:
    told = [render(statement) for statement in find_statements("My colleague had an amazing garden.")]
    assert told == ["User's colleague had an amazing garden"]
