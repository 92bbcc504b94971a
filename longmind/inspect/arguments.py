"""Arguments from a page, checked against the types that an operation says it takes."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Final, Literal, Union, get_args, get_origin

from longmind.base.errors import InvalidInput
from longmind.operations.operation import Operation

_WORDS: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def check_arguments(operation: Operation, inputs: Any) -> dict[str, Any]:
    """The arguments as they are, or `InvalidInput` for what is missing, unknown or of another type."""
    if not isinstance(inputs, Mapping):
        raise InvalidInput("The arguments must be a JSON object.", hint='Send {"name": value}.')
    parameters = {item.name: item for item in operation.parameters}
    names = ", ".join(parameters) or "none"
    for name, value in inputs.items():
        item = parameters.get(name)
        if item is None:
            raise InvalidInput(
                f"{operation.name} has no argument {str(name)[:80]!r}.", hint=f"The arguments are: {names}."
            )
        if not conforms(value, item.type):
            raise InvalidInput(f"{name} must be {_described(item.type)}.", hint=item.help)
    for item in parameters.values():
        if item.required and item.name not in inputs:
            raise InvalidInput(f"{operation.name} needs {item.name}.", hint=item.help)
    return dict(inputs)


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value that came as JSON is of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(conforms(value, part) for part in inner)
    if origin is Literal:
        return value in inner
    if origin is list:
        return isinstance(value, list) and all(conforms(item, inner[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(conforms(item, inner[1]) for item in value.values())
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _described(hint: Any) -> str:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_described(part) for part in inner if part is not type(None)))
    if origin is Literal:
        return "one of " + ", ".join(map(str, inner))
    if origin is list:
        return "a list"
    if origin is dict:
        return "an object"
    return _WORDS.get(hint, "another value")
