"""What is found in a text, how exactly it is placed, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.extract.finder import find_statements
from longmind.extract.statements import SPEAKER, Statement
from tests.extract.labelled import rows, score_statements


def said(text: str, **options: str) -> list[tuple[str, str, str]]:
    return [(each.subject, each.slot, each.value) for each in find_statements(text, **options)]


@pytest.mark.parametrize(
    ("name", "least", "bar"), [("facts.jsonl", 150, 0.97), ("utterances.jsonl", 200, 0.95)]
)
def test_statements_on_labelled_sentences_are_right(name: str, least: int, bar: float) -> None:
    for part in ("dev", "held", None):
        score = score_statements(name, part)
        print(f"\n{name} {part or 'all'}: {score.line()}")
        assert score.precision >= bar, "\n".join(score.wrong)
        assert score.recall >= 0.85, "\n".join(score.missed)
    assert score.texts >= least


def test_half_of_the_labelled_sentences_say_nothing_to_keep() -> None:
    for name in ("facts.jsonl", "utterances.jsonl"):
        labelled = list(rows(name))
        assert sum(not row["says"] for row in labelled) >= len(labelled) // 3


def test_the_clause_that_says_it_is_the_evidence() -> None:
    text = "It rained. Ana moved from Porto to Lisbon in May, and nobody minded."
    porto, lisbon = find_statements(text)
    assert (
        text.encode()[lisbon.start : lisbon.end].decode().startswith("Ana moved from Porto to Lisbon in May")
    )
    assert (porto.value, porto.ended, lisbon.value, lisbon.ended) == ("Porto", True, "Lisbon", False)
    assert lisbon.when is not None
    assert lisbon.when.text == "in May"
    assert text.encode()[lisbon.when.start : lisbon.when.end] == b"in May"
    assert (lisbon.slot, lisbon.kind, lisbon.cardinality, lisbon.rule) == (
        "lives_in", "place", "one", "moved_from_to",
    )  # fmt: skip


SENTENCES = [row["text"] for name in ("facts.jsonl", "utterances.jsonl") for row in rows(name) if row["says"]]


def assert_exact(text: str, statement: Statement) -> None:
    data = text.encode()
    assert data[statement.value_start : statement.value_end].decode() == statement.value
    assert statement.value in data[statement.start : statement.end].decode()
    assert statement.start <= statement.value_start < statement.value_end <= statement.end
    if statement.when is not None:
        assert data[statement.when.start : statement.when.end].decode() == statement.when.text
        assert statement.start <= statement.when.start < statement.when.end <= statement.end


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SENTENCES), st.text(max_size=60), st.text(max_size=60))
def test_byte_ranges_are_exact_whatever_stands_around(sentence: str, before: str, after: str) -> None:
    text = f"{before} {sentence} {after}".encode("utf-8", "ignore").decode()
    for statement in find_statements(text):
        assert_exact(text, statement)


UNRELATED = st.text(alphabet="日本語žščř😀ñ ", max_size=40)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SENTENCES), UNRELATED, UNRELATED)
def test_other_scripts_around_a_sentence_only_move_it(sentence: str, before: str, after: str) -> None:
    alone = find_statements(sentence)
    text = f"{before}\n\n{sentence}\n\n{after}"
    for statement in (moved := find_statements(text)):
        assert_exact(text, statement)
    assert [(s.subject, s.slot, s.value) for s in moved] == [(s.subject, s.slot, s.value) for s in alone]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_at_all_is_read_and_what_is_found_stands_there(text: str) -> None:
    for statement in find_statements(text):
        assert_exact(text, statement)


def test_a_name_with_nothing_after_its_apostrophe_s_is_read() -> None:
    assert find_statements("Blanton's") == []
    assert said("Blanton's\nI live in Porto.") == [(SPEAKER, "lives_in", "Porto")]


def test_the_same_text_always_says_the_same() -> None:
    text = " ".join(SENTENCES[:60])
    assert find_statements(text) == find_statements(text)


def test_curly_apostrophes_are_apostrophes_and_stay_in_what_is_quoted() -> None:
    assert said("I’m from Ghana and I don’t eat pork.") == [
        (SPEAKER, "from", "Ghana"),
        (SPEAKER, "eats", "pork"),
    ]
    assert said("Sean O’Casey lives in Dublin.") == [("Sean O’Casey", "lives_in", "Dublin")]


def test_what_is_over_and_what_is_denied_are_told_apart() -> None:
    texts = ("I like jazz.", "I don't like jazz.", "I used to like jazz.", "I no longer like jazz.")
    found = [find_statements(text)[0] for text in texts]
    assert [(each.polarity, each.ended) for each in found] == [
        (True, False), (False, False), (True, True), (False, True),
    ]  # fmt: skip
    assert [each.holds for each in found] == [True, False, False, False]


def test_in_a_transcript_the_first_person_is_whoever_is_labelled() -> None:
    transcript = "Ana: I live in Porto.\nRui: I live in Faro."
    assert said(transcript) == [("Ana", "lives_in", "Porto"), ("Rui", "lives_in", "Faro")]
    assert said(transcript, speaker="ana") == [(SPEAKER, "lives_in", "Porto"), ("Rui", "lives_in", "Faro")]


def test_the_machine_s_side_of_a_transcript_says_nothing_of_the_speaker() -> None:
    assert said("User: I'm vegan.\nAssistant: I live in Paris.") == [(SPEAKER, "diet", "vegan")]


@pytest.mark.parametrize(
    "text",
    [
        "I'm tired.",
        "I like your idea.",
        "She said she likes jazz.",
        "If I lived in Rome, I would cycle.",
        "I would love to live in Rome.",
        "Imagine you are a guide. I live in Rome.",
        "Yeah right, I love Mondays.",
        "I love waiting in line /s",
        "Do I live in Rome?",
        "```\nI live in Rome\n```",
        "> I live in Rome",
        '"I live in Rome," he wrote.',
        "Translate to German: I live in Rome.",
        "My aunt's address is 4 Mill Road.",
    ],
)
def test_nothing_is_made_of_what_nobody_asserts(text: str) -> None:
    assert said(text) == []


def test_a_remark_to_the_listener_does_not_make_what_follows_make_believe() -> None:
    assert said("You are right. I live in Rome.") == [(SPEAKER, "lives_in", "Rome")]
    assert said("You are an expert guide. I live in Rome.") == []


def test_text_beyond_the_limit_is_not_read() -> None:
    text = "I live in Rome. " + "x" * 100 + ". I work at Acme."
    assert [each.slot for each in find_statements(text)] == ["lives_in", "works_at"]
    assert [each.slot for each in find_statements(text, limit=30)] == ["lives_in"]
    assert find_statements(text, limit=0) == []
    with pytest.raises(InvalidInput, match="negative"):
        find_statements(text, limit=-1)


HOSTILE = (
    "'a",
    '"',
    "`",
    "I like a and ",
    "my sister ",
    "Abc ",
    "- ",
    "\n",
    "...",
    "<a ",
    "1. ",
    "I moved to ",
    "(",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_repetition_is_read_to_the_end(unit: str) -> None:
    text = unit * (50_000 // len(unit))
    for statement in find_statements(text):
        assert_exact(text, statement)


def test_a_statement_said_twice_is_found_once() -> None:
    assert said("I live in Rome. As I said, I live in Rome.") == [(SPEAKER, "lives_in", "Rome")]
