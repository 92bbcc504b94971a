from __future__ import annotations

import openai
import pytest

from longmind import Memory
from tests.integrations.frameworks.examples import run_example
from tests.integrations.upstream import proxied, upstream

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "weather", "description": "The weather of a city.", "parameters": SCHEMA}


@pytest.mark.parametrize("behave", ["plain", "tools", "slow"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_official_client_sees_what_it_would_have_seen(memory: Memory, behave: str, stream: bool) -> None:
    memory.remember("The boat is called Gavina.")
    with upstream() as server, proxied(memory, server.url) as (url, app):
        server.behave = behave
        answers = []
        for base in (server.url, url):
            client = openai.OpenAI(api_key="x", base_url=base, max_retries=0, timeout=20)
            messages = [{"role": "user", "content": "What is the boat called?"}]
            tools = {"tools": [{"type": "function", "function": WEATHER}]} if behave == "tools" else {}
            answer = client.chat.completions.create(model="m", messages=messages, stream=stream, **tools)
            answers.append([chunk.model_dump() for chunk in answer] if stream else answer.model_dump())
        assert answers[0] == answers[1]
        direct, through = (request for _, _, request in server.seen)
        assert {**through, "messages": through["messages"][1:]} == direct
        assert "Gavina" in str(through["messages"][0])
        app.drain()
    assert len(memory.conversation("chat").window()) == 2


@pytest.mark.parametrize("behave", ["plain", "tools", "slow"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_official_client_gets_the_same_responses(memory: Memory, behave: str, stream: bool) -> None:
    memory.remember("The boat is called Gavina.")
    with upstream() as server, proxied(memory, server.url) as (url, app):
        server.behave = behave
        answers = []
        for base in (server.url, url):
            client = openai.OpenAI(api_key="x", base_url=base, max_retries=0, timeout=20)
            tools = {"tools": [{"type": "function", **WEATHER}]} if behave == "tools" else {}
            answer = client.responses.create(
                model="m", input="What is the boat called?", stream=stream, **tools
            )
            answers.append([event.model_dump() for event in answer] if stream else answer.model_dump())
        assert answers[0] == answers[1]
        direct, through = (request for _, _, request in server.seen)
        assert "Gavina" in through.pop("instructions")
        assert through == direct
        if stream and behave == "plain":
            with client.responses.stream(model="m", input="And the ship?") as events:
                assert events.get_final_response().output_text == "Noted."
        app.drain()
    assert len(memory.conversation("chat").window()) == (4 if stream and behave == "plain" else 2)


@pytest.mark.parametrize("face", ["chat", "responses"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_official_client_sees_a_killed_server_as_such(memory: Memory, stream: bool, face: str) -> None:
    def ask(client: openai.OpenAI) -> None:
        if face == "chat":
            messages = [{"role": "user", "content": "Hi"}]
            answer = client.chat.completions.create(model="m", messages=messages, stream=stream)
        else:
            answer = client.responses.create(model="m", input="Hi", stream=stream)
        list(answer)

    with upstream() as server, proxied(memory, server.url) as (url, app):
        for behave in ("broken", "error"):
            server.behave = behave
            raised = []
            for base in (server.url, url):
                client = openai.OpenAI(api_key="x", base_url=base, max_retries=0, timeout=20)
                with pytest.raises(Exception) as caught:
                    ask(client)
                raised.append((type(caught.value), getattr(caught.value, "status_code", None)))
            assert raised[0] == raised[1]
        app.drain()
    assert len(memory.list()) == 0


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, memory: Memory) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with upstream() as server, proxied(memory, server.url) as (url, app):
        run_example("proxy", monkeypatch, tmp_path, http___127_0_0_1_8789_v1=url)
        app.drain()
    assert len(memory.conversation("monday", user="ana").window()) == 2
