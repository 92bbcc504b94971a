"""Whatever a client writes, the MCP server answers what it can, refuses the rest, and goes on.

The messages are written by hand, not by a client library: a library sends only what is well formed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from tests.access.conftest import Client
from tests.fuzz.mutations import damaged, deep_text, encoded, mutated, rounds, scalar, value
from tests.fuzz.worlds import asked, examples, fill
from tests.mcp.conftest import begin, over_http

INTERNAL_ERROR = -32603
BEGIN = {
    "jsonrpc": "2.0",
    "id": "begin",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    },
}
BEGUN = {"jsonrpc": "2.0", "method": "notifications/initialized"}
TOOLS = examples()
PARAMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tools/list", {"cursor": "x"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "longmind://frame/1?space=default"}),
    ("resources/read", {"uri": "longmind://facts/ana"}),
    ("resources/read", {"uri": "longmind://space/runtime?topic=release"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "use_context", "arguments": {"project": "runtime", "topic": "release"}}),
    ("ping", {}),
    ("initialize", BEGIN["params"]),
    ("notifications/cancelled", {"requestId": 1, "reason": "x"}),
    ("notifications/progress", {"progressToken": 1, "progress": 0.5}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}},
    ),
    ("logging/setLevel", {"level": "debug"}),
    ("resources/subscribe", {"uri": "longmind://frame/1"}),
)


def message(rng: random.Random, number: int) -> bytes:
    """One message of a hostile client, on a line of its own."""
    if rng.random() < 0.6:
        operation, example = rng.choice(TOOLS)
        arguments = asked(operation, example, rng, mutated)
        if rng.random() < 0.1:  # lists and objects may come as a text with JSON in it
            names = [item.name for item in operation.parameters] or ["a"]
            arguments[rng.choice(names)] = rng.choice([deep_text(rng), json.dumps(value(rng))])
        params: Any = {"name": "_".join(operation.path), "arguments": arguments}
        call: Any = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    else:
        method, params = rng.choice(PARAMS)
        call = {"jsonrpc": "2.0", "id": number, "method": method, "params": mutated(rng, params or {"a": 1})}
    kind = rng.random()
    if kind < 0.1:
        call = mutated(rng, call)
    elif kind < 0.13:
        call = [call, mutated(rng, call)]
    elif kind < 0.15:
        call = value(rng)
    elif kind < 0.17:
        call["id"] = scalar(rng)
    line = encoded(call)
    if kind > 0.96:
        line = damaged(rng, line)
    elif kind > 0.94:
        line = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": %s}' % deep_text(rng).encode()
    return line.replace(b"\n", b" ")


def _problem(answer: Any) -> str | None:
    """What is wrong with an answer; None if nothing is."""
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0":
        return "not JSON-RPC"
    error = answer.get("error")
    if error is not None:
        bad = error.get("code") == INTERNAL_ERROR or "nexpected" in str(error.get("message"))
        return "internal error" if bad or not isinstance(error.get("message"), str) else None
    result = answer.get("result")
    if isinstance(result, dict) and result.get("isError"):
        text = result["content"][0]["text"]
        return f"a defect: {text[:200]}" if "unexpected" in text or ":" not in text else None
    return None


class Process:
    """A server as an agent starts it, and the two ends of the pipe."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "longmind", "mcp", "--profile", "full"]
        self.errors = folder / "stderr.txt"
        with self.errors.open("wb") as stream:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                env=os.environ,
            )
        self._numbers = iter(range(10**9, 2 * 10**9))

    def send(self, *lines: bytes) -> None:
        """In a thread of its own: both pipes may be full at the same time."""
        assert self._process.stdin is not None
        pipe = self._process.stdin
        pipe.write(b"".join(line + b"\n" for line in lines))
        pipe.flush()

    def settle(self, *lines: bytes) -> list[Any]:
        """What the server says until it answers a last question; it must answer that."""
        number = next(self._numbers)
        asking = encoded({"jsonrpc": "2.0", "id": number, "method": "prompts/list", "params": {}})
        sender = threading.Thread(target=self.send, args=(*lines, asking))
        sender.start()
        answers = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answers.append(json.loads(line))
            if answers[-1].get("id") == number:
                assert "result" in answers[-1], answers[-1]
                break
        else:
            raise AssertionError("the server ended:\n" + self.errors.read_text()[-4000:])
        sender.join()
        return answers

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        assert self._process.wait(60) == 0
        self._process.stdout.close()


