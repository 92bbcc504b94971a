"""The Inspector's own server in a thread, and a client that speaks to it as a page does."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from longmind import Memory
from longmind.access.keyring import KeyRing
from longmind.inspect.inspector import Inspector
from longmind.inspect.server import InspectServer

TOKEN = "the-secret-of-this-run"


class Client:
    """Asks as the page does, with a key."""

    def __init__(self, server: InspectServer, key: str | None = TOKEN) -> None:
        self.server = server
        self.key = key

    def __call__(self, name: str, **inputs: Any) -> Any:
        """The answer of an operation, which must be one."""
        status, answer, _ = self.send("POST", f"/inspect/api/{name}", inputs)
        assert status == 200, answer
        return answer

    def refusal(self, name: str, **inputs: Any) -> tuple[int, dict[str, Any]]:
        status, answer, _ = self.send("POST", f"/inspect/api/{name}", inputs)
        return status, answer["error"]

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, Mapping[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1], timeout=20)
        sent = {"Content-Type": "application/json", **(headers or {})}
        if self.key is not None:
            sent.setdefault("Authorization", f"Bearer {self.key}")
        raw = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was sent
                connection.request(method, path, raw if method == "POST" else None, sent)
            response = connection.getresponse()
            content = response.read()
            is_json = (response.getheader("Content-Type") or "").startswith("application/json")
            return response.status, json.loads(content) if is_json else content, dict(response.getheaders())
        finally:
            connection.close()


@contextmanager
def serving(
    memory: Memory,
    *,
    write: bool = False,
    keys: Path | None = None,
    token: str | None = TOKEN,
    now: Callable[[], int] | None = None,
) -> Iterator[InspectServer]:
    """A server; `now` is the clock by which its keys expire."""
    ring = KeyRing(keys, token=token, now=now)
    server = InspectServer(Inspector(memory, write=write), ring, port=0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
