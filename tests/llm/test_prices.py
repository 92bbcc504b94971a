"""Prices by model."""

from __future__ import annotations

import pytest

from longmind.llm import Price
from longmind.llm.prices import FREE, known_price, price_of
from longmind.testing import ScriptedModel


@pytest.mark.parametrize(
    ("provider", "model", "price"),
    [
        ("openai", "gpt-4o-mini", Price(0.15, 0.6)),
        ("OpenAI", "gpt-4o-mini-2024-07-18", Price(0.15, 0.6)),
        ("openai", "gpt-4o-2024-08-06", Price(2.5, 10.0)),
        ("anthropic", "claude-sonnet-4-20250514", Price(3.0, 15.0)),
        ("anthropic", "claude-3-5-haiku-latest", Price(0.8, 4.0)),
        ("ollama", "anything:7b", FREE),
        ("openai", "gpt-4o-audio", None),
        ("openai", "gpt", None),
        ("acme", "gpt-4o-mini", None),
    ],
)
def test_the_table_knows_dated_names_and_no_others(provider: str, model: str, price: Price | None) -> None:
    assert known_price(provider, model) == price


def test_a_model_may_say_its_own_price() -> None:
    model = ScriptedModel(["x"])
    assert price_of(model) is None
    model.price = Price(1.0, 2.0)  # type: ignore[attr-defined]
    assert price_of(model) == Price(1.0, 2.0)


def test_another_version_of_a_model_has_no_known_price() -> None:
    assert known_price("anthropic", "claude-sonnet-4-20250514") == known_price("anthropic", "claude-sonnet-4")
    assert known_price("openai", "gpt-4o-mini-2024-07-18") == known_price("openai", "gpt-4o-mini")
    assert known_price("anthropic", "claude-sonnet-4-9") is None
    assert known_price("openai", "gpt-4o-audio") is None
