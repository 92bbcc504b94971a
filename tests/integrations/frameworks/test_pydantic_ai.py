from __future__ import annotations

from dataclasses import dataclass

import pydantic_ai.models
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from longmind import Memory
from longmind.integrations.pydantic_ai import LongmindCapability, toolset
from tests.integrations.frameworks.examples import run_example

pydantic_ai.models.ALLOW_MODEL_REQUESTS = False


@dataclass
class Deps:
    user_id: str
    session_id: str


def test_what_was_said_in_one_session_reaches_the_model_in_the_next(memory: Memory) -> None:
    seen: list[str] = []

    def answer(messages, info) -> ModelResponse:
        seen.append(f"{info.instructions or ''} {messages[-1].instructions or ''}")
        return ModelResponse(parts=[TextPart("Noted.")])

    agent = Agent(
        FunctionModel(answer),
        deps_type=Deps,
        instructions="Be brief.",
        capabilities=[LongmindCapability(memory)],
    )
    agent.run_sync("My boat is called Gavina.", deps=Deps("ana", "one"))
    said = [(turn.role, turn.text) for turn in memory.conversation("one", user="ana").window()]
    assert said == [("user", "My boat is called Gavina."), ("assistant", "Noted.")]
    agent.run_sync("What is my boat called?", deps=Deps("ana", "two"))
    assert "Gavina" in seen[-1]
    assert "Be brief." in seen[-1]
    agent.run_sync("What is my boat called?", deps=Deps("ben", "three"))
    assert "Gavina" not in seen[-1]
    agent.run_sync("What is my boat called?", deps=Deps("ben", "three"))
    assert len(memory.conversation("three", user="ben").window()) == 4


def test_the_model_can_use_the_memory_as_tools(memory: Memory) -> None:
    names: list[list[str]] = []

    def answer(messages, info) -> ModelResponse:
        names.append([tool.name for tool in info.function_tools])
        if len(names) == 1:
            return ModelResponse(
                parts=[ToolCallPart("memory_remember", {"text": "The harbour closes at nine."})]
            )
        return ModelResponse(parts=[TextPart("Done.")])

    Agent(FunctionModel(answer), toolsets=[toolset(memory, user="ana")]).run_sync("Remember that.")
    assert names[0] == ["memory_recall", "memory_remember", "memory_forget", "memory_facts_about"]
    assert memory.list(user="ana")[0].text == "The harbour closes at nine."


def test_an_agent_goes_on_when_its_memory_fails(memory: Memory) -> None:
    memory.close()
    agent = Agent(
        FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart("Hello.")])),
        capabilities=[LongmindCapability(memory)],
    )
    assert agent.run_sync("Hi").output == "Hello."


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    def answer(messages, info) -> ModelResponse:
        return ModelResponse(parts=[TextPart("Noted.")])

    names = run_example("pydantic-ai", monkeypatch, tmp_path, openai_gpt_4o_mini=FunctionModel(answer))
    with names["memory"] as memory:
        assert len(memory.conversation("tuesday", user="ana").window()) == 2
