"""A store file is untrusted input: nothing in it chooses an address, a key, a path or a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import Access, Forbidden, FrozenClock, InvalidInput, Memory
from longmind.store.tables import checksum
from tests import raw
from tests.conftest import START
from tests.security.conftest import Listener

SECRET = "do-not-send-me"
OLD_LLM = {
    "provider": "openai",
    "model": "m-1",
    "api_key_env": "PRECIOUS",
    "timeout_s": 2.0,
    "retries": 0,
    "max_tokens": 0,
    "max_cost": 0.0,
    "input_price": 0.0,
    "output_price": 0.0,
    "breaker_failures": 5,
    "breaker_seconds": 60.0,
}


@pytest.fixture
def crafted(tmp_path: Path) -> Callable[..., Path]:
    """Makes a store whose settings were written by SQL, past every check."""

    def craft(settings: dict[str, str]) -> Path:
        path = tmp_path / "crafted.mind"
        with Memory.open(path, clock=FrozenClock(START), embedder=None) as memory:
            memory.remember("A note about the harbour.")
        connection = raw.connect(path)
        for name, value in settings.items():
            connection.execute(
                "INSERT OR REPLACE INTO store_setting (name, value, checksum) VALUES (?, ?, ?)",
                (name, value, checksum(name, value)),
            )
        connection.close()
        return path

    return craft


def config(**llm: Any) -> str:
    return json.dumps({"llm": {**OLD_LLM, **llm}, "extractor": {"mode": "llm"}})


def add_turn(path: Path, **options: Any) -> Any:
    with Memory.open(path, clock=FrozenClock(START), embedder=None, **options) as memory:
        return memory.conversation("s").add_turn("user", "I like tea")


@pytest.mark.parametrize("provider", ["openai", "anthropic", "ollama"])
def test_a_stored_endpoint_and_key_name_are_never_used(
    crafted: Callable[..., Path], listener: Listener, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("PRECIOUS", SECRET)
    path = crafted({"conversation.config": config(provider=provider, endpoint=listener.url)})
    report = add_turn(path)
    assert listener.received == []
    assert report.extractor == "heuristic (llm: forbidden)"
    assert [item.content for item in report.extracted] == ["User likes tea"]
    assert f"{provider}:m-1" in report.warnings[0]
    assert "LONGMIND_MODELS" in report.warnings[0]


def test_a_stored_model_name_sends_nothing_to_a_server_that_this_process_reaches(
    crafted: Callable[..., Path], listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", listener.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    path = crafted({"conversation.config": config()})
    assert add_turn(path).extractor == "heuristic (llm: forbidden)"
    assert add_turn(path, access=Access(models=["openai:other", "ollama:*"])).extractor.endswith("forbidden)")
    assert listener.received == []


def test_an_allowed_model_is_asked_where_this_process_says(
    crafted: Callable[..., Path], listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECIOUS", SECRET)
    monkeypatch.setenv("MINE", "sk-mine")
    path = crafted({"conversation.config": config(endpoint="http://127.0.0.1:9/elsewhere")})
    allowed = Access(models=[f"openai:m-1@{listener.url}?key_env=MINE"])
    add_turn(path, access=allowed)
    assert len(listener.received) == 1
    assert "Bearer sk-mine" in listener.received[0]
    assert SECRET not in listener.received[0]


@pytest.mark.parametrize("key", ["endpoint", "api_key_env"])
def test_an_address_and_a_key_name_cannot_be_set(key: str) -> None:
    with (
        Memory.open(":memory:", embedder=None) as memory,
        pytest.raises(InvalidInput, match=rf"llm\.{key} is not kept in a store") as refused,
    ):
        memory.memories.configure({f"llm.{key}": "http://127.0.0.1:9"})
    assert "config.toml" in str(refused.value)


def test_what_older_stores_hold_is_read_without_the_address(crafted: Callable[..., Path]) -> None:
    path = crafted({"conversation.config": config(endpoint="http://127.0.0.1:9")})
    with Memory.open(path, embedder=None) as memory:
        settings = memory.memories.config.to_mapping()["llm"]
    assert settings["model"] == "m-1"
    assert "endpoint" not in settings
    assert "api_key_env" not in settings
    assert (settings["max_tokens"], settings["max_cost"]) == (None, None)


@pytest.mark.parametrize(
    "identity",
    [
        "openai/{url}/m/3/x",
        "onnx//etc/3/x",
        "hash",
        "hash/",
        "hash/x",
        "hash/99999999/x",
        "minilm@{url}",
        "\x00",
    ],
)
def test_a_stored_embedder_opens_no_address_and_no_folder(
    crafted: Callable[..., Path], listener: Listener, identity: str
) -> None:
    path = crafted({"vectors.embedder": identity.format(url=listener.url)})
    with Memory.open(path, clock=FrozenClock(START)) as memory:
        assert memory.search("harbour", lanes=("text",))
        memory.remember("Another note.")
    assert listener.received == []


@pytest.mark.parametrize(
    "settings",
    [
        {"spaces_backend": "os.system"},
        {"spaces_backend": "../../../tmp/x"},
        {"context.recipe.evil": '{"name": "evil", "lanes": [{"kind": "__import__"}]}'},
        {"conversation.config": "not json"},
        {"conversation.config": '{"llm": {"model": ["x"]}}'},
        {"conversation.config": '{"unknown": {"a": 1}}'},
        {"conversation.config": "[1]"},
    ],
)
def test_stored_settings_that_make_no_sense_are_errors_of_ours_or_ignored(
    crafted: Callable[..., Path], settings: dict[str, str]
) -> None:
    from longmind import LongmindError

    path = crafted(settings)
    with Memory.open(path, clock=FrozenClock(START), embedder=None) as memory:
        memory.space("app").remember_structured({"path": "a/b", "kind": "guide", "raw": "Harbour."})
        assert memory.space("app").recall_context("harbour").objects
        for action in (
            lambda: memory.conversation("s").add_turn("user", "I like tea"),
            lambda: memory.recall("harbour", recipe="evil"),
            lambda: memory.memories.config,
        ):
            try:
                action()
            except LongmindError as error:
                assert error.hint  # noqa: PT017


@pytest.mark.parametrize("target", ["absolute", "../outside", ".vscode/settings.json", "~/here"])
def test_a_policy_does_not_choose_where_a_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = str(tmp_path / "elsewhere") if target == "absolute" else target
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.space("app").remember_structured({"path": "a/b", "kind": "guide", "raw": "Harbour."})
        memory.space("app").set_policy({"export_path": folder})
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(Forbidden, match="export_path"):
            memory.spaces.export("app")
        assert sorted(tmp_path.rglob("*")) == before
        assert memory.spaces.export("app", tmp_path / "mine.json").exists()
    granted = Access(export_folders=[tmp_path])
    with Memory.open(tmp_path / "a.mind", embedder=None, access=granted) as memory:
        if target in ("absolute", ".vscode/settings.json"):
            assert memory.spaces.export("app").is_relative_to(tmp_path)
        else:
            with pytest.raises(Forbidden):
                memory.spaces.export("app")
