"""The Inspector on the server of `longmind serve`: the same pages, under the server's keys."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from longmind import Memory

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from longmind.http.app import create_app
from longmind.inspect.assets import assets


def _client(memory: Memory, mode: Literal["off", "read", "write"], **options: Any) -> TestClient:
    return TestClient(create_app(memory, inspect=mode, **options), base_url="http://127.0.0.1")


@pytest.fixture
def memory() -> Any:
    with Memory.open(":memory:", embedder="hash") as opened:
        opened.remember("The export runs at 02:00 UTC.")
        yield opened


def test_its_files_are_for_everybody_and_what_they_show_is_not(memory: Memory) -> None:
    client = _client(memory, "read", token="secret")
    for path in assets():
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    tag = client.get("/inspect").headers["etag"]
    assert client.get("/inspect", headers={"If-None-Match": tag}).status_code == 304
    assert client.post("/inspect/api/session", json={}).status_code == 401
    key = {"Authorization": "Bearer secret"}
    session = client.post("/inspect/api/session", json={}, headers=key).json()
    assert (session["role"], session["write"]) == ("admin", False)
    found = client.post("/inspect/api/search", json={"query": "export", "valid_at": None}, headers=key).json()
    assert [hit["frame"]["id"] for hit in found["hits"]] == [1]
    refused = client.post("/inspect/api/forget", json={"frame": 1}, headers=key)
    assert (refused.status_code, "--write" in refused.json()["error"]["hint"]) == (403, True)
    assert (
        client.post(
            "/inspect/api/search", content=b"[1]", headers=key | {"Content-Type": "application/json"}
        ).status_code
        == 422
    )
    assert not any(
        path.startswith("/inspect") for path in client.get("/openapi.json", headers=key).json()["paths"]
    )


def test_it_can_be_left_out_or_be_allowed_to_write(memory: Memory) -> None:
    off = _client(memory, "off")
    assert off.get("/inspect").status_code == 404
    assert off.post("/inspect/api/session", json={}).status_code == 404
    client = _client(memory, "write")
    assert client.post("/inspect/api/session", json={}).json()["write"] is True
    assert client.post("/inspect/api/forget", json={"frame": 1}).json() == {"frames": [1]}
    assert client.post("/inspect/api/inspect.frames", json={}).json()["frames"] == []
