"""Function tools inside agno: its agent calls them as its model asks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse

from longmind import Memory
from longmind.integrations.tools import MemoryTools


class Scripted(Model):
    """Asks for one call, then answers; keeps what it was sent."""

    def __init__(self, name: str, arguments: dict[str, Any]) -> None:
        super().__init__(id="scripted")
        self.call: dict[str, Any] | None = {
            "id": "c1",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        self.seen: list[str] = []

    def invoke(self, messages: Any, *arguments: Any, **options: Any) -> ModelResponse:
        self.seen.append(str([message.content for message in messages]))
        call, self.call = self.call, None
        if call is None:
            return ModelResponse(role="assistant", content="done")
        return ModelResponse(role="assistant", tool_calls=[call])

    async def ainvoke(self, *arguments: Any, **options: Any) -> ModelResponse:
        return self.invoke(*arguments, **options)

    def invoke_stream(self, *arguments: Any, **options: Any) -> Iterator[ModelResponse]:
        yield self.invoke(*arguments, **options)

    async def ainvoke_stream(self, *arguments: Any, **options: Any) -> AsyncIterator[ModelResponse]:
        yield self.invoke(*arguments, **options)

    def _parse_provider_response(self, response: Any, **options: Any) -> ModelResponse:
        answer: ModelResponse = response
        return answer

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        answer: ModelResponse = response
        return answer


def run(memory: Memory, user: str, task: str, name: str, arguments: dict[str, Any]) -> Scripted:
    model = Scripted(name, arguments)
    agent = Agent(model=model, tools=MemoryTools(memory, user=user).functions(), telemetry=False)
    assert agent.run(task).content == "done"
    return model


def test_a_memory_of_one_session_reaches_the_model_in_the_next_and_no_other_user(memory: Memory) -> None:
    run(
        memory, "ana", "Note it.", "memory_remember", {"text": "The boat is called Gavina.", "tags": ["boat"]}
    )
    asked = run(memory, "ana", "Which boat?", "memory_recall", {"query": "What is the boat called?"})
    assert "Gavina" in asked.seen[-1]
    other = run(memory, "ben", "Which boat?", "memory_recall", {"query": "What is the boat called?"})
    assert "Gavina" not in other.seen[-1]
    assert memory.list(user="ana").frames[0].tags == ("boat",)


def test_what_goes_wrong_is_an_answer_that_the_model_reads(memory: Memory) -> None:
    asked = run(memory, "ana", "Forget it.", "memory_forget", {"frame": 999})
    assert "Error: There is no frame 999" in asked.seen[-1]
