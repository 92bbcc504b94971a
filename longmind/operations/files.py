"""Paths that come from another program: only inside the folder that was opened for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longmind.base.parameters import Mark
from longmind.base.paths import inside
from longmind.operations.operation import Operation


def confined(operation: Operation, given: Mapping[str, Any], folder: str | None) -> dict[str, Any]:
    """The arguments with their paths made absolute; one that leads out of the folder is refused."""
    named = dict(given)
    for item in operation.parameters:
        if Mark.FILE in item.marks and named.get(item.name) is not None:
            named[item.name] = str(inside(str(named[item.name]), folder, item.name))
    return named
