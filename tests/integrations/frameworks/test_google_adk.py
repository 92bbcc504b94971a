from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai import types

from longmind import Memory
from longmind.integrations.google_adk import LongmindMemoryService
from tests.integrations.frameworks.examples import run_example


class FakeModel(BaseLlm):
    model: str = "fake"
    seen: list = []

    async def generate_content_async(self, llm_request, stream=False):
        self.seen.append(str(llm_request.config.system_instruction) + str(llm_request.contents))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Noted.")]))


async def say(service, model, user: str, session: str, text: str) -> None:
    agent = LlmAgent(name="assistant", model=model, tools=[preload_memory])
    sessions = InMemorySessionService()
    runner = Runner(app_name="app", agent=agent, session_service=sessions, memory_service=service)
    await sessions.create_session(app_name="app", user_id=user, session_id=session)
    content = types.Content(role="user", parts=[types.Part(text=text)])
    async for _ in runner.run_async(user_id=user, session_id=session, new_message=content):
        pass
    done = await sessions.get_session(app_name="app", user_id=user, session_id=session)
    await service.add_session_to_memory(done)
    await service.add_session_to_memory(done)


def test_what_was_said_in_one_session_reaches_the_model_in_the_next(memory: Memory) -> None:
    service, model = LongmindMemoryService(memory), FakeModel(seen=[])
    asyncio.run(say(service, model, "ana", "one", "My boat is called Gavina."))
    assert [turn.text for turn in memory.conversation("one", user="ana").window()] == [
        "My boat is called Gavina.",
        "Noted.",
    ]
    asyncio.run(say(service, model, "ana", "two", "What is my boat called?"))
    assert "Gavina" in model.seen[-1]
    asyncio.run(say(service, model, "ben", "three", "What is my boat called?"))
    assert "Gavina" not in model.seen[-1]


def test_single_memories_are_added_found_and_deleted(memory: Memory) -> None:
    from google.adk.memory.memory_entry import MemoryEntry

    async def run() -> None:
        service = LongmindMemoryService(memory)
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text="The harbour closes at nine.")]))
        await service.add_memory(app_name="app", user_id="ana", memories=[entry])
        [found] = (await service.search_memory(app_name="app", user_id="ana", query="harbour")).memories
        assert found.content.parts[0].text == "The harbour closes at nine."
        await service.delete_memory(app_name="app", user_id="ana", memory_id=found.id)
        assert (await service.search_memory(app_name="app", user_id="ana", query="harbour")).memories == []
        memory.close()
        assert (await service.search_memory(app_name="app", user_id="ana", query="harbour")).memories == []

    asyncio.run(run())


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    model = FakeModel(seen=[])
    names = run_example("google-adk", monkeypatch, tmp_path, gemini_2_5_flash=model)
    with names["memory"] as memory:
        assert len(memory.conversation("monday", user="ana").window()) == 2
