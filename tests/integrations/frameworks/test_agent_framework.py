from __future__ import annotations

import asyncio

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from longmind import Memory
from longmind.integrations.agent_framework import LongmindProvider
from tests.integrations.frameworks.examples import run_example


class Client(BaseChatClient):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def _inner_get_response(self, *, messages, stream=False, options=None, **more):
        self.seen.append(f"{(options or {}).get('instructions')} {[message.text for message in messages]}")

        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=["Noted."])])

        return answer()


async def say(memory: Memory, user: str, session: str, text: str) -> str:
    client = Client()
    agent = Agent(
        client=client, instructions="Be brief.", context_providers=[LongmindProvider(memory, user=user)]
    )
    await agent.run(text, session=agent.create_session(session_id=session))
    return client.seen[-1]


def test_what_was_said_in_one_session_reaches_the_model_in_the_next(memory: Memory) -> None:
    asyncio.run(say(memory, "ana", "one", "My boat is called Gavina."))
    said = [(turn.role, turn.text) for turn in memory.conversation("one", user="ana").window()]
    assert said == [("user", "My boat is called Gavina."), ("assistant", "Noted.")]
    sent = asyncio.run(say(memory, "ana", "two", "What is my boat called?"))
    assert "Be brief." in sent
    assert "Gavina" in sent
    assert "Gavina" not in asyncio.run(say(memory, "ben", "three", "What is my boat called?"))


def test_an_agent_goes_on_when_its_memory_fails(memory: Memory) -> None:
    memory.close()
    assert "Hi" in asyncio.run(say(memory, "ana", "one", "Hi"))


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    names = run_example("microsoft", monkeypatch, tmp_path, client=Client())
    with names["memory"] as memory:
        assert len(memory.conversation("monday", user="ana").window()) == 2
