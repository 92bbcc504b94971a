"""The whole server as it is started: operations, limits, refusals, stopping, being killed."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.http.routes import route
from longmind.operations import registry

pytest.importorskip("uvicorn")


class Server:
    """A server process, and a client for it."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.process = process

    def __call__(
        self,
        path: str,
        body: Any = None,
        *,
        method: str = "POST",
        headers: dict[str, str] | None = None,
        timeout: float = 30,
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
            connection.request(method, path, raw, {"Content-Type": "application/json", **(headers or {})})
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text.startswith(b"{") else text.decode()
        finally:
            connection.close()


@contextmanager
def served(store: Path, *options: str, **variables: str) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Memory.open(store, embedder="hash"):
        pass  # the store remembers its embedder, so that the server needs no model
    place = ("--store", str(store), "--port", str(port))
    command = [sys.executable, "-m", "longmind", "serve", *place, *options]
    process = subprocess.Popen(command, env={**os.environ, **variables}, stderr=subprocess.DEVNULL)
    try:
        server = Server(port, process)
        for _ in range(600):
            try:
                server("/health", method="GET")
                break
            except OSError:
                assert process.poll() is None, "the server did not start"
                time.sleep(0.05)
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "files").mkdir()
    options = ("--files", str(folder / "files"), "--max-body", "200000")
    with served(folder / "s.mind", *options) as server:
        yield server


def test_what_one_request_keeps_the_next_finds(ask: Server) -> None:
    status, report = ask("/v1/remember", {"text": "Ana prefers trains to planes.", "tags": ["travel"]})
    assert (status, report["created"]) == (200, 1)
    status, results = ask("/v1/search", {"query": "how does Ana travel?", "tags": ["travel"]})
    assert status == 200
    assert results["hits"][0]["frame"]["text"] == "Ana prefers trains to planes."
    status, context = ask("/v1/recall", {"query": "Ana trains", "budget": 200})
    assert "trains" in context["text"]
    assert context["total_tokens"] <= 200


