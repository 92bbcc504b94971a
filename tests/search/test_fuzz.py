"""Any string is a question: nothing but documented errors, and an end within reasonable time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import InvalidInput, Memory
from longmind.search.request import MOST_CHARACTERS
from tests.vectors.opening import open_memory

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900
"""Seconds; only a rule that backtracks without end would need as many."""


def fuzzed(location: str, *, embedder: str, seed: int, count: int, giants: int = 0) -> dict[str, Any]:
    """`giants` is the step between those that are asked; 0 for none."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.search.worker",
            "fuzz",
            location,
            embedder,
            str(seed),
            str(count),
            str(giants),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_thousand_awkward_questions_and_the_largest_are_answered_or_refused() -> None:
    report = fuzzed(":memory:", embedder="hash:16", seed=1, count=1000, giants=4)
    assert report["odd"] == []
    assert report["asked"] >= 1000


def test_awkward_questions_on_postgresql(new_location: Callable[[str], str]) -> None:
    report = fuzzed(new_location("postgresql"), embedder="none", seed=2, count=80)
    assert report["odd"] == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_awkward_questions(seed: int) -> None:
    report = fuzzed(":memory:", embedder="hash:16", seed=100 + seed, count=1000, giants=int(seed == 0))
    assert report["odd"] == []


@pytest.mark.soak
def test_a_thousand_awkward_questions_on_postgresql(new_location: Callable[[str], str]) -> None:
    report = fuzzed(new_location("postgresql"), embedder="none", seed=3, count=1000, giants=1)
    assert report["odd"] == []


@pytest.mark.soak
def test_a_thousand_awkward_questions_to_the_real_model(model_is_installed: None) -> None:
    report = fuzzed(":memory:", embedder="minilm", seed=4, count=1000, giants=1)
    assert report["odd"] == []


@pytest.fixture
def memory(location: str) -> Any:
    with open_memory(location, embedder=None) as opened:
        opened.remember("a zebra crosses the road")
        opened.remember('he said "stop" and \' OR 1=1; --')
        yield opened


QUESTIONS = (
    *(
        'zebra"',
        '"zebra',
        "zebra*",
        "-zebra",
        "NOT zebra",
        "zebra OR",
        "zebra AND (",
        "title:zebra",
        "NEAR(zebra",
    ),
    *(
        "zebra & | !",
        "zebra:*",
        "zebra'; DROP TABLE frame; --",
        "zebra %",
        "zebra _",
        "zebra ?",
        "zebra\\",
    ),
    *(
        "zebra\0",
        "zebra \ud800",
        "\ufeffzebra",
        "zebra \u202eabc",
        "ZEBRA 🙂",
        "ｚｅｂｒａ",
        "zébra",
        "zebra\u0301",
    ),
)


def test_syntax_around_a_word_does_not_hide_it(memory: Memory) -> None:
    for question in QUESTIONS:
        assert memory.search(question, lanes=["text"])[0].frame.text == "a zebra crosses the road", question
        assert memory.search(question)[0].frame.text == "a zebra crosses the road", question


def test_a_question_that_is_too_long_or_no_string_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="2000001 characters"):
        memory.search("a" * (MOST_CHARACTERS + 1))
    for wrong in (None, 7, b"zebra", ["zebra"]):
        with pytest.raises(InvalidInput):
            memory.search(wrong)  # type: ignore[arg-type]


def test_wrong_arguments_are_refused_with_what_to_do(memory: Memory) -> None:
    wrong: list[dict[str, Any]] = [
        *({"limit": 0}, {"limit": 1001}, {"limit": "5"}, {"limit": True}, {"mode": "fuzzy"}, {"mode": None}),
        *({"lanes": []}, {"lanes": "text"}, {"lanes": ["fts"]}, {"fusion": "max"}, {"times": "maybe"}),
        *({"zone": "UTC"}, {"reference": "now"}, {"where": 3}, {"where": {"colour": "red"}}, {"space": ""}),
        *({"as_of": 5}, {"where": {"ids": ["one"]}}, {"where": {"metadata": {"a": {"gt": "b"}}}}),
    ]
    for arguments in wrong:
        with pytest.raises(InvalidInput):
            memory.search("zebra", **arguments)


def test_of_a_very_long_question_the_beginning_counts_and_the_answer_says_so(memory: Memory) -> None:
    results = memory.search("zebra " + "nothing " * 100_000)
    assert results[0].frame.text == "a zebra crosses the road"
    assert results.truncated
    assert not memory.search("zebra crossing").truncated
    assert memory.search(" ".join(f"word{place}" for place in range(65)), lanes=["text"]).truncated
    assert memory.search(" ".join(f'"word {place}"' for place in range(17)), lanes=["text"]).truncated
    assert not memory.search("zebra " * 500, lanes=["text"]).truncated
    assert memory.search("zebra " * 500).truncated
