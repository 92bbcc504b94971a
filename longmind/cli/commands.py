"""Commands made of operations: arguments and help from the signature, the answer as a table or as JSON."""

from __future__ import annotations

import inspect
import json
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import typer

from longmind.base.errors import Corrupt, InvalidInput
from longmind.base.names import canonical_space
from longmind.base.parameters import Mark
from longmind.base.partitions import check_user
from longmind.cli import arguments, errors, models
from longmind.cli.arguments import JsonOption, StoreOption
from longmind.cli.help import Topics
from longmind.cli.output import HELP_STYLE, emit
from longmind.cli.views import view_of
from longmind.operations import values
from longmind.operations.forms import Parameter
from longmind.operations.operation import Operation

Perform = Callable[[Any, dict[str, Any], set[str], bool], Any]
"""Takes the memory, the arguments, the flags that were raised, and whether programs are listening."""


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter on the command line: the type to parse, and how to convert the value."""

    type: Any
    metavar: str | None
    read: Callable[[Any], Any]


def add(app: typer.Typer, operation: Operation, *, panel: str | None = None) -> None:
    """Give an application the command of an operation."""
    # Where a number is taken by position, -1 is that number, not an option.
    numbers = any(item.positional and item.type is float for item in operation.parameters)
    settings = {"ignore_unknown_options": True} if numbers else None
    function = command(operation)
    app.command(
        name_of(operation), help=operation.description, context_settings=settings, rich_help_panel=panel
    )(function)


def name_of(operation: Operation) -> str:
    """The last word of an operation's command."""
    return operation.path[-1].replace("_", "-")


def command(
    operation: Operation, *, perform: Perform | None = None, flags: Mapping[str, str] | None = None
) -> Callable[..., None]:
    """The function that Typer calls: its signature is the operation's, in the manner of a shell.

    `perform` does more with the operation than to call it, as the `flags` say that it takes.
    """
    options = {item.name: _option(item) for item in operation.parameters}
    piped = next((item for item in operation.parameters if Mark.TEXT in item.marks), None)

    def run(store: str | None, as_json: bool, **typed: Any) -> None:
        look = next((name for name in _LOOKS.get(operation.name, ()) if typed.pop(name)), None)
        if piped is not None:
            typed[piped.name] = arguments.text_from(typed[piped.name], typed.pop("file"), piped.name)
        inputs = {
            name: options[name].read(value)
            for name, value in typed.items()
            if name in options and value is not None and value != []
        }
        _check_spaces(inputs)
        dry_run = bool(inputs.get("dry_run"))
        is_new = operation.begins and arguments.is_new(store)
        if is_new and not dry_run and not as_json and sys.stderr.isatty():
            models.default_model(quiet=False)  # a person's first command: say so, and show it
        opened = arguments.writing if operation.begins else arguments.reading
        with opened(":memory:" if is_new and dry_run else store) as memory:
            _ask_first(operation, typed.get("yes"), inputs)
            if perform is None:
                answer = operation(memory, **inputs)
            else:
                raised = {name for name in flags or () if typed[name]}
                answer = perform(memory, inputs, raised, as_json)
            lacks_model = is_new and memory.embedder is None
        emit(answer, as_json=as_json, view=view_of(operation, look))
        if dry_run and not as_json:
            print("A dry run: nothing was written.", file=sys.stderr)
        elif is_new and not as_json:
            print(f"Created a new memory: {store or arguments.DEFAULT_STORE}", file=sys.stderr)
            if lacks_model:
                print(arguments.no_model_note(), file=sys.stderr)
        if operation.name in _VERDICTS and not answer:
            raise typer.Exit(errors.EXIT_CODES[Corrupt.code])

    parameters = [
        _shell_parameter(item, options[item.name], is_text=item is piped) for item in operation.parameters
    ]
    if piped is not None:
        parameters.append(_keyword("file", Path | None, None, text="Take it from this file.", metavar="PATH"))
    for name, text in {**_LOOKS.get(operation.name, {}), **(flags or {})}.items():
        parameters.append(_keyword(name, bool, False, text=text))
    if operation.name in _CONFIRMED:
        parameters.append(_keyword("yes", bool, False, text="Do not ask."))
    parameters.append(inspect.Parameter("store", _KEYWORD, default=None, annotation=StoreOption))
    parameters.append(inspect.Parameter("as_json", _KEYWORD, default=False, annotation=JsonOption))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    run.__name__ = operation.path[-1]
    run.__doc__ = operation.description
    return run


_KEYWORD: Final = inspect.Parameter.KEYWORD_ONLY
_VERDICTS: Final = ("verify", "verify_erasure", "replay", "experience.replay", "golden.run")
"""Operations whose result can be false; the exit code reports it too."""
_LOOKS: Final[Mapping[str, Mapping[str, str]]] = {
    "stats": {"all": "Show the counts of every index and part too."},
    "search": {"explain": "Say why each hit has its place."},
    "facts.history": {"chart": "Draw it: valid time across, one line for each period."},
    "experience.brief": {"explain": "Say why each item is there, and why others are not."},
}
"""Flags that only change how people see an answer, by operation."""
_CONFIRMED: Final[Mapping[str, Callable[[Mapping[str, Any]], str | None]]] = {
    "space.delete": lambda inputs: f"Erase everything in space {inputs['space']!r}?",
    "erase": lambda inputs: _question_of_person(inputs),
}
"""Operations that need confirmation, or --yes, and what to ask; None where they need none after all."""
_SINGULAR: Final = {"aliases": "alias"}
"""What one of several is called, where it is not the same without its s."""