def test_listing_goes_page_by_page(ask: Server) -> None:
    items = [{"text": f"page item {number}", "tags": ["paged"]} for number in range(7)]
    assert ask("/v1/remember_many", {"items": items})[0] == 200
    seen: list[str] = []
    cursor = None
    while True:
        _, page = ask("/v1/list", {"tags": ["paged"], "limit": 3, "cursor": cursor})
        seen += [frame["text"] for frame in page["frames"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == [item["text"] for item in items]


def test_every_operation_has_its_route_with_schema_and_help(ask: Server) -> None:
    _, document = ask("/openapi.json", method="GET")
    for operation in registry.operations():
        entry = document["paths"][route(operation)]["post"]
        assert entry["summary"] == operation.summary
        assert entry["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert "default" in entry["responses"]


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/v1/remember", {}, 422, "text"),
        ("/v1/remember", {"text": 3}, 422, "text"),
        ("/v1/remember", {"text": "x", "colour": 1}, 422, "colour"),
        ("/v1/remember", {"text": "x", "occurred_at": "soon"}, 422, "occurred_at"),
        ("/v1/remember", {"text": "\ud800"}, 422, "text"),
        ("/v1/remember", {"text": "x", "space": "no/such/../name"}, 422, "space"),
        ("/v1/remember", b"{nonsense", 422, "JSON"),
        ("/v1/remember", b"[]", 422, ""),
        ("/v1/get", {"frame": 999_999}, 404, "999999"),
        ("/v1/get", {"frame": 10**30}, 422, "frame"),
        ("/v1/search", {"query": "x", "limit": 0}, 422, "limit"),
        ("/v1/search", {"query": "x", "lanes": ["sideways"]}, 422, "sideways"),
        ("/v1/recall", {"query": "x", "recipe": "none such"}, 404, "none such"),
        ("/v1/nothing", {}, 404, ""),
        ("/v1/backup", {"path": "../out.mind"}, 403, "outside"),
        ("/v1/backup", {"path": "/etc/passwd"}, 403, "outside"),
        ("/v1/ingest", {"path": "a\x00b"}, 403, "path"),
        ("/v1/copy", {"to": "postgresql://elsewhere/db"}, 403, "database"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_breaks(
    ask: Server, path: str, body: Any, status: int, says: str
) -> None:
    found, answer = ask(path, body)
    assert (found, says in json.dumps(answer)) == (status, True), answer
    assert set(answer["error"]) >= {"code", "message", "hint"}


def test_files_are_read_and_written_only_in_the_folder_that_was_opened(ask: Server) -> None:
    status, made = ask("/v1/backup", {"path": "copy.mind"})
    assert status == 200
    assert Path(made["path"]).parent.name == "files"
    link = Path(made["path"]).parent / "way-out"
    link.symlink_to("/")
    assert ask("/v1/ingest", {"path": "way-out/etc/hostname"})[0] == 403


def test_a_large_body_is_refused_before_it_is_read(ask: Server) -> None:
    status, answer = ask("/v1/remember", {"text": "x" * 300_000})
    assert (status, answer["error"]["code"]) == (413, "invalid_input")


def test_a_name_that_was_pointed_here_is_not_served(ask: Server) -> None:
    status, answer = ask("/v1/stats", {}, headers={"Host": "evil.example"})
    assert (status, answer["error"]["code"]) == (403, "forbidden")


def test_pages_of_other_origins_get_no_leave(ask: Server) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    status, _ = ask("/v1/remember", method="OPTIONS", headers=headers)
    assert status == 405


def test_health_readiness_and_metrics(ask: Server) -> None:
    assert ask("/health", method="GET")[1]["status"] == "ok"
    assert ask("/ready", method="GET")[1]["status"] == "ready"
    status, page = ask("/metrics", method="GET")
    assert status == 200
    assert 'longmind_requests_total{route="/health",status="200"}' in page


def test_with_a_token_nothing_is_told_without_it(tmp_path: Path) -> None:
    with served(tmp_path / "s.mind", LONGMIND_TOKEN="let-me-in") as server:
        assert server("/v1/stats", {})[0] == 401
        assert server("/docs", method="GET")[0] == 401
        assert server("/v1/stats", {}, headers={"Authorization": "Bearer wrong"})[0] == 401
        assert server("/v1/stats", {}, headers={"Authorization": "Bearer let-me-in"})[0] == 200
        assert server("/health", method="GET")[0] == 200


def test_beyond_this_machine_a_token_is_required(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "longmind", "serve", "--host", "0.0.0.0"]
    done = subprocess.run(
        [*command, "--store", str(tmp_path / "s.mind")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={key: value for key, value in os.environ.items() if key != "LONGMIND_TOKEN"},
    )
    assert done.returncode == 11
    assert "LONGMIND_TOKEN" in done.stderr


def test_too_many_at_once_are_told_to_come_back(tmp_path: Path) -> None:
    with served(tmp_path / "s.mind", "--at-once", "1") as server:
        statuses = set(_together(lambda: server("/v1/remember_many", _many(200))[0], 12))
        assert statuses == {200, 503}
        assert server("/v1/stats", {})[0] == 200


def test_what_takes_too_long_is_answered_in_time_and_ends_on_its_own(tmp_path: Path) -> None:
    with served(tmp_path / "s.mind", "--timeout", "0.3") as server:
        status, answer = server("/v1/remember_many", _many(2000))
        assert (status, answer["error"]["code"]) == (504, "over_budget")
        assert "may still be done" in answer["error"]["message"]
        running = server("/metrics", method="GET")[1]
        assert "longmind_requests_running 2.0" in running  # this one, and what nobody waits for any more
        while "longmind_requests_running 2.0" in server("/metrics", method="GET")[1]:
            time.sleep(0.05)
        # On a busy machine the first search may take too long as well: it reads the index into memory.
        while (status := server("/v1/search", {"query": "note 1999", "limit": 1})[0]) == 504:
            time.sleep(0.05)
        assert status == 200
    with Memory.open(tmp_path / "s.mind", create=False) as memory:
        assert memory.stats().live == 2000


def test_who_sends_too_slowly_does_not_hold_a_place(tmp_path: Path) -> None:
    head = b"POST /v1/remember HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with served(tmp_path / "s.mind", "--timeout", "0.3", "--at-once", "2") as server:
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(2)]
        for connection in slow:
            connection.sendall(head + b"Content-Length: 1000\r\n\r\n{")
        assert all(b" 408 " in connection.recv(4096) for connection in slow)
        assert server("/v1/stats", {})[0] == 200
        for connection in slow:
            connection.close()


def test_a_stop_lets_what_is_in_progress_end(tmp_path: Path) -> None:
    with served(tmp_path / "s.mind") as server:
        outcomes: list[tuple[int, Any]] = []
        thread = threading.Thread(target=lambda: outcomes.append(server("/v1/remember_many", _many(3000))))
        thread.start()
        while server("/metrics", method="GET")[1].find("longmind_requests_running 2.0") < 0:
            if not thread.is_alive():
                break
        server.process.send_signal(signal.SIGTERM)
        thread.join()
        assert server.process.wait(timeout=60) == 0
    assert outcomes[0][0] == 200
    with Memory.open(tmp_path / "s.mind", create=False) as memory:
        assert memory.stats().live == 3000
    assert [path.name for path in tmp_path.iterdir()] == ["s.mind"]


def test_what_was_acknowledged_is_there_after_a_kill_under_load(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    lock = threading.Lock()

    def write(worker: int) -> None:
        for number in range(10_000):
            text = f"worker {worker} note {number}"
            try:
                status, _ = server("/v1/remember", {"text": text})
                if number % 5 == 0:
                    server("/v1/search", {"query": "note", "limit": 3})
            except (OSError, http.client.HTTPException):
                return
            if status == 200:
                with lock:
                    acknowledged.append(text)

    with served(tmp_path / "s.mind") as server:
        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 60:
            time.sleep(0.01)
        server.process.kill()
        for thread in threads:
            thread.join()
    with Memory.open(tmp_path / "s.mind", create=False) as memory:
        kept = {frame.text for frame in memory.timeline(limit=10_000)}
        assert set(acknowledged) <= kept
        assert memory.verify(deep=True)


def test_no_request_that_the_document_allows_breaks_the_server(ask: Server, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    program = Path(sys.executable).with_name("st")
    done = subprocess.run(
        [
            *(str(program), "run", f"http://127.0.0.1:{ask.port}/openapi.json", "--max-examples", "3"),
            *("--phases", "examples,fuzzing", "--generation-deterministic", "--no-color"),
            *("--checks", "not_a_server_error,status_code_conformance,content_type_conformance"),
            *("--checks", "response_schema_conformance", "--max-failures", "5"),
            # Without an image embedder and thumbnails these answer 501, and say what to set.
            *("--exclude-path", "/v1/media/search", "--exclude-path", "/v1/media/refresh"),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert ask("/health", method="GET")[0] == 200


def _many(count: int) -> dict[str, Any]:
    return {"items": [{"text": f"item {number}"} for number in range(count)]}


def _together(call: Callable[[], int], count: int) -> list[int]:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(call())) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
