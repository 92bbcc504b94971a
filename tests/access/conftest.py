"""Servers as clients meet them: the application on a real socket, or a process of its own."""

from __future__ import annotations

import http.client
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from longmind import Memory
from longmind.access.keys import KeyFile


class Client:
    """Asks a server with one key; `keep` uses one connection for all requests, until it is closed."""

    def __init__(self, port: int, key: str | None = None, *, keep: bool = False) -> None:
        self.port = port
        self.key = key
        self._keep = keep
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __call__(
        self, path: str, body: Any = None, *, method: str = "POST", headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        status, text, _ = self.exchange(path, body, method=method, headers=headers)
        return status, json.loads(text) if text.startswith("{") else text

    def exchange(
        self, path: str, body: Any = None, *, method: str = "POST", headers: dict[str, str] | None = None
    ) -> tuple[int, str, dict[str, str]]:
        """Status, body and headers as they came."""
        try:
            return self._exchanged(path, body, method, headers)
        except ConnectionError:
            if not self._keep:
                raise
            # A machine with much else to do was slow, and the server had closed the idle connection.
            return self._exchanged(path, body, method, headers)

    def _exchanged(
        self, path: str, body: Any, method: str, headers: dict[str, str] | None
    ) -> tuple[int, str, dict[str, str]]:
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        sent = {} if raw is None else {"Content-Type": "application/json"}
        sent |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        done = False
        try:
            self._connection.request(method, path, raw, {**sent, **(headers or {})})
            response = self._connection.getresponse()
            answer = response.status, response.read().decode(), dict(response.getheaders())
            done = True
        finally:
            if not done or not self._keep:
                self._connection.close()
        return answer[0], answer[1], {name.lower(): value for name, value in answer[2].items()}

    def close(self) -> None:
        self._connection.close()


@contextmanager
def listening(memory: Memory, *, head_seconds: float = 10.0, **options: Any) -> Iterator[int]:
    """The application on a socket of this process; gives its port."""
    import uvicorn

    from longmind.access.protocol import timed_protocol
    from longmind.http.app import create_app

    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        protocol = timed_protocol(head_seconds, lambda: None)
        app = create_app(memory, **options)
        server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield sock.getsockname()[1]
        server.should_exit = True
        thread.join()


@contextmanager
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[list[logging.LogRecord]]:
    """What goes into the log as an error meanwhile, that of the HTTP server included, which keeps its own."""
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(caplog.handler)
    errors: list[logging.LogRecord] = []
    try:
        yield errors
    finally:
        logger.removeHandler(caplog.handler)
        errors += [record for record in caplog.records if record.levelno >= logging.ERROR]


@contextmanager
def served(store: Path, *options: str, program: str = "longmind", **variables: str) -> Iterator[Any]:
    """`longmind serve`, or `sm serve`, as a process; gives its port and the process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    if "://" not in str(store):
        with Memory.open(store, embedder="hash"):
            pass  # the store remembers its embedder, so that the server needs no model
    module = {"longmind": "longmind", "sm": "longmind.cli.sm"}[program]
    named = "--store" if program == "longmind" else "--db"
    command = [sys.executable, "-m", module, "serve", named, str(store), "--port", str(port), *options]
    errors = store.with_suffix(".stderr")
    with errors.open("wb") as stream:
        process = subprocess.Popen(command, env={**os.environ, **variables}, stderr=stream)
    try:
        for _ in range(1200):
            try:
                Client(port)("/health", method="GET")
                break
            except OSError:
                assert process.poll() is None, errors.read_text()
                time.sleep(0.05)
        yield Running(port, process, errors)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


class Running:
    """A server process."""

    def __init__(self, port: int, process: subprocess.Popen[bytes], errors: Path) -> None:
        self.port = port
        self.process = process
        self._errors = errors

    def log(self) -> str:
        return self._errors.read_text()

    def client(self, key: str | None = None) -> Client:
        return Client(self.port, key)


def make_key(path: Path, name: str, *, now: int | None = None, **options: Any) -> str:
    """A key in a file, as `longmind keys create` makes it."""
    moment = time.time_ns() // 1_000_000 if now is None else now
    secret, _ = KeyFile(path).create(name, now=moment, **options)
    return secret


def raw_answer(port: int, method: str, target: str, headers: Sequence[str] = ()) -> bytes:
    """What a server says to a request line as it stands: client libraries put targets right first."""
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    head = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    head += [f"Content-Length: {len(body)}", "Accept: application/json, text/event-stream", *headers]
    if not any("Upgrade" in line for line in headers):
        head.append("Connection: close")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + body)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


ODD_TARGETS: Final = (
    *("/mcp", "/mcp/", "//mcp", "/mcp/../metrics", "/mcp/..", "/MCP", "/mcp%2f", "/mcp%2F..%2Fmetrics"),
    *("/%6dcp", "/mcp;x", "/mcp?x=/health", "/mcp#/health", "/mcp%00", "/mcp%252f", "/mcp/%2e%2e/metrics"),
    *("/metrics", "/metrics/", "//metrics", "/METRICS", "/health/../mcp", "/health/../metrics", "/health%2f"),
    *("/health/", "//health", "/health;/../metrics", "/ready/../v1/search", "/inspect/../v1/search"),
    *("/inspect/api/session", "/inspect/api/../api/session", "/inspect//api/session", "/audit", "/audit/"),
    *("/docs", "/openapi.json", "/", "/..", "/v1/search", "//v1/search", "/v1//search", "/V1/search"),
    *("/v1/search/", "/v1/%73earch", "http://127.0.0.1/v1/search", "http://127.0.0.1//mcp", "http://x/mcp"),
)
"""Ways to write an address that a check and a router could read differently."""
ODD_HEADERS: Final = (
    ("X-Original-URL: /health", "X-Rewrite-URL: /health", "X-HTTP-Method-Override: GET"),
    ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eHg="),
    ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
    ("Authorization: Bearer",),
    ("Authorization: Bearer ", "Authorization: Basic eDp5"),
    ("Authorization: bearer lm_", "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1"),
)
