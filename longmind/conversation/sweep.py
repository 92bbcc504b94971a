"""The sweep: score, promote, expire, capacity; first a plan, which a dry run shows and a run applies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longmind.base.checks import canonical_json
from longmind.base.filters import View
from longmind.base.partitions import Partition
from longmind.conversation.candidates import is_lasting
from longmind.conversation.config import Config
from longmind.conversation.extraction import extraction_figures
from longmind.conversation.rows import MemoryRow, RunRow, StateRow, insert, join
from longmind.conversation.scoring import Score, is_promoted, score_memory, why_expired
from longmind.conversation.values import SweepReport
from longmind.conversation.write import WriteContext, promote, put_away
from longmind.store.engine import Connection, scalar
from longmind.store.visible import partitions


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do with a memory, and from what it follows."""

    memory_id: int
    action: str
    score: Score
    inputs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sweep at `now` does."""

    now: int
    scores: dict[int, Score]
    steps: tuple[Step, ...]
    changed: bool
    """Whether any score differs from the one that stands."""

    def ids(self, action: str) -> tuple[int, ...]:
        return tuple(sorted(step.memory_id for step in self.steps if step.action == action))


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory as the sweep meets it."""

    memory_id: int
    created_at: int
    state: StateRow
    score: float
    scored_at: int
    slot: str | None = None

    @property
    def lasts(self) -> bool:
        """Whether it is important by what it says, however seldom that is said."""
        return self.slot is not None and is_lasting(self.slot)


def standings(db: Connection, space: str) -> list[Standing]:
    """The active memories of a space."""
    columns = join((MemoryRow, "m"), (StateRow, "s"))
    sql = (
        f"SELECT {columns.sql}, c.score, c.scored_at, c.slot "
        "FROM conversation_current c JOIN conversation_memory m ON m.memory_id = c.memory_id "
        "JOIN conversation_state s ON s.memory_id = c.memory_id AND s.until IS NULL "
        "WHERE c.space = ? AND c.status = 'active' ORDER BY c.memory_id"
    )
    listed = []
    for row in db.all(sql, (space,)):
        memory, state = columns.read(row)
        score, scored_at, slot = row[-3:]
        listed.append(
            Standing(memory.memory_id, memory.created_at, state, float(score), int(scored_at), slot)
        )
    return listed


def plan_sweep(standing: Iterable[Standing], config: Config, *, now: int) -> Plan:
    """Pure: the same memories, settings and `now` give the same plan."""
    scores: dict[int, Score] = {}
    steps: list[Step] = []
    staying: list[tuple[float, int]] = []
    changed = False
    gone = "archived" if config.mid.archive else "deleted"
    for item in standing:
        state = item.state
        score = score_memory(
            config.scoring,
            now=now,
            hits=state.hits,
            importance=state.importance,
            created_at=item.created_at,
            last_seen_at=state.last_seen_at,
        )
        scores[item.memory_id] = score
        changed = changed or (score.total, now) != (item.score, item.scored_at)
        if state.layer != "mid":
            continue
        inputs = {"hits": state.hits, "score": score.total, **asdict(score)}
        if is_promoted(config.mid, hits=state.hits, age=score.age_days):
            limits = {"promote_hits": config.mid.promote_hits, "promote_days": config.mid.promote_days}
            steps.append(Step(item.memory_id, "promoted", score, inputs | limits))
        elif config.mid.keep_important and item.lasts:
            continue
        elif (why := why_expired(config.mid, score=score.total, age=score.age_days)) is not None:
            limits = {"min_score": config.mid.min_score, "demote_age_days": config.mid.demote_age_days}
            steps.append(Step(item.memory_id, gone, score, {"reason": why, **inputs, **limits}))
        else:
            staying.append((score.total, item.memory_id))
    excess = len(staying) - config.mid.capacity
    if excess > 0:
        # The weakest go first; of equals the older.
        for rank, (_, memory_id) in enumerate(sorted(staying)[:excess]):
            score = scores[memory_id]
            inputs = {"reason": "capacity", "capacity": config.mid.capacity, "mid": len(staying)}
            steps.append(Step(memory_id, gone, score, {**inputs, "rank": rank, "score": score.total}))
    steps.sort(key=lambda step: step.memory_id)
    return Plan(now, scores, tuple(steps), changed)


