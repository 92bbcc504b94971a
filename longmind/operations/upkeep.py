"""Operations on the store as a whole: how it is, and keeping it well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from longmind.operations.operation import Mark, operation

if TYPE_CHECKING:
    from longmind.memory import Memory
    from longmind.operations.answers import Counts, Written
    from longmind.store.upkeep import MaintenanceReport, Stats, VerifyReport


@operation("stats")
def stats(memory: Memory) -> Stats:
    """How much is in the memory, and how large it is."""
    return memory.stats()


@operation("verify", lasting=True, example={"deep": True})
def verify(
    memory: Memory, *, deep: Annotated[bool, "Read everything: every page, row and hash."] = False
) -> VerifyReport:
    """Look for damage."""
    return memory.verify(deep=deep)


@operation("backup", effect="write", lasting=True, example={"path": "copy.mind"})
def backup(
    memory: Memory,
    path: Annotated[str, "The file to write.", Mark.FILE],
    *,
    overwrite: Annotated[bool, "Replace the file if it is there."] = False,
) -> Written:
    """Write a consistent copy to another file, even while the memory is in use."""
    from longmind.operations.answers import Written

    return Written(path, memory.backup(path, overwrite=overwrite))


@operation("compact", effect="write", repeatable=True, lasting=True)
def compact(memory: Memory) -> Stats:
    """Give unused space back."""
    memory.compact()
    return memory.stats()


@operation("reindex", effect="write", repeatable=True, lasting=True)
def reindex(
    memory: Memory,
    *,
    embedder: Annotated[str | None, "Another embedder from now on, such as minilm or hash."] = None,
) -> Counts:
    """Make everything derived anew: text index, vectors, short forms. May be interrupted and called again."""
    from longmind.operations.answers import Counts

    return Counts(memory.reindex(embedder=embedder))


@operation("maintain", effect="write", repeatable=True, lasting=True, example={"max_seconds": 2.0})
def maintain(
    memory: Memory,
    *,
    max_frames: Annotated[int | None, "At most this many frames."] = 1000,
    max_seconds: Annotated[float | None, "At most this long."] = 5.0,
    compact_above: Annotated[float | None, "Rebuild the file if more than this share is unused."] = 0.25,
) -> MaintenanceReport:
    """Upkeep within a budget: vectors and short forms that are missing, unused space."""
    from longmind.store.upkeep import MaintenancePolicy

    policy = MaintenancePolicy(max_frames=max_frames, max_seconds=max_seconds, compact_above=compact_above)
    return memory.maintain(policy)
