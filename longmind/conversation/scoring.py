"""How much a memory weighs, and what follows from it: pure functions of counts and times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from longmind.conversation.config import Mid, Scoring

DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Score:
    """A score as the sum of its terms."""

    frequency: float
    recency: float
    importance: float
    age_days: float

    @property
    def total(self) -> float:
        return self.frequency + self.recency + self.importance


def age_days(now: int, *, created_at: int, last_seen_at: int | None) -> float:
    """Days since it was last seen, else since it was made; what lies ahead of `now` is of age 0."""
    last = created_at if last_seen_at is None else last_seen_at
    return max(0.0, (now - last) / DAY_MS)


def score_memory(
    weights: Scoring, *, now: int, hits: int, importance: int, created_at: int, last_seen_at: int | None
) -> Score:
    age = age_days(now, created_at=created_at, last_seen_at=last_seen_at)
    return Score(
        frequency=weights.w_freq * math.log(1 + hits),
        recency=weights.w_recency * math.exp(-weights.lambda_ * age),
        importance=weights.w_importance * importance,
        age_days=age,
    )


def is_promoted(rules: Mid, *, hits: int, age: float) -> bool:
    """Seen often enough, and lately."""
    return hits >= rules.promote_hits and age <= rules.promote_days


def why_expired(rules: Mid, *, score: float, age: float) -> str | None:
    """Why a mid-term memory goes, or None if it stays."""
    if score < rules.min_score:
        return "score"
    if age > rules.demote_age_days:
        return "age"
    return None
