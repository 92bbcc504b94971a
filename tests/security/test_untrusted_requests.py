"""A request is untrusted input: it names models, embedders and files; this process says what is reached."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import Access, Forbidden, FrozenClock, Memory
from longmind.mcp.arguments import Arguments
from longmind.operations import registry
from longmind.testing import ScriptedModel
from tests.conftest import START
from tests.security.conftest import Listener

pytest.importorskip("fastapi")

SECRET = "do-not-send-me"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "a.mind", clock=FrozenClock(START), embedder="hash:64") as opened:
        opened.remember("The harbour is deep.")
        yield opened


@pytest.fixture
def post(memory: Memory, tmp_path: Path) -> Iterator[Any]:
    """Asks the application as a program would, a folder of files served."""
    from fastapi.testclient import TestClient

    from longmind.http.app import create_app

    files = tmp_path / "files"
    files.mkdir()
    app = create_app(memory, files=str(files), hosts=("testserver", "127.0.0.1", "localhost"))
    with TestClient(app, base_url="http://127.0.0.1") as client:

        def ask(operation: str, **body: Any) -> tuple[int, Any]:
            response = client.post(f"/v1/{operation}", json=body)
            return response.status_code, response.json()

        yield ask


def over_mcp(operation: str, **arguments: Any) -> dict[str, Any]:
    found = next(item for item in registry.operations() if item.name == operation)
    return Arguments(found).read(arguments, files=None)


EMBEDDERS = (
    "openai:m@{url}",
    "openai:m@{url}?key_env=PRECIOUS",
    "ollama:m@{url}",
    "onnx:{folder}",
    "onnx:model",
    "onnx:~/model",
    "OPENAI:m@{url}",
    " openai:m@{url}",
)


@pytest.mark.parametrize("spec", EMBEDDERS)
def test_a_request_gives_an_embedder_no_address_and_no_folder(
    post: Any, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    monkeypatch.setenv("PRECIOUS", SECRET)
    embedder = spec.format(url=listener.url, folder=tmp_path)
    status, answer = post("reindex", embedder=embedder)
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    with pytest.raises(Forbidden, match="names an embedder"):
        over_mcp("reindex", embedder=embedder)
    assert listener.received == []


@pytest.mark.parametrize("name", ["openai:m", "ollama:nomic-ai/nomic-embed-text"])
def test_an_embedder_server_is_named_only_if_the_process_allows_it(
    post: Any, listener: Listener, name: str
) -> None:
    status, answer = post("reindex", embedder=name)
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    assert "LONGMIND_EMBEDDERS" in answer["error"]["hint"]
    assert listener.received == []


def test_an_allowed_embedder_is_asked_at_the_address_of_this_process(
    tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGMIND_EMBEDDERS", f"openai:m@{listener.url}?dimensions=8")
    with Memory.open(tmp_path / "a.mind", clock=FrozenClock(START), embedder="hash:64") as memory:
        memory.remember("The harbour is deep.")
        with pytest.raises(Exception, match="embedding"):  # the listener answers nothing usable
            memory.reindex(embedder="openai:m")
    assert len(listener.received) == 1


def test_built_in_embedders_may_be_named(post: Any, memory: Memory) -> None:
    assert post("reindex", embedder="hash:32")[0] == 200
    assert memory.embedder is not None
    assert memory.embedder.startswith("hash/words/32/")


@pytest.mark.parametrize(
    "model", ["openai:m@{url}?key_env=PRECIOUS", "openai:gpt-4o-mini", "OpenAI:gpt-4o-mini"]
)
def test_a_request_asks_no_model_that_the_process_did_not_allow(
    post: Any, listener: Listener, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("PRECIOUS", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", listener.url)
    status, _ = post(
        "space/remember_raw", space="app", kind="guide", text="Deep.", model=model.format(url=listener.url)
    )
    assert status in (403, 422)
    assert listener.received == []


def test_settings_sent_in_a_request_hold_no_address(post: Any, listener: Listener) -> None:
    status, answer = post("memories/configure", settings={"llm.endpoint": listener.url, "llm.model": "m"})
    assert status == 422
    assert "not kept in a store" in answer["error"]["message"]
    assert post("memories/configure", settings={"llm.model": "m", "extractor.mode": "llm"})[0] == 200
    status, report = post("turns/add", session="s", role="user", text="I like tea")
    assert report["extractor"] == "heuristic (llm: forbidden)"
    assert listener.received == []


@pytest.mark.parametrize("target", ["postgresql://127.0.0.1:9/x?store=y", "../out.mind", "/tmp/out.mind"])
def test_a_request_copies_to_no_other_database_and_no_other_folder(post: Any, target: str) -> None:
    status, answer = post("copy", to=target)
    assert (status, answer["error"]["code"]) == (403, "forbidden")


def test_a_recipe_and_an_ordering_from_a_request_name_nothing_to_run(post: Any) -> None:
    for recipe in (
        {"name": "r", "lanes": [{"kind": "os.system"}]},
        {"name": "r", "lanes": [{"kind": "frames"}], "tokenizer": "/etc/passwd"},
    ):
        status, answer = post("recall", query="harbour", recipe=recipe)
        assert status == 422, answer
    assert post("space/set_backend", backend="/tmp/evil.py:run")[0] == 422


def test_the_configuration_file_allows_models_and_states_prices(
    tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "config"
    (folder / "longmind").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.setenv("TEAM_KEY", "sk-team")
    (folder / "longmind" / "config.toml").write_text(
        f"""
