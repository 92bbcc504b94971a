"""An operation: a method of the API, its name in every interface, its arguments as JSON writes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from longmind.base.parameters import WhereLike
from longmind.base.times import AsOf
from longmind.operations import forms
from longmind.operations.forms import ABSENT, Argument, Fill, Parameter
from longmind.operations.hints import parameters

Effect = Literal["read", "write", "destroy"]
_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_LAST: Final = ("as_of", "valid_at", "space", "repo", "user")
"""From when and from where one looks comes last in every list of arguments."""


@dataclass(frozen=True, eq=False, repr=False)
class Operation:
    """A method, its name in every interface, and what it does to the store.

    The parts of a name are joined by a point: `facts.record` is the command `longmind facts record`, the
    route `/v1/facts/record` and the tool `facts_record`. Arguments, defaults and help are the method's own.
    `forms` says how its types are written in JSON; what JSON cannot say is not offered. The fields after
    `example` say where an operation differs from its method.
    """

    name: str
    method: Callable[..., Any]
    """Of the object that `receiver` returns. A function that takes the memory first is one, too."""
    receiver: Callable[..., Any] | None = None
    """From the memory to the object with the method; what it takes are arguments of the operation, too."""
    effect: Effect = "read"
    begins: bool = False
    """It may create a store that is not there yet."""
    repeatable: bool = False
    """Done twice with the same arguments, it changes nothing the second time. Reads always are."""
    lasting: bool = False
    """It may take minutes."""
    tool: bool = False
    """Agents get it by default."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that make sense, for the documentation."""

    rename: Mapping[str, str] = field(default_factory=dict)
    """Arguments that have another name in JSON than in Python."""
    without: Collection[str] = ()
    """Arguments, by their names in JSON, that are for Python only."""
    options: Collection[str] = ()
    """Arguments that the command line takes as options although Python takes them by position."""
    types: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for which JSON takes less than Python, and the type it takes."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    fill: Mapping[str, Fill] = field(default_factory=dict)
    """Arguments that the interfaces know where they are not given, such as the time."""
    opposites: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Flags that JSON names by their opposite: that name, and its help."""
    both_axes: bool = False
    """It also takes `valid_at`, so that the two axes of `as_of` can differ."""
    result: Callable[[Any], Any] | None = None
    """Gives a name and fields to a result that has none in Python."""

    def __post_init__(self) -> None:
        if self.effect == "read":
            object.__setattr__(self, "repeatable", True)

    def __call__(self, memory: Any, /, **given: Any) -> Any:
        """Call the method with arguments as JSON writes them."""
        arguments: dict[str, dict[str, Any]] = {"receiver": {}, "method": {}}
        names: set[str] = set()
        for owner, item in self._arguments:
            names.update(parameter.name for parameter in item.parameters)
            value = item.read(memory, given)
            if value is not ABSENT:
                arguments[owner][item.name] = value
        target = memory if self.receiver is None else self.receiver(memory, **arguments["receiver"])
        rest = {name: value for name, value in given.items() if name not in names}
        answer = self.method(target, **arguments["method"], **rest)
        return answer if self.result is None else self.result(answer)

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self.name.split("."))

    @cached_property
    def description(self) -> str:
        return inspect.getdoc(self.method) or ""

    @cached_property
    def summary(self) -> str:
        """The first paragraph of the docstring, as one line."""
        return " ".join(self.description.split("\n\n")[0].split())

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What JSON gives: first what the command line takes by position, then the options."""
        shown = [item for _, argument in self._arguments for item in argument.parameters]
        options = [item for item in shown if not item.positional and item.name not in _LAST]
        last = [item for name in _LAST for item in shown if item.name == name and not item.positional]
        return (*(item for item in shown if item.positional), *options, *last)

    @cached_property
    def _arguments(self) -> tuple[tuple[str, Argument], ...]:
        own = [("method", item) for item in self._signature(self.method)]
        if self.receiver is None:
            return tuple(own)
        return (*(("receiver", item) for item in self._signature(self.receiver)), *own)

    def _signature(self, function: Callable[..., Any]) -> Iterator[Argument]:
        for item in parameters(function):
            parameter = self._argument(item)
            if parameter is not None:
                yield parameter

    def _argument(self, item: inspect.Parameter) -> Argument | None:
        """How JSON gives an argument; None if it cannot, so that only Python has it."""
        name = self.rename.get(item.name, item.name)
        fill = self.fill.get(item.name)
        if name in self.without:
            return None if fill is None else Argument(item.name, (), fill)
        hint, text, marks = forms.parts(item.annotation)
        if hint is AsOf:
            return forms.as_of(item.name, both_axes=self.both_axes)
        if hint == WhereLike:
            return forms.where(item.name, self.without)
        if item.name in self.opposites:
            return forms.opposite(item.name, *self.opposites[item.name])
        form = forms.form(self.types.get(name, hint), marks)
        if form is None:
            return None
        positional = item.kind in _POSITIONAL and name not in self.options and fill is None
        own = None if fill is not None else item.default
        default = self.defaults.get(name, own)
        parameter = forms.parameter(name, form, text or form.help, default, positional=positional)
        takes_none = parameter.required or forms.nullable(hint)
        absent = default if name in self.defaults else ABSENT
        return Argument(
            item.name, (parameter,), forms.reader(name, form, takes_none, absent=absent, fill=fill)
        )
