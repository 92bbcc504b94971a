"""A real server that speaks the providers' protocols, and misbehaves on request."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.http_threads import serving


@dataclass
class Provider:
    """What the server says, and what it was asked. `behaviours` are taken in order; the last one stays."""

    url: str = ""
    says: str = "[]"
    behaviours: list[str] = field(default_factory=lambda: ["well"])
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    def behaviour(self) -> str:
        return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]


def _answer(path: str, text: str, behaviour: str) -> dict[str, Any]:
    refused = behaviour == "refuse"
    if path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": None if refused else text}
        if refused:
            message["refusal"] = "no"
        return {
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 7},
        }
    if path.endswith("/v1/messages"):
        return {
            "content": [{"type": "text", "text": text}],
            "stop_reason": "refusal" if refused else "end_turn",
            "usage": {"input_tokens": 50, "output_tokens": 7},
        }
    return {"message": {"role": "assistant", "content": text}, "prompt_eval_count": 50, "eval_count": 7}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.provider.requests.append((self.path, dict(self.headers), body))
        behaviour = self.provider.behaviour()
        status = int(behaviour) if behaviour.isdigit() else 200
        if behaviour == "slow":
            time.sleep(1.5)
        if behaviour == "hang up":
            self.connection.close()
            return
        content = json.dumps(_answer(self.path, self.provider.says, behaviour)).encode()
        if status != 200:
            content = json.dumps(
                {"error": f"status {status} for {self.headers.get('Authorization')}"}
            ).encode()
        elif behaviour == "broken json":
            content = content[:-5]
        elif behaviour == "wrong schema":
            content = b'{"choices": [], "content": 3, "message": []}'
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status == 429:
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            pass  # the client did not wait

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    known = Provider()
    handler = type("Handler", (_Handler,), {"provider": known})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    known.url = f"http://127.0.0.1:{server.server_port}"
    with serving(server):
        yield known
