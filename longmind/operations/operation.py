"""An operation: one action as a typed function over a memory, with what its faces need to know of it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Final, Generic, Literal, ParamSpec, TypeVar, get_args, get_origin

P = ParamSpec("P")
R = TypeVar("R")

Effect = Literal["read", "write", "destroy"]
REQUIRED: Final = inspect.Parameter.empty


class Mark(Enum):
    """What a parameter is, beyond its type."""

    TEXT = "text"
    """A text that a person may want to pipe in."""
    MOMENT = "moment"
    """A time, as ISO 8601 or unix milliseconds."""
    PAIRS = "pairs"
    """Keys with values, for which a person writes key=value."""
    FILE = "file"
    """A path on the machine where the memory is."""
    INSIDE = "inside"
    """Only for callers in the same process: no face shows it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation."""

    name: str
    type: Any
    help: str
    default: Any
    positional: bool
    marks: frozenset[Mark]

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


class Operation(Generic[P, R]):
    """A function `(memory, …)`, its name in every face, and what it does to the store.

    The name's parts are joined by a point: `facts.record` is the command `longmind facts record`, the route
    `/v1/facts/record` and the tool `facts_record`.
    """

    def __init__(
        self,
        function: Callable[P, R],
        name: str,
        *,
        effect: Effect,
        begins: bool,
        repeatable: bool,
        lasting: bool,
        tool: bool,
        example: dict[str, Any],
    ) -> None:
        self.function = function
        self.name = name
        self.effect: Effect = effect
        self.begins = begins
        """It may begin a store that is not there yet."""
        self.repeatable = repeatable
        """Done twice with the same arguments, it changes nothing the second time."""
        self.lasting = lasting
        """It may take minutes."""
        self.tool = tool
        """Agents get it by default."""
        self.example = example
        """Arguments that make sense, for the documentation."""
        self.__doc__ = function.__doc__

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        return self.function(*given, **named)

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self.name.split("."))

    @cached_property
    def summary(self) -> str:
        """The first paragraph of the docstring, as one line."""
        return " ".join((inspect.getdoc(self.function) or "").split("\n\n")[0].split())

    @cached_property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All but the memory and what is only for callers inside, in order."""
        space = vars(sys.modules[self.function.__module__])
        _, *rest = inspect.signature(self.function).parameters.values()
        found = (_parameter(item, space) for item in rest)
        return tuple(item for item in found if Mark.INSIDE not in item.marks)


def operation(
    name: str,
    *,
    effect: Effect = "read",
    begins: bool = False,
    repeatable: bool = False,
    lasting: bool = False,
    tool: bool = False,
    example: dict[str, Any] | None = None,
) -> Callable[[Callable[P, R]], Operation[P, R]]:
    """Make an operation of a function whose first argument is the memory.

    Its other arguments are what JSON can say, each `Annotated` with its help and its marks.
    """

    def make(function: Callable[P, R]) -> Operation[P, R]:
        return Operation(
            function,
            name,
            effect=effect,
            begins=begins,
            repeatable=repeatable or effect == "read",
            lasting=lasting,
            tool=tool,
            example=example or {},
        )

    return make


def _parameter(item: inspect.Parameter, space: dict[str, Any]) -> Parameter:
    hint = eval(item.annotation, space) if isinstance(item.annotation, str) else item.annotation
    notes: tuple[Any, ...] = ()
    while get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        notes = (*more, *notes)
    texts = [note for note in notes if isinstance(note, str)]
    return Parameter(
        name=item.name,
        type=hint,
        help=texts[-1] if texts else "",
        default=item.default,
        positional=item.kind is not inspect.Parameter.KEYWORD_ONLY,
        marks=frozenset(note for note in notes if isinstance(note, Mark)),
    )
