"""Paths that come from another program: only inside the folder that was opened for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longmind.base.errors import Forbidden
from longmind.base.parameters import Mark
from longmind.operations.operation import Operation


def confined(operation: Operation, given: Mapping[str, Any], folder: str | None) -> dict[str, Any]:
    """The arguments with their paths made absolute; one that leads out of the folder is refused."""
    named = dict(given)
    for item in operation.parameters:
        if Mark.FILE in item.marks and named.get(item.name) is not None:
            named[item.name] = _inside(str(named[item.name]), folder, item.name)
    return named


def _inside(path: str, folder: str | None, name: str) -> str:
    if folder is None:
        raise Forbidden(
            f"{name}: files of this machine are not served.",
            hint="Send the text itself, or start the server with --files FOLDER.",
        )
    if "://" in path:
        raise Forbidden(f"{name}: another database is not reached from here.", hint="Use the command line.")
    root = Path(folder).resolve()
    try:
        # Links are followed before the check, so that none leads out.
        found = (root / path).resolve()
    except (OSError, ValueError):
        raise Forbidden(f"{name}: {path!r} is not a valid path.") from None
    if not found.is_relative_to(root):
        raise Forbidden(f"{name}: {path!r} is outside the folder that is served.", hint="Name a path in it.")
    return str(found)
