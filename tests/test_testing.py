"""The fakes that are offered to users, and that these tests use themselves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from longmind.base.errors import InvalidInput
from longmind.protocols import Clock, Embedder, LanguageModel, ModelFailed, Prompt, Reply
from longmind.testing import FrozenClock, HashEmbedder, ScriptedModel

PROMPT = Prompt(system="Be brief.", user="Hello?")


def test_the_fakes_are_what_they_stand_for() -> None:
    assert isinstance(FrozenClock(0), Clock)
    assert isinstance(HashEmbedder(), Embedder)
    assert isinstance(ScriptedModel([]), LanguageModel)


def test_a_frozen_clock_moves_only_when_told() -> None:
    clock = FrozenClock(datetime(2024, 1, 1, tzinfo=UTC))
    start = clock.now()
    assert clock.now() == start
    assert clock.advance(days=1.5, seconds=0.25, milliseconds=3) == start + 129_600_000 + 250 + 3
    assert clock.advance(days=-1) == clock.now() == start + 43_200_253
    clock.set(5)
    assert clock.now() == 5
    for bad in (1.5, "now", datetime(2024, 1, 1)):  # noqa: DTZ001
        with pytest.raises(InvalidInput):
            clock.set(bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            FrozenClock(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        clock.advance(milliseconds=0.5)  # type: ignore[arg-type]
    assert clock.now() == 5


def test_a_scripted_model_says_its_lines_in_order_and_repeats_the_last() -> None:
    model = ScriptedModel(["yes", [1, 2], lambda prompt: prompt.user.upper()])
    assert [model.complete(PROMPT).text for _ in range(4)] == ["yes", "[1, 2]", "HELLO?", "HELLO?"]
    assert model.prompts == [PROMPT] * 4


def test_a_scripted_model_raises_and_replies_as_it_is_told() -> None:
    reply = Reply("fine", input_tokens=1, output_tokens=2)
    model = ScriptedModel([ModelFailed("down", outcome="timeout"), reply])
    with pytest.raises(ModelFailed, match="down"):
        model.complete(PROMPT)
    assert model.complete(PROMPT) is reply
    with pytest.raises(ModelFailed, match="empty"):
        ScriptedModel([]).complete(PROMPT)
