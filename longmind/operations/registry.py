"""All operations, by group; the tables of a group are imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Final

from longmind.base.errors import NotFound
from longmind.operations.operation import Operation

GROUPS: Final = {
    "": ("frames", "media", "search", "upkeep"),
    "facts": ("facts",),
    "turns": ("conversation",),
    "memories": ("conversation",),
    "experience": ("experience",),
    "space": ("spaces",),
    "audit": ("audit",),
    "media": ("media",),
    "golden": ("golden",),
    "snapshot": ("snapshots",),
}
"""The first word of an operation's name (none for the common ones), and the modules with its tables."""

HELP: Final[dict[str, str]] = {
    "facts": "What was true, and what did we know: facts on two time axes, with evidence.",
    "turns": "Conversations: what was said, and the context for what is said next.",
    "memories": "What is remembered of conversations, and fades.",
    "experience": "What worked last time: problems, attempts, facts, votes, and the brief before you start.",
    "space": "Project spaces: knowledge with places, pins and rules.",
    "audit": "Who did what, when and through which interface; and heads of that log to keep elsewhere.",
    "media": "Photos, videos and sound: their parts, what photos show, pictures that look alike, copies.",
    "golden": "Golden questions: what a store must find, asked again whenever something changes.",
    "snapshot": "Named states of the memory: compare them, go back to one.",
}
"""What a group is about."""


def table(module: str) -> tuple[Operation, ...]:
    """The operations of one module, in the order in which they are written down."""
    rows: tuple[Operation, ...] = import_module(f"longmind.operations.{module}").OPERATIONS
    return rows


@cache
def group(name: str) -> tuple[Operation, ...]:
    """The operations of one group."""
    return tuple(
        item for module in GROUPS[name] for item in table(module) if item.name.rpartition(".")[0] == name
    )


def common(name: str) -> Operation | None:
    """The common operation of that name; only as many tables are imported as it takes to find it."""
    for module in sorted(GROUPS[""], key=lambda each: each == "media"):  # which imports the most: last
        for item in table(module):
            if item.name == name:
                return item
    return None


def operations() -> Iterator[Operation]:
    """Every operation of every group."""
    for name in GROUPS:
        yield from group(name)


def find(name: str) -> Operation:
    """The operation of that name, or `NotFound`."""
    first = name.partition(".")[0] if "." in name else ""
    for item in group(first) if first in GROUPS else ():
        if item.name == name:
            return item
    raise NotFound(f"There is no operation {name!r}.", hint="See docs/operations.md for all of them.")
