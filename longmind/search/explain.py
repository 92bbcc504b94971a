"""The reasons that results carry: what each lane did, its rank for a hit, and the parts of a hit's score."""

from __future__ import annotations

import math

from longmind.base.arrays import Int64Array
from longmind.search.candidates import Lanes
from longmind.search.fusion import rank_bonus
from longmind.search.question import Question
from longmind.search.ranking import Ranking
from longmind.search.request import SearchRequest
from longmind.search.results import LaneRank, LaneReport, Step
from longmind.search.state import SearchState
from longmind.text.lane import Measured, TextScores


def lane_reports(
    request: SearchRequest,
    question: Question,
    state: SearchState,
    lanes: Lanes,
    *,
    vector_problem: str,
    images_problem: str,
    lengths: Measured,
) -> tuple[LaneReport, ...]:
    """One for each lane that was asked for."""
    reports = [] if lanes.text is None else [_text_report(lanes.text)]
    if lanes.vectors is not None and state.binding.neighbours is not None:
        indexed = lengths.documents
        missing = state.binding.neighbours.missing(
            state.snapshot, lengths.corpus, indexed=lengths.in_segments
        )
        partly = f"; vectors for {indexed - missing} of {indexed} frames" if missing else ""
        detail = lanes.vectors.method + partly
        reports.append(LaneReport("vector", True, len(lanes.vectors.ids), detail, missing))
    elif "vector" in request.lanes:
        reports.append(LaneReport("vector", False, 0, vector_problem))
    facts = lanes.ranked.get("facts")
    if facts is not None:
        reports.append(LaneReport("facts", True, len(facts), "known names in the question"))
    timeline = lanes.ranked.get("timeline")
    if timeline is not None:
        asks = question.time.range is not None
        nothing = "no frame is of that time" if asks else "the question does not ask about time"
        detail = timeline[0].reason if timeline else nothing
        reports.append(LaneReport("timeline", True, len(timeline), detail))
    images = lanes.ranked.get("images")
    if images:
        reports.append(LaneReport("images", True, len(images), "what photos show"))
    elif images_problem:
        reports.append(LaneReport("images", False, 0, images_problem))
    return tuple(reports)


def _text_report(text: TextScores) -> LaneReport:
    used = [use.term for use in text.terms if use.used]
    unused = [f"{use.term} ({use.note})" for use in text.terms if not use.used]
    detail = f"looked for {', '.join(used)}" if used else "no word to look for"
    if unused:
        detail += f"; left out {', '.join(unused)}"
    return LaneReport("text", True, len(text.found), detail)


def lanes_of(ranking: Ranking, positions: Int64Array) -> list[dict[str, LaneRank]]:
    """For each position, the lanes that found the frame there."""
    signals = ranking.candidates.signals
    own = {"text": signals.words, "vector": signals.cosine}
    by_hit: list[dict[str, LaneRank]] = [{} for _ in positions]
    for lane, ranks in ranking.ranks.items():
        values = own.get(lane)
        scores = [math.nan] * len(positions) if values is None else values[positions].tolist()
        for lanes, rank, score in zip(by_hit, ranks[positions].tolist(), scores, strict=True):
            if rank > 0:
                lanes[lane] = LaneRank(rank, score if math.isfinite(score) else None)
    return by_hit


def steps_of(ranking: Ranking, positions: Int64Array) -> list[tuple[Step, ...]]:
    """For each position, the steps that add up to the score there."""
    by_hit: list[list[Step]] = [[] for _ in positions]
    for name, part in ranking.fused.parts.items():
        for steps, amount in zip(by_hit, part[positions].tolist(), strict=True):
            if amount != 0.0:
                steps.append(Step(name, amount))
    for lane, items in ranking.candidates.lanes.ranked.items():
        if items and lane not in ranking.fused.parts:
            for steps, rank in zip(by_hit, ranking.ranks[lane][positions].tolist(), strict=True):
                if rank:
                    item = items[rank - 1]
                    steps.append(Step(lane, rank_bonus(lane, rank, item.weight), item.reason))
    for steps, position in zip(by_hit, positions.tolist(), strict=True):
        bonuses = ranking.bonuses.get(position, ())
        steps += [Step(bonus.name, bonus.amount, bonus.reason) for bonus in bonuses]
    return [tuple(steps) for steps in by_hit]