@contextmanager
def over_stdio(folder: Path) -> Iterator[Process]:
    process = Process(folder)
    try:
        process.settle(encoded(BEGIN), encoded(BEGUN))
        yield process
    finally:
        process.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with begin(tmp_path) as memory:
        fill(memory)
    return tmp_path


@rounds(80, 10_000)
def test_no_message_over_standard_input_breaks_the_server(folder: Path, count: int) -> None:
    rng = random.Random(count)
    kinds: Counter[str] = Counter()
    problems: dict[str, str] = {}
    with over_stdio(folder) as process:
        for start in range(0, count, 10):
            lines = [message(rng, start + number) for number in range(10)]
            for answer in process.settle(*lines):
                kinds["result" if "result" in answer else "error"] += 1
                if why := _problem(answer):
                    sent = next(
                        (line for line in lines if b'"id": %s,' % str(answer.get("id")).encode() in line), b""
                    )
                    problems.setdefault(why + str(answer)[:200], sent[:700].decode("utf-8", "replace"))
    print(f"messages {count}, answers {dict(kinds)}")
    assert not problems, "\n".join(f"{why}\n    {sent}" for why, sent in list(problems.items())[:30])
    assert kinds["result"] > count / 4
    assert "Traceback" not in process.errors.read_text()
    with begin(folder) as memory:
        assert memory.verify(deep=True)


def test_messages_before_the_beginning_and_after_the_end_leave_nothing_behind(folder: Path) -> None:
    process = Process(folder)
    call = {"name": "remember", "arguments": {"text": "too early"}}
    process.send(encoded({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}))
    process.send(b"", b"\xff\xfe", b"null", b'{"jsonrpc": "2.0", "id": 2, "method": "pi')
    process.settle(encoded(BEGIN), encoded(BEGUN))
    process.close()
    assert "Traceback" not in process.errors.read_text()
    with begin(folder) as memory:
        assert memory.verify(deep=True)


@rounds(80, 10_000)
def test_no_request_over_http_breaks_the_server(folder: Path, count: int) -> None:
    rng = random.Random(count)
    statuses: Counter[int] = Counter()
    problems: dict[str, str] = {}
    accepts = {"Accept": "application/json, text/event-stream"}
    with over_http(folder, "--profile", "full") as address:
        client = Client(int(address.split(":")[2].split("/")[0]), keep=True)
        _, _, headers = client.exchange("/mcp", BEGIN, headers=accepts)
        session = {"Mcp-Session-Id": headers.get("mcp-session-id", ""), "Mcp-Protocol-Version": "2025-06-18"}
        client.exchange("/mcp", BEGUN, headers={**accepts, **session})
        for number in range(count):
            line = message(rng, number)
            more = dict(accepts if rng.random() < 0.05 else {**accepts, **session})
            if rng.random() < 0.05:
                name = rng.choice([*accepts, *session, "Origin", "Last-Event-ID", "Content-Type"])
                more[name] = rng.choice(["", "x", "*/*", "9999", "é", "application/json", "2024-11-05"])
            try:
                status, text, _ = client.exchange("/mcp", line, headers=more)
            except UnicodeEncodeError:
                continue  # not even a hostile client can send this header
            statuses[status] += 1
            answers = [json.loads(part[6:]) for part in text.splitlines() if part.startswith("data: {")]
            answers += [json.loads(text)] if text.startswith("{") and status == 200 else []
            for why in filter(None, map(_problem, answers)):
                problems.setdefault(why + text[:200], line[:700].decode("utf-8", "replace"))
            if status >= 500:
                problems.setdefault(f"status {status}: {text[:300]}", line[:700].decode("utf-8", "replace"))
        client.close()
        print(f"requests {count}, by status {dict(statuses)}")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
        assert Client(client.port).exchange("/mcp", ping, headers={**accepts, **session})[0] == 200
    assert not problems, "\n".join(f"{why}\n    {sent}" for why, sent in list(problems.items())[:30])
    assert statuses[200] > count / 4
