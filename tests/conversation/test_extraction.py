"""Who reads a turn, and what is done when a model fails."""

from __future__ import annotations

import pytest

from longmind import Access, FrozenClock, Memory
from longmind.llm import ModelFailed, Models, Reply
from longmind.testing import ScriptedModel
from tests.conversation.conftest import attach

TEA = [{"content": "User likes green tea", "importance": 1, "tags": ["drinks"], "action": "create"}]


def test_without_a_model_the_rules_read_and_say_so(memory: Memory) -> None:
    memories = attach(memory, models=Models({"OPENAI_API_KEY": "sk-1"}))
    report = memories.conversation("s").add_turn("user", "I like tea")
    assert report.extractor == "heuristic (no model)"
    assert memories.stats().spending == {}


def test_the_rules_alone_ask_no_model(memory: Memory) -> None:
    model = ScriptedModel([TEA])
    memories = attach(memory, model=model)
    memories.configure({"extractor.mode": "heuristic"})
    assert memories.conversation("s").add_turn("user", "I like tea").extractor == "heuristic"
    assert model.prompts == []


def test_a_model_alone_makes_what_it_says(memory: Memory) -> None:
    memories = attach(memory, model=ScriptedModel([TEA]))
    memories.configure({"extractor.mode": "llm"})
    report = memories.conversation("s").add_turn("user", "Green tea, always, and my name is Ana")
    assert (report.extractor, [found.content for found in report.extracted]) == (
        "llm",
        ["User likes green tea"],
    )
    item = memories.get(1)
    assert (item.importance, item.tags, item.slot, item.rule) == (1, ("drinks",), "likes", "llm")


def test_both_together_see_a_memory_once(memory: Memory) -> None:
    told = [{"content": "User likes tea"}, {"content": "User is vegetarian", "tags": ["diet"]}]
    memories = attach(memory, model=ScriptedModel([told]))
    report = memories.conversation("s").add_turn("user", "I like tea, and no meat for me")
    assert report.extractor == "hybrid"
    assert [found.action for found in report.extracted] == ["created", "created"]
    assert {item.content: item.hits for item in memories.list()} == {
        "User likes tea": 0,
        "User is vegetarian": 0,
    }


def test_a_model_may_put_an_old_memory_away(memory: Memory) -> None:
    lines = [
        [{"content": "User wants a daily digest"}],
        [{"content": "User wants a daily digest", "action": "archive"}],
    ]
    memories = attach(memory, model=ScriptedModel(lines))
    memories.configure({"extractor.mode": "llm"})
    talk = memories.conversation("s")
    talk.add_turn("user", "Send me a daily digest")
    report = talk.add_turn("user", "Stop the digest")
    assert [(found.id, found.action) for found in report.extracted] == [(1, "archived")]
    assert memories.get(1).status == "archived"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (ModelFailed("slow", outcome="timeout"), "timeout"),
        (ModelFailed("busy", outcome="rate_limited"), "rate_limited"),
        (RuntimeError("boom"), "error"),
        ("I am sorry, I cannot help with that.", "bad_json"),
        ('{"content": "x"}', "wrong_schema"),
        ('[{"content": ""}]', "wrong_schema"),
        ('[{"content": "x", "importance": 7}]', "wrong_schema"),
        ('[{"content": "x", "action": "delete"}]', "wrong_schema"),
        ('[{"content": "x", "tags": "a"}]', "wrong_schema"),
        ('[{"content": "x", "surprise": 1}]', "wrong_schema"),
    ],
)
def test_a_failing_model_does_not_block_the_write_and_is_counted(
    memory: Memory, line: str | BaseException, outcome: str
) -> None:
    memories = attach(memory, model=ScriptedModel([line]))
    memories.configure({"extractor.mode": "llm"})
    report = memories.conversation("s").add_turn("user", "I like tea")
    assert [found.content for found in report.extracted] == ["User likes tea"]
    assert report.extractor == f"heuristic (llm: {outcome})"
    assert len(report.warnings) == 1
    figures = memories.stats().extraction
    assert figures["llm"][outcome] == 1
    assert figures["llm"]["success_rate"] == 0
    assert figures["heuristic"]["succeeded"] == 1


def test_a_budget_of_tokens_and_money_is_kept_by_all_spaces_together(memory: Memory) -> None:
    model = ScriptedModel([Reply("[]", input_tokens=900, output_tokens=100)])
    memories = attach(memory, model=model)
    memories.configure({"llm.max_tokens": 3000, "llm.input_price": 2.0, "llm.output_price": 10.0})
    said = [memories.conversation("s").add_turn("user", f"Number {place}").extractor for place in range(5)]
    assert said[0] == "hybrid"
    assert said[-1] == "heuristic (llm: over_budget)"
    spent = memories.stats().spending["scripted/script/answered"]
    assert spent["input_tokens"] + spent["output_tokens"] <= 3000
    assert spent["cost"] == pytest.approx(spent["calls"] * 0.0028)
    other = memories.conversation("s", space="team").add_turn("user", "Number 9")
    assert other.extractor == "heuristic (llm: over_budget)"
    memories.configure({"llm.max_tokens": None, "llm.max_cost": 0.001})
    assert memories.conversation("s").add_turn("user", "More").extractor == "heuristic (llm: over_budget)"
    memories.configure({"llm.max_cost": None})
    assert memories.conversation("s").add_turn("user", "More").extractor == "hybrid"


@pytest.mark.parametrize("limit", ["llm.max_tokens", "llm.max_cost"])
def test_a_budget_of_nothing_in_the_settings_means_that_no_turn_is_read_by_a_model(
    memory: Memory, limit: str
) -> None:
    model = ScriptedModel(["[]"])
    memories = attach(memory, model=model)
    memories.configure({limit: 0, "llm.input_price": 1.0})
    assert memories.conversation("s").add_turn("user", "Hello").extractor == "heuristic (llm: over_budget)"
    assert model.prompts == []


def test_a_model_that_keeps_failing_is_left_alone(memory: Memory, clock: FrozenClock) -> None:
    model = ScriptedModel([ModelFailed("down", outcome="unreachable")])
    memories = attach(memory, model=model)
    memories.configure({"llm.breaker_failures": 2})
    said = [memories.conversation("s").add_turn("user", "Hello").extractor for _ in range(4)]
    assert said[1:3] == ["heuristic (llm: unreachable)", "heuristic (llm: circuit_open)"]
    assert len(model.prompts) == 2


def test_a_misconfigured_model_falls_back(memory: Memory) -> None:
    memories = attach(memory, models=Models({}, access=Access(models=["openai:m@https://u:p@nowhere"])))
    memories.configure({"llm.model": "m"})
    report = memories.conversation("s").add_turn("user", "I like tea")
    assert report.extractor == "heuristic (llm: misconfigured)"
    assert len(report.extracted) == 1
