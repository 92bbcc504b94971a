"""Models by name: opened as named, at the address and with the key of this process, and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longmind import Access, Forbidden, FrozenClock, InvalidInput, Memory
from longmind.cli.arguments import writing
from longmind.llm import ModelFailed, Models, Prompt
from longmind.llm.models import name_of
from longmind.testing import ScriptedModel
from tests.conftest import START
from tests.llm.conftest import Provider
from tests.llm.test_ledger import FILED

ASKED = Prompt("be brief", "hello", temperature=0.7)
PROVIDERS = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "ollama": ("OLLAMA_HOST", "OLLAMA_API_KEY"),
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_named_model_is_asked_at_the_address_of_this_process(provider: Provider, name: str) -> None:
    url, key = PROVIDERS[name]
    access = Access(models=[f"{name}:m-*"])
    models = Models({url: provider.url, key: "sk-1"}, default=ScriptedModel(["other"]), access=access)
    model = models.named(f"{name}:m-2")
    assert name_of(model) == f"{name}:m-2"
    model.complete(ASKED)
    _, headers, body = provider.requests[0]
    assert body["model"] == "m-2"
    assert (body.get("temperature"), body.get("options", {}).get("temperature")) in ((0.7, None), (None, 0.7))
    assert ("sk-1" in " ".join(headers.values())) == (name != "ollama")


def test_the_default_may_bring_its_address_and_other_models_are_asked_there(provider: Provider) -> None:
    default_name = f"openai:m-1@{provider.url}?key_env=MY_KEY"
    models = Models({"MY_KEY": "sk-mine"}, default=default_name, access=Access(models=["openai:m-2"]))
    default = models.default()
    assert default is not None
    default.complete(ASKED)
    models.named("openai:m-2").complete(ASKED)
    assert [body["model"] for _, _, body in provider.requests] == ["m-1", "m-2"]
    assert {headers["Authorization"] for _, headers, _ in provider.requests} == {"Bearer sk-mine"}


def test_the_name_of_the_default_is_the_default() -> None:
    default = ScriptedModel(["yes"], model="m:1")
    assert Models(default=default).named("scripted:m:1") is default


@pytest.mark.parametrize("name", ["", "gpt-4o", "acme:small", "openai:", "openai:a b", "openai:m@ftp://x"])
def test_a_name_that_cannot_be_opened_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        Models({"OPENAI_API_KEY": "sk-1"}).named(name)


def test_a_request_never_chooses_an_address_or_a_key(provider: Provider) -> None:
    models = Models({"SECRET": "s3cret", "OPENAI_API_KEY": "sk-1"})
    with pytest.raises(InvalidInput, match="not an address"):
        models.named(f"openai:m@{provider.url}?key_env=SECRET")
    assert provider.requests == []


@pytest.mark.parametrize("name", ["openai:m-10", "openai:m", "ollama:m-1", "OpenAI:x"])
def test_a_model_that_is_not_in_the_list_is_refused(name: str) -> None:
    models = Models({"OPENAI_API_KEY": "sk-1"}, access=Access(models=["openai:m-1", "anthropic:*"]))
    with pytest.raises(Forbidden, match="does not allow the model"):
        models.named(name)


def test_the_name_of_a_provider_folds_case() -> None:
    models = Models({"OPENAI_API_KEY": "sk-1"}, access=Access(models=["OpenAI:m-1"]))
    assert name_of(models.named("OPENAI:m-1")) == "openai:m-1"


def test_a_key_that_is_missing_is_named() -> None:
    with pytest.raises(ModelFailed, match="'OPENAI_API_KEY' holds no key for openai:m"):
        Models(access=Access(models=["openai:m"])).named("openai:m")


def test_a_model_named_in_a_call_files_the_note(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    provider.says = json.dumps(FILED)
    monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
    monkeypatch.setenv("LONGMIND_MODELS", "ollama:*, openai:m-2")
    other = ScriptedModel(["never asked"])
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None, llm=other) as memory:
        done = memory.space("app").remember_raw("guide", "The cache.", model="openai:m-2", temperature=0.3)
        with pytest.raises(InvalidInput, match="does not name a language model"):
            memory.space("app").remember_raw("guide", "Other text.", model="m-2")
    assert done.object.metadata["semantic"] == {"method": "model", "model": "openai:m-2"}
    assert [(body["model"], body["temperature"]) for _, _, body in provider.requests] == [("m-2", 0.3)]
    assert other.prompts == []


def test_the_semantic_model_files_notes_and_reads_no_turns(provider: Provider) -> None:
    provider.says = json.dumps(FILED)
    named = f"ollama:m-3@{provider.url}"
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None, semantic_model=named) as memory:
        done = memory.space("app").remember_raw("guide", "The cache.")
        turn = memory.memories.conversation("s").add_turn("user", "I like tea")
    assert done.object.metadata["semantic"] == {"method": "model", "model": "ollama:m-3"}
    assert turn.extractor == "heuristic (no model)"
    assert [path for path, _, _ in provider.requests] == ["/api/chat"]


def test_the_environment_of_the_command_line_names_the_semantic_model(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.says = json.dumps(FILED)
    monkeypatch.setenv("LONGMIND_MEMORY_SEMANTIC_MODEL", f"ollama:m-4@{provider.url}")
    with writing(str(tmp_path / "a.mind")) as memory:
        done = memory.space("app").remember_raw("guide", "The cache.")
    assert done.object.metadata["semantic"] == {"method": "model", "model": "ollama:m-4"}
    assert [body["model"] for _, _, body in provider.requests] == ["m-4"]
