"""JSON schemas of what operations answer, read from the types of the values."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from longmind.operations.hints import names, resolved
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


def answer_type(operation: Operation) -> Any:
    """The type of an operation's answer, as its method is annotated."""
    function = operation.method if operation.result is None else operation.result
    return resolved(function.__annotations__["return"], function.__module__)


def answer_schema(operation: Operation) -> dict[str, Any]:
    """The schema of an operation's answer as `plain` writes it; shared shapes are under `$defs`."""
    shapes: dict[str, Any] = {}
    top = _schema(answer_type(operation), shapes)
    name = top.get("$ref", "").rpartition("/")[2]
    schema: dict[str, Any] = {**shapes.pop(name), "title": name} if name else top
    return {**schema, "$defs": shapes} if shapes else schema


def _schema(hint: Any, shapes: dict[str, Any]) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _schema(inner[0], shapes)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return _either([_schema(item, shapes) for item in inner])
    if is_dataclass(hint):
        return _record(hint, shapes)
    base = origin or hint
    if not isinstance(base, type):
        return {}
    if issubclass(base, Enum):
        return {"enum": [item.value for item in base]}
    if issubclass(base, PurePath | str):
        return {"type": "string"}
    if issubclass(base, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1], shapes) if inner else {}}
    if issubclass(base, tuple) and inner and inner[-1] is not Ellipsis:
        parts = [_schema(item, shapes) for item in inner]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if issubclass(base, Sequence | set | frozenset):
        return {"type": "array", "items": _schema(inner[0], shapes) if inner else {}}
    return {}


def _record(kind: Any, shapes: dict[str, Any]) -> dict[str, Any]:
    name = f"{kind.__module__.split('.')[1]}.{kind.__name__}"
    if name not in shapes:
        shapes[name] = {}  # in place before its fields are read, for a record that refers to itself
        hints = get_type_hints(kind, names(kind.__module__))
        shapes[name] = {
            "type": "object",
            "properties": {item.name: _schema(hints[item.name], shapes) for item in fields(kind)},
            "required": [item.name for item in fields(kind)],
            "additionalProperties": False,
        }
        if kind.__doc__:
            shapes[name]["description"] = kind.__doc__.split("\n\n")[0]
    return {"$ref": f"#/$defs/{name}"}


def _either(parts: list[dict[str, Any]]) -> dict[str, Any]:
    choices: list[dict[str, Any]] = []
    for part in parts:
        if part not in choices:
            choices.append(part)
    return {"anyOf": choices} if len(choices) > 1 else choices[0]
