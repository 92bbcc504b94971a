"""Raw text: extracted without a model, understood with one, inside a budget; spans and counters if asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longmind import Memory
from longmind.base.errors import InvalidInput, OverBudget, Unavailable
from longmind.llm import Models, Price, Reply
from longmind.spaces.registry import Spaces
from longmind.spaces.telemetry import Telemetry
from longmind.testing import Line, ScriptedModel
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


SAYS = json.dumps(ANSWER)


def scripted(*lines: Line, price: Price | None = None) -> Models:
    model = ScriptedModel(lines)
    model.price = price  # type: ignore[attr-defined]
    return Models(default=model)


def test_without_a_model_the_text_is_extracted_and_marked_so(spaces: Spaces) -> None:
    done = spaces.space("app").remember_raw("guide", TEXT, project="app", tags=["Ops Team"])
    assert done.object.metadata["semantic"] == {"method": "extractive"}
    assert done.object.path == "app/guide/cache_guide"
    assert done.object.summary_micro == "Cache guide"
    assert {"ops-team", "cache"} <= set(done.object.tags)
    assert done.notes == ("summarised by extraction: there is no language model",)


def test_a_model_understands_what_was_redacted_before(memory: Memory) -> None:
    model = ScriptedModel([Reply("Here: " + SAYS, 60, 40)])
    space = spaces_of(memory, models=Models(default=model)).space("app")
    space.set_policy({"pii_redaction": ["email"]})
    done = space.remember_raw("guide", TEXT)
    assert "ana@example.org" not in model.prompts[0].user
    assert done.object.metadata["semantic"] == {"method": "model", "model": "scripted:script"}
    assert (done.object.path, done.object.relevance, done.object.pinned) == ("app/cache", "high", True)
    assert done.object.tags == ("cache-pages",)
    assert space.spent() == {"scripted": {"calls": 1, "tokens": 100, "usd": 0}}


@pytest.mark.parametrize(
    "line", [RuntimeError("down"), "no json", json.dumps({**ANSWER, "relevance": "vast"})]
)
def test_a_model_that_fails_falls_back_and_says_so_or_raises(memory: Memory, line: Line) -> None:
    space = spaces_of(memory, models=scripted(line)).space("app")
    done = space.remember_raw("guide", TEXT)
    assert done.object.metadata["semantic"] == {"method": "extractive", "reason": "unavailable"}
    assert "summarised by extraction: The language model" in done.notes[0]
    with pytest.raises(Unavailable):
        space.remember_raw("guide", "Other text.", on_error="raise")


def test_a_budget_stops_calls_and_not_writes(memory: Memory) -> None:
    models = scripted(Reply(SAYS, 500_000, 250_000), price=Price(1.0, 2.0))
    space = spaces_of(memory, models=models).space("app")
    space.set_policy({"budgets": {"Scripted": {"usd": 1.0}, "*": {"tokens": 1_000_000}}})
    assert space.remember_raw("guide", TEXT).object.metadata["semantic"]["method"] == "model"
    assert space.spent() == {"scripted": {"calls": 1, "tokens": 750_000, "usd": 1.0}}
    done = space.remember_raw("guide", "Another text.")
    assert done.object.metadata["semantic"] == {"method": "extractive", "reason": "over_budget"}
    with pytest.raises(OverBudget, match="the budget is 1 USD"):
        space.remember_raw("guide", "A third text.", on_error="raise")
    assert space.spent()["scripted"]["calls"] == 1


def test_an_answer_that_cannot_be_used_is_paid_for(memory: Memory) -> None:
    space = spaces_of(memory, models=scripted(Reply("no json", 60, 40), price=Price(1.0, 1.0))).space("app")
    space.remember_raw("guide", TEXT)
    assert space.spent() == {"scripted": {"calls": 1, "tokens": 100, "usd": 0.0001}}


@pytest.mark.parametrize("options", [{"temperature": 3}, {"temperature": "hot"}, {"max_tokens": 0}])
def test_options_for_the_model_are_checked(memory: Memory, options: dict[str, Any]) -> None:
    space = spaces_of(memory, models=scripted(SAYS)).space("app")
    with pytest.raises(InvalidInput):
        space.remember_raw("guide", TEXT, options)
    assert space.spent() == {}


def test_temperature_and_length_reach_the_model(memory: Memory) -> None:
    model = ScriptedModel([SAYS])
    space = spaces_of(memory, models=Models(default=model)).space("app")
    space.remember_raw("guide", TEXT, temperature=0.7, max_tokens=300)
    space.remember_raw("guide", "Other text.")
    assert [(asked.temperature, asked.max_output_tokens) for asked in model.prompts] == [
        (0.7, 300),
        (0.0, 1200),
    ]


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
