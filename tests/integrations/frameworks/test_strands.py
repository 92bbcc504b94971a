"""Function tools inside Strands: its agent calls them as its model asks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import strands
from strands.models import Model

from longmind import Memory
from longmind.integrations.tools import MemoryTools


class Scripted(Model):
    """Asks for one call, then answers; keeps what it was sent."""

    def __init__(self, name: str, arguments: dict[str, Any]) -> None:
        self.call: tuple[str, str] | None = (name, json.dumps(arguments))
        self.seen: list[str] = []

    def update_config(self, **options: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        self.seen.append(str(messages))
        call, self.call = self.call, None
        yield {"messageStart": {"role": "assistant"}}
        if call is None:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
        else:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": call[0], "toolUseId": "c1"}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": call[1]}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if call is None else "tool_use"}}


def run(memory: Memory, user: str, task: str, name: str, arguments: dict[str, Any]) -> Scripted:
    model = Scripted(name, arguments)
    tools = [strands.tool(function) for function in MemoryTools(memory, user=user).functions()]
    agent = strands.Agent(model=model, tools=tools, callback_handler=None)
    assert str(agent(task)).strip() == "done"
    return model


def test_a_memory_of_one_session_reaches_the_model_in_the_next_and_no_other_user(memory: Memory) -> None:
    told = {"text": "The boat is called Gavina.", "tags": ["boat"]}
    run(memory, "ana", "Note it.", "memory_remember", told)
    asked = run(memory, "ana", "Which boat?", "memory_recall", {"query": "What is the boat called?"})
    assert "Gavina" in asked.seen[-1]
    other = run(memory, "ben", "Which boat?", "memory_recall", {"query": "What is the boat called?"})
    assert "Gavina" not in other.seen[-1]
    assert memory.list(user="ana").frames[0].tags == ("boat",)


def test_what_goes_wrong_is_an_answer_that_the_model_reads(memory: Memory) -> None:
    asked = run(memory, "ana", "Forget it.", "memory_forget", {"frame": 999})
    assert "Error: There is no frame 999" in asked.seen[-1]
