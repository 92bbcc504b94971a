"""Operations on snapshots: name a state of the memory, compare it, go back to it."""

from __future__ import annotations

from functools import partial
from typing import Final

from longmind.memory import Memory
from longmind.operations.operation import Operation
from longmind.store.snapshots import Snapshots


def _snapshots(memory: Memory) -> Snapshots:
    return memory.snapshots


_on_snapshots = partial(Operation, receiver=_snapshots)

OPERATIONS: Final = (
    _on_snapshots(
        "snapshot.create",
        Snapshots.create,
        effect="write",
        begins=True,
        example={"name": "monday", "note": "All is well."},
    ),
    _on_snapshots("snapshot.list", Snapshots.list),
    _on_snapshots("snapshot.diff", Snapshots.diff, example={"name": "before-import"}),
    _on_snapshots(
        "snapshot.restore",
        Snapshots.restore,
        effect="destroy",
        repeatable=True,
        lasting=True,
        example={"name": "before-import", "dry_run": True},
    ),
    _on_snapshots("snapshot.delete", Snapshots.delete, effect="destroy", example={"name": "before-import"}),
)
