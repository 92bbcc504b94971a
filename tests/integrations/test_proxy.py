"""The proxy: a client sees what the server sent, and the memory what was said."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

from longmind import Memory  # noqa: E402
from tests.integrations.upstream import proxied, upstream  # noqa: E402

HALF = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[SimpleNamespace]:
    with (
        Memory.open(tmp_path / "a.mind", embedder=None) as memory,
        upstream() as server,
        proxied(memory, server.url) as (url, app),
        httpx.Client(timeout=20) as client,
    ):
        yield SimpleNamespace(memory=memory, server=server, url=url, app=app, client=client)


def ask(setting: SimpleNamespace, text: str, *, url: str | None = None, **options: Any) -> Any:
    headers = {"authorization": "Bearer secret", **options.pop("headers", {})}
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **options}
    return setting.client.post(f"{url or setting.url}/chat/completions", json=body, headers=headers)


def test_an_answer_is_passed_on_as_it_is_and_kept(setting: SimpleNamespace) -> None:
    direct = ask(setting, "Hi", url=setting.server.url)
    answer = ask(setting, "My boat is called Gavina.", user="ana", headers={"x-longmind-session": "one"})
    assert (answer.status_code, answer.content) == (direct.status_code, direct.content)
    assert answer.headers["x-request-id"] == "r1"
    setting.app.drain()
    said = [(turn.role, turn.text) for turn in setting.memory.conversation("one", user="ana").window()]
    assert said == [("user", "My boat is called Gavina."), ("assistant", "Noted.")]
    path, headers, _ = setting.server.seen[-1]
    assert path == "/v1/chat/completions"
    sent = {name.lower(): value for name, value in headers.items()}
    assert sent["authorization"] == "Bearer secret"
    assert "x-longmind-session" not in sent


def test_what_was_said_before_reaches_the_model_for_that_user_only(setting: SimpleNamespace) -> None:
    setting.memory.remember("Ana's boat is called Gavina.", user="ana")
    ask(setting, "What is my boat called?", user="ana")
    assert "Gavina" in str(setting.server.seen[-1][2]["messages"][0])
    assert setting.server.seen[-1][2]["messages"][0]["role"] == "system"
    ask(setting, "What is my boat called?", user="ben")
    assert len(setting.server.seen[-1][2]["messages"]) == 1


@pytest.mark.parametrize("behave", ["plain", "tools"])
def test_a_stream_arrives_byte_for_byte_and_is_kept(setting: SimpleNamespace, behave: str) -> None:
    setting.server.behave = behave
    direct = ask(setting, "Hi", url=setting.server.url, stream=True)
    answer = ask(setting, "Hi", stream=True)
    assert answer.content == direct.content
    assert answer.headers["content-type"] == "text/event-stream"
    setting.app.drain()
    texts = [turn.text for turn in setting.memory.conversation("chat").window()]
    assert texts == ["Hi", 'Called weather({"city": "Porto"})' if behave == "tools" else "Noted."]


@pytest.mark.parametrize("behave", ["plain", "tools"])
@pytest.mark.parametrize("stream", [False, True])
def test_responses_are_passed_on_as_they_are_and_kept(
    setting: SimpleNamespace, behave: str, stream: bool
) -> None:
    setting.memory.remember("The boat is called Gavina.")
    setting.server.behave = behave
    parts = [{"type": "input_text", "text": "What is the boat called?"}]
    inputs = [
        {"type": "function_call_output", "call_id": "c0", "output": "sunny"},
        {"role": "user", "content": parts},
    ]
    body = {"model": "m", "input": inputs, "instructions": "Be brief.", "stream": stream}
    direct, answer = (
        setting.client.post(f"{url}/responses", json=body) for url in (setting.server.url, setting.url)
    )
    assert (answer.status_code, answer.content) == (direct.status_code, direct.content)
    sent = setting.server.seen[-1][2]
    assert sent["instructions"].startswith("Be brief.")
    assert "Gavina" in sent["instructions"]
    assert sent["input"] == inputs
    setting.app.drain()
    texts = [turn.text for turn in setting.memory.conversation("chat").window()]
    assert texts[-2] == "What is the boat called?"
    assert texts[-1] == ('Called weather({"city": "Porto"})' if behave == "tools" else "Noted.")


def test_a_list_that_grows_is_kept_once(setting: SimpleNamespace) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    for _ in range(3):
        ask(setting, "", messages=messages)
        setting.app.drain()
        messages += [{"role": "assistant", "content": "Noted."}, {"role": "user", "content": "Hi"}]
    assert len(setting.memory.conversation("chat").window()) == 6
    assert setting.server.seen[-1][2]["messages"][0]["content"].startswith("Be brief.")


def test_errors_and_other_requests_are_passed_on(setting: SimpleNamespace) -> None:
    assert setting.client.get(f"{setting.url}/models").json()["data"][0]["id"] == "m"
    setting.server.behave = "error"
    answer = ask(setting, "Hi")
    assert (answer.status_code, answer.json()["error"]["message"]) == (429, "Slow down.")
    setting.app.drain()
    assert len(setting.memory.list()) == 0


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_breaks_off_is_broken_for_the_client_and_not_kept(
    setting: SimpleNamespace, stream: bool
) -> None:
    setting.server.behave = "broken"
    with pytest.raises(httpx.RemoteProtocolError):
        ask(setting, "Hi", stream=stream)
    setting.app.drain()
    assert len(setting.memory.list()) == 0


def test_a_server_that_is_gone_or_silent_is_an_error_in_the_clients_own_form(
    setting: SimpleNamespace,
) -> None:
    setting.server.behave = "silent"
    answer = ask(setting, "Hi")
    assert answer.status_code == 502
    assert answer.json()["error"]["type"] == "proxy_error"
    with proxied(setting.memory, "http://127.0.0.1:9/v1") as (url, _):
        assert ask(setting, "Hi", url=url).status_code == 502


def test_a_slow_server_is_waited_for_as_the_client_wants(setting: SimpleNamespace) -> None:
    setting.server.behave = "slow"
    assert ask(setting, "Hi").status_code == 200
    with pytest.raises(httpx.ReadTimeout):
        setting.client.post(f"{setting.url}/chat/completions", json={"messages": []}, timeout=0.2)


def test_requests_go_through_when_the_memory_fails_or_cannot_read_them(setting: SimpleNamespace) -> None:
    ask(setting, "", messages="not a list of messages", extra=1)
    assert setting.server.seen[-1][2]["messages"] == "not a list of messages"
    setting.memory.close()
    assert ask(setting, "Hi").status_code == 200


def test_web_pages_and_other_names_are_refused(setting: SimpleNamespace) -> None:
    assert ask(setting, "Hi", headers={"origin": "https://evil.example"}).status_code == 403
    assert ask(setting, "Hi", headers={"host": "evil.example"}).status_code == 403
    assert ask(setting, "Hi", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert setting.server.seen == []


@pytest.mark.parametrize("sent", [b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127", HALF + b"\r\n{"])
def test_half_a_request_is_not_waited_for(setting: SimpleNamespace, sent: bytes) -> None:
    with proxied(setting.memory, setting.server.url, head_seconds=0.3, idle_seconds=0.3) as (url, _):
        address = ("127.0.0.1", int(url.split(":")[2].split("/")[0]))
        with socket.create_connection(address, timeout=20) as connection:
            connection.sendall(sent)
            answer = b""
            while part := connection.recv(65536):
                answer += part
                if b"in time" in answer:
                    break  # the connection itself may stay open for the next request
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert setting.server.seen == []


def test_a_fixed_user_cannot_be_changed_by_a_request(setting: SimpleNamespace) -> None:
    with proxied(setting.memory, setting.server.url, user="ana") as (url, app):
        ask(setting, "Hi", url=url, user="ben", headers={"x-longmind-user": "ben"})
        app.drain()
    assert [user.user for user in setting.memory.users()] == ["ana"]
