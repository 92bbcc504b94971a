"""How the arguments of a method are written in JSON: one rule for each type."""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin

from longmind.base.expiry import TtlLike
from longmind.base.filters import SpaceLike
from longmind.base.parameters import Mark
from longmind.operations import values

if TYPE_CHECKING:
    from longmind.memory import Memory

REQUIRED: Final = inspect.Parameter.empty
ABSENT: Final = object()
"""Read for an argument that is not given: the method's own default applies."""

Fill = Callable[["Memory", Mapping[str, Any]], Any]
"""Makes an argument of the memory and of the arguments as JSON gives them."""

_NOTHING: Final = type(None)
_SIMPLE: Final = (str, int, float, bool, _NOTHING, Any)
_UNIONS: Final = (Union, types.UnionType)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument as JSON gives it."""

    name: str
    type: Any
    help: str
    default: Any
    positional: bool = False
    marks: frozenset[Mark] = frozenset()

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a method: the parameters that give it, and how it is made of them."""

    name: str
    parameters: tuple[Parameter, ...]
    read: Fill


@dataclass(frozen=True, slots=True)
class Form:
    """How a type is written in JSON, and how a value of it is read."""

    type: Any
    read: Callable[[Any, str], Any] | None = None
    marks: frozenset[Mark] = frozenset()
    help: str = ""
    """For types that mean the same wherever they are taken."""


def parts(hint: Any) -> tuple[Any, str, frozenset[Mark]]:
    """A type without what `Annotated` adds to it; the help; the marks."""
    notes: tuple[Any, ...] = ()
    while get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        notes = (*more, *notes)
    texts = [note for note in notes if isinstance(note, str)]
    return hint, texts[-1] if texts else "", frozenset(note for note in notes if isinstance(note, Mark))


# Arguments that are made of several parameters, or of one with another name


def as_of(name: str, *, both_axes: bool) -> Argument:
    """Now, or a moment; the moment on the valid axis may be another one."""
    moment = frozenset({Mark.MOMENT})
    system = "As the memory knew it at that moment, instead of now."
    valid = "What was so at that moment, as the memory knows it now or at as_of."
    parameters = [Parameter("as_of", str | int | None, system, None, marks=moment)]
    if both_axes:
        parameters.append(Parameter("valid_at", str | int | None, valid, None, marks=moment))

    def read(memory: Memory, arguments: Mapping[str, Any]) -> Any:
        return values.as_of(memory, arguments.get("as_of"), arguments.get("valid_at"))

    return Argument(name, tuple(parameters), read)


def where(name: str, without: Collection[str]) -> Argument:
    """A filter: the three conditions that are used most by name, the others as keys with values."""
    lists = {
        "kinds": "Only of this kind, or these.",
        "sessions": "Only of this session, or these.",
        "tags": "Only with this tag; with all of them, if several.",
    }
    further = (
        "Further conditions: role, speaker, uri, source, any_tags, since, until, ids, parent, metadata, "
        "and near, as LATITUDE,LONGITUDE,KILOMETRES."
    )
    parameters = [
        Parameter(key, list[str] | None, text, None) for key, text in lists.items() if key not in without
    ]
    parameters.append(Parameter(name, dict[str, Any] | None, further, None, marks=frozenset({Mark.PAIRS})))

    def read(memory: Memory, arguments: Mapping[str, Any]) -> Any:
        chosen = {item.name: arguments.get(item.name) for item in parameters[:-1]}
        return values.where(arguments.get(name), **chosen) or None

    return Argument(name, tuple(parameters), read)


def opposite(name: str, shown: str, text: str) -> Argument:
    """A flag that is on in Python, as the flag in JSON that turns it off."""

    def read(memory: Memory, arguments: Mapping[str, Any]) -> Any:
        return not arguments.get(shown, False)

    return Argument(name, (Parameter(shown, bool, text, False),), read)


# All others, by their type


