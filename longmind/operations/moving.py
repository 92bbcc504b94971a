"""Operations that move a whole store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from longmind.operations.operation import Mark, operation

if TYPE_CHECKING:
    from longmind.memory import Memory
    from longmind.operations.answers import Written
    from longmind.store.transfer import Moved


@operation("export", effect="write", lasting=True, example={"path": "memory.jsonl"})
def export(
    memory: Memory,
    path: Annotated[str, "The file to write.", Mark.FILE],
    *,
    derived: Annotated[bool, "Also what can be made anew: text index, vectors, short forms."] = False,
    overwrite: Annotated[bool, "Replace the file if it is there."] = False,
) -> Written:
    """Write the whole store as JSON Lines; the same state always gives the same bytes."""
    from longmind.operations.answers import Written

    return Written(path, memory.export(path, derived=derived, overwrite=overwrite))


@operation("import", effect="write", begins=True, lasting=True, example={"path": "memory.jsonl"})
def import_store(memory: Memory, path: Annotated[str, "A file that export wrote.", Mark.FILE]) -> Moved:
    """Fill an empty memory from an export, of either engine."""
    return memory.import_(path)


@operation("copy", effect="write", lasting=True, example={"to": "copy.mind"})
def copy(
    memory: Memory,
    to: Annotated[str, "A file that does not exist yet, or postgresql://…?store=name.", Mark.FILE],
) -> Moved:
    """Copy everything to a new store of either engine."""
    return memory.copy(to)
