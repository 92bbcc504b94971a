"""Whose part of a space a key sees: its user's, everybody's, or only what all share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.access.keyring import KeyRing
from longmind.http.routes import route
from longmind.operations import registry
from tests.access.conftest import Client, listening, make_key
from tests.conftest import START

pytest.importorskip("uvicorn")

ANA = "basilisk"
"""A word that stands only in what is Ana's."""
OF_ANA = (13, 14)
"""Frames of hers: what she remembered, and what she said."""


def _fill(memory: Memory, word: str, **whose: Any) -> None:
    memory.remember(f"{word} recipe", title=word, tags=[word], session=word, **whose)
    memory.facts.record(word, "likes", f"{word} tea", **whose)
    memory.conversation(f"chat-{word}", **whose).add_turn("user", f"I love {word} tea.")
    memory.memories.remember(f"The {word} is nice", **whose)
    memory.space("work", **whose).remember_structured({"path": f"app/{word}", "raw": f"{word} text"})
    memory.experience.fact(f"{word} is forked", evidence="none", repo="work", **whose)


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Client]]:
    """A server that was started for Ana, and keys for what all share, for Bo, and for everybody."""
    folder = tmp_path_factory.mktemp("users")
    kinds: dict[str, dict[str, Any]] = {
        "shared": {"role": "write"},
        "bo": {"role": "write", "user": "bo"},
        "anybody": {"role": "write", "any_user": True},
        "elsewhere": {"spaces": ["default"], "any_user": True},
    }
    keys = {
        name: make_key(folder / "keys.json", name, now=START, **{"spaces": ["work"], **options})
        for name, options in kinds.items()
    }
    clock = FrozenClock(START)
    with Memory.open(folder / "s.mind", clock=clock, embedder="hash", space="work") as memory:
        _fill(memory, "oregano")
        _fill(memory, "parsley", user="bo")
    with Memory.open(
        folder / "s.mind", clock=clock, embedder="hash", space="work", user="anastasia"
    ) as memory:
        _fill(memory, ANA)
        memory.golden.add(f"{ANA}?", texts=[ANA])
        assert all(memory.get(frame).user == "anastasia" for frame in OF_ANA)
        ring = KeyRing(folder / "keys.json", now=lambda: START)
        with listening(memory, keys=ring, inspect="write") as port:
            yield {name: Client(port, key) for name, key in keys.items()}


