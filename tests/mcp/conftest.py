"""Servers as agents meet them: real processes, driven by the official client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import mcp_types as types
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from longmind import Memory

PROGRAM = Path(sys.executable).with_name("longmind")
DEFAULT = {
    "remember",
    "recall",
    "search",
    "forget",
    "facts_record",
    "facts_about",
    "experience_brief",
    "experience_record",
}


class Agent:
    """The official client, called from a test that is not asynchronous."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def call(self, name: str, **arguments: Any) -> types.CallToolResult:
        found = self.portal.call(self.client.call_tool, name, arguments)
        assert isinstance(found, types.CallToolResult)
        return found

    def done(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that must succeed."""
        found = self.call(name, **arguments)
        assert not found.is_error, said(found)
        assert found.structured_content is not None
        return found.structured_content

    def refused(self, name: str, **arguments: Any) -> str:
        """The message of a call that must fail."""
        found = self.call(name, **arguments)
        assert found.is_error
        assert found.structured_content is None
        return said(found)

    @property
    def tools(self) -> dict[str, types.Tool]:
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def read(self, address: str) -> dict[str, Any]:
        contents = self.portal.call(self.client.read_resource, address).contents
        assert isinstance(contents[0], types.TextResourceContents)
        found: dict[str, Any] = json.loads(contents[0].text)
        return found

    def resources(self) -> list[str]:
        return [str(item.uri) for item in self.portal.call(self.client.list_resources).resources]

    def prompt(self, name: str, **arguments: str) -> str:
        found = self.portal.call(self.client.get_prompt, name, arguments)
        assert isinstance(found, types.GetPromptResult)
        content = found.messages[0].content
        assert isinstance(content, types.TextContent)
        return content.text


def said(result: types.CallToolResult) -> str:
    content = result.content[0]
    assert isinstance(content, types.TextContent)
    return content.text


@contextmanager
def connected(server: Any, *, mode: str = "auto") -> Iterator[Agent]:
    """A client of a server: one in this process, a transport, or an address."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, mode=mode)) as client,
    ):
        yield Agent(portal, client)


@contextmanager
def over_stdio(folder: Path, *options: str, mode: str = "auto") -> Iterator[Agent]:
    """`longmind mcp` as an agent starts it, in a folder."""
    started = StdioServerParameters(command=str(PROGRAM), args=["mcp", *options], cwd=folder)
    with connected(stdio_client(started), mode=mode) as agent:
        yield agent


@contextmanager
def over_http(folder: Path, *options: str) -> Iterator[str]:
    """`longmind mcp --http` on a port of its own; gives the address."""
    command = [str(PROGRAM), "mcp", "--http", "--port", "0", *options]
    with tempfile.TemporaryFile("w+") as log:  # a pipe that nobody reads would fill up and stop the server
        process = subprocess.Popen(command, cwd=folder, stderr=log, stdout=subprocess.DEVNULL)
        try:
            yield first_line(process, log).split()[-1]
        finally:
            process.terminate()
            process.wait(30)


def first_line(process: subprocess.Popen[bytes], log: IO[str]) -> str:
    """What a server says when it listens."""
    until = time.monotonic() + 60
    while "\n" not in (text := os.pread(log.fileno(), 65536, 0).decode()):
        assert process.poll() is None, text
        assert time.monotonic() < until, text
        time.sleep(0.02)
    assert text.startswith("Listening on http://"), text
    return text.partition("\n")[0]


def begin(folder: Path) -> Memory:
    """The memory that the server finds in its folder; the small embedder makes it start at once."""
    (folder / ".longmind").mkdir(exist_ok=True)
    return Memory.open(folder / ".longmind" / "memory.mind", embedder="hash")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")
