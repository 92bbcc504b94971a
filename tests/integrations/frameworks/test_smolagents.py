"""Function tools inside smolagents: its agent calls them as its model asks."""

from __future__ import annotations

from typing import Any

import smolagents
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from longmind import Memory
from longmind.integrations.tools import MemoryTools


class Scripted(Model):
    """Asks for the calls that it is given, one after the other, and keeps what it was sent."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        super().__init__()
        self.calls = list(calls)
        self.seen: list[str] = []

    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        self.seen.append(str(messages))
        name, arguments = self.calls.pop(0)
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=f"c{len(self.seen)}", type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def run(memory: Memory, user: str, task: str, *calls: tuple[str, dict[str, Any]]) -> Scripted:
    model = Scripted(*calls, ("final_answer", {"answer": "done"}))
    tools = [smolagents.tool(function) for function in MemoryTools(memory, user=user).functions()]
    agent = smolagents.ToolCallingAgent(tools=tools, model=model, max_steps=4, verbosity_level=0)
    assert agent.run(task) == "done"
    return model


def test_a_memory_of_one_session_reaches_the_model_in_the_next_and_no_other_user(memory: Memory) -> None:
    run(
        memory,
        "ana",
        "Note it.",
        ("memory_remember", {"text": "The boat is called Gavina.", "tags": ["boat"]}),
    )
    asked = run(memory, "ana", "Which boat?", ("memory_recall", {"query": "What is the boat called?"}))
    assert "Gavina" in asked.seen[-1]
    other = run(memory, "ben", "Which boat?", ("memory_recall", {"query": "What is the boat called?"}))
    assert "Gavina" not in other.seen[-1]
    assert memory.list(user="ana").frames[0].tags == ("boat",)


def test_what_goes_wrong_is_an_answer_that_the_model_reads(memory: Memory) -> None:
    asked = run(memory, "ana", "Forget it.", ("memory_forget", {"frame": 999}))
    assert "Error: There is no frame 999" in asked.seen[-1]
