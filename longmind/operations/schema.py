"""JSON schemas of what operations answer, read from the types of the values."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from longmind.operations.operation import Operation

_PLAIN: Final[Mapping[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    datetime: {"type": "string", "format": "date-time"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


def answer_type(operation: Operation[..., Any]) -> Any:
    """The type that an operation's function says it returns."""
    function = operation.function
    return get_type_hints(function, _names(function.__module__), {"Memory": object}, include_extras=True)[
        "return"
    ]


def answer_schema(operation: Operation[..., Any]) -> dict[str, Any]:
    """The schema of an operation's answer as `plain` writes it; shared shapes are under `$defs`."""
    found: dict[str, Any] = {}
    top = _schema(answer_type(operation), found)
    name = top.get("$ref", "").rpartition("/")[2]
    schema: dict[str, Any] = {**found.pop(name), "title": name} if name else top
    return {**schema, "$defs": found} if found else schema


def _schema(hint: Any, found: dict[str, Any]) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _schema(inner[0], found)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return _either([_schema(item, found) for item in inner])
    if is_dataclass(hint):
        return _record(hint, found)
    base = origin or hint
    if not isinstance(base, type):
        return {}
    if issubclass(base, Enum):
        return {"enum": [item.value for item in base]}
    if issubclass(base, PurePath | str):
        return {"type": "string"}
    if issubclass(base, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1], found) if inner else {}}
    if issubclass(base, tuple) and inner and inner[-1] is not Ellipsis:
        parts = [_schema(item, found) for item in inner]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if issubclass(base, Sequence | set | frozenset):
        return {"type": "array", "items": _schema(inner[0], found) if inner else {}}
    return {}


def _record(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    name = f"{kind.__module__.split('.')[1]}.{kind.__name__}"
    if name not in found:
        found[name] = {}  # stands there for a record that holds itself
        hints = get_type_hints(kind, _names(kind.__module__))
        found[name] = {
            "type": "object",
            "properties": {item.name: _schema(hints[item.name], found) for item in fields(kind)},
            "required": [item.name for item in fields(kind)],
            "additionalProperties": False,
        }
        if kind.__doc__:
            found[name]["description"] = kind.__doc__.split("\n\n")[0]
    return {"$ref": f"#/$defs/{name}"}


def _either(parts: list[dict[str, Any]]) -> dict[str, Any]:
    kept: list[dict[str, Any]] = []
    for part in parts:
        if part not in kept:
            kept.append(part)
    return {"anyOf": kept} if len(kept) > 1 else kept[0]


@cache
def _names(module: str) -> dict[str, Any]:
    """What a module knows, and what it imports only for the types it names."""
    known = dict(vars(sys.modules[module]))
    source = inspect.getsource(sys.modules[module])
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    home = import_module(line.module)
                    known |= {item.asname or item.name: getattr(home, item.name) for item in line.names}
    return known
