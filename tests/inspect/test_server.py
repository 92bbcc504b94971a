"""The Inspector over HTTP: who may look, what may be changed, and what the pages are allowed to do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.access.keys import KeyFile
from longmind.inspect.assets import assets
from tests.inspect.serving import TOKEN, Client, serving


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.mind"
    with Memory.open(path, embedder="hash") as memory:
        memory.remember("The export runs at 02:00 UTC.")
        memory.remember("A secret of the other space.", space="other")
        memory.facts.record("Ana Lima", "lives_in", "Porto")
    return path


@pytest.fixture
def client(store: Path) -> Iterator[Client]:
    with Memory.open(store, read_only=True) as memory, serving(memory) as server:
        yield Client(server)


def test_the_pages_need_no_key_and_may_load_nothing_from_elsewhere(client: Client) -> None:
    client.key = None
    status, page, headers = client.send("GET", "/inspect/")
    assert status == 200
    assert b"Longmind Inspector" in page
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    for path, asset in assets().items():
        assert client.send("GET", path)[0] == 200
        assert b"<script>" not in asset.content
        if "/vendor/" not in path:
            assert b"innerHTML" not in asset.content, path
            assert b"://" not in asset.content.replace(b"http://www.w3.org/2000/svg", b""), path
    again = client.send("GET", "/inspect/app.js", headers={"If-None-Match": assets()["/inspect/app.js"].tag})
    assert again[0] == 304
    assert client.send("GET", "/inspect/../server.py")[0] == 404
    assert client.send("GET", "/inspect/lib/../../server.py")[0] == 404
    status, _, headers = client.send("GET", "/")
    assert (status, headers["Location"]) == (302, "/inspect/")


def test_what_they_show_needs_the_key_and_comes_from_this_origin_only(client: Client) -> None:
    assert client("session")["write"] is False
    for key in (None, "wrong"):
        client.key = key
        status, error = client.refusal("session")
        assert (status, error["code"]) == (401, "forbidden")
        assert error["reason"] == ("no_key" if key is None else "unknown_key")
        assert error["hint"]
    client.key = TOKEN
    elsewhere = {"Origin": "https://evil.example"}
    assert client.send("POST", "/inspect/api/session", {}, elsewhere)[0] == 403
    form = {"Content-Type": "text/plain"}
    assert client.send("POST", "/inspect/api/session", {}, form)[0] == 415
    assert client.send("POST", "/inspect/api/session", b"x" * (2**20 + 1))[0] == 413
    status, answer, _ = client.send("POST", "/inspect/api/session", b"{")
    assert (status, answer["error"]["code"]) == (422, "invalid_input")


def test_without_a_key_only_local_names_are_answered(store: Path) -> None:
    with Memory.open(store, read_only=True) as memory, serving(memory, token=None) as server:
        client = Client(server, key=None)
        assert client("session")["everywhere"] is True
        for method, path in (("GET", "/inspect/"), ("POST", "/inspect/api/session")):
            assert client.send(method, path, {}, {"Host": "rebound.example"})[0] == 403


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("remember", {"text": "new"}),
        ("forget", {"frame": 1}),
        ("erase", {"frame": 1}),
        ("facts.merge", {"key": "a", "other": "b"}),
        ("memories.gc", {}),
        ("memories.gc", {"dry_run": False}),
        ("golden.run", {}),
        ("backup", {"path": "copy.mind"}),
    ],
)
def test_it_only_reads_unless_it_may_write(client: Client, name: str, inputs: dict[str, Any]) -> None:
    status, error = client.refusal(name, **inputs)
    assert status == 403
    assert "--write" in error["hint"]
    assert client("inspect.overview")["frames"] == 1


def test_trials_change_nothing_and_are_allowed(client: Client) -> None:
    revision = client("session")["revision"]
    assert client("memories.gc", dry_run=True)["dry_run"] is True
    assert client("golden.run", keep=False)["failed"] == 0
    assert client("session")["revision"] == revision


def test_arguments_are_checked_before_anything_is_done(client: Client) -> None:
    for name, inputs, word in (
        ("search", {}, "query"),
        ("search", {"query": 3}, "query"),
        ("search", {"query": "x", "limit": True}, "limit"),
        ("search", {"query": "x", "lanes": "text"}, "lanes"),
        ("search", {"query": "x", "times": "never"}, "times"),
        ("search", {"query": "x", "nonsense": 1}, "nonsense"),
        ("inspect.frames", {"limit": 10**6}, "limit"),
        ("inspect.learned", {"frames": ["1"]}, "frames"),
    ):
        status, error = client.refusal(name, **inputs)
        assert (status, error["code"]) == (422, "invalid_input")
        assert word in error["message"]
    assert client.refusal("nothing.like.it")[0] == 404
    assert client.send("POST", "/inspect/api/search", b"[]")[0] == 422
    assert client.send("POST", "/elsewhere", {})[0] == 404


def test_reads_take_both_axes(client: Client) -> None:
    past = client("search", query="export", as_of=10**12, valid_at=10**12)
    assert past["hits"] == []
    assert client("facts.about", subject="Ana Lima", valid_at="2000-01-01")["facts"] == []
    assert len(client("list", as_of=4 * 10**12, valid_at=4 * 10**12)["frames"]) == 1


def test_with_write_it_changes_what_it_is_asked_to_but_no_files(store: Path) -> None:
    with Memory.open(store) as memory, serving(memory, write=True) as server:
        client = Client(server)
        assert client("session")["write"] is True
        assert client("forget", frame=1)["frames"] == [1]
        assert client("inspect.overview")["retired"] == 1
        status, error = client.refusal("backup", path="copy.mind")
        assert status == 403
        assert error["hint"]
        assert not list(store.parent.glob("copy*"))


HIDDEN = (
    b"POST /inspect/api/remember HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b'Content-Length: 20\r\n\r\n{"text": "smuggled"}'
)


@pytest.mark.parametrize(
    "head",
    [
        b"POST /inspect/api/session HTTP/1.1\r\nOrigin: https://evil.example\r\nContent-Type: text/plain",
        b"POST /inspect/api/session HTTP/1.1\r\nContent-Type: text/plain",
        b"POST /inspect/ HTTP/1.1\r\nOrigin: https://evil.example",
        b"PUT /inspect/api/session HTTP/1.1\r\nContent-Type: application/json",
        b"GET /inspect/ HTTP/1.1\r\nContent-Type: application/json",
        b"GET /nothing HTTP/1.1",
        b"HEAD /inspect/ HTTP/1.1",
        b"POST /inspect/api/session HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked",
    ],
)
def test_a_body_that_is_not_read_is_never_taken_for_a_request(store: Path, head: bytes) -> None:
    """A web page may send any body to this machine, also one that is written like a request."""
    with Memory.open(store) as memory, serving(memory, write=True, token=None) as server:
        with socket.create_connection(server.server_address[:2], timeout=20) as connection:
            length = b"\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN)
            connection.sendall(head + length + HIDDEN)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        assert [frame.text for frame in memory.list(limit=100).frames] == ["The export runs at 02:00 UTC."]
    assert answer.count(b"HTTP/1.1 ") == 1, answer


def test_a_key_sees_its_own_spaces_and_no_more(store: Path, tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys.json")
    secret, _ = file.create("reader", spaces=["default"], role="read", user=None, any_user=False,
                            expires_at=None, rate=None, now=0)  # fmt: skip
    expired, _ = file.create("gone", spaces=["*"], role="admin", user=None, any_user=True,
                             expires_at=1, rate=None, now=0)  # fmt: skip
    with Memory.open(store) as memory, serving(memory, write=True, keys=file.path) as server:
        client = Client(server, key=secret)
        session = client("session")
        assert (session["spaces"], session["write"], session["revision"]) == (["default"], False, None)
        assert session["store"] == store.name
        assert client("inspect.overview")["frames"] == 1
        for name in ("inspect.overview", "inspect.frames", "inspect.entities", "inspect.graph"):
            status, error = client.refusal(name, space=["other"])
            assert (status, error["reason"]) == (403, "space")
        assert client("inspect.overview", space=["*"])["frames"] == 1
        assert client.refusal("inspect.overview", user="ravi")[1]["reason"] == "user"
        assert client.refusal("forget", frame=1)[1]["reason"] == "role"
        assert client.refusal("stats")[0] == 403
        client.key = expired
        status, error = client.refusal("session")
        assert (status, error["reason"]) == (401, "expired_key")


def test_a_reading_inspector_sees_what_another_process_writes(store: Path, client: Client) -> None:
    before = client("session")["revision"]
    subprocess.run(
        [sys.executable, "-m", "longmind", "remember", "Written elsewhere.", "--store", str(store)],
        check=True,
    )
    assert client("session")["revision"] > before
    assert client("inspect.frames", limit=1)["frames"][0]["text"] == "Written elsewhere."


def test_the_command_serves_the_store_it_is_given_and_prints_the_way_in(store: Path) -> None:
    command = [sys.executable, "-m", "longmind", "inspect", str(store), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ}) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert "Nothing can be changed" in process.stderr.readline()
            link = line.split(" at ")[1].strip()
            address, _, key = link.partition("#key=")
            port = int(address.rsplit(":", 1)[1].split("/")[0])

            class At:
                server_address = ("127.0.0.1", port)

            client = Client(At(), key=key)  # type: ignore[arg-type]
            assert client("session")["store"] == str(store)
            assert client.refusal("forget", frame=1)[0] == 403
        finally:
            process.terminate()
            process.wait(20)


def test_a_store_that_is_not_there_is_reported_and_not_created(tmp_path: Path) -> None:
    missing = tmp_path / "nothing.mind"
    done = subprocess.run(
        [sys.executable, "-m", "longmind", "inspect", str(missing), "--no-browser", "--port", "0"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "longmind remember" in done.stderr
    assert not missing.exists()
