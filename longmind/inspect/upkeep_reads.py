"""What concerns a store as a whole: its size and spaces, long work under way, what language models cost."""

from __future__ import annotations

from longmind.base.filters import SpaceLike
from longmind.base.parameters import AsUser
from longmind.base.times import AsOf
from longmind.inspect.results import Count, PartCounts, Spending, SpendingReport, StoreSummary, TaskList
from longmind.inspect.scope import view_of
from longmind.memory import Memory
from longmind.store.engine import scalar
from longmind.store.rebuild import unfinished_rebuilds
from longmind.store.tasks import Task
from longmind.store.upkeep import last_id, space_totals
from longmind.store.visible import partitions


def store(memory: Memory) -> StoreSummary:
    """How large the store is, and its spaces: what `stats` says without a look at every frame."""
    with memory.store.read() as snapshot:
        db = snapshot.db
        totals = space_totals(db)
        return StoreSummary(
            bytes=memory.store.engine.size_bytes(db),
            format=memory.store.engine.format(),
            live=sum(totals.values()),
            retired=scalar(db, "SELECT count(*) FROM frame WHERE retired_at IS NOT NULL"),
            spaces=tuple(Count(name, count) for name, count in totals.items()),
            revision=snapshot.revision,
        )


def parts(memory: Memory) -> PartCounts:
    """How much each part of the store holds: what `stats` says without reading every row."""
    with memory.store.read() as snapshot:
        return PartCounts({part.name: dict(part.counts(snapshot)) for part in memory.store.parts})


def tasks(memory: Memory) -> TaskList:
    """Long work on this store: checks and rebuilds of this process, and rebuilds of any other."""
    own = memory.store.tasks.listed()
    with memory.store.read() as snapshot:
        rebuilds = unfinished_rebuilds(snapshot.db, memory.store.engine)
        highest = last_id(snapshot.db)
    is_rebuilding = any(task.name == "reindex" and task.state == "running" for task in own)
    # A rebuild of this process is in both lists, and the first one knows more of it.
    others = [
        Task(
            name="reindex",
            state="stopped" if rebuild.abandoned else "running elsewhere",
            stage=rebuild.name,
            share=min(1.0, rebuild.done_to / highest) if highest else 0.0,
            done=rebuild.done_to,
            total=highest,
            started_at=rebuild.beat,
        )
        for rebuild in (() if is_rebuilding else rebuilds)
    ]
    return TaskList((*own, *others), snapshot.revision)


def spending(memory: Memory, *, space: SpaceLike | None = None, user: AsUser = None) -> SpendingReport:
    """What language models cost, by space and model."""
    view = view_of(memory, space, user, AsOf.LATEST)
    clause = partitions(view, "l.space")
    with memory.store.read() as snapshot:
        rows = snapshot.db.all(
            "SELECT l.space, l.provider, l.model, count(*), sum(l.input_tokens), sum(l.output_tokens), "
            f"sum(l.cost_micros) FROM llm_call l WHERE {clause.sql} GROUP BY 1, 2, 3 "
            "ORDER BY 7 DESC, 1, 2, 3",
            clause.values,
        )
    return SpendingReport(
        tuple(
            Spending(partition, provider, model, calls, int(read), int(written), int(micros) / 1_000_000)
            for partition, provider, model, calls, read, written, micros in rows
        )
    )
