"""A listener that counts what arrives: an attack that works shows up here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.http_threads import serving


@dataclass
class Listener:
    """A server on this machine; `received` holds every request with its headers and body."""

    url: str = ""
    received: list[str] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    listener: Listener

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
        self.listener.received.append(f"{self.path}\n{self.headers}\n{body}")
        content = b'{"data": [], "embeddings": [], "choices": []}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _answer  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    state = Listener()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"listener": state}))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    with serving(server):
        yield state
