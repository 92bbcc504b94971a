"""The page of benchmarks says what was measured, and the tools that measure do what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import evidence
from bench.abstention import MOST_LOST, operating_point
from bench.constants import CONSTANTS, left_out, matters_on, value_of, varied
from bench.kept import keep, read
from bench.metrics import estimate, judge
from bench.report import DOCUMENT, agrees, written
from longmind.search import constants


def test_the_page_says_what_was_measured() -> None:
    assert agrees(), "run: python -m bench --write-docs"


def test_only_what_stands_between_the_markers_is_written(tmp_path: Path) -> None:
    kept = {"machine": {"date": "2026-01-02", "processor": "P", "cores": 2}, "output": ["a | b"]}
    (tmp_path / "store.json").write_text(json.dumps(kept))
    unmeasured = "by hand\n<!-- measured: none -->\nx\n<!-- end -->\n"
    found = written(f"by hand\n<!-- measured: store -->\nold\n<!-- end -->\n{unmeasured}", tmp_path)
    assert found == (
        "by hand\n<!-- measured: store -->\n\nMeasured on 2026-01-02: P, 2 cores.\n\n"
        f"```text\na | b\n```\n\n<!-- end -->\n{unmeasured}"
    )
    assert written(found, tmp_path) == found


def test_every_constant_of_ranking_can_be_derived_again() -> None:
    """Apart from bounds on the input: how much of a question is read, and how many texts a model sees."""
    names = {name for name in vars(constants) if name.isupper()}
    varied_one_by_one = {item.name.partition(".")[0] for item in CONSTANTS if item.module is constants}
    assert varied_one_by_one.isdisjoint({*evidence.CONFIDENCE, *evidence.LANGUAGE})
    derived = {*varied_one_by_one, *evidence.CONFIDENCE, *evidence.LANGUAGE}
    bounds = {"MODEL_DEPTH", "LONG_QUESTION", "LONG_TEXT", "ASKING_CHARACTERS", "PASTED_CHARACTERS"}
    # No public set has photos and texts about the same things.
    of_photos = {"IMAGES_ASKED", "IMAGES_DEPTH", "IMAGES_STAND_OUT"}
    assert derived == names - bounds - of_photos


def test_a_constant_is_varied_and_put_back() -> None:
    before = {item.name: value_of(item) for item in CONSTANTS}
    for item in CONSTANTS:
        for factor in item.factors:
            with varied(item, factor):
                changed = value_of(item)
            if isinstance(changed, dict):
                assert changed == {kind: part * factor for kind, part in before[item.name].items()}
            else:
                assert changed == pytest.approx(before[item.name] * factor)
    assert {item.name: value_of(item) for item in CONSTANTS} == before


def test_a_change_beyond_chance_on_one_set_is_enough_to_matter() -> None:
    still = {"nDCG@10": {"mean": 0.01, "low": -0.01, "high": 0.02}}
    moved = {"nDCG@10": {"mean": -0.03, "low": -0.05, "high": -0.01}}
    assert matters_on({"0": {"a": still, "b": still}, "2": {"a": still, "b": moved}}) == ["b"]
    assert matters_on({"0": {"a": still}}) == []


def test_a_value_is_judged_on_the_set_that_took_no_part_in_choosing_it() -> None:
    def changed(**by_set: float) -> dict[str, Any]:
        return {label: {"nDCG@10": {"mean": mean}} for label, mean in by_set.items()}

    changes = {"0": changed(a=0.3, b=-0.1, c=-0.1), "2": changed(a=-0.1, b=0.02, c=0.02)}
    assert left_out(changes) == {
        "a": {"factor": 2.0, "change": -0.1},
        "b": {"factor": 0.0, "change": -0.1},
        "c": {"factor": 0.0, "change": -0.1},
    }
    assert left_out({"0": changed(a=-0.1, b=0.0)})["b"] == {"factor": 1.0, "change": 0.0}


def test_the_page_has_a_place_for_quality_and_for_speed() -> None:
    page = DOCUMENT.read_text("utf-8")
    for name in ("constants", "quality", "speed"):
        assert page.count(f"<!-- measured: {name} -->") == 1


def test_a_new_measurement_replaces_the_old_one_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "speed.json"
    keep(path, "sizes", {"1000": {"a": 1}, "10000": {"a": 2}})
    keep(path, "sizes", {"1000": {"a": 3}})
    assert read(path) == {"sizes": {"1000": {"a": 3}, "10000": {"a": 2}}}
    assert read(tmp_path / "none.json") == {}


def test_a_ranking_is_judged_by_recall_gain_and_first_place() -> None:
    assert judge(["x", "a", "y", "b"], {"a": 1, "b": 1}) == pytest.approx((1.0, 1.0, 0.6509, 0.5), abs=1e-4)
    assert judge(["x"] * 4 + ["y", "z", "w", "v", "u", "a"], {"a": 1})[:2] == (0.0, 1.0)
    assert judge([], {"a": 1}) == (0.0, 0.0, 0.0, 0.0)


def test_intervals_are_the_same_in_every_run_and_hold_the_mean() -> None:
    values = [0.0, 1.0, 1.0, 0.5] * 20
    found = estimate(values)
    assert found == estimate(values)
    assert found.low < found.mean < found.high


def test_the_threshold_of_abstention_loses_no_more_than_it_may() -> None:
    confidences = np.linspace(0.01, 1.0, 100)
    threshold = operating_point(confidences)
    assert (confidences < threshold).mean() <= MOST_LOST
    assert (confidences <= threshold).mean() > MOST_LOST
