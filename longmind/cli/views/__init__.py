"""How results look to people; programs get the same values as JSON.

A module for each group of operations has a table `VIEWS`, by operation: functions from a result to lines and
tables. It is imported when an operation of the group has run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from longmind.cli.output import Block
    from longmind.operations.operation import Operation

_MODULES: Final = {
    "": "memory",
    "facts": "facts",
    "turns": "conversation",
    "memories": "conversation",
    "experience": "experience",
    "space": "spaces",
    "audit": "audit",
    "media": "media",
    "golden": "golden",
    "snapshot": "snapshots",
}


def view_of(operation: Operation, look: str | None = None) -> Callable[[Any], Iterable[Block]]:
    """The view of an operation's result, or another `look` at it that its group has."""
    table: Mapping[str, Callable[[Any], Iterable[Block]]] = {}
    module = _MODULES.get(operation.path[0] if len(operation.path) > 1 else "")
    if module is not None:
        table = import_module(f"{__name__}.{module}").VIEWS
    view = table.get(look or operation.name)
    if view is None:
        from longmind.cli.views.fields import blocks

        return blocks
    return view
