"""A model server that speaks OpenAI's interface and does what a test says; and the proxy before it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from longmind import Memory
from longmind.integrations.proxy import Proxy
from tests.http_threads import serving

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Porto"}'}}


class Upstream(ThreadingHTTPServer):
    """`behave` is how it answers: plainly, with a tool call, slowly, broken off, or with an error."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behave = "plain"
        self.text = "Noted."
        self.calls: list[tuple[str, dict[str, Any]]] = []
        """Calls of functions that it asks for before it answers, one at a time."""
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Upstream
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.seen.append((self.path, {}, {}))
        self._send(
            200, {"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "x"}]}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        behave = self.server.behave
        if behave == "error":
            return self._send(429, {"error": {"message": "Slow down.", "type": "rate_limit", "code": "429"}})
        if behave == "slow":
            time.sleep(0.7)
        if behave == "silent":
            self.connection.shutdown(2)
            return None
        if self.path.endswith("/responses"):
            return self._respond(bool(body.get("stream")), behave)
        if body.get("stream"):
            return self._stream(behave)
        message = {"role": "assistant", "content": self.server.text}
        if behave == "tools":
            message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
        if self.server.calls:
            name, arguments = self.server.calls.pop(0)
            function = {"name": name, "arguments": json.dumps(arguments)}
            message = {"role": "assistant", "content": None, "tool_calls": [{**CALL, "function": function}]}
        return self._send(200, {
            "id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        })  # fmt: skip

    def _respond(self, is_stream: bool, behave: str) -> None:
        """As `/responses` answers: one object, or the events that lead to it."""
        item: dict[str, Any] = {
            "type": "message", "id": "i1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": self.server.text, "annotations": []}],
        }  # fmt: skip
        if behave == "tools":
            function = CALL["function"]
            item = {"type": "function_call", "id": "i1", "call_id": "c1", "status": "completed", **function}  # type: ignore[dict-item]
        response: dict[str, Any] = {
            "id": "r1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
            "output": [item], "tools": [], "tool_choice": "auto", "parallel_tool_calls": True,
        }  # fmt: skip
        if not is_stream:
            return self._send(200, response)
        self._begin_stream()
        started = {**response, "status": "in_progress", "output": []}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": started},
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {**item, "status": "in_progress"},
            },
        ]
        place = {"item_id": "i1", "output_index": 0, "content_index": 0, "logprobs": []}
        if behave != "tools":
            events += [
                {"type": "response.output_text.delta", "delta": letter, **place}
                for letter in self.server.text
            ]
            events.append({"type": "response.output_text.done", "text": self.server.text, **place})
        events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        events.append({"type": "response.completed", "response": response})
        for number, event in enumerate(events):
            if behave == "broken" and number == 3:
                self.connection.shutdown(2)
                return None
            self._chunk(
                f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
            )
        self.wfile.write(b"0\r\n\r\n")
        return None

    def _send(self, status: int, value: Any) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("x-request-id", "r1")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.server.behave == "broken":
            raw = raw[:-10]
        self.wfile.write(raw)
        if self.server.behave == "broken":
            self.wfile.flush()
            self.connection.shutdown(2)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _stream(self, behave: str) -> None:
        self._begin_stream()
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        if behave == "tools":
            function = CALL["function"]
            named = {"name": function["name"], "arguments": ""}
            deltas.append({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": named}]})
            deltas += [
                {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}
                for part in ('{"city": ', '"Porto"}')
            ]
        else:
            deltas += [{"content": letter} for letter in self.server.text]
        for number, delta in enumerate(deltas):
            if behave == "broken" and number == 3:
                self.connection.shutdown(2)
                return
            event = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
                     "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}  # fmt: skip
            self._chunk(f"data: {json.dumps(event)}\n\n")
        self._chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, text: str) -> None:
        raw = text.encode()
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        self.wfile.flush()


@contextmanager
def upstream() -> Iterator[Upstream]:
    with serving(Upstream()) as server:
        yield server


@contextmanager
def proxied(memory: Memory, address: str, **options: Any) -> Iterator[tuple[str, Proxy]]:
    """The proxy on a port of its own."""
    import uvicorn

    head_seconds = options.pop("head_seconds", 10.0)
    app = Proxy(memory, address, **options)
    server = uvicorn.Server(
        app.config(host="127.0.0.1", port=0, log_level="critical", head_seconds=head_seconds)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1", app
    finally:
        server.should_exit = True
        thread.join(timeout=20)
