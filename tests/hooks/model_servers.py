"""Servers that answer as a model would, in the dialects of two agents, and keep what they were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.http_threads import serving

ANSWER = "Noted."


class ModelServer(ThreadingHTTPServer):
    """`requests` holds the bodies that asked for an answer, oldest first."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *_: Any) -> None:
        """The output of a test is not the place for an access log."""

    def do_GET(self) -> None:
        self._send(json.dumps({"data": [], "models": []}), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self.server.requests.append(body)
            self._stream(_openai_events())
        elif path.endswith("/messages"):
            self.server.requests.append(body)
            if body.get("stream"):
                self._stream(_anthropic_events(str(body.get("model"))))
            else:
                message = _anthropic_message(str(body.get("model")))
                message |= {"content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}
                self._send(json.dumps(message), "application/json")
        else:
            self._send(json.dumps({"input_tokens": 1}), "application/json")

    def _stream(self, events: list[dict[str, Any]]) -> None:
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
        self._send("".join(lines), "text/event-stream")

    def _send(self, text: str, media_type: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _openai_events() -> list[dict[str, Any]]:
    part = {"type": "output_text", "text": ANSWER, "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    usage = {
        "input_tokens": 1,
        "input_tokens_details": None,
        "output_tokens": 1,
        "output_tokens_details": None,
        "total_tokens": 2,
    }
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]


def _anthropic_message(model: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _anthropic_events(model: str) -> list[dict[str, Any]]:
    return [
        {"type": "message_start", "message": _anthropic_message(model)},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


@contextmanager
def model_server() -> Iterator[ModelServer]:
    with serving(ModelServer()) as server:
        yield server