def apply_sweep(ctx: WriteContext, plan: Plan) -> int | None:
    """Carry out a plan in one transaction; a plan that changes nothing leaves nothing behind."""
    if not plan.changed and not plan.steps:
        return None
    tx = ctx.tx
    run = tx.allocate("conversation_run")
    summary = {action: len(plan.ids(action)) for action in ("promoted", "archived", "deleted")}
    row = RunRow(
        run_id=run,
        space=ctx.space,
        now=plan.now,
        weights=canonical_json(asdict(ctx.config.scoring), "weights"),
        summary=canonical_json({"scored": len(plan.scores), **summary}, "summary"),
        recorded_at=tx.system,
    )
    insert(tx.db, [row])
    tx.db.many(
        "UPDATE conversation_current SET score = ?, scored_at = ? WHERE memory_id = ?",
        [(score.total, plan.now, memory_id) for memory_id, score in plan.scores.items()],
    )
    for step in plan.steps:
        if step.action == "promoted":
            promote(ctx, step.memory_id, score=step.score, at=plan.now, run=run, inputs=step.inputs)
        else:
            inputs = dict(step.inputs)
            reason = str(inputs.pop("reason"))
            put_away(
                ctx, step.memory_id, step.action, reason=reason, inputs=inputs, at=plan.now, run=run,
                score=step.score,
            )  # fmt: skip
    return run


def parts_of(db: Connection, view: View) -> list[Partition]:
    """The parts of the view's spaces in which anything was ever remembered."""
    clause = partitions(view, "space")
    rows = db.all(
        f"SELECT DISTINCT space FROM conversation_memory WHERE {clause.sql} ORDER BY space", clause.values
    )
    return [Partition(row[0]) for row in rows]


def joined(plans: Sequence[Plan], *, now: int) -> Plan:
    """The plans of several parts as one, for a report."""
    scores = {memory_id: score for plan in plans for memory_id, score in plan.scores.items()}
    steps = sorted((step for plan in plans for step in plan.steps), key=lambda step: step.memory_id)
    return Plan(now, scores, tuple(steps), any(plan.changed for plan in plans))


def report(db: Connection, view: View, plan: Plan, *, dry_run: bool, purged: int = 0) -> SweepReport:
    gone = {step.memory_id for step in plan.steps if step.action != "promoted"}
    left = [score for memory_id, score in plan.scores.items() if memory_id not in gone]
    count = len(left) or 1
    return SweepReport(
        now=plan.now,
        dry_run=dry_run,
        scored=len(plan.scores),
        created=sum(_created(db, part, dry_run=dry_run) for part in parts_of(db, view)),
        promoted=plan.ids("promoted"),
        archived=plan.ids("archived"),
        deleted=plan.ids("deleted"),
        purged=purged,
        average_score=sum(score.total for score in left) / count,
        average_age_days=sum(score.age_days for score in left) / count,
        extraction=extraction_figures(db, view),
    )


def _created(db: Connection, space: str, *, dry_run: bool) -> int:
    """How many memories were made since the sweep before; a sweep that is not dry is noted already."""
    sql = "SELECT recorded_at FROM conversation_run WHERE space = ? ORDER BY run_id DESC LIMIT 2"
    runs = [int(row[0]) for row in db.all(sql, (space,))]
    before = runs[:1] if dry_run else runs[1:]
    return scalar(
        db,
        "SELECT count(*) FROM conversation_memory WHERE space = ? AND recorded_at > ?",
        (space, before[0] if before else 0),
    )
