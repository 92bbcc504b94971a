"""What the pages may ask for: every read on both time axes, and what changes something only if allowed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath
from typing import Any, Final

from longmind import __version__
from longmind.access.grants import Grant
from longmind.base.addresses import shown_location
from longmind.base.errors import Forbidden
from longmind.inspect import fact_reads, frame_list, reads, upkeep_reads
from longmind.inspect.arguments import check_arguments
from longmind.memory import Memory
from longmind.operations import registry
from longmind.operations.operation import Operation

OPERATIONS: Final = tuple(
    Operation(f"inspect.{method.__name__}", method)
    for method in (
        reads.overview,
        reads.axes,
        frame_list.frames,
        reads.sessions,
        reads.learned,
        upkeep_reads.store,
        upkeep_reads.parts,
        upkeep_reads.tasks,
        upkeep_reads.spending,
        fact_reads.entities,
        fact_reads.graph,
        fact_reads.history,
        fact_reads.dependents,
        fact_reads.duplicates,
    )
)
"""Reads that only the pages need. They take part in keys like every other operation."""

_TRIALS: Final[Mapping[str, tuple[str, object]]] = {
    "memories.gc": ("dry_run", True),
    "space.gc": ("dry_run", True),
    "snapshot.restore": ("dry_run", True),
    "golden.run": ("keep", False),
}
"""Operations that change nothing when called with this argument, so that reading pages may call them."""


class Inspector:
    """The Inspector on one memory; `write` lets its pages change things."""

    def __init__(self, memory: Memory, *, write: bool = False) -> None:
        self.memory = memory
        self.write = write

    def prepare(self, name: str, inputs: Any) -> tuple[Operation, dict[str, Any]]:
        """The operation that a page calls by name, and its arguments, checked."""
        operation = _operation(name)
        arguments = check_arguments(operation, inputs)
        if operation.effect != "read" and not self.write and not _is_trial(operation, arguments):
            raise Forbidden(
                f"This Inspector only reads, and {name} changes the memory.",
                hint="Start it with --write to allow changes: longmind inspect --write.",
            )
        return operation, arguments

    def session(self, grant: Grant) -> dict[str, Any]:
        """What a page needs to know first: which store this is, and what its user may do in it."""
        memory = self.memory
        location = shown_location(memory.store.engine.location)
        name = PurePath(location).name
        return {
            "version": __version__,
            # Where the store lies on the server concerns those who look after all of it.
            "store": _from_home(location) if grant.is_everywhere else name,
            "name": name,
            "engine": memory.store.engine.dialect.name,
            "default_space": grant.home or memory.default_space,
            "spaces": grant.names,
            "everywhere": grant.is_everywhere,
            "user": memory.default_user if grant.any_user else grant.user,
            "role": grant.role,
            "write": self.write and grant.may("write"),
            "embedder": memory.embedder,
            "now": memory.store.present(),
            # Every write in every space changes it: only for those who may see all of them.
            "revision": memory.revision if grant.is_everywhere else None,
        }


def _from_home(location: str) -> str:
    """A path as people write it: shorter, and without the name of whose machine this is."""
    with suppress(ValueError, RuntimeError):  # elsewhere, or there is no home
        return str("~" / PurePath(location).relative_to(Path.home()))
    return location


def _is_trial(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    argument, value = _TRIALS.get(operation.name, ("", None))
    return value is not None and arguments.get(argument) is value


@cache
def _operation(name: str) -> Operation:
    own = {item.name: item for item in OPERATIONS}
    operation = own.get(name) or registry.find(name)
    if operation.effect != "read":
        return operation
    return replace(operation, both_axes=True)
