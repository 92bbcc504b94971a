"""All operations, by group; a group is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from longmind.base.errors import NotFound
from longmind.operations.operation import Operation

GROUPS: Final = {
    "": ("frames", "asking", "upkeep", "moving"),
    "facts": ("facts", "knowledge"),
    "turns": ("conversation",),
    "memories": ("conversation",),
    "experience": ("experience", "lessons"),
    "space": ("spaces", "objects"),
}
"""The first word of an operation's name (none for the common ones), and the modules where they are."""

HELP: Final[dict[str, str]] = {
    "facts": "What was true, and what did we know: facts on two time axes, with evidence.",
    "turns": "Conversations: what was said, and the context for what is said next.",
    "memories": "What is remembered of conversations, and fades.",
    "experience": "What worked last time: problems, attempts, facts, votes, and the brief before you start.",
    "space": "Project spaces: knowledge with places, pins and rules.",
}
"""What a group is about."""


def group(name: str) -> tuple[Operation[..., Any], ...]:
    """The operations of one group, in the order in which they are written down."""
    return tuple(
        item
        for module in GROUPS[name]
        for item in vars(import_module(f"longmind.operations.{module}")).values()
        if isinstance(item, Operation) and item.name.rpartition(".")[0] == name
    )


def operations() -> Iterator[Operation[..., Any]]:
    """Every operation of every group."""
    for name in GROUPS:
        yield from group(name)


def find(name: str) -> Operation[..., Any]:
    """The operation of that name, or `NotFound`."""
    first, _, rest = name.partition(".")
    for item in group(first if rest else "") if (first if rest else "") in GROUPS else ():
        if item.name == name:
            return item
    raise NotFound(f"There is no operation {name!r}.", hint="See docs/operations.md for all of them.")
