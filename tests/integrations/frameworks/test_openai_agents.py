from __future__ import annotations

import asyncio

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from longmind import Memory
from longmind.integrations.openai_agents import LongmindSession, function_tools, memory_instructions
from tests.integrations.frameworks.examples import run_example
from tests.integrations.upstream import upstream

set_tracing_disabled(True)


class FakeModel(Model):
    def __init__(self, *outputs) -> None:
        self.outputs = list(outputs)
        self.seen: list = []

    async def get_response(self, system_instructions, input, *args, **options):
        self.seen.append((system_instructions, input))
        output = self.outputs.pop(0)
        return ModelResponse(
            output=[said(output) if isinstance(output, str) else output], usage=Usage(), response_id=None
        )

    def stream_response(self, *args, **options):
        raise NotImplementedError


def said(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(
        id="m", content=[content], role="assistant", status="completed", type="message"
    )


def run(agent: Agent, text: str, **options):
    return asyncio.run(Runner.run(agent, text, **options))


def test_a_session_keeps_every_item_and_repeats(memory: Memory) -> None:
    session = LongmindSession(memory, "s1", user="ana")
    model = FakeModel("Hello.", "Hello.")
    agent = Agent(name="a", model=model)
    run(agent, "Hi", session=session)
    run(agent, "Hi", session=session)
    assert [item["role"] for item in model.seen[1][1]] == ["user", "assistant", "user"]
    items = asyncio.run(session.get_items())
    assert len(items) == 4
    assert asyncio.run(session.get_items(limit=1)) == items[-1:]
    assert asyncio.run(session.pop_item()) == items[-1]
    assert asyncio.run(session.get_items()) == items[:-1]
    assert asyncio.run(LongmindSession(memory, "s1", user="ben").get_items()) == []
    asyncio.run(session.clear_session())
    assert asyncio.run(session.get_items()) == []
    assert asyncio.run(session.pop_item()) is None


def test_what_was_said_in_one_session_reaches_the_model_in_the_next(memory: Memory) -> None:
    run(
        Agent(name="a", model=FakeModel("Noted.")),
        "My boat is called Gavina.",
        session=LongmindSession(memory, "one", user="ana"),
    )
    for user, known in (("ana", True), ("ben", False)):
        model = FakeModel("Gavina.")
        agent = Agent(name="a", model=model, instructions=memory_instructions(memory, "Be brief."))
        run(
            agent,
            "What is my boat called?",
            session=LongmindSession(memory, "two", user=user),
            context={"user": user},
        )
        instructions = model.seen[0][0]
        assert instructions.startswith("Be brief.")
        assert ("Gavina" in instructions) is known


def test_the_model_can_use_the_memory_as_tools(memory: Memory) -> None:
    call = ResponseFunctionToolCall(
        arguments='{"text": "The harbour closes at nine."}',
        call_id="c",
        name="memory_remember",
        type="function_call",
    )
    model = FakeModel(call, "Done.")
    run(Agent(name="a", model=model, tools=function_tools(memory, user="ana")), "Remember that.")
    assert memory.list(user="ana")[0].text == "The harbour closes at nine."
    assert "Remembered as" in str(model.seen[1][1])


def test_function_calls_in_a_session_are_read_back(memory: Memory) -> None:
    session = LongmindSession(memory, "s1")
    items = [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "42"},
        {"type": "reasoning", "id": "r", "summary": []},
    ]
    asyncio.run(session.add_items(items))
    assert asyncio.run(session.get_items()) == items
    assert "Called f({})" in memory.conversation("s1").window()[0].text


def test_an_agent_goes_on_when_recall_fails(memory: Memory) -> None:
    memory.close()
    model = FakeModel("Hello.")
    agent = Agent(name="a", model=model, instructions=memory_instructions(memory, "Be brief."))
    assert run(agent, "Hi").final_output == "Hello."
    assert model.seen[0][0] == "Be brief."


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with upstream() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with run_example("openai-agents", monkeypatch, tmp_path)["memory"] as memory:
            assert len(memory.conversation("monday", user="ana").window()) == 2
        assert server.seen[0][2]["instructions"].startswith("You are helpful.")
