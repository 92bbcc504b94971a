"""The annotations of functions and classes, resolved when they are asked for."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, Unpack, get_args, get_origin, get_type_hints


def parameters(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """The parameters of a method behind the first, annotations resolved, with what `Annotated` adds.

    `**options: Unpack[…]` counts as a keyword for each key of the typed dictionary; None stands for its
    default, which only the method knows.
    """
    _, *rest = inspect.signature(function).parameters.values()
    for item in rest:
        if item.kind is not inspect.Parameter.VAR_KEYWORD:
            yield item.replace(annotation=resolved(item.annotation, function.__module__))
        elif get_origin(keys := resolved(item.annotation, function.__module__)) is Unpack:
            for name, hint in get_type_hints(get_args(keys)[0], include_extras=True).items():
                keyword = inspect.Parameter.KEYWORD_ONLY
                yield inspect.Parameter(name, keyword, default=None, annotation=hint)


def resolved(annotation: Any, module: str) -> Any:
    """One annotation of a module; what it imports for type checking only is imported if it is named."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[module]))
    except NameError:
        return eval(annotation, names(module))


@cache
def names(module: str) -> dict[str, Any]:
    """The names that a module defines, and those it imports under `TYPE_CHECKING`."""
    namespace = dict(vars(sys.modules[module]))
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    home = import_module(line.module)
                    namespace |= {item.asname or item.name: getattr(home, item.name) for item in line.names}
    return namespace
