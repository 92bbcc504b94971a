from __future__ import annotations

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_ext.models.replay import ReplayChatCompletionClient

from longmind import Memory
from longmind.integrations.autogen import LongmindMemory
from tests.integrations.frameworks.examples import run_example


class Client(ReplayChatCompletionClient):
    def __init__(self, answers) -> None:
        super().__init__(answers)
        self.seen: list = []

    async def create(self, messages, **options):
        self.seen.append(str(messages))
        return await super().create(messages, **options)


def test_what_was_said_in_one_session_reaches_the_model_in_the_next(memory: Memory) -> None:
    async def run() -> None:
        first = AssistantAgent(
            "a", Client(["Noted.", "Good."]), memory=[LongmindMemory(memory, user="ana", session="one")]
        )
        await first.run(task="My boat is called Gavina.")
        await first.run(task="I sail it on Sundays.")
        said = [turn.text for turn in memory.conversation("one", user="ana").window()]
        assert said == ["My boat is called Gavina.", "Noted.", "I sail it on Sundays."]
        for user, known in (("ana", True), ("ben", False)):
            client = Client(["Gavina."])
            agent = AssistantAgent("b", client, memory=[LongmindMemory(memory, user=user, session="two")])
            await agent.run(task="What is my boat called?")
            assert ("Gavina" in client.seen[0]) is known

    asyncio.run(run())


def test_contents_are_added_found_and_cleared(memory: Memory) -> None:
    async def run() -> None:
        own = LongmindMemory(memory, user="ana")
        memory.remember("The harbour is old.", user="ana")
        await own.add(MemoryContent(content="The harbour closes at nine.", mime_type=MemoryMimeType.TEXT))
        texts = {item.content for item in (await own.query("harbour")).results}
        assert texts == {"The harbour closes at nine.", "The harbour is old."}
        await own.clear()
        assert [item.content for item in (await own.query("harbour")).results] == ["The harbour is old."]
        await own.close()
        memory.close()
        agent = AssistantAgent("a", Client(["Hello."]), memory=[own])
        assert (await agent.run(task="Hi")).messages[-1].content == "Hello."

    asyncio.run(run())


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, memory: Memory) -> None:
    names = run_example("microsoft", monkeypatch, tmp_path, part=1, client=Client(["Noted."]), memory=memory)
    asyncio.run(names["agent"].run(task="My boat is called Gavina."))
    assert len(memory.conversation("monday", user="ana").window()) == 1
