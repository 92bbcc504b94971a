"""The Python reference: every public class with its methods, and every result that they return.

Everything comes from signatures and docstrings, so that the page cannot say something else than the code.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Annotated, Any, Final, get_args, get_origin

import longmind

_SUB_MEMORIES: Final = (
    ("memory.facts", "longmind.facts.ledger", "Ledger"),
    ("memory.conversation(…)", "longmind.conversation.turns", "Conversation"),
    ("memory.memories", "longmind.conversation.memories", "Memories"),
    ("memory.experience", "longmind.experience.interface", "Experience"),
    ("memory.spaces", "longmind.spaces.registry", "Spaces"),
    ("memory.space(…)", "longmind.spaces.space", "ProjectSpace"),
    ("memory.media", "longmind.media.interface", "Media"),
    ("memory.golden", "longmind.search.golden", "Golden"),
)
_PROTOCOLS: Final = "longmind.protocols"
_STARS: Final = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


def lines() -> Iterator[str]:
    """The page below its introduction."""
    shown: list[type] = []
    yield from _class(longmind.Memory, "Memory", shown)
    for expression, module, name in _SUB_MEMORIES:
        yield from _class(getattr(import_module(module), name), f"{name}: `{expression}`", shown)
    names = [getattr(longmind, name) for name in longmind.__all__]
    for entry in names:
        is_error = inspect.isclass(entry) and issubclass(entry, Exception)
        if inspect.isclass(entry) and not is_error and entry not in shown:
            yield from _class(entry, entry.__name__, shown)
    protocols = import_module(_PROTOCOLS)
    for name in protocols.__all__:
        entry = getattr(protocols, name)
        if inspect.isclass(entry) and entry not in shown:
            kind = " (protocol)" if getattr(entry, "_is_protocol", False) else ""
            yield from _class(entry, name + kind, shown)
    yield "## Results"
    yield ""
    yield "What the calls above return, where it is not listed yet. All of them are frozen."
    yield ""
    position = 0
    while position < len(shown):  # a result may hold further results, which join the list
        for result in _results_of(shown[position]):
            if result not in shown:
                shown.append(result)
                yield from _fields(result)
        position += 1


def _class(entry: type, heading: str, shown: list[type]) -> Iterator[str]:
    shown.append(entry)
    yield f"## {heading}"
    yield ""
    yield _docstring(entry)
    yield ""
    if _is_record(entry):
        yield from _field_table(entry)
    for name, member in _public_members(entry):
        yield from _member(entry, name, member)


def _public_members(entry: type) -> Iterator[tuple[str, Any]]:
    """In the order in which they are written, a base class after the class itself."""
    seen = set()
    for owner in entry.__mro__:
        if not owner.__module__.startswith("longmind"):
            continue
        for name, member in vars(owner).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if isinstance(member, property | cached_property | classmethod | staticmethod) or callable(
                member
            ):
                yield name, member


def _member(entry: type, name: str, member: Any) -> Iterator[str]:
    if isinstance(member, property | cached_property):
        getter = member.fget if isinstance(member, property) else member.func
        returns = _short(getattr(getter, "__annotations__", {}).get("return", ""))
        yield f"### `{entry.__name__}.{name}`"
        yield ""
        yield f"*{returns}.* {_docstring(getter)}" if returns else _docstring(getter)
        yield ""
        return
    function = inspect.unwrap(getattr(member, "__func__", member))
    if not inspect.isfunction(function):
        return
    yield f"### `{entry.__name__}.{name}()`"
    yield ""
    yield "```py"
    yield _signature(name, function, is_static=isinstance(member, staticmethod))
    yield "```"
    yield ""
    yield _docstring(function)
    yield ""
    helps = dict(_helps(function))
    if helps:
        yield from (f"- `{parameter}`: {text}" for parameter, text in helps.items())
        yield ""


def _signature(name: str, function: Callable[..., Any], *, is_static: bool) -> str:
    parameters = list(inspect.signature(function).parameters.values())
    if not is_static:
        parameters = parameters[1:]
    parts = []
    keyword_only = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        stars = _STARS.get(parameter.kind.name, "")
        keyword_only = keyword_only or stars == "*"
        text = stars + parameter.name
        annotation = _annotation(function, parameter.name)
        if annotation:
            text += f": {annotation}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        parts.append(text)
    returns = _annotation(function, "return")
    end = f") -> {returns}" if returns else ")"
    line = f"{name}({', '.join(parts)}{end}"
    if len(line) <= 96:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + end


def _default(value: Any) -> str:
    if isinstance(value, str | int | float | bool | tuple | type(None)):
        return repr(value)
    return getattr(value, "__name__", None) or f"{type(value).__name__}(…)"


def _annotation(function: Callable[..., Any], name: str) -> str:
    """The annotation as it is written, with the name of a shared argument type replaced by its type."""
    written = function.__annotations__.get(name, "")
    hint = _hints(function).get(name)
    if get_origin(hint) is Annotated:
        return _written(get_args(hint)[0])
    return _short(written)


def _written(hint: Any) -> str:
    if inspect.isclass(hint) and not get_args(hint):
        return "None" if hint is type(None) else hint.__name__
    text = re.sub(r"\b(?:[a-z_]\w*\.)+", "", str(hint))
    return text.replace("NoneType", "None")


def _short(written: Any) -> str:
    return re.sub(r"\s+", " ", str(written)).strip("'\"")


def _helps(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    for name, hint in _hints(function).items():
        if get_origin(hint) is Annotated:
            texts = [item for item in hint.__metadata__ if isinstance(item, str)]
            if texts:
                yield name, texts[0]


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations as types; those that cannot be resolved are left out."""
    names = _names_in(function.__module__)
    hints = {}
    for name, written in function.__annotations__.items():
        try:
            hints[name] = eval(written, names) if isinstance(written, str) else written  # our own source
        except (NameError, TypeError, SyntaxError, AttributeError):
            continue
    return hints


