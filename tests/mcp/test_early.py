"""The first questions of a client are answered at once, as the server itself would answer them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from longmind.mcp.early import ANSWERS, VERSIONS, EarlyAnswers
from tests.mcp.conftest import DEFAULT, PROGRAM, begin, over_stdio

KNOWN: dict[str, Any] = json.loads(ANSWERS.read_bytes())


def request(number: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def hello(number: int | str, version: str) -> dict[str, Any]:
    client = {"name": "test", "version": "1"}
    return request(number, "initialize", protocolVersion=version, capabilities={}, clientInfo=client)


def talk(folder: Path, *messages: dict[str, Any], options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Everything that a server process answers to these lines, while the client stays connected."""
    wanted = sum("id" in message for message in messages)
    command = [PROGRAM, "mcp", *options]
    with subprocess.Popen(command, cwd=folder, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(wanted)]
        process.stdin.close()
        answers += [json.loads(line) for line in process.stdout]
    return answers


def test_nothing_large_is_loaded_for_the_first_answers() -> None:
    large = {"anyio", "mcp", "numpy", "pydantic", "typer"}
    code = f"import sys, longmind.mcp.early; print(*{large} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_tools_of_the_default_profile_cost_a_model_little() -> None:
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in KNOWN["tools"]]
    assert {tool["name"] for tool in shown} == DEFAULT
    assert len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False)) < 5000


@pytest.mark.parametrize(
    "version",
    [VERSIONS[0], VERSIONS[-1], *(pytest.param(item, marks=pytest.mark.soak) for item in VERSIONS[1:-1])],
)
def test_each_request_is_answered_once(tmp_path: Path, version: str) -> None:
    begin(tmp_path).close()
    answers = talk(
        tmp_path,
        hello("first", version),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/list"),
        request(3, "tools/call", name="remember", arguments={"text": "The first thing."}),
    )
    assert sorted(str(answer["id"]) for answer in answers) == ["2", "3", "first"]
    by_id = {answer["id"]: answer["result"] for answer in answers}
    assert by_id["first"] == {**KNOWN["initialize"], "protocolVersion": version}
    assert by_id[2]["tools"] == KNOWN["tools"]
    assert by_id[3]["structuredContent"]["created"] == 1


def test_the_server_itself_would_answer_the_same(tmp_path: Path) -> None:
    begin(tmp_path).close()
    named = ("--profile", "default")  # named in words, it is not answered early
    answers = talk(
        tmp_path,
        hello(1, VERSIONS[-1]),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/list"),
        options=named,
    )
    by_id = {answer["id"]: answer["result"] for answer in answers}
    assert by_id[1]["capabilities"] == KNOWN["initialize"]["capabilities"]
    assert by_id[1]["instructions"] == KNOWN["initialize"]["instructions"]
    assert by_id[1]["serverInfo"]["version"] == KNOWN["initialize"]["serverInfo"]["version"]
    assert by_id[2]["tools"] == KNOWN["tools"]


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b'"tools/list"', b'{"method": "tools/list"}', b'{"id": {}, "method": "tools/list"}',
     b'{"id": 1, "method": "tools/list"}',  # of a client that did not begin with a known version
     b'{"id": 1, "method": "initialize", "params": []}', b'{"id": 1, "method": "tools/call"}',
     b'{"id": 1, "method": "initialize", "params": {"protocolVersion": "2099-01-01"}}'],
)  # fmt: skip
def test_what_is_not_known_goes_to_the_server(line: bytes) -> None:
    out = io.BytesIO()
    assert EarlyAnswers(KNOWN, io.BytesIO(), out).answer(line) is False
    assert out.getvalue() == b""


def test_arguments_that_are_not_shown_work_too(tmp_path: Path) -> None:
    begin(tmp_path).close()
    with over_stdio(tmp_path) as agent:
        agent.done("remember", text="Ana prefers trains.", tags=["travel"], speaker="Ana", user="ana")
        [hit] = agent.done("search", query="trains", lanes=["text"], user="ana")["hits"]
        assert agent.done("forget", id=hit["frame"]["id"], user="ana")["frames"] == [hit["frame"]["id"]]
        assert "there is no such argument" in agent.refused("forget", number=1)
