"""Policies and patterns that nobody would write: refused in words, or followed in bounded time."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from longmind import FrozenClock, InvalidInput, Memory
from longmind.base.patterns import check_pattern
from tests.conftest import START
from tests.fuzz.mutations import deep_text, mutated, outcome, rounds, value

POLICY: dict[str, Any] = {
    "ttl_days": 30,
    "pii_redaction": ["emails", r"EMP-\d{6}"],
    "export_path": "out.json",
    "allow_delete": True,
    "auto_pin": [{"kinds": ["decision"]}, {"tags": ["release"]}],
    "visibility": [{"paths": ["private/"]}, {"tags": ["secret"]}],
    "budgets": {"openai": {"usd": 1.5, "tokens": 1000}, "*": {"tokens": 5}},
    "places": "coarse",
}
PIECES = (
    *(
        "a",
        "é",
        "日",
        "0",
        ".",
        "\\d",
        "\\w",
        "\\s",
        "\\b",
        "\\B",
        "^",
        "$",
        "|",
        "(?:",
        "(",
        ")",
        "[",
        "]",
        "[^",
        "-",
    ),
    *(
        "*",
        "+",
        "?",
        "{2}",
        "{1,40}",
        "{,3}",
        "{1000}",
        "{999999}",
        "*?",
        "(?i)",
        "(?=",
        "(?!",
        "(?<=",
        "(?P<n>",
    ),
    *(
        "\\1",
        "(?P=n)",
        "\\Q",
        "\\E",
        "\\p{L}",
        "\\p{Greek}",
        "\\x41",
        "\\u0041",
        "\\U0001F600",
        "\\N{DASH}",
        "\\",
    ),
    *(
        "\\Z",
        "\\A",
        "\\z",
        "[[:alpha:]]",
        "\\0",
        "\x00",
        "\ud800",
        "\n",
        "#",
        " ",
        "\\G",
        "\\C",
        "a*a*b",
        "(a+)+",
    ),
)
TEXTS = (
    "Badge EMP-448812 of zelda@example.org, 日本語 and é, aaaaaaaaaaaaaaaaaaaaaaaa 0123456789.",
    "a" * 3000 + "b",
    "\u200b".join("EMP-448812"),
    "(((((((((([[[[[[[[[[{{{{{{{{{{" * 20,
)


@pytest.fixture
def memory() -> Any:
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as opened:
        yield opened


@rounds(150, 10_000)
def test_a_policy_is_taken_as_it_is_or_refused(memory: Memory, count: int) -> None:
    rng = random.Random(count)
    space = memory.space("ruled")
    outcomes: Counter[str] = Counter()
    for number in range(count):
        before = space.policy.to_dict()
        policy: Any = mutated(rng, POLICY) if rng.random() < 0.9 else value(rng)
        if rng.random() < 0.05:
            policy = deep_text(rng)
        ended = outcome(lambda: space.set_policy(policy))  # noqa: B023
        outcomes[ended] += 1
        assert ended == "ok" or space.policy.to_dict() == before, (number, policy)
        if number % 10 == 0:
            outcome(lambda: memory.remember("Ask a@example.org about EMP-448812.", space="ruled"))
            outcome(lambda: space.remember_structured({"path": "private/x", "raw": "y", "tags": ["release"]}))
            outcome(lambda: space.recall_context("ask"))
            outcome(lambda: memory.spaces.gc("ruled", now=START, dry_run=True))
    print(f"policies {count}: {dict(outcomes)}")
    assert outcomes["ok"] > count / 20
    assert outcomes["invalid_input"] > count / 20
    assert memory.verify(deep=True)


@rounds(400, 30_000)
def test_a_pattern_is_run_in_bounded_time_or_refused(memory: Memory, count: int) -> None:
    rng = random.Random(count)
    outcomes: Counter[str] = Counter()
    kept: list[str] = []
    for _ in range(count):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 9)))
        try:
            pattern = check_pattern(text)
        except InvalidInput:
            outcomes["refused"] += 1
            continue
        outcomes["taken"] += 1
        kept.append(text)
        for sample in TEXTS:
            for start, end in pattern.find(sample):
                assert 0 <= start < end <= len(sample), (text, start, end)
    print(f"patterns {count}: {dict(outcomes)}")
    assert outcomes["refused"] > count / 10
    assert outcomes["taken"] > count / 20
    for text in kept[:40]:
        if outcome(lambda: memory.space("ruled").set_policy({"pii_redaction": [text]})) == "ok":  # noqa: B023
            outcome(lambda: memory.remember(TEXTS[0], space="ruled", tags=["x"]))
    assert memory.verify(deep=True)
