"""Why a memory stands where it stands, and how a space stands as a whole."""

from __future__ import annotations

from dataclasses import asdict, replace

from longmind.base.filters import View
from longmind.base.frame import Kind
from longmind.base.partitions import split_partition
from longmind.conversation import sweep
from longmind.conversation.config import Config, Scoring
from longmind.conversation.extraction import extraction_figures
from longmind.conversation.query import last_runs
from longmind.conversation.rows import DecisionRow, LinkRow, select
from longmind.conversation.scoring import score_memory
from longmind.conversation.values import ConversationStats, Decision, Link, MemoryItem, Why
from longmind.llm.ledger import spending_by_outcome
from longmind.store.engine import Connection


def explain(db: Connection, item: MemoryItem, weights: Scoring, *, now: int | None, system: int) -> Why:
    """The terms of the last computation, or of one at `now`; rules, turns and decisions known at `system`."""
    run = last_runs(db, system=system).get(item.partition)
    if run is not None and item.scored_at == run.now and item.status == "active":
        weights = run.weights
    score = score_memory(
        weights,
        now=item.scored_at if now is None else now,
        hits=item.hits,
        importance=item.importance,
        created_at=item.created_at,
        last_seen_at=item.last_seen_at,
    )
    until = "x.memory_id = ? AND x.recorded_at <= ? ORDER BY x."
    links = select(db, LinkRow, until + "recorded_at, x.frame_id, x.reason", (item.id, system))
    decisions = select(db, DecisionRow, until + "decision_id", (item.id, system))
    return Why(
        memory=item if now is None else replace(item, score=score.total, scored_at=now),
        age_days=score.age_days,
        terms={"frequency": score.frequency, "recency": score.recency, "importance": score.importance},
        weights={name.removesuffix("_"): value for name, value in asdict(weights).items()},
        rules=tuple(dict.fromkeys([item.rule, *(link.rule for link in links)])),
        links=tuple(
            Link(row.frame_id, row.reason, row.rule, row.start_byte, row.end_byte, row.recorded_at)
            for row in links
        ),
        decisions=tuple(
            Decision(
                row.action,
                row.at,
                row.recorded_at,
                row.run_id,
                row.stored_inputs(),
            )
            for row in decisions
        ),
    )


def figures(db: Connection, space: str, config: Config, *, now: int | None) -> ConversationStats:
    """Counts, averages, how extraction went, and what was spent."""
    active = sweep.standings(db, space)
    ages = None
    if now is not None:
        plan = sweep.plan_sweep(active, config, now=now)
        ages = sum(score.age_days for score in plan.scores.values()) / (len(active) or 1)
    turns = db.one(
        "SELECT count(*), count(DISTINCT session) FROM frame "
        "WHERE kind = ? AND space = ? AND retired_at IS NULL AND start_byte IS NULL",
        (Kind.TURN, space),
    )
    decided = db.all(
        "SELECT d.action, count(*) FROM conversation_decision d JOIN conversation_memory m "
        "ON m.memory_id = d.memory_id WHERE m.space = ? GROUP BY d.action ORDER BY d.action",
        (space,),
    )
    return ConversationStats(
        space=split_partition(space)[0],
        user=split_partition(space)[1],
        turns=int(turns[0]) if turns else 0,
        sessions=int(turns[1]) if turns else 0,
        by_layer=_counts(db, space, "layer", " AND status = 'active'"),
        by_status=_counts(db, space, "status"),
        decisions={str(action): int(count) for action, count in decided},
        average_score=sum(item.score for item in active) / (len(active) or 1),
        average_age_days=ages,
        extraction=extraction_figures(db, View((space,))),
        spending=spending_by_outcome(db, space),
    )


def _counts(db: Connection, space: str, column: str, more: str = "") -> dict[str, int]:
    sql = (
        f"SELECT {column}, count(*) FROM conversation_current WHERE space = ?{more} "
        f"GROUP BY {column} ORDER BY {column}"
    )
    return {str(name): int(count) for name, count in db.all(sql, (space,))}
