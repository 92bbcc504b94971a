"""Operations on the store as a whole: how it is, keeping it well, and moving it."""

from __future__ import annotations

from typing import Annotated, Final

from longmind.memory import Memory
from longmind.operations.operation import Operation
from longmind.store.upkeep import MaintenancePolicy, MaintenanceReport, Stats


def _compact(memory: Memory) -> Stats:
    """Give unused space back."""
    memory.compact()
    return memory.stats()


def _maintain(
    memory: Memory,
    *,
    max_frames: Annotated[int | None, "At most this many frames."] = 1000,
    max_seconds: Annotated[float | None, "At most this long."] = 5.0,
    compact_above: Annotated[float | None, "Rebuild the file if more than this share is unused."] = 0.25,
    work: Annotated[
        list[str] | None, "Only this work, such as vectors or surrogates; all of it, if none is named."
    ] = None,
    prewarm: Annotated[bool, "Also load what the first search would wait for."] = False,
) -> MaintenanceReport:
    """Upkeep within a budget: vectors and short forms that are missing, unused space."""
    return memory.maintain(
        MaintenancePolicy(
            max_frames=max_frames,
            max_seconds=max_seconds,
            compact_above=compact_above,
            work=None if work is None else tuple(work),
            prewarm=prewarm,
        )
    )


OPERATIONS: Final = (
    Operation("stats", Memory.stats),
    Operation("users", Memory.users),
    Operation("verify", Memory.verify, lasting=True, example={"deep": True}),
    Operation("backup", Memory.backup, effect="write", lasting=True, example={"path": "copy.mind"}),
    Operation("compact", _compact, effect="write", repeatable=True, lasting=True),
    Operation("reindex", Memory.reindex, effect="write", repeatable=True, lasting=True),
    Operation(
        "maintain", _maintain, effect="write", repeatable=True, lasting=True, example={"max_seconds": 2.0}
    ),
    Operation(
        "export",
        Memory.export,
        effect="write",
        lasting=True,
        example={"path": "memory.jsonl"},
        without={"key"},
    ),
    Operation(
        "import",
        Memory.import_,
        effect="write",
        begins=True,
        lasting=True,
        example={"path": "memory.jsonl"},
        without={"key"},
    ),
    Operation(
        "import_from",
        Memory.import_from,
        effect="write",
        begins=True,
        repeatable=True,
        lasting=True,
        example={"source": "mem0", "path": "mem0.json", "dry_run": True},
    ),
    Operation(
        "export_to",
        Memory.export_to,
        effect="write",
        lasting=True,
        example={"target": "vault", "path": "notes"},
    ),
    Operation(
        "copy",
        Memory.copy,
        effect="write",
        lasting=True,
        example={"to": "copy.mind"},
        rename={"location": "to"},
        without={"key"},
    ),
)