[models]
allow = ["openai:m@{listener.url}?key_env=TEAM_KEY"]

[prices]
"OpenAI:m" = {{ input = 1000000, output = 1000000 }}

[spending]
max_usd = 0.5
""",
        encoding="utf-8",
    )
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as memory:
        memory.memories.configure({"llm.model": "m", "extractor.mode": "llm", "llm.input_price": 1e-6})
        report = memory.conversation("s").add_turn("user", "I like tea")
    assert report.extractor == "heuristic (llm: over_budget)"
    assert listener.received == []
    monkeypatch.setenv("LONGMIND_MAX_USD", "100000")
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as memory:
        memory.memories.configure({"llm.model": "m", "extractor.mode": "llm"})
        memory.conversation("s").add_turn("user", "I like tea")
    assert len(listener.received) == 1
    assert "Bearer sk-team" in listener.received[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[models", "not valid TOML"),
        ("[model]\nallow = []", "no section"),
        ("[models]\nallowed = []", "no setting 'allowed'"),
        ('[models]\nallow = "openai:*"', "list of names"),
        ("[spending]\nmax_usd = -1", "max_usd"),
        ('[prices]\n"openai:m" = 3', "input and output"),
    ],
)
def test_a_configuration_file_with_a_mistake_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, said: str
) -> None:
    from longmind import InvalidInput

    path = tmp_path / "mine.toml"
    path.write_text(content, encoding="utf-8")
    monkeypatch.setenv("LONGMIND_CONFIG", str(path))
    with (
        Memory.open(":memory:", embedder=None) as memory,
        pytest.raises(InvalidInput, match=said) as refused,
    ):
        memory.conversation("s")
    assert str(path) in str(refused.value)


def test_a_configuration_file_in_the_working_folder_is_not_read(
    tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path, tmp_path / "longmind", tmp_path / ".longmind"):
        place.mkdir(exist_ok=True)
        (place / "config.toml").write_text(
            f'[models]\nallow = ["openai:m@{listener.url}"]\n', encoding="utf-8"
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")  # relative, so it does not count
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with Memory.open(":memory:", embedder=None) as memory:
        memory.memories.configure({"llm.model": "m"})
        assert memory.conversation("s").add_turn("user", "Hi").extractor == "heuristic (llm: forbidden)"
    assert listener.received == []


def test_a_model_given_in_python_needs_no_entry_in_a_list() -> None:
    model = ScriptedModel(["[]"])
    with Memory.open(":memory:", embedder=None, llm=model, access=Access()) as memory:
        assert memory.conversation("s").add_turn("user", "Hi").extractor == "hybrid"
        filed = memory.space("app").remember_raw("guide", "Deep.", model=ScriptedModel([json.dumps([])]))
    assert filed.object.metadata["semantic"]["reason"] == "unavailable"
