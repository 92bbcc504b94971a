"""The breaker and the contract."""

from __future__ import annotations

import pytest

from longmind.llm import Breaker, Budget, ModelFailed, parse_memories


def test_the_breaker_opens_rests_and_tries_once() -> None:
    now = [0.0]
    breaker = Breaker(failures=2, seconds=10, monotonic=lambda: now[0])
    breaker.check()
    breaker.failed()
    breaker.check()
    breaker.failed()
    with pytest.raises(ModelFailed, match="2 times"):
        breaker.check()
    now[0] = 10.0
    breaker.check()  # one may try
    with pytest.raises(ModelFailed):
        breaker.check()
    breaker.succeeded()
    breaker.check()


def test_money_is_rounded_up() -> None:
    budget = Budget(input_price=0.15, output_price=0.6)
    assert budget.cost_micros(1, 0) == 1
    assert budget.cost_micros(100, 100) == 75


def test_the_contract_takes_the_seeds_example() -> None:
    found = parse_memories(
        '```json\n[{"content": "User likes JRPGs", "importance": 1, "tags": ["interests"],'
        ' "action": "create"}, {"content": "Old preference obsolete", "action": "archive"}]\n```'
    )
    assert [(item.content, item.importance, item.tags, item.action) for item in found] == [
        ("User likes JRPGs", 1, ("interests",), "create"),
        ("Old preference obsolete", 0, (), "archive"),
    ]


@pytest.mark.parametrize("answer", ["", "[" * 100_000, "null", "[1]", '[{"content": "a\\u0000"}]', "[{}]"])
def test_what_breaks_the_contract_is_refused_whole(answer: str) -> None:
    with pytest.raises(ModelFailed):
        parse_memories(answer)
