"""Function tools inside Semantic Kernel: its agent calls them as its model asks."""

from __future__ import annotations

import asyncio
from typing import Any

from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import KernelPlugin, kernel_function

from longmind import Memory
from longmind.integrations.tools import MemoryTools
from tests.integrations.upstream import upstream


def run(memory: Memory, user: str, task: str, name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask an agent with a model server that wants one call; returns the requests as the server got them."""
    functions = [kernel_function(function) for function in MemoryTools(memory, user=user).functions()]
    plugin = KernelPlugin.from_object("memory", {function.__name__: function for function in functions})

    async def ask(url: str) -> str:
        async with AsyncOpenAI(api_key="x", base_url=url, max_retries=0) as client:
            service = OpenAIChatCompletion(ai_model_id="m", async_client=client)
            agent = ChatCompletionAgent(service=service, name="agent", plugins=[plugin])
            return str((await agent.get_response(messages=task)).message)

    with upstream() as server:
        server.calls, server.text = [(f"memory-{name}", arguments)], "done"
        assert asyncio.run(ask(server.url)) == "done"
        return [request for _, _, request in server.seen]


def test_a_memory_of_one_session_reaches_the_model_in_the_next_and_no_other_user(memory: Memory) -> None:
    told = {"text": "The boat is called Gavina.", "tags": ["boat"]}
    first, _ = run(memory, "ana", "Note it.", "memory_remember", told)
    shown = {tool["function"]["name"]: tool["function"] for tool in first["tools"]}
    assert shown["memory-memory_remember"]["parameters"]["required"] == ["text"]
    question = {"query": "What is the boat called?"}
    asked = run(memory, "ana", "Which boat?", "memory_recall", question)[-1]
    assert "Gavina" in asked["messages"][-1]["content"]
    other = run(memory, "ben", "Which boat?", "memory_recall", question)[-1]
    assert "Gavina" not in str(other)
    assert memory.list(user="ana").frames[0].tags == ("boat",)


def test_what_goes_wrong_is_an_answer_that_the_model_reads(memory: Memory) -> None:
    asked = run(memory, "ana", "Forget it.", "memory_forget", {"frame": 999})[-1]
    assert "Error: There is no frame 999" in asked["messages"][-1]["content"]