@cache
def _names_in(module_name: str) -> dict[str, Any]:
    """The names of a module, with those that it imports for the type checker alone."""
    module: ModuleType = import_module(module_name)
    names = {**vars(typing), **vars(module)}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = alias.asname or alias.name
                if name not in vars(module):
                    try:
                        names[name] = getattr(import_module(node.module), alias.name)
                    except (ImportError, AttributeError):
                        continue
    return names


def _is_record(entry: Any) -> bool:
    """A class whose fields are its interface."""
    return inspect.isclass(entry) and (
        dataclasses.is_dataclass(entry) or (issubclass(entry, tuple) and hasattr(entry, "_fields"))
    )


def _results_of(entry: type) -> Iterator[type]:
    """The records that a class's methods return or its fields hold."""
    sources: list[tuple[dict[str, Any], str]] = []
    if _is_record(entry):
        names = _names_in(entry.__module__)
        sources += [(names, _short(written)) for written in vars(entry).get("__annotations__", {}).values()]
    for _, member in _public_members(entry):
        if isinstance(member, property | cached_property):
            function = member.fget if isinstance(member, property) else member.func
        else:
            function = inspect.unwrap(getattr(member, "__func__", member))
        if inspect.isfunction(function):
            returns = function.__annotations__.get("return", "")
            sources.append((_names_in(function.__module__), _short(returns)))
    for names, written in sources:
        for name in _NAME.findall(written):
            found = names.get(name)
            if found is None or not _is_record(found):
                continue
            if found.__module__.startswith("longmind") and not name.startswith("_"):
                yield found


def _fields(entry: type) -> Iterator[str]:
    yield f"### `{entry.__name__}`"
    yield ""
    yield _docstring(entry)
    yield ""
    yield from _field_table(entry)
    public = [name for name, _ in _public_members(entry)]
    if public:
        yield "Also: " + ", ".join(f"`{name}`" for name in public) + "."
        yield ""


def _field_table(entry: type) -> Iterator[str]:
    written = {
        name: _short(hint)
        for owner in reversed(entry.__mro__)
        for name, hint in vars(owner).get("__annotations__", {}).items()
        if not name.startswith("_") and not str(hint).startswith("ClassVar")
    }
    if not written:
        return
    texts = _field_texts(entry)
    yield "| field | type | |"
    yield "| --- | --- | --- |"
    for name, hint in written.items():
        kind = re.sub(r"^Annotated\[(.*?), .*", r"\1", hint).replace("|", "\\|")
        yield f"| `{name}` | `{kind}` | {texts.get(name, '')} |"
    yield ""


def _field_texts(entry: type) -> dict[str, str]:
    """The string below each field, which Python itself does not keep."""
    texts = {}
    for owner in reversed(entry.__mro__):
        if not owner.__module__.startswith("longmind"):
            continue
        [body] = [
            node.body
            for node in ast.walk(ast.parse(inspect.getsource(import_module(owner.__module__))))
            if isinstance(node, ast.ClassDef) and node.name == owner.__name__
        ][:1] or [[]]
        for node, below in pairwise(body):
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                texts[node.target.id] = re.sub(r"\s+", " ", str(below.value.value)).strip()
    return texts


def _docstring(entry: Any) -> str:
    text = inspect.getdoc(entry) or ""
    # A record without a docstring gets its signature as one.
    return "" if text.startswith(f"{getattr(entry, '__name__', '')}(") else text
