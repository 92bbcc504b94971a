"""Who did what, when and through which interface: as each interface writes it down and shows it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from longmind import ALL, AsyncMemory, FrozenClock, InvalidInput, Memory
from longmind.base.caller import calling
from longmind.cli import sm
from longmind.cli.app import run
from tests.store.opening import open_memory


def actions(memory: Memory, **options: Any) -> list[tuple[str, str, str]]:
    return [(entry.actor, entry.face, entry.action) for entry in memory.audit(**options)]


def shell(capsys: pytest.CaptureFixture[str], *words: str, run: Any = run) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        run(list(words))
    code = ended.value.code
    return int(code or 0), capsys.readouterr().out


def test_every_sub_memory_says_what_it_did(memory: Memory) -> None:
    memory.remember("one")
    memory.forget(1)
    memory.facts.record("ana", "lives in", "Porto")
    memory.facts.retract("ana", "lives in", "Porto")
    memory.conversation("s").add_turn("user", "My name is Ana.")
    memory.experience.fact("The build needs Python 3.12.", evidence="none")
    space = memory.space("project")
    space.remember_raw("note", "The harbour lantern is copper.", path_hint="a/one")
    space.pin("a/one")
    space.set_policy({"allow_delete": True})
    memory.spaces.delete("project")
    names = [action for _, _, action in actions(memory, space=ALL, limit=1000)]
    for name in (
        "remember",
        "forget",
        "facts.record",
        "facts.retract",
        "turns.add_turn",
        "experience.fact",
        "space.remember_raw",
        "space.pin",
        "space.set_policy",
        "space.delete",
        "create",
    ):
        assert name in names, name
    assert "write" not in names
    [changed] = [entry for entry in memory.audit(space="project") if entry.action == "space.set_policy"]
    assert [event.action for event in changed.events] == ["policy"]
    assert memory.verify(deep=True)


def test_the_actor_is_the_handles_and_gives_way_to_one_that_an_interface_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGMIND_ACTOR", "nightly")
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember("by the environment")
    with open_memory(path, actor="ana") as memory:
        memory.remember("by argument")
        with calling("http", actor="phone"):
            memory.remember("by a key")
        with calling("mcp", claim="claude"):
            memory.remember("by a client")
        assert [actor for actor, _, _ in actions(memory)] == ["ana", "phone", "ana", "nightly"]
    monkeypatch.delenv("LONGMIND_ACTOR")
    with open_memory(path) as memory, calling("mcp", claim="claude\n\x1b[31m"):
        memory.remember("nobody else was named")
        assert actions(memory)[0] == ("claude[31m", "mcp", "remember")
    for name in ("", " ", "a" * 300, "a\nb", 7):
        with pytest.raises(InvalidInput, match="actor"), calling(actor=name):  # type: ignore[arg-type]
            pass
    with pytest.raises(InvalidInput, match="actor"):
        open_memory(path, actor="a\0b")


def test_a_caller_sees_only_entries_of_the_spaces_asked_for(memory: Memory) -> None:
    memory.remember("here", space="work", tags=["gone"])
    memory.remember("there", space="home", tags=["gone"])
    memory.erase(where={"tags": ["gone"]}, space=["work", "home"])
    work = memory.audit(space="work")
    assert {space for entry in work for space in entry.spaces} == {"work"}
    [erased] = [entry for entry in work if entry.action == "erase" and entry.spaces]
    assert dict(erased.changes) == {}  # the numbers would tell of the other space
    assert not memory.audit(space="elsewhere")
    assert not [entry for entry in memory.audit(space="work") if entry.action == "create"]
    assert [entry for entry in memory.audit(space=ALL) if entry.action == "create"]


def test_entries_are_found_by_time_action_and_actor_and_in_pages(memory: Memory, clock: FrozenClock) -> None:
    for number in range(5):
        clock.advance(seconds=1)
        memory.remember(f"note {number}")
    middle = clock.now()
    memory.facts.record("ana", "lives in", "Porto")
    clock.advance(seconds=1)
    memory.forget(1)
    assert [entry.action for entry in memory.audit(since=middle + 1)] == ["forget"]
    assert len(memory.audit(until=middle)) == 4
    assert [entry.action for entry in memory.audit(action="facts")] == ["facts.record"]
    assert not memory.audit(action="fact")
    assert not memory.audit(actor="nobody")
    pages, cursor = [], None
    while True:
        page = memory.audit(limit=2, cursor=cursor)
        pages.append([entry.id for entry in page])
        cursor = page.cursor
        if cursor is None:
            break
    whole = [entry.id for entry in memory.audit()]
    assert [number for page in pages for number in page] == whole
    assert max(map(len, pages)) == 2
    for wrong in ("x", "-1", "1 OR 1", "9" * 30):
        with pytest.raises(InvalidInput, match="cursor"):
            memory.audit(cursor=wrong)


def test_asyncio_passes_on_who_calls(tmp_path: Path) -> None:
    async def act() -> list[tuple[str, str]]:
        async with AsyncMemory.open(tmp_path / "a.mind", embedder=None) as memory:
            with calling("http", actor="phone"):
                await memory.remember("here")
            page = await memory.audit()
            return [(entry.actor, entry.face) for entry in page]

    assert asyncio.run(act()) == [("phone", "http")]


def test_the_command_line_writes_shows_signs_and_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "a.mind")
    (tmp_path / "key").write_text("a key of at least sixteen bytes\n")
    key = ("--key-file", str(tmp_path / "key"))
    assert shell(capsys, "remember", "hello", "--store", store)[0] == 0
    code, text = shell(capsys, "audit", "--store", store)
    assert code == 0
    assert "remember" in text
    assert "cli" in text
    _, text = shell(capsys, "audit", "--json", "--action", "remember", "--limit", "1", "--store", store)
    [entry] = json.loads(text)["entries"]
    assert (entry["face"], entry["actor"], entry["changes"]["frame"]) == ("cli", "local", [1, 0])
    code, text = shell(capsys, "audit", "head", "--sign", *key, "--store", store)
    assert code == 0
    (tmp_path / "head.json").write_text(text)
    assert shell(capsys, "audit", "check", str(tmp_path / "head.json"), *key, "--store", store)[0] == 0
    (tmp_path / "head.json").write_text(text.replace('"entries": ', '"entries": 1'))
    code, _ = shell(capsys, "audit", "check", str(tmp_path / "head.json"), "--store", store)
    assert code != 0
    assert shell(capsys, "audit", "check", str(tmp_path / "head.json"), *key, "--store", store)[0] != 0
    assert shell(capsys, "audit", "head", "--sign", "--store", store)[0] != 0
    assert shell(capsys, "audit", "check", str(tmp_path / "none"), "--store", store)[0] != 0


def test_sm_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "a.mind")
    words = ("add-turn", "--db", store, "--session", "s", "--role", "user", "--text", "My name is Ana.")
    assert shell(capsys, *words, run=sm.run)[0] == 0
    with open_memory(store) as memory:
        assert ("local", "sm", "turns.add_turn") in actions(memory, limit=1000)


def test_http_writes_and_shows(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from starlette.testclient import TestClient

    from longmind.http.app import create_app

    with open_memory(tmp_path / "a.mind") as memory:
        client = TestClient(create_app(memory), base_url="http://127.0.0.1")
        assert client.post("/v1/remember", json={"text": "hello"}).status_code == 200
        shown = client.get("/audit", params={"action": "remember"}).json()
        assert [(entry["face"], entry["action"]) for entry in shown["entries"]] == [("http", "remember")]
        assert client.post("/v1/audit/list", json={"action": "remember"}).json() == shown
        assert client.get("/audit", params={"space": "other"}).json()["entries"] == []
        assert client.get("/audit", params={"cursor": "x"}).status_code == 422
        head = client.post("/v1/audit/head", json={}).json()
        assert client.post("/v1/audit/check", json={"head": json.dumps(head)}).json()["problems"] == []