def _reads() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation that reads, and every question of the pages, without naming a user."""
    words = "recipe tea text nice forked"
    for operation in registry.operations():
        if operation.effect != "read":
            continue
        names = {item.name: str(item.type) for item in operation.parameters}
        inputs: dict[str, Any] = dict(operation.example)
        inputs |= {name: words for name in ("query", "topic", "text") if name in names}
        for name in ("space", "repo"):
            if name in names:
                inputs[name] = ["work"] if "list" in names[name] else "work"
        if "frame" in names:
            inputs.pop("path", None)
        for frame in OF_ANA if "frame" in names else (None,):
            yield route(operation), inputs if frame is None else {**inputs, "frame": frame}
    for name in ("overview", "axes", "frames", "sessions", "spending", "entities", "graph", "duplicates"):
        yield f"/inspect/api/inspect.{name}", {}
    yield "/inspect/api/inspect.learned", {"frames": list(range(1, 60))}
    yield "/inspect/api/session", {}


@pytest.mark.parametrize("name", ["shared", "bo"])
def test_a_key_never_sees_the_part_of_the_user_that_the_server_was_started_for(
    clients: dict[str, Client], name: str
) -> None:
    said = {}
    for path, inputs in _reads():
        status, text, _ = clients[name].exchange(path, inputs)
        said[path] = (status, text)
        assert ANA not in text, (path, inputs)
        assert "anastasia" not in text, (path, inputs)
        assert name == "bo" or "parsley" not in text, (path, inputs)
    assert "oregano" in said["/v1/search"][1]
    assert sum(status == 200 for status, _ in said.values()) > 40


def test_a_key_for_anybody_is_who_the_server_was_started_for_unless_it_says_otherwise(
    clients: dict[str, Client],
) -> None:
    assert ANA in clients["anybody"].exchange("/v1/list", {})[1]
    assert "parsley" in clients["anybody"].exchange("/v1/list", {"user": "bo"})[1]


def test_what_a_key_for_the_shared_part_writes_is_shared(clients: dict[str, Client]) -> None:
    for path, inputs in (
        ("/v1/remember", {"text": "tarragon for all"}),
        ("/v1/facts/record", {"subject": "tarragon", "predicate": "is", "value": "a herb"}),
        ("/v1/turns/add", {"session": "s9", "role": "user", "text": "I like tarragon."}),
        ("/v1/experience/record", {"kind": "fact", "text": "tarragon", "no_evidence": True, "repo": "work"}),
        ("/v1/space/remember", {"space": "work", "object": {"path": "tarragon", "raw": "tarragon"}}),
    ):
        assert clients["shared"].exchange(path, inputs)[0] == 200, path
    for path, inputs in (
        ("/v1/list", {}),
        ("/v1/facts/about", {"subject": "tarragon"}),
        ("/v1/memories/list", {}),
        ("/v1/experience/list", {"repo": "work"}),
        ("/v1/space/objects", {"space": "work"}),
    ):
        assert "tarragon" in clients["bo"].exchange(path, inputs)[1], path


@pytest.mark.parametrize("path", ["/v1/audit/list", "/inspect/api/audit.list"])
def test_the_log_tells_a_key_for_the_shared_part_of_no_user(clients: dict[str, Client], path: str) -> None:
    pages = {name: clients[name](path, {"limit": 1000}) for name in ("shared", "bo", "anybody")}
    assert {status for status, _ in pages.values()} == {200}
    users = {
        name: {user for entry in page["entries"] for user in entry["users"]}
        for name, (_, page) in pages.items()
    }
    assert users == {"shared": set(), "bo": {"bo"}, "anybody": {"anastasia", "bo"}}
    assert pages["shared"][1]["entries"]


def test_erasing_more_than_one_fact_needs_a_key_that_may_rule(clients: dict[str, Client]) -> None:
    inputs = {"subject": "parsley", "predicate": "likes"}
    status, refused = clients["bo"]("/v1/facts/erase", inputs)
    assert (status, refused["error"]["reason"]) == (403, "role")
    assert clients["bo"]("/v1/facts/erase", {**inputs, "value": "parsley tea"})[0] == 200


def _one_of_many(word: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "remember_many", "items", {"text": f"{word} in a batch"}
    yield "facts/record_many", "facts", {"subject": word, "predicate": "likes", "value": "tea"}
    yield "experience/record_many", "items", {"kind": "fact", "text": f"{word} forks", "evidence": "none"}
    yield "turns/add_many", "turns", {"role": "user", "text": f"I love {word} tea."}
    yield "add", "messages", {"role": "user", "content": f"I like {word} cake."}


EMPTY: tuple[tuple[str, ...], ...] = (("user",), ("space",), ("repo",), ("user", "space", "repo"))


@pytest.mark.parametrize("names", EMPTY)
def test_an_item_with_empty_fields_stays_with_the_user_and_the_space_of_the_key(
    clients: dict[str, Client], names: tuple[str, ...]
) -> None:
    """Clients that write out every field send null for what they do not set."""
    for path, argument, item in _one_of_many(word := f"nutmeg{EMPTY.index(names)}"):
        session = {"session": "batch"} if path == "turns/add_many" else {}
        clients["bo"](f"/v1/{path}", {argument: [item | dict.fromkeys(names)], **session})
    found = {}
    for name in ("bo", "shared"):
        for path, inputs in (
            ("/v1/list", {"limit": 1000}),
            ("/v1/facts/about", {"subject": word}),
            ("/v1/memories/list", {}),
            ("/v1/experience/list", {"repo": "work"}),
        ):
            found[name, path] = word in clients[name].exchange(path, inputs)[1]
    assert not any(found["shared", path] for name, path in found if name == "shared"), found
    assert found["bo", "/v1/memories/list"]
    assert clients["elsewhere"]("/v1/list", {})[1]["frames"] == []
