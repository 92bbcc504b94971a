"""user= on the command line, over HTTP and MCP, in `sm` and in hooks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from longmind import Memory
from longmind.cli.app import run as longmind
from longmind.cli.sm import run as sm
from longmind.hooks.command import main as hook
from longmind.http.app import create_app
from longmind.operations import registry

ANA = "ana silva|ü@example.org"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("LONGMIND_USER", raising=False)
    return str(tmp_path / "m.mind")


def call(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    with pytest.raises(SystemExit) as ended:
        longmind([*words, "--json"])
    written = capsys.readouterr()
    assert (ended.value.code or 0) == code, written
    return json.loads(written.out) if code == 0 else written.err


def test_every_operation_that_takes_a_place_takes_a_user() -> None:
    without = {
        item.name
        for item in registry.operations()
        if {"space", "repo"} & {one.name for one in item.parameters}
        and "user" not in {one.name for one in item.parameters}
    }
    assert without == {
        "users", "space.create", "space.delete", "space.gc", "space.policy", "space.set_policy",
        "space.export", "space.export_text", "space.import", "space.import_text",
        # Questions that judge the search of a space are about what its users share.
        "golden.add", "golden.list", "golden.run", "golden.compare", "golden.history", "golden.remove",
    }  # fmt: skip


def test_the_command_line_takes_a_user_by_option_and_from_the_environment(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = ("--store", store)
    call(capsys, "remember", "shared tea", *at)
    call(capsys, "remember", "tea of Ana", "--user", ANA, *at)
    call(capsys, "facts", "record", "tea", "is", "good", "--user", ANA, *at)
    assert len(call(capsys, "list", *at)["frames"]) == 1
    assert [item["user"] for item in call(capsys, "list", "--user", ANA, *at)["frames"]] == [None, ANA]
    assert call(capsys, "facts", "about", "tea", *at)["facts"] == []
    monkeypatch.setenv("LONGMIND_USER", ANA)
    assert len(call(capsys, "list", *at)["frames"]) == 2
    assert call(capsys, "facts", "about", "tea", *at)["facts"][0]["user"] == ANA
    monkeypatch.delenv("LONGMIND_USER")
    assert "empty" in call(capsys, "remember", "x", "--user", "", *at, code=2)
    [user] = call(capsys, "users", *at)["users"]
    assert (user["user"], user["frames"], user["facts"]) == (ANA, 1, 1)


def test_a_chat_is_added_from_a_file(store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": "Nice."}]
    shapes = {
        "list.json": json.dumps(messages),
        "object.json": json.dumps({"model": "m", "messages": messages}),
        "lines.jsonl": "\n".join(map(json.dumps, messages)),
    }
    for number, (name, text) in enumerate(shapes.items()):
        (tmp_path / name).write_text(text)
        report = call(capsys, "add", str(tmp_path / name), "--user", ANA, "--session", "s", "--store", store)
        assert report["added"] == (2 if number == 0 else 0)
        assert len(report["turns"]) == 2
    (tmp_path / "no.json").write_text("7")
    assert "no messages" in call(capsys, "add", str(tmp_path / "no.json"), "--store", store, code=2)


def test_erasing_a_person_asks_first(store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    at = ("--store", store)
    call(capsys, "remember", "tea", "--user", ANA, *at)
    call(capsys, "export", str(tmp_path / "a.jsonl"), "--user", ANA, *at)
    assert "--yes" in call(capsys, "erase", "--user", ANA, *at, code=2)
    assert call(capsys, "erase", "--user", ANA, "--yes", *at)["user"] == ANA
    assert call(capsys, "users", *at)["users"] == []
    call(capsys, "import", str(tmp_path / "a.jsonl"), *at)
    assert call(capsys, "users", *at)["users"][0]["user"] == ANA


def test_sm_takes_a_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ("--db", str(tmp_path / "s.db"), "--json")
    for words in (
        ("add-turn", "--session", "s", "--role", "user", "--text", "I like tea.", "--user", ANA, *db),
        ("list", *db),
        ("list", "--user", ANA, *db),
    ):
        with pytest.raises(SystemExit) as ended:
            sm(list(words))
        assert not ended.value.code
    answers = capsys.readouterr().out
    assert answers.count("User likes tea") == 2  # the report, and the list of the user


@pytest.fixture
def client(store: str) -> Iterator[TestClient]:
    with Memory.open(store, embedder=None) as memory:
        yield TestClient(create_app(memory), base_url="http://127.0.0.1")


def test_http_takes_a_user_in_bodies_and_queries(client: TestClient) -> None:
    messages = [{"role": "user", "content": "I live in Porto and I like tea."}]
    added = client.post("/add", json={"messages": messages, "user": ANA, "session": "s"}).json()
    assert added["added"] == 1
    assert added["user"] == ANA
    assert (
        client.post("/v1/add", json={"messages": messages, "user": ANA, "session": "s"}).json()["added"] == 0
    )
    client.post("/turns", json={"session_id": "s", "role": "user", "text": "I like soup.", "user": "bob"})
    listed = client.get("/memories", params={"user": ANA}).json()
    assert "tea" in json.dumps(listed)
    assert "soup" not in json.dumps(listed)
    assert "tea" not in json.dumps(client.get("/memories").json())
    context = client.get("/context", params={"session_id": "s", "user": ANA}).json()
    assert "Porto" in json.dumps(context)
    assert "soup" not in json.dumps(context)
    found = client.post("/v1/search", json={"query": "tea soup", "user": ANA}).json()
    assert {hit["frame"]["user"] for hit in found["hits"]} == {ANA}
    recalled = client.post("/v1/recall", json={"query": "Where do I live?", "user": ANA}).json()
    assert "Porto" in recalled["text"]
    refused = client.post("/v1/list", json={"user": ""})
    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "invalid_input"
    everyone = client.post("/v1/list", json={"user": "*", "space": ["*"]}).json()
    assert everyone["frames"] == []  # a user may be called *, and nobody of that name said anything
    assert [item["user"] for item in client.post("/v1/users", json={}).json()["users"]] == [ANA, "bob"]
    assert client.post("/v1/erase", json={"user": ANA}).json()["user"] == ANA
    assert [item["user"] for item in client.post("/v1/users", json={}).json()["users"]] == ["bob"]


def test_a_hook_remembers_and_recalls_for_its_user(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    with Memory.open(store, embedder=None) as memory:
        memory.remember("The secret word of Ana is xylophone.", user=ANA)

    def ask(*options: str, **environment: str) -> str:
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "the secret word?"}
        piped = io.TextIOWrapper(io.BytesIO(json.dumps(event).encode()))
        monkeypatch.setattr(sys, "stdin", piped)
        arguments = ["UserPromptSubmit", "--agent", "claude-code", "--store", store, *options]
        quiet = {"LONGMIND_SERVER": "http://127.0.0.1:9", "LONGMIND_HELPER": "off"}
        assert hook(arguments, quiet | environment) == 0
        return capsys.readouterr().out

    assert "xylophone" not in ask()
    assert "xylophone" in ask("--user", ANA)
    assert "xylophone" in ask(LONGMIND_USER=ANA)
    assert "xylophone" not in ask("--user", "bob", LONGMIND_USER=ANA)


def test_resources_of_agents_take_a_user(store: str) -> None:
    from urllib.parse import quote

    from longmind.base.errors import NotFound
    from longmind.mcp import resources
    from longmind.mcp.callers import Callers

    ask = Callers().ask(None)
    with Memory.open(store, embedder=None) as memory:
        [frame] = memory.remember("tea", user=ANA).ids
        assert resources.read(memory, f"longmind://frame/{frame}?user={quote(ANA)}", ask)["text"] == "tea"
        with pytest.raises(NotFound):
            resources.read(memory, f"longmind://frame/{frame}", ask)
    with Memory.open(store, embedder=None, user=ANA) as memory:
        assert resources.read(memory, f"longmind://frame/{frame}", ask)["text"] == "tea"
