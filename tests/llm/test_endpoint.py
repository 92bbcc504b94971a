"""Adapters against a server that is slow, overloaded, broken or of another mind."""

from __future__ import annotations

import json

import pytest

from longmind import Access, FrozenClock, InvalidInput, Memory
from longmind.conversation.memories import Memories
from longmind.llm import HttpModel, ModelEndpoint, ModelFailed, Models, Prompt
from tests.conftest import START
from tests.llm.conftest import Provider

PROVIDERS = ("openai", "anthropic", "ollama")
ASKED = Prompt("be brief", "hello", max_output_tokens=20)


def model(provider: Provider, name: str = "openai", *, timeout: float = 5, retries: int = 1) -> HttpModel:
    endpoint = ModelEndpoint(name, "m-1", provider.url, "sk-secret", timeout=timeout, retries=retries)
    return HttpModel(endpoint, sleep=lambda seconds: None)


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_is_spoken_to_in_its_own_way(provider: Provider, name: str) -> None:
    provider.says = "hi"
    reply = model(provider, name).complete(ASKED)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("hi", 50, 7)
    path, headers, body = provider.requests[0]
    assert path == {"openai": "/chat/completions", "anthropic": "/v1/messages", "ollama": "/api/chat"}[name]
    assert body["model"] == "m-1"
    assert "hello" in json.dumps(body["messages"])
    assert "be brief" in json.dumps(body)
    key = headers.get("x-api-key") if name == "anthropic" else headers.get("Authorization")
    assert key is not None
    assert key.endswith("sk-secret")


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [
        ("429", "rate_limited"),
        ("500", "server_error"),
        ("401", "rejected"),
        ("broken json", "bad_json"),
        ("wrong schema", "wrong_schema"),
        ("hang up", "interrupted"),
    ],
)
def test_misbehaviour_has_a_name(provider: Provider, name: str, behaviour: str, outcome: str) -> None:
    provider.behaviours = [behaviour]
    with pytest.raises(ModelFailed) as failed:
        model(provider, name).complete(ASKED)
    assert failed.value.outcome == outcome
    assert "sk-secret" not in str(failed.value)


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_refusal_is_no_answer(provider: Provider, name: str) -> None:
    provider.behaviours = ["refuse"]
    with pytest.raises(ModelFailed) as failed:
        model(provider, name).complete(ASKED)
    assert failed.value.outcome == "refused"


def test_a_slow_server_is_not_waited_for(provider: Provider) -> None:
    provider.behaviours = ["slow"]
    with pytest.raises(ModelFailed) as failed:
        model(provider, timeout=0.2).complete(ASKED)
    assert failed.value.outcome == "timeout"


def test_what_passes_is_tried_again_and_what_does_not_is_not(provider: Provider) -> None:
    provider.behaviours = ["429", "503", "well"]
    assert model(provider, retries=2).complete(ASKED).text == "[]"
    assert len(provider.requests) == 3
    provider.behaviours = ["400"]
    with pytest.raises(ModelFailed):
        model(provider, retries=2).complete(ASKED)
    assert len(provider.requests) == 4


@pytest.mark.parametrize(
    "given",
    [
        {"provider": "acme"},
        {"model": ""},
        {"url": "ftp://x"},
        {"url": "http://user:pw@x"},
        {"api_key": "two words"},
        {"timeout": 0},
    ],
)
def test_an_endpoint_is_checked(given: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        ModelEndpoint(**{"provider": "openai", "model": "m", "url": "http://x", **given})  # type: ignore[arg-type]


def test_a_key_is_not_shown(provider: Provider) -> None:
    assert "sk-secret" not in repr(ModelEndpoint("openai", "m", provider.url, "sk-secret"))


@pytest.mark.parametrize("name", PROVIDERS)
def test_turns_are_read_by_a_configured_model_and_accounted_for(provider: Provider, name: str) -> None:
    provider.says = json.dumps([{"content": "User likes tea", "tags": ["drinks"]}])
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as memory:
        access = Access(models=[f"{name}:m-1@{provider.url}?key_env=THE_KEY"])
        models = Models({"THE_KEY": "sk-secret"}, access=access)
        memories = Memories(memory.store, memory._search, models=models)
        memories.configure(
            {
                "llm": {
                    "provider": name,
                    "model": "m-1",
                    "input_price": 1.0,
                    "timeout_s": 5,
                    "retries": 0,
                },
                "extractor.mode": "llm",
            }
        )
        talk = memories.conversation("s")
        assert talk.add_turn("user", "Tea for me").extractor == "llm"
        provider.behaviours = ["500", "broken json", "slow"]
        assert talk.add_turn("user", "I like jazz").extractor == "heuristic (llm: server_error)"
        assert talk.add_turn("user", "I like jazz").extractor == "heuristic (llm: bad_json)"
        memories.configure({"llm.timeout_s": 0.2})
        assert talk.add_turn("user", "I like jazz").extractor == "heuristic (llm: timeout)"
        assert {item.content: item.hits for item in memories.list()} == {
            "User likes tea": 0,
            "User likes jazz": 2,
        }
        spent = memories.stats().spending
        free = name == "ollama"  # by the table, which wins over a price in the store
        assert spent[f"{name}/m-1/answered"]["cost"] == (0 if free else 50 / 1_000_000)
        assert spent[f"{name}/m-1/server_error"]["input_tokens"] == 0
        assert spent[f"{name}/m-1/bad_json"]["input_tokens"] > 50
        assert spent[f"{name}/m-1/timeout"]["output_tokens"] == 800
        assert sum(figures["calls"] for figures in spent.values()) == 4


def test_nothing_is_called_without_a_model(provider: Provider) -> None:
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as memory:
        environment = {"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": provider.url}
        models = Models(environment, access=Access(models=["openai:*"]))
        memories = Memories(memory.store, memory._search, models=models)
        memories.configure({"extractor.mode": "llm"})
        report = memories.conversation("s").add_turn("user", "I like tea")
    assert report.extractor == "heuristic (no model)"
    assert provider.requests == []
