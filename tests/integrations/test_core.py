"""What all integrations share, without any framework."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from longmind import InvalidInput, Memory, NotFound
from longmind.integrations.core import AgentMemory, last_user_text, text_of
from longmind.integrations.tools import MemoryTools


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path / "a.mind", embedder=None) as opened:
        yield opened


def test_the_same_words_said_twice_are_two_turns(memory: Memory) -> None:
    agent = AgentMemory(memory, user="ana", session="s")
    for _ in range(2):
        agent.keep([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    assert len(memory.conversation("s", user="ana").window()) == 4


def test_recall_keeps_to_its_budget_and_to_its_user(memory: Memory) -> None:
    for number in range(50):
        memory.remember(f"Ana's boat number {number} is called Gavina {number}.", user="ana")
    short = AgentMemory(memory, user="ana", budget=100).recall("what are Ana's boats called?")
    long = AgentMemory(memory, user="ana", budget=1000).recall("what are Ana's boats called?")
    assert 0 < len(short) < len(long)
    assert AgentMemory(memory, user="ben").recall("what are Ana's boats called?") == ""


def test_what_is_recalled_is_not_remembered_again(memory: Memory) -> None:
    memory.remember("The boat is called Gavina.")
    agent = AgentMemory(memory, session="s")
    recalled = agent.instructions("what is the boat called?")
    assert "Gavina" in recalled
    agent.keep([{"role": "user", "content": f"{recalled}\n\nI sail on Sundays."}])
    assert "Gavina" not in [hit.frame.text for hit in memory.search("Sundays", where={"kind": "memory"})]


def test_a_failing_memory_is_logged_without_content_and_breaks_nothing(memory: Memory, caplog) -> None:
    agent = AgentMemory(memory)
    memory.close()
    assert agent.recall("my secret question") == ""
    assert agent.keep([{"role": "user", "content": "my secret answer"}]) == 0
    assert "unavailable" in caplog.text
    assert "secret" not in caplog.text
    with pytest.raises(Exception, match=r"clos"):
        AgentMemory(memory, on_error="raise").recall("question")


def test_a_log_of_items_is_read_back_in_order(memory: Memory) -> None:
    agent = AgentMemory(memory, session="s")
    agent.append_items(("user", f"text {number}", {"n": number}) for number in range(5))
    assert agent.items() == [{"n": number} for number in range(5)]
    assert agent.items(2) == [{"n": 3}, {"n": 4}]
    assert agent.items(0) == []
    assert agent.pop_item() == {"n": 4}
    agent.clear_items()
    assert agent.items() == []


def test_something_that_is_no_memory_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"Memory\.open"):
        AgentMemory("agent.mind")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        ([{"type": "text", "text": "a"}, "b"], "a\n\nb"),
        (None, ""),
        ({"content": ["a"]}, "a"),
        ([], ""),
    ],
)
def test_the_text_of_a_message_is_found_in_any_shape(content, text) -> None:
    assert text_of(content) == text


def test_the_last_words_are_the_users() -> None:
    assert last_user_text([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]) == "a"
    assert last_user_text([]) == ""


def test_tools_are_called_as_a_model_calls_them(memory: Memory) -> None:
    tools = MemoryTools(memory, user="ana")
    assert (
        tools.call("memory_remember", json.dumps({"text": "The boat is called Gavina."}))
        == "Remembered as 1."
    )
    assert "Gavina" in tools.call("memory_recall", {"query": "boat"})
    assert (
        MemoryTools(memory, user="ben").call("memory_recall", {"query": "boat"})
        == "Nothing is known about it."
    )
    memory.facts.record("Ana", "likes", "tea", user="ana")
    assert tools.call("memory_facts_about", {"subject": "Ana"}) == "Ana likes tea"
    assert tools.call("memory_forget", {"frame": 1}) == "Forgot 1."
    assert tools.call("memory_forget", {"frame": 99}).startswith("Error: There is no frame 99")
    assert tools.call("memory_recall", {"q": "boat"}).startswith("Error")
    assert tools.call("memory_recall", "[1]").startswith("Error")
    with pytest.raises(NotFound):
        tools.call("memory_erase", {})
    with pytest.raises(InvalidInput):
        tools.call("memory_recall", "{")


def test_schemas_are_those_of_openai_and_anthropic(memory: Memory) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    tools = MemoryTools(memory)
    for openai, anthropic in zip(tools.openai(), tools.anthropic(), strict=True):
        assert openai["function"]["name"] == anthropic["name"]
        jsonschema.Draft202012Validator.check_schema(anthropic["input_schema"])
        assert openai["function"]["parameters"] == anthropic["input_schema"]


def test_tools_are_plain_functions_too(memory: Memory) -> None:
    recall, remember, *_ = MemoryTools(memory).functions()
    assert remember("Tea at five.", tags=["habit"]).startswith("Remembered")
    assert "Tea" in recall(query="tea")
    assert str(inspect.signature(remember)) == "(text: str, tags: list[str] | None = None) -> str"
    assert "tags: Tags for it." in (remember.__doc__ or "")
