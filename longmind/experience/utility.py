"""The utility of a record by its votes, which only breaks ties among near-equal scores."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from longmind.base.errors import InvalidInput
from longmind.experience.rows import VoteRow, VoterRow, select, select_among
from longmind.experience.values import Utility
from longmind.store.engine import Connection, Value
from longmind.store.lineage import lineage
from longmind.store.tables import batched
from longmind.store.visible import among

Candidate = TypeVar("Candidate")

SHRINKAGE: Final = 4.0
"""One vote moves the utility by a fifth of its value, four by half: a single opinion decides little."""
BAND: Final = 0.02
"""Of the best score. Narrow on purpose: votes must not lift a record past a clearly better match."""
_DIGITS: Final = 12
"""Sums of votes may differ in their last bits from engine to engine; the utility may not."""


@dataclass(frozen=True, slots=True)
class UtilityRule:
    """How votes count. `shrinkage` is how many votes of 0 every record starts with; `band` is how far
    below the best of a group, relative to it, a score still counts as near-equal."""

    shrinkage: float = SHRINKAGE
    band: float = BAND

    def __post_init__(self) -> None:
        for name, most in (("shrinkage", 1e6), ("band", 0.5)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
                raise InvalidInput(f"{name} must be a number from 0 to {most:g}, not {value!r}.")

    def value(self, mean: float, observations: int) -> float:
        """The mean of the votes, shrunk towards 0 while there are few."""
        if observations == 0:
            return 0.0
        return round(mean * observations / (observations + self.shrinkage), _DIGITS)


def utilities(db: Connection, ids: Iterable[str], *, system: int, rule: UtilityRule) -> dict[str, Utility]:
    """The utility by the votes given up to `system`, for the records that have any."""
    totals = {}
    recorded = lineage(db, system).clause("x.recorded_at")
    for batch in batched(dict.fromkeys(ids)):
        clause = among("x.memory_id", batch)
        by_memory: dict[str, list[float]] = defaultdict(list)
        condition, values = f"{clause.sql} AND {recorded.sql}", (*clause.values, *recorded.values)
        for row in _counted(db, condition, values):
            by_memory[row.memory_id].append(row.vote)
        for memory, votes in sorted(by_memory.items()):
            mean = round(math.fsum(votes) / len(votes), _DIGITS)
            totals[memory] = Utility(memory, len(votes), mean, rule.value(mean, len(votes)))
    return totals


def _counted(db: Connection, condition: str, values: Sequence[Value]) -> list[VoteRow]:
    """The votes that count: of one caller's on the same pair the newest, so that nobody outvotes others."""
    votes = select(db, VoteRow, f"{condition} ORDER BY x.recorded_at, x.vote_id", values)
    voters = {
        row.vote_id: row.voter for row in select_among(db, VoterRow, "vote_id", (v.vote_id for v in votes))
    }
    newest = {
        (vote.memory_id, vote.problem_id, voters.get(vote.vote_id, vote.vote_id)): vote for vote in votes
    }
    return list(newest.values())


def break_ties(
    ranked: Sequence[tuple[Candidate, float]], values: Mapping[Candidate, float], *, band: float
) -> list[Candidate]:
    """Reorder within groups of near-equal scores, by falling utility; equal ones keep their order.

    The best score left opens a group, which reaches down to `1 - band` of it. Nothing leaves its group, so
    that no number of votes lifts a candidate past one that is clearly better; without votes nothing moves.
    """
    ordered: list[Candidate] = []
    group: list[Candidate] = []
    floor = 0.0
    for candidate, score in ranked:
        if group and score < floor:
            ordered += _by_utility(group, values)
            group = []
        if not group:
            floor = score - band * abs(score)
        group.append(candidate)
    return ordered + _by_utility(group, values)


def group_end(scores: Sequence[float], limit: int, *, band: float) -> int | None:
    """Where the group of near-equal scores that the first `limit` end in is over; None if it may go on."""
    floor = None
    for position, score in enumerate(scores):
        if floor is None or score < floor:
            if position >= limit:
                return position
            floor = score - band * abs(score)
    return None


def _by_utility(group: Sequence[Candidate], values: Mapping[Candidate, float]) -> list[Candidate]:
    return sorted(group, key=lambda candidate: -values.get(candidate, 0.0))
