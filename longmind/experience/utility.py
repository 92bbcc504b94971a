"""What votes come to, and the little they may do to an order: break ties among near-equal scores."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from longmind.base.errors import InvalidInput
from longmind.experience.rows import VoteRow, select
from longmind.experience.values import Utility
from longmind.store.engine import Connection
from longmind.store.tables import batched
from longmind.store.visible import among

Candidate = TypeVar("Candidate")

SHRINKAGE: Final = 4.0
BAND: Final = 0.02
_DIGITS: Final = 12
"""Sums of votes may differ in their last bits from engine to engine; what is read of them may not."""


@dataclass(frozen=True, slots=True)
class UtilityRule:
    """How votes count. `shrinkage` is how many votes at 0 every record is thought to have had already;
    `band` is how far below the best of a group, relative to it, a score is still near-equal."""

    shrinkage: float = SHRINKAGE
    band: float = BAND

    def __post_init__(self) -> None:
        for name, most in (("shrinkage", 1e6), ("band", 0.5)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
                raise InvalidInput(f"{name} must be a number from 0 to {most:g}, not {value!r}.")

    def value(self, mean: float, observations: int) -> float:
        """The mean of the votes, drawn to 0 while there are few."""
        if observations == 0:
            return 0.0
        return round(mean * observations / (observations + self.shrinkage), _DIGITS)


def utilities(db: Connection, ids: Iterable[str], *, system: int, rule: UtilityRule) -> dict[str, Utility]:
    """What the votes given by then come to, for the records that have any."""
    found = {}
    for batch in batched(dict.fromkeys(ids)):
        clause = among("x.memory_id", batch)
        given: dict[str, list[float]] = defaultdict(list)
        for row in select(db, VoteRow, f"{clause.sql} AND x.recorded_at <= ?", (*clause.values, system)):
            given[row.memory_id].append(row.vote)
        for memory, votes in sorted(given.items()):
            mean = round(math.fsum(votes) / len(votes), _DIGITS)
            found[memory] = Utility(memory, len(votes), mean, rule.value(mean, len(votes)))
    return found


def break_ties(
    ranked: Sequence[tuple[Candidate, float]], values: Mapping[Candidate, float], *, band: float
) -> list[Candidate]:
    """Reorder within groups of near-equal scores, by falling utility; equal ones keep their order.

    The best score left opens a group, which reaches down to `1 - band` of it. Nothing leaves its group, so
    that no number of votes lifts a candidate past one that is clearly better; without votes nothing moves.
    """
    placed: list[Candidate] = []
    group: list[Candidate] = []
    floor = 0.0
    for candidate, score in ranked:
        if group and score < floor:
            placed += _by_utility(group, values)
            group = []
        if not group:
            floor = score - band * abs(score)
        group.append(candidate)
    return placed + _by_utility(group, values)


def group_end(scores: Sequence[float], limit: int, *, band: float) -> int | None:
    """Where the group of near-equal scores that the first `limit` end in is over; None if it may go on."""
    floor = None
    for place, score in enumerate(scores):
        if floor is None or score < floor:
            if place >= limit:
                return place
            floor = score - band * abs(score)
    return None


def _by_utility(group: Sequence[Candidate], values: Mapping[Candidate, float]) -> list[Candidate]:
    return sorted(group, key=lambda candidate: -values.get(candidate, 0.0))
