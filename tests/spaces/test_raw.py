"""Raw text: extracted without a model, understood with one, inside a budget; spans and counters if asked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from longmind import Memory
from longmind.base.errors import InvalidInput, OverBudget, Unavailable
from longmind.llm import protocol as llm
from longmind.spaces.model import Filing
from longmind.spaces.registry import Spaces
from longmind.spaces.telemetry import Telemetry
from tests.spaces.conftest import spaces_of

TEXT = "# Cache guide\n\nThe cache keeps recent pages. The cache is small. Ask ana@example.org about it."
ANSWER = {
    "path": "app/cache",
    "summary_micro": "How the cache works.",
    "summary_short": "The cache keeps recent pages.",
    "summary_long": "The cache keeps recent pages, and is small.",
    "tags": ["Cache Pages"],
    "relevance": "high",
    "auto_pin": True,
}


@dataclass
class Reply:
    text: str
    tokens: int = 100
    usd: float = 0.25


@dataclass
class Scripted:
    """Answers from a list, and keeps what it was asked."""

    answers: list[object]
    provider: str = "acme"
    name: str = "acme:small"
    prompts: list[str] = field(default_factory=list)

    def complete(self, prompt: str, *, max_tokens: int, temperature: float) -> object:
        self.prompts.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_without_a_model_the_text_is_extracted_and_marked_so(spaces: Spaces) -> None:
    done = spaces.space("app").remember_raw("guide", TEXT, project="app", tags=["Ops Team"])
    assert done.object.metadata["semantic"] == {"method": "extractive"}
    assert done.object.path == "app/guide/cache_guide"
    assert done.object.summary_micro == "Cache guide"
    assert {"ops-team", "cache"} <= set(done.object.tags)
    assert done.notes == ("summarised by extraction: there is no language model",)


def test_a_model_understands_what_was_redacted_before(memory: Memory) -> None:
    model = Scripted([Reply("Here: " + json.dumps(ANSWER))])
    space = spaces_of(memory, model=model).space("app")
    space.set_policy({"pii_redaction": ["email"]})
    done = space.remember_raw("guide", TEXT)
    assert "ana@example.org" not in model.prompts[0]
    assert done.object.metadata["semantic"] == {"method": "model", "model": "acme:small"}
    assert (done.object.path, done.object.relevance, done.object.pinned) == ("app/cache", "high", True)
    assert done.object.tags == ("cache-pages",)
    assert space.spent() == {"acme": {"calls": 1, "tokens": 100, "usd": 0.25}}


@pytest.mark.parametrize(
    "answer", [RuntimeError("down"), "no json", json.dumps({**ANSWER, "relevance": "vast"})]
)
def test_a_model_that_fails_falls_back_and_says_so_or_raises(memory: Memory, answer: object) -> None:
    space = spaces_of(memory, model=Scripted([answer, answer])).space("app")
    done = space.remember_raw("guide", TEXT)
    assert done.object.metadata["semantic"]["method"] == "extractive"
    assert "summarised by extraction: The language model" in done.notes[0]
    with pytest.raises((Unavailable, InvalidInput)):
        space.remember_raw("guide", "Other text.", on_error="raise")


def test_a_budget_stops_calls_and_not_writes(memory: Memory) -> None:
    model = Scripted([Reply(json.dumps(ANSWER), usd=1.0)] * 2)
    space = spaces_of(memory, model=model).space("app")
    space.set_policy({"budgets": {"acme": {"usd": 1.0}, "*": {"tokens": 1_000_000}}})
    assert space.remember_raw("guide", TEXT).object.metadata["semantic"]["method"] == "model"
    done = space.remember_raw("guide", "Another text.")
    assert done.object.metadata["semantic"] == {"method": "extractive", "reason": "over_budget"}
    with pytest.raises(OverBudget, match="spent its 1 USD"):
        space.remember_raw("guide", "A third text.", on_error="raise")
    assert len(model.prompts) == 1


def test_operations_are_counted_and_traced_when_asked_for(memory: Memory) -> None:
    prometheus = pytest.importorskip("prometheus_client")
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    simple = pytest.importorskip("opentelemetry.sdk.trace.export")
    provider, exporter = sdk.TracerProvider(), export.InMemorySpanExporter()
    provider.add_span_processor(simple.SimpleSpanProcessor(exporter))
    registry = prometheus.CollectorRegistry()
    telemetry = Telemetry(tracer=provider.get_tracer("test"), registry=registry)
    spaces = spaces_of(memory, telemetry=telemetry)
    space = spaces.space("app")
    done = space.remember_raw("guide", TEXT)
    space.recall_context("cache", backend="raptor")
    space.pin(done.object.id)
    spaces.gc("app", now=0)
    spans = {span.name: dict(span.attributes) for span in exporter.get_finished_spans()}
    assert spans["longmind.memory.remember_raw"] == {"space": "app", "budget_usd": 0.0}
    assert spans["longmind.memory.recall_context"] == {
        "space": "app",
        "topic": "cache",
        "backend": "raptor",
        "items_returned": 1,
    }
    assert "longmind.memory.backend.raptor" in spans
    assert "longmind.memory.gc" in spans
    labels = {"space": "app", "status": "created"}
    assert registry.get_sample_value("longmind_memory_objects_total", labels) == 1
    assert registry.get_sample_value("longmind_memory_gc_runs_total", {"space": "app"}) == 1
    assert registry.get_sample_value("longmind_memory_pin_toggle_total", {"space": "app"}) == 1
    timed = {"operation": "recall_context"}
    assert registry.get_sample_value("longmind_memory_latency_seconds_count", timed) == 1


@dataclass
class Model:
    """A language model as the package's own adapters are one."""

    reply: llm.Reply
    provider: str = "acme"
    model: str = "small"

    def complete(self, prompt: llm.Prompt) -> llm.Reply:
        assert prompt.max_output_tokens == 1200
        return self.reply


def test_a_language_model_of_the_package_files_texts(memory: Memory) -> None:
    model = Filing(Model(llm.Reply(json.dumps(ANSWER), 60, 40)), usd_per_token=0.01)
    space = spaces_of(memory, model=model).space("app")
    done = space.remember_raw("guide", TEXT)
    assert done.object.metadata["semantic"] == {"method": "model", "model": "acme:small"}
    assert space.spent() == {"acme": {"calls": 1, "tokens": 100, "usd": 1.0}}
