"""The token of a server is given to that server only."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from longmind.hooks.server import Server
from tests.http_threads import serving


class Stranger(ThreadingHTTPServer):
    """Another program that listens where the server is expected, and keeps what it is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heard: list[tuple[str, str | None]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Stranger

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.heard.append((self.path, self.headers.get("Authorization")))
        body = json.dumps({"status": "ok", "store": "another"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_whoever_listens_at_the_servers_port_is_not_told_the_token() -> None:
    with serving(Stranger()) as stranger:
        asked = Server(("127.0.0.1", stranger.server_address[1]), space=None, token="secret")
        assert not asked.serves("ours")
        assert stranger.heard == [("/health", None)]
