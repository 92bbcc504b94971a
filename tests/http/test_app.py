"""The seed's routes against a running server, with good and bad input."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import Forbidden, FrozenClock, Memory
from longmind.http.serve import is_local, serve
from tests.conftest import START

uvicorn = pytest.importorskip("uvicorn")


class Client:
    """Speaks to the server as any program would."""

    def __init__(self, port: int) -> None:
        self.port = port

    def __call__(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
            sent = {"Content-Type": "application/json", **(headers or {})}
            connection.request(method, path, body=raw, headers=sent)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def clock() -> FrozenClock:
    return FrozenClock(START)


def _served(
    memory: Memory, clock: FrozenClock, token: str | None = None
) -> tuple[Any, threading.Thread, int]:
    from longmind.http.app import create_app

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(memory, token=token), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    return server, thread, listening.getsockname()[1]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory, clock: FrozenClock) -> Iterator[Client]:
    path = tmp_path_factory.mktemp("http") / "data.mind"
    with Memory.open(path, clock=clock, embedder=None) as memory:
        server, thread, port = _served(memory, clock)
        yield Client(port)
        server.should_exit = True
        thread.join()


def test_verify_and_unfinished_erasures_say_all_they_know(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "data.mind"
    with Memory.open(path, clock=clock, embedder=None) as memory:
        memory.remember("Before there were vectors.")
    with Memory.open(path, clock=clock, embedder="hash") as memory:
        server, thread, port = _served(memory, clock)
        status, answer = Client(port)("POST", "/v1/verify", {})
        assert (status, answer["problems"]) == (200, [])
        assert answer["notes"] == [
            "There are vectors for 0 of 1 frames; `maintain` or `reindex` makes the others."
        ]
        assert Client(port)("POST", "/v1/unfinished_erasures", {}) == (200, {"certificates": []})
        server.should_exit = True
        thread.join()


def test_the_seeds_sample_request(ask: Client) -> None:
    body = '{"session_id":"s1","role":"user","text":"I like JRPGs and my name is Alex","auto_extract":true}'
    done = subprocess.run(
        [
            *("curl", "-s", "-X", "POST", f"http://127.0.0.1:{ask.port}/turns"),
            *("-H", "Content-Type: application/json", "-d", body),
        ],
        capture_output=True,
        check=True,
        timeout=30,
    )
    answer = json.loads(done.stdout)
    assert answer["turn_id"] >= 1
    found = [(item["content"], item["action"]) for item in answer["extracted_memories"]]
    assert found == [("User likes JRPGs", "created"), ("User's name is Alex", "created")]


def test_a_turn_without_extraction(ask: Client) -> None:
    status, answer = ask(
        "POST", "/turns", {"session_id": "s2", "role": "user", "text": "I like opera", "auto_extract": False}
    )
    assert (status, answer["extracted_memories"], answer["extractor"]) == (200, [], "none")


def test_the_context_has_its_three_parts(ask: Client) -> None:
    ask("POST", "/turns", {"session_id": "s3", "role": "user", "text": "I like sailing"})
    status, answer = ask("GET", "/context?session_id=s3&k=5")
    assert status == 200
    assert [(turn["role"], turn["text"]) for turn in answer["short_term"]] == [("user", "I like sailing")]
    assert answer["short_term"][0]["ts"].endswith("Z")
    assert "User likes sailing" in {item["content"] for item in answer["mid_term"]}
    assert answer["long_term_hint"] == []


def test_memories_are_kept_listed_searched_changed_and_explained(ask: Client, clock: FrozenClock) -> None:
    status, made = ask(
        "POST", "/memories", {"content": "Standup is at nine", "importance": 1, "tags": ["work"]}
    )
    assert (status, made["layer"], made["importance"], made["tags"]) == (201, "mid", 1, ["work"])
    status, listed = ask("GET", "/memories?layer=mid&q=&limit=50")
    assert status == 200
    scores = [item["score"] for item in listed["memories"]]
    assert scores == sorted(scores, reverse=True)
    status, found = ask("GET", "/memories?q=standup")
    assert [item["id"] for item in found["memories"]] == [made["id"]]
    status, changed = ask("PATCH", f"/memories/{made['id']}", {"content": "Standup is at ten", "tags": []})
    assert (status, changed["id"], changed["content"], changed["tags"]) == (
        200,
        made["id"],
        "Standup is at ten",
        [],
    )
    status, why = ask("GET", f"/memories/{made['id']}/why")
    assert status == 200
    assert why["score"]["total"] == pytest.approx(why["score"]["recency"] + 2.0)
    assert [item["action"] for item in why["decisions"]] == ["created", "updated"]
    status, gone = ask("PATCH", f"/memories/{made['id']}", {"status": "archived"})
    assert gone["status"] == "archived"


def test_gc_reports_counts_averages_and_latencies(ask: Client, clock: FrozenClock) -> None:
    ask("POST", "/turns", {"session_id": "s4", "role": "user", "text": "I like rowing"})
    status, dry = ask("POST", "/gc", {"dry_run": True})
    assert (status, dry["dry_run"]) == (200, True)
    clock.advance(days=20)
    status, done = ask("POST", "/gc")
    assert status == 200
    assert done["counts"]["deleted"] == len(done["deleted"]) > 0
    assert set(done["averages"]) == {"score", "age_days"}
    assert done["extraction"]["heuristic"]["success_rate"] == 1.0
    assert "latency_ms" in done["extraction"]["heuristic"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "named"),
    [
        ("POST", "/turns", {"role": "user", "text": "x"}, 422, "session_id"),
        ("POST", "/turns", {"session_id": "s", "role": "robot", "text": "x"}, 422, "role"),
        ("POST", "/turns", {"session_id": "s", "role": "user", "text": ""}, 422, "text"),
        ("POST", "/turns", {"session_id": "s", "role": "user", "text": 5}, 422, "text"),
        ("POST", "/turns", {"session_id": "s", "role": "user", "text": "x", "extra": 1}, 422, "extra"),
        ("POST", "/turns", {"session_id": "s", "role": "user", "text": "a\u0000b"}, 422, "text"),
        ("POST", "/turns", {"session_id": "s", "role": "user", "text": "   "}, 422, "text"),
        ("POST", "/turns", b"{", 422, "body: Invalid JSON"),
        ("POST", "/turns", b"\xff\xfe", 422, "body"),
        ("POST", "/turns", [1], 422, "body"),
        ("GET", "/context", None, 422, "session_id"),
        ("GET", "/context?session_id=s&k=0", None, 422, "k"),
        ("GET", "/context?session_id=s&k=many", None, 422, "k"),
        ("POST", "/memories", {"content": "x", "importance": 2}, 422, "importance"),
        ("POST", "/memories", {"content": "x", "tags": "a"}, 422, "tags"),
        ("POST", "/memories", {}, 422, "content"),
        ("GET", "/memories?layer=deep", None, 422, "layer"),
        ("GET", "/memories?limit=-1", None, 422, "limit"),
        ("PATCH", "/memories/1", {}, 422, "nothing"),
        ("PATCH", "/memories/1", {"status": "lost"}, 422, "status"),
        ("PATCH", "/memories/999999", {"status": "archived"}, 404, "999999"),
        ("PATCH", "/memories/99999999999999999999", {"status": "archived"}, 422, "memory_id"),
        ("GET", "/memories/999999/why", None, 404, "999999"),
        ("GET", "/memories/x/why", None, 422, "memory_id"),
        ("POST", "/gc", {"dry_run": "maybe"}, 422, "dry_run"),
        ("GET", "/nowhere", None, 404, ""),
        ("DELETE", "/turns", None, 405, ""),
    ],
)
def test_bad_input_is_refused_in_json_and_by_name(
    ask: Client, method: str, path: str, body: Any, status: int, named: str
) -> None:
    given, answer = ask(method, path, body)
    assert given == status
    assert set(answer["error"]) >= {"code", "message", "hint"}
    assert named in answer["error"]["message"]


def test_another_host_name_is_not_served(ask: Client) -> None:
    status, answer = ask("GET", "/memories", headers={"Host": "evil.example"})
    assert (status, answer["error"]["code"]) == (403, "forbidden")


def test_a_token_is_asked_for_where_one_is_set(tmp_path: Path) -> None:
    clock = FrozenClock(START)
    with Memory.open(tmp_path / "t.mind", clock=clock, embedder=None) as memory:
        server, thread, port = _served(memory, clock, token="let-me-in")
        ask = Client(port)
        assert ask("GET", "/memories")[0] == 401
        assert ask("GET", "/memories", headers={"Authorization": "Bearer wrong"})[0] == 401
        assert ask("GET", "/memories", headers={"Authorization": "Bearer let-me-in"})[0] == 200
        server.should_exit = True
        thread.join()


def test_the_server_does_not_listen_elsewhere_without_a_token(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "t.mind", embedder=None) as memory, pytest.raises(Forbidden):
        serve(memory, host="0.0.0.0", port=0)
    assert [is_local(host) for host in ("127.0.0.1", "::1", "localhost", "10.0.0.1", "example.org")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_importing_the_package_does_not_import_the_server() -> None:
    code = "import sys, longmind.http.shapes, longmind.http.serve; sys.exit('fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