def _ask_first(operation: Operation, yes: bool | None, inputs: Mapping[str, Any]) -> None:
    question = _CONFIRMED[operation.name](inputs) if operation.name in _CONFIRMED and not yes else None
    if question is not None:
        if not sys.stdin.isatty():
            raise InvalidInput(question, hint="Repeat it with --yes.")
        typer.confirm(question, abort=True)


def _question_of_person(inputs: Mapping[str, Any]) -> str | None:
    """Erasing with a user alone takes everything of theirs."""
    if "user" not in inputs or set(inputs) - {"user", "space"}:
        return None
    return f"Erase everything of user {inputs['user']!r}?"


def _shell_parameter(item: Parameter, option: Option, *, is_text: bool) -> inspect.Parameter:
    optional = not item.required or is_text
    hint = option.type | None if optional and option.type is not bool else option.type
    default: Any
    if option.type is bool and item.default is None:
        hint, default = bool | None, None
    elif option.type is bool:
        default = False
    elif isinstance(item.default, str | int | float):
        default = item.default
    else:
        default = None if optional else item.default
    if item.positional:
        text = f"{item.help} - reads standard input." if is_text else item.help
        note = typer.Argument(metavar=item.name.upper(), help=text, show_default=False)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Parameter(item.name, kind, default=default, annotation=Annotated[hint, note])
    return _keyword(item.name, hint, default, text=_help(item), metavar=option.metavar, flag=_flag(item))


def _keyword(
    name: str, hint: Any, default: Any, *, text: str, metavar: str | None = None, flag: str | None = None
) -> inspect.Parameter:
    has_default = default not in (None, False)
    dashed = flag or f"--{name.replace('_', '-')}"
    note = typer.Option(dashed, metavar=metavar, help=text, show_default=has_default)
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[hint, note])


def _flag(item: Parameter) -> str:
    name = _SINGULAR.get(item.name, item.name.removesuffix("s")) if _is_list(item) else item.name
    dashed = name.replace("_", "-")
    if _present(item.type) is bool and item.default is None:
        return f"--{dashed}/--no-{dashed}"
    return f"--no-{dashed}" if item.default is True else f"--{dashed}"


def _help(item: Parameter) -> str:
    return f"{item.help} May be repeated." if _is_list(item) else item.help


def _option(item: Parameter) -> Option:
    """How a type is written in a shell. A flag for what is true without it says the opposite."""
    hint = _present(item.type)
    if Mark.MOMENT in item.marks:
        return Option(str, arguments.MOMENT, lambda value: values.moment(value, _flag(item)))
    if Mark.DURATION in item.marks:
        return Option(str, "DURATION", lambda value: value)
    if hint is bool:
        return Option(bool, None, lambda value: not value if item.default is True else value)
    if Mark.PAIRS in item.marks:
        return Option(list[str], "KEY=VALUE", lambda value: arguments.pairs(value, _flag(item)))
    if get_origin(hint) is Literal:
        return Option(hint, "|".join(map(str, get_args(hint))), lambda value: value)
    if hint in (str, int, float):
        return Option(hint, {str: "TEXT", int: "COUNT", float: "NUMBER"}[hint], lambda value: value)
    if hint in (list[str], list[int]):
        return Option(hint, item.name.removesuffix("s").upper(), list)
    if _is_list(item):
        return Option(list[str], "JSON", lambda value: [_json(part, item) for part in value])
    if get_origin(hint) is list:
        return Option(str, "JSON|FILE|-", lambda value: _objects(value, item))
    return Option(str, "JSON", lambda value: _json(value, item))


def _present(hint: Any) -> Any:
    """The type without None; a choice between texts and numbers is a text in a shell."""
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [part for part in get_args(hint) if part is not type(None)]
        return kinds[0] if len(kinds) == 1 else Any
    return hint


def _is_list(item: Parameter) -> bool:
    """Whether it is given one at a time; a list of nothing but objects is written as a whole."""
    hint = _present(item.type)
    return get_origin(hint) is list and get_origin(*get_args(hint)) is not dict


def _json(text: str, item: Parameter) -> Any:
    """Parse JSON; where any value is allowed, other text is taken as it is."""
    try:
        return json.loads(text)
    except ValueError as error:
        if _present(item.type) is Any:
            return text
        raise InvalidInput(f"{item.name}: invalid JSON: {error}.", hint=f"Help: {item.help}") from None


def _objects(given: str, item: Parameter) -> Any:
    """Objects from JSON, or from a file or standard input: a JSON list, JSON Lines, or lines of text."""
    text = given
    if given == "-":
        text = arguments.text_from("-", None, item.name)
    elif not given.lstrip().startswith(("[", "{")):
        text = arguments.text_from(None, Path(given), item.name)
    if text.lstrip().startswith("["):
        return _json(text, item)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [_json(line, item) if line.startswith("{") else {"text": line} for line in lines]


def _check_spaces(inputs: Mapping[str, Any]) -> None:
    """Refuse a name that is not valid before a store is created for it."""
    for name in ("space", "repo"):
        spaces = inputs.get(name) or ()
        for space in (spaces,) if isinstance(spaces, str) else spaces:
            if space != values.ANY_SPACE:
                canonical_space(space)
    if inputs.get("user") is not None:
        check_user(inputs["user"])


def group_app(name: str, text: str, operations: Iterable[Operation]) -> typer.Typer:
    """The commands of one group."""
    app = typer.Typer(
        name=name or None, cls=Topics, help=text, rich_markup_mode=HELP_STYLE, no_args_is_help=True
    )
    for item in operations:
        add(app, item)
    return app


def join(app: typer.Typer, more: typer.Typer) -> None:
    """Give a group further commands; one of the same name takes the place of the one that was there."""
    names = {item.name or getattr(item.callback, "__name__", "") for item in more.registered_commands}
    app.registered_commands[:] = [item for item in app.registered_commands if item.name not in names]
    app.registered_commands += more.registered_commands
