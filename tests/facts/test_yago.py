"""Public facts with valid years, and questions about a year: every gold fact, no distractor."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from longmind.facts.part import FactsPart
from longmind.store.upkeep import verify
from tests.facts.conftest import World


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "bench" / "facts.py"
    spec = importlib.util.spec_from_file_location("bench_facts", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_facts"] = module
    spec.loader.exec_module(module)
    return module


def test_years_are_counted_by_the_calendar(bench: ModuleType) -> None:
    assert bench.year_ms(1970) == 0
    assert bench.year_ms(2024) == 1_704_067_200_000
    assert bench.year_ms(1) == -62_135_596_800_000
    assert bench.year_ms(0) == bench.year_ms(1) - 366 * 86_400_000


@pytest.mark.parametrize(("engine", "subjects"), [("sqlite", 400), ("postgresql", 60)])
def test_every_gold_fact_is_found_and_no_distractor(
    engine: str,
    subjects: int,
    bench: ModuleType,
    shared_data: Path,
    new_location: Callable[[str], str],
    new_world: Callable[..., World],
) -> None:
    if not (shared_data / "yago11k").is_dir():
        pytest.skip("yago11k is not beside the project")
    questions: list[dict[str, Any]] = bench.load("asof_queries.jsonl")[:subjects]
    asked = {question["subject"] for question in questions}
    facts = [row for row in bench.load("facts.jsonl") if row["subject"] in asked]
    world = new_world(new_location(engine), part=FactsPart())
    report = world.facts.record_many([bench.assertion(row) for row in facts])
    ids = {row["id"]: result.fact_id for row, result in zip(facts, report.results, strict=True)}
    for question in questions:
        view = bench.middle_of(question["as_of"])
        hits = world.facts.about(question["subject"], predicate=question["predicate"], as_of=view)
        found = {hit.fact_id for hit in hits}
        assert {ids[name] for name in question["gold"]} <= found, question
        assert not {ids[name] for name in question["distractors"]} & found, question
    assert verify(world.store, deep=True).problems == ()
