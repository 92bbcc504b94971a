from __future__ import annotations

import asyncio
import json

import httpx2
from anthropic import Anthropic, AsyncAnthropic

from longmind import Memory
from longmind.integrations.anthropic import AsyncLongmindMemoryTool, LongmindMemoryTool
from tests.integrations.frameworks.examples import run_example


def answers(*contents):
    """A server that answers in turn, and what it was sent."""
    seen: list[dict] = []
    left = list(contents)

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        content = left.pop(0)
        reason = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
        return httpx2.Response(
            200,
            json={"id": "m", "type": "message", "role": "assistant", "model": "claude", "content": content,
                  "stop_reason": reason, "stop_sequence": None,
                  "usage": {"input_tokens": 1, "output_tokens": 1}},
        )  # fmt: skip

    return httpx2.MockTransport(answer), seen


def use(number: int, **inputs):
    return [{"type": "tool_use", "id": f"t{number}", "name": "memory", "input": inputs}]


def conversation(memory: Memory, user: str, *contents) -> list[dict]:
    transport, seen = answers(*contents)
    client = Anthropic(api_key="x", http_client=httpx2.Client(transport=transport))
    client.beta.messages.tool_runner(
        model="claude", max_tokens=100, tools=[LongmindMemoryTool(memory, user=user)],
        messages=[{"role": "user", "content": "Remember my boat."}],
    ).until_done()  # fmt: skip
    return seen


def result(request: dict) -> str:
    return str(request["messages"][-1]["content"][0]["content"])


def test_what_was_written_in_one_session_is_seen_in_the_next_and_by_nobody_else(memory: Memory) -> None:
    text = [{"type": "text", "text": "Done."}]
    seen = conversation(
        memory, "ana", use(1, command="create", path="/memories/boat.md", file_text="Gavina\nblue"), text
    )
    assert seen[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert "created" in result(seen[1])
    seen = conversation(
        memory,
        "ana",
        use(1, command="view", path="/memories"),
        use(2, command="view", path="/memories/boat.md"),
        text,
    )
    assert "/memories/boat.md" in result(seen[1])
    assert "Gavina" in result(seen[2])
    assert "boat" not in result(
        conversation(memory, "ben", use(1, command="view", path="/memories"), text)[1]
    )
    assert memory.search("Gavina", user="ana")[0].frame.title == "boat.md"


def test_files_are_changed_moved_and_deleted_with_their_history(memory: Memory) -> None:
    tool = LongmindMemoryTool(memory)

    def call(**command):
        return tool.call(command)

    call(command="create", path="/memories/a/b.md", file_text="one\ntwo\ntwo")
    assert call(command="create", path="/memories/a/b.md", file_text="x").startswith("Error")
    assert "edited" in call(command="str_replace", path="/memories/a/b.md", old_str="one", new_str="1")
    assert "Multiple" in call(command="str_replace", path="/memories/a/b.md", old_str="two", new_str="2")
    assert "did not appear" in call(
        command="str_replace", path="/memories/a/b.md", old_str="three", new_str="3"
    )
    call(command="insert", path="/memories/a/b.md", insert_line=1, insert_text="1.5\n")
    assert call(command="view", path="/memories/a/b.md", view_range=[1, 2]).splitlines()[1:] == [
        "     1\t1",
        "     2\t1.5",
    ]
    assert call(command="insert", path="/memories/a/b.md", insert_line=99, insert_text="x").startswith(
        "Error"
    )
    call(command="rename", old_path="/memories/a", new_path="/memories/c")
    assert "/memories/c/b.md" in call(command="view", path="/memories")
    for path in ("/etc/passwd", "/memories/../etc", "/memories/..", "memories/x", "/memories/%2e%2e/x"):
        assert call(command="view", path=path).startswith("Error")
    assert "deleted" in call(command="delete", path="/memories/c")
    assert call(command="view", path="/memories/c/b.md").startswith("Error")
    assert call(command="delete", path="/memories").startswith("Error")
    call(command="create", path="/memories/empty", file_text="")
    assert call(command="view", path="/memories/empty").splitlines()[1:] == ["     1\t"]


def test_the_asynchronous_tool_does_the_same(memory: Memory) -> None:
    async def run() -> list[dict]:
        transport, seen = answers(
            use(1, command="create", path="/memories/x", file_text="Gavina"),
            [{"type": "text", "text": "Done."}],
        )
        async with AsyncAnthropic(api_key="x", http_client=httpx2.AsyncClient(transport=transport)) as client:
            runner = client.beta.messages.tool_runner(
                model="claude", max_tokens=100, tools=[AsyncLongmindMemoryTool(memory)],
                messages=[{"role": "user", "content": "Remember."}],
            )  # fmt: skip
            await runner.until_done()
        return seen

    asyncio.run(run())
    assert memory.list()[0].text == "Gavina"


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    transport, seen = answers([{"type": "text", "text": "Noted."}])
    monkeypatch.setattr(
        "anthropic.Anthropic", lambda: Anthropic(api_key="x", http_client=httpx2.Client(transport=transport))
    )
    with run_example("anthropic", monkeypatch, tmp_path)["memory"]:
        assert len(seen) == 1
