"""Keys over MCP: every tool, resource and prompt asks who calls, and a session belongs to its key."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.access.conftest import ODD_HEADERS, ODD_TARGETS, make_key, raw_answer

pytest.importorskip("mcp")

from mcp.client.streamable_http import streamable_http_client
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from longmind.access.grants import Grant
from longmind.access.guard import GRANT
from longmind.mcp.guarded import _OwnSessions
from tests.mcp.conftest import Agent, begin, connected, over_http

WORD = "zanzibar"
INITIALISE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp")
    made = {
        "alpha": make_key(folder / "keys.json", "alpha", spaces=["alpha"], role="write"),
        "reader": make_key(folder / "keys.json", "reader", spaces=["alpha"]),
        "owner": make_key(folder / "keys.json", "owner", spaces=["*"], role="admin"),
    }
    (folder / "made.json").write_text(json.dumps(made))
    with begin(folder) as memory:
        for space, word in (("alpha", "harbour"), ("beta", WORD)):
            memory.remember(f"The {word} is blue.", space=space)
            memory.facts.record("ana", "likes", word, space=space)
            project = {"path": f"app/{word}", "kind": "note", "raw": f"About the {word}."}
            memory.space(space).remember_structured(project)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    options = (
        "--profile",
        "full",
        "--keys",
        str(folder / "keys.json"),
        "--allow-origin",
        "https://app.example",
    )
    with over_http(folder, *options) as served:
        yield served


def key_of(folder: Path, name: str) -> str:
    return str(json.loads((folder / "made.json").read_text())[name])


@contextmanager
def agent_of(folder: Path, address: str, name: str) -> Iterator[Agent]:
    with connected(_with_key(address, key_of(folder, name))) as agent:
        yield agent


@asynccontextmanager
async def _with_key(address: str, key: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,  # however much else the machine does
        streamable_http_client(address, http_client=http) as streams,
    ):
        yield streams


def test_tools_resources_and_prompts_of_a_key_stay_in_its_space(folder: Path, address: str) -> None:
    with agent_of(folder, address, "alpha") as agent:
        assert "harbour" in json.dumps(agent.done("search", query="blue"))
        assert "not for that space" in agent.refused("search", query="blue", space=["beta"])
        assert "not for that space" in agent.refused("space_recall", space="beta", topic="x")
        assert "not for that space" in agent.refused("use_context", project="beta", topic="x")
        assert WORD not in json.dumps(agent.done("search", query="blue", space=["*"]))
        assert [item["name"] for item in agent.done("space_list")["spaces"]] == ["alpha"]
        assert "whole store" in agent.refused("stats")
        shown = agent.resources()
        assert "longmind://space/alpha" in shown
        assert not any("beta" in item for item in shown)
        for uri in (
            "longmind://space/beta",
            "longmind://frame/3?space=beta",
            "longmind://facts/ana?space=beta",
        ):
            with pytest.raises(Exception) as refused:
                agent.read(uri)
            assert WORD not in str(refused.value)
        assert WORD not in json.dumps(agent.read("longmind://facts/ana"))
        with pytest.raises(Exception, match="not for that space"):
            agent.prompt("use_context", project="beta", topic="x")
    with agent_of(folder, address, "owner") as agent:
        assert WORD in json.dumps(agent.done("search", query="blue", space=["beta"]))
        assert agent.done("stats")["live"] >= 2


def test_a_key_sees_the_tools_it_may_call(folder: Path, address: str) -> None:
    with agent_of(folder, address, "reader") as agent:
        names = set(agent.tools)
        assert {"search", "recall", "facts_about"} <= names
        assert not names & {"remember", "forget", "erase", "stats", "compact"}
        assert "needs the role write" in agent.refused("remember", text="x")
    with agent_of(folder, address, "alpha") as agent:
        assert {"remember", "erase"} <= set(agent.tools)
        assert "space_set_policy" not in agent.tools


def test_without_a_valid_key_there_is_no_answer(folder: Path, address: str) -> None:
    for key, reason in (("", "no_key"), ("lm_guess", "unknown_key")):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = httpx.post(address, json=INITIALISE, headers=ACCEPT | headers)
        assert (answer.status_code, answer.json()["error"]["reason"]) == (401, reason)
        assert answer.headers["www-authenticate"] == "Bearer"


def test_no_way_to_write_an_address_gets_past_the_check_of_keys(address: str) -> None:
    port = int(address.split(":")[2].split("/")[0])
    asked = [(method, target, ()) for target in ODD_TARGETS for method in ("GET", "POST")]
    asked += [(method, "/mcp", headers) for headers in ODD_HEADERS for method in ("GET", "POST", "DELETE")]
    for method, target, headers in asked:
        answer = raw_answer(port, method, target, headers)
        assert answer.startswith(b"HTTP/1.1 401 "), (method, target, headers, answer[:300])


def test_a_session_answers_only_the_key_that_began_it(folder: Path, address: str) -> None:
    own = ACCEPT | {"Authorization": f"Bearer {key_of(folder, 'owner')}"}
    began = httpx.post(address, json=INITIALISE, headers=own)
    session = {"mcp-session-id": began.headers["mcp-session-id"]}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    other = ACCEPT | {"Authorization": f"Bearer {key_of(folder, 'reader')}"}
    assert httpx.post(address, json=listing, headers=other | session).status_code == 404
    assert httpx.delete(address, headers=other | session).status_code == 404
    assert httpx.post(address, json=listing, headers=own | session).status_code != 404


def test_a_session_whose_owner_is_no_longer_known_answers_nobody() -> None:
    numbers = iter("abc")

    async def begins(scope: Any, receive: Any, send: Any) -> None:
        """Begins a session where none is named, and answers in any other."""
        headers = (
            []
            if Headers(scope=scope).get("mcp-session-id")
            else [(b"mcp-session-id", next(numbers).encode())]
        )
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    sessions = _OwnSessions(begins, most=2)

    def as_key(key_id: str) -> TestClient:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await sessions(scope | {GRANT: Grant(("*",), key_id=key_id)}, receive, send)

        return TestClient(app)

    def status(key_id: str, session: str) -> int:
        return as_key(key_id).get("/", headers={"mcp-session-id": session}).status_code

    for _ in range(2):
        as_key("ana").get("/")
    assert (status("ana", "a"), status("bob", "a")) == (200, 404)
    as_key("bob").get("/")  # the third, and the second was not used since
    assert [status(who, "b") for who in ("ana", "bob")] == [404, 404]
    assert [status(who, "a") for who in ("ana", "bob")] == [200, 404]
    assert status("ana", "never begun") == 404


def test_pages_forms_and_slow_bodies_are_refused_as_by_the_other_server(folder: Path, address: str) -> None:
    own = ACCEPT | {"Authorization": f"Bearer {key_of(folder, 'owner')}"}
    evil = httpx.post(address, json=INITIALISE, headers=own | {"Origin": "https://evil.example"})
    assert (evil.status_code, evil.json()["error"]["reason"]) == (403, "origin")
    form = httpx.post(address, content=b"{}", headers=own | {"Content-Type": "text/plain"})
    assert (form.status_code, form.json()["error"]["reason"]) == (415, "content_type")
    page = httpx.post(address, json=INITIALISE, headers=own | {"Origin": "https://app.example"})
    assert page.status_code == 200
    assert page.headers["access-control-allow-origin"] == "https://app.example"
    metrics = httpx.get(address.replace("/mcp", "/metrics"), headers=own)
    assert 'longmind_denied_total{face="mcp",reason="origin"}' in metrics.text
