"""The same answers whichever major version of the `mcp` package is installed, spoken as plain JSON-RPC."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from longmind import __version__
from tests.mcp.conftest import DEFAULT, begin

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = importlib.metadata.version("mcp").partition(".")[0]
CLIENT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """A server process, spoken to line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._last = 0

    def notify(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._last
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def environment(packages: Path | None) -> dict[str, str]:
    """In which `mcp` is the one of the folder, if one is given."""
    paths = [str(packages)] if packages else []
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, str(ROOT)])}


@contextmanager
def started(folder: Path, packages: Path | None) -> Iterator[Wire]:
    command = [sys.executable, "-m", "longmind", "mcp"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(packages),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        wire = Wire(process)
        greeting = wire.ask("initialize", **CLIENT)["result"]
        assert greeting["serverInfo"]["name"] == "longmind"
        assert greeting["serverInfo"]["version"] == __version__
        assert {"tools", "resources", "prompts"} <= set(greeting["capabilities"])
        wire.notify("notifications/initialized")
        yield wire
    finally:
        process.communicate(timeout=60)


def check_stdio(folder: Path, packages: Path | None) -> None:
    """Every request the server answers, and one of each refusal."""
    with begin(folder) as memory:
        memory.remember("Ana prefers trains to planes.")
        memory.space("shop").remember_structured({"path": "a/b", "kind": "decision", "raw": "Use tea."})
    with started(folder, packages) as wire:
        tools = {tool["name"]: tool for tool in wire.ask("tools/list")["result"]["tools"]}
        assert set(tools) == DEFAULT
        assert tools["search"]["inputSchema"]["required"] == ["query"]
        assert tools["search"]["annotations"]["readOnlyHint"]

        result = wire.ask("tools/call", name="search", arguments={"query": "trains"})["result"]
        assert result["structuredContent"]["hits"][0]["frame"]["text"] == "Ana prefers trains to planes."
        refused = wire.ask("tools/call", name="search", arguments={"quarry": "trains"})["result"]
        assert refused["isError"]
        assert "quarry: there is no such argument" in refused["content"][0]["text"]
        unknown = wire.ask("tools/call", name="explode", arguments={})["error"]
        assert unknown["code"] == -32602
        assert "There is no tool 'explode'" in unknown["message"]

        listed = wire.ask("resources/list")["result"]["resources"]
        assert {"longmind://frame/1", "longmind://space/shop"} <= {item["uri"] for item in listed}
        templates = wire.ask("resources/templates/list")["result"]["resourceTemplates"]
        assert {item["name"] for item in templates} == {"frame", "fact", "facts", "space"}
        [contents] = wire.ask("resources/read", uri="longmind://frame/1")["result"]["contents"]
        assert json.loads(contents["text"])["text"] == "Ana prefers trains to planes."
        missing = wire.ask("resources/read", uri="longmind://frame/999")["error"]
        assert (missing["code"], missing["data"]) == (-32602, {"code": "not_found"})

        [prompt] = wire.ask("prompts/list")["result"]["prompts"]
        assert prompt["name"] == "use_context"
        arguments = {"project": "shop", "topic": "tea"}
        given = wire.ask("prompts/get", name="use_context", arguments=arguments)["result"]
        assert "Use tea." in given["messages"][0]["content"]["text"]


def check_http(folder: Path, packages: Path | None) -> None:
    command = [sys.executable, "-m", "longmind", "mcp", "--http", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(packages), stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        accept = {"Accept": "application/json, text/event-stream"}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT}
        answer = httpx.post(address, json=message, headers=accept)
        assert answer.status_code == 200
        assert '"longmind"' in answer.text
        foreign = httpx.post(address, json=message, headers={**accept, "Host": "evil.example"})
        assert foreign.status_code in (403, 421)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_installed_version_speaks_the_protocol(tmp_path: Path) -> None:
    check_stdio(tmp_path, None)
    check_http(tmp_path, None)


@pytest.mark.soak
@pytest.mark.parametrize("wanted", ["mcp==1.26.0", "mcp>=1.30,<2", "mcp==2.0.0", "mcp>=2.3,<3"])
def test_each_supported_version_speaks_the_protocol(tmp_path: Path, wanted: str) -> None:
    packages = tmp_path / "packages"
    install = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    done = subprocess.run([*install, "--target", str(packages), wanted], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{wanted} cannot be installed here")
    (tmp_path / "project").mkdir()
    check_stdio(tmp_path / "project", packages)
    check_http(tmp_path / "project", packages)
