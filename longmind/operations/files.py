"""What another program sends: paths only inside the folder opened for them, embedders only by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longmind.base.errors import Forbidden
from longmind.base.parameters import Mark
from longmind.base.paths import inside
from longmind.embed import is_name
from longmind.operations.forms import Parameter
from longmind.operations.operation import Operation


def confined(operation: Operation, arguments: Mapping[str, Any], folder: str | None) -> dict[str, Any]:
    """The arguments with their paths made absolute; one that leads out of the folder is refused."""
    named = dict(arguments)
    for item in operation.parameters:
        if named.get(item.name) is not None:
            named[item.name] = confined_value(item, named[item.name], folder)
    return named


def confined_value(item: Parameter, value: Any, folder: str | Path | None) -> Any:
    """One argument of a request, if a request may say it."""
    if Mark.FILE in item.marks and isinstance(value, list):
        return [str(inside(str(path), folder, item.name)) for path in value]
    if Mark.FILE in item.marks:
        return str(inside(str(value), folder, item.name))
    if Mark.EMBEDDER in item.marks and not (isinstance(value, str) and is_name(value)):
        raise Forbidden(
            f"{item.name}: a request names an embedder, without an address or a folder.",
            hint="Name minilm, hash, or one that the server allows with LONGMIND_EMBEDDERS.",
        )
    return value
