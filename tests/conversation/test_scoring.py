"""Every formula and threshold, at its boundaries."""

from __future__ import annotations

import math

import pytest

from longmind.conversation.config import Config, Mid, Scoring
from longmind.conversation.rows import StateRow
from longmind.conversation.scoring import DAY_MS, age_days, is_promoted, score_memory, why_expired
from longmind.conversation.sweep import Standing, plan_sweep

NOW = 1_700_000_000_000


def total_score(**given: int | None) -> float:
    values = {"hits": 0, "importance": 0, "created_at": NOW, "last_seen_at": None, **given}
    return score_memory(Scoring(), now=NOW, **values).total  # type: ignore[arg-type]


def test_a_new_memory_scores_its_recency_alone() -> None:
    assert total_score() == 1.0


def test_the_score_is_the_weighted_sum_of_its_terms() -> None:
    score = score_memory(
        Scoring(w_freq=2, w_recency=3, w_importance=5, lambda_=0.1),
        now=NOW,
        hits=4,
        importance=1,
        created_at=NOW - 50 * DAY_MS,
        last_seen_at=NOW - 10 * DAY_MS,
    )
    assert score.frequency == 2 * math.log(5)
    assert score.recency == 3 * math.exp(-1.0)
    assert score.importance == 5
    assert score.total == score.frequency + score.recency + score.importance
    assert score.age_days == 10


def test_defaults_are_the_seeds() -> None:
    made = Config().to_mapping()
    assert made["scoring"] == {"w_freq": 1.0, "w_recency": 1.0, "w_importance": 2.0, "lambda": 0.05}
    assert made["short_term"] == {"size": 100}
    assert (made["mid"]["capacity"], made["mid"]["promote_hits"], made["mid"]["demote_age_days"]) == (
        500,
        3,
        30,
    )
    assert made["extractor"] == {"mode": "hybrid"}
    assert made["llm"]["model"] == ""


def test_age_counts_from_the_last_sighting_and_else_from_creation() -> None:
    assert age_days(NOW, created_at=NOW - 9 * DAY_MS, last_seen_at=None) == 9
    assert age_days(NOW, created_at=NOW - 9 * DAY_MS, last_seen_at=NOW - DAY_MS) == 1
    assert age_days(NOW, created_at=NOW + DAY_MS, last_seen_at=None) == 0


@pytest.mark.parametrize(
    ("hits", "age", "expected"),
    [(3, 0, True), (2, 0, False), (3, 7.0, True), (3, 7.0 + 1e-9, False), (9, 8, False)],
)
def test_promotion_needs_three_hits_and_seven_days(hits: int, age: float, expected: bool) -> None:
    assert is_promoted(Mid(), hits=hits, age=age) is expected


@pytest.mark.parametrize(
    ("score", "age", "why"),
    [(0.5, 0, None), (0.5 - 1e-12, 0, "score"), (9, 30.0, None), (9, 30.0 + 1e-9, "age"), (0.1, 40, "score")],
)
def test_a_mid_term_memory_goes_below_the_score_or_beyond_the_age(score: float, age: float, why: str) -> None:
    assert why_expired(Mid(), score=score, age=age) == why


def standing(
    number: int, *, hits: int = 0, days: float = 0, layer: str = "mid", importance: int = 0
) -> Standing:
    seen = NOW - round(days * DAY_MS)
    state = StateRow(number, 1, None, layer, "active", hits, importance, seen if hits else None, 0.0, NOW)
    return Standing(number, seen, state, 0.0, 0)


def test_an_unseen_memory_goes_when_its_recency_falls_below_the_threshold() -> None:
    edge = -math.log(0.5) / 0.05
    plan = plan_sweep([standing(1, days=edge - 0.01), standing(2, days=edge + 0.01)], Config(), now=NOW)
    assert plan.ids("deleted") == (2,)


def test_promotion_comes_before_expiry() -> None:
    config = Config().merged({"mid.min_score": 100})
    plan = plan_sweep([standing(1, hits=3), standing(2, hits=2)], config, now=NOW)
    assert plan.ids("promoted") == (1,)
    assert plan.ids("deleted") == (2,)


def test_capacity_takes_the_weakest_and_of_equals_the_older() -> None:
    config = Config().merged({"mid.capacity": 2})
    items = [standing(1), standing(2), standing(3, days=1), standing(4, hits=1), standing(5, layer="long")]
    plan = plan_sweep(items, config, now=NOW)
    assert plan.ids("deleted") == (1, 3)
    assert {step.inputs["reason"] for step in plan.steps} == {"capacity"}


def test_capacity_is_counted_after_promotion_and_expiry() -> None:
    config = Config().merged({"mid.capacity": 1})
    plan = plan_sweep([standing(1, hits=3), standing(2, days=20), standing(3)], config, now=NOW)
    assert plan.ids("promoted") == (1,)
    assert [(step.memory_id, step.inputs["reason"]) for step in plan.steps if step.action == "deleted"] == [
        (2, "score")
    ]


def test_long_term_memories_are_scored_and_stay() -> None:
    plan = plan_sweep([standing(1, layer="long", days=400)], Config(), now=NOW)
    assert plan.steps == ()
    assert plan.scores[1].age_days == 400


def test_archiving_takes_the_place_of_deleting() -> None:
    plan = plan_sweep([standing(1, days=60)], Config().merged({"mid.archive": True}), now=NOW)
    assert (plan.ids("archived"), plan.ids("deleted")) == ((1,), ())
