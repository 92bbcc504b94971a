from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from mcp.client.streamable_http import streamable_http_client

from longmind import Memory
from tests.cli.conftest import PROGRAM
from tests.mcp.conftest import DEFAULT, Agent, begin, connected, over_http, said

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
def address(folder: Path) -> Iterator[str]:
    """One server on a port of its own for the tests of this module."""
    with begin(folder) as memory:
        memory.remember("Ana prefers trains to planes.")
    with over_http(folder) as served:
        yield served


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_drives_it_over_http(address: str, mode: str):
    with connected(address, mode=mode) as agent:
        assert set(agent.tools) == DEFAULT
        assert "Ana prefers trains" in said(agent.call("recall", query="how does Ana travel?"))
        assert agent.read("longmind://frame/1")["id"] == 1
        assert "Nothing is known" in agent.prompt("use_context", project="shop", topic="x")


def test_two_clients_at_once_write_to_one_file(address: str, folder: Path):
    def write(agent: Agent, name: str) -> None:
        for number in range(10):
            agent.done("remember", text=f"{name} wrote note {number}.")

    with connected(address) as first, connected(address) as second:
        writers = [Thread(target=write, args=pair) for pair in ((first, "Ana"), (second, "Ben"))]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    with Memory.open(folder / ".longmind" / "memory.mind") as memory:
        assert memory.stats().live == 21


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
    ],
)
def test_only_this_machine_is_served_whatever_a_page_says(address: str, headers: dict[str, str], status: int):
    found = httpx.post(address, json=INITIALISE, headers=ACCEPT | headers)

    assert found.status_code == status


def test_a_body_that_is_no_message_is_refused_without_a_trace(address: str):
    found = httpx.post(address, content=b"{oops", headers=ACCEPT | {"Content-Type": "application/json"})

    assert found.status_code == 400
    assert "Traceback" not in found.text


def test_files_are_closed_over_http_unless_a_folder_is_named(tmp_path: Path):
    begin(tmp_path).close()
    (tmp_path / "notes.md").write_text("Something.")

    with over_http(tmp_path, "--profile", "full") as served, connected(served) as agent:
        assert agent.refused("ingest", path="notes.md").startswith(
            "forbidden: path: files of this machine are not served"
        )


def test_with_a_token_only_who_sends_it_is_answered(tmp_path: Path):
    begin(tmp_path).close()

    with over_http(tmp_path, "--token", "open sesame") as served:
        refused = httpx.post(served, json=INITIALISE, headers=ACCEPT)
        wrong = httpx.post(served, json=INITIALISE, headers=ACCEPT | {"Authorization": "Bearer guess"})
        with connected(_with_token(served, "open sesame")) as agent:
            assert set(agent.tools) == DEFAULT

    assert (refused.status_code, wrong.status_code) == (401, 401)
    assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "can be reached from elsewhere"),
        (["--host", "0.0.0.0", "--token", "x"], "--allow-host"),
    ],
)
def test_beyond_this_machine_it_wants_a_token_and_names(tmp_path: Path, options: list[str], message: str):
    found = subprocess.run(
        [PROGRAM, "mcp", "--http", "--port", "0", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert found.returncode != 0
    assert message in found.stderr
    assert "Traceback" not in found.stderr


@asynccontextmanager
async def _with_token(address: str, token: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(headers=headers) as http,
        streamable_http_client(address, http_client=http) as streams,
    ):
        yield streams