def parameter(name: str, form: Form, text: str, default: Any, *, positional: bool) -> Parameter:
    """JSON has null where Python has an empty list or another default that JSON cannot say."""
    shown, kind = default, form.type
    if default is not REQUIRED and not isinstance(default, str | int | float):
        shown, kind = None, kind if nullable(kind) else kind | None
    return Parameter(name, kind, text, shown, positional, form.marks)


def reader(name: str, form: Form, takes_none: bool, *, absent: Any, fill: Fill | None) -> Fill:
    """Reads one argument; null stands for the method's default, unless the method is to see None."""

    def read(memory: Memory, arguments: Mapping[str, Any]) -> Any:
        value = arguments.get(name, absent)
        if fill is not None and (value is ABSENT or value is None):
            return fill(memory, arguments)
        if value is None:
            return None if takes_none else ABSENT
        return value if value is ABSENT or form.read is None else form.read(value, name)

    return read


def form(hint: Any, marks: frozenset[Mark]) -> Form | None:
    """How JSON writes values of a type; None if it cannot."""
    if Mark.STAMP in marks:
        return Form(str | int | None, values.stamp, frozenset({Mark.MOMENT}))
    special = _special().get(hint)
    if special is not None:
        return Form(special.type, special.read, special.marks | marks, special.help)
    kind = _json(hint)
    if kind is None or kind is _NOTHING:
        return None
    is_path = any(get_origin(part) is os.PathLike for part in (hint, *get_args(hint)))
    return Form(kind, marks=marks | {Mark.FILE} if is_path else marks)


@cache
def _special() -> Mapping[Any, Form]:
    """Types whose values are read from something else in JSON."""
    from longmind.facts.values import Assertion, Evidence, Open, Value
    from longmind.operations import fact_values
    from longmind.store.erasure import ErasureCertificate

    moment = frozenset({Mark.MOMENT})
    value = str | int | float | bool | dict[str, Any]
    pieces = list[int | dict[str, Any]]
    return {
        TtlLike: Form(str | int | float | None, marks=frozenset({Mark.DURATION})),
        SpaceLike | None: Form(
            list[str] | None, values.spaces, help="The space to read, or several; '*' for all."
        ),
        datetime | int: Form(str | int, values.moment, moment),
        datetime | int | None: Form(str | int | None, values.moment, moment),
        datetime | int | Open | None: Form(str | int | None, fact_values.until, moment),
        Value: Form(value, fact_values.value),
        Value | None: Form(value | None, fact_values.value),
        Iterable[Evidence | int]: Form(pieces, fact_values.evidence),
        Mapping[str, Value] | None: Form(dict[str, Any] | None, fact_values.qualifiers),
        Iterable[Assertion | Mapping[str, Any]]: Form(list[dict[str, Any]], fact_values.assertions),
        Iterable[str | Mapping[str, Any]]: Form(list[dict[str, Any]], values.drafts),
        ErasureCertificate: Form(str, lambda text, name: ErasureCertificate.from_json(text)),
    }


def _json(hint: Any) -> Any:
    """The part of a type that JSON can say; None if there is none."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _SIMPLE or origin is Literal:
        return hint if origin is not Literal or all(isinstance(item, str) for item in inner) else None
    if origin in _UNIONS:
        return _json_union(inner)
    base = origin or hint
    if not isinstance(base, type):
        return None
    if issubclass(base, Mapping):
        return GenericAlias(dict, (str, _json(inner[1]) if inner else Any))
    if issubclass(base, Iterable) and not issubclass(base, tuple) and inner:
        item = _json(inner[0])
        return None if item is None else GenericAlias(list, (item,))
    return None


def _json_union(inner: Sequence[Any]) -> Any:
    """Several of a thing rather than one, and an object rather than its text: JSON writes one of them."""
    kinds = [kind for kind in map(_json, inner) if kind is not None]
    if any(get_origin(kind) in (list, dict) for kind in kinds):
        kinds = [kind for kind in kinds if kind is not str]
    return reduce(or_, kinds) if kinds else None


def nullable(hint: Any) -> bool:
    """Whether None is one of the values of a type."""
    return hint is Any or hint is _NOTHING or (get_origin(hint) in _UNIONS and _NOTHING in get_args(hint))
