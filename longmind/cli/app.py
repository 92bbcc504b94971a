"""The command `longmind`: the operations as commands, and the few that are for people alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final, cast

import typer

from longmind.base.caller import calling
from longmind.base.errors import InvalidInput
from longmind.cli import commands, errors, interrupts
from longmind.cli.arguments import JsonOption
from longmind.cli.help import Topics, listed
from longmind.cli.output import HELP_STYLE, emit
from longmind.operations import registry
from longmind.operations.operation import Operation

# Typer has kept this class in different places; this is what all its usage errors derive from.
UsageError = cast("type[Exception]", typer.BadParameter.__bases__[0])

_USE: Final = "Remember and recall"
_STORE: Final = "Look after it"
_KINDS: Final = "Facts, conversations, experience, projects, media"
_AGENTS: Final = "Agents and programs"

BY_HAND: Final = {"space": "spaces", "audit": "audit"}
"""Groups that have commands of their own beside the operations, and the modules where they are."""

_RESCUE: Final = {
    "restore": "rescue",
    "recover": "rescue",
    "encrypt": "encryption",
    "rekey": "encryption",
    "decrypt": "encryption",
}
_FOR_AGENTS: Final = {
    "install": "agent_install",
    "uninstall": "agent_install",
    "hook": "agents",
    "mcp": "agents",
    "serve": "serve",
    "proxy": "proxy",
    "keys": "keys",
}
_UPKEEP: Final = {"inspect": "inspect", "doctor": "setup", "models": "models", "version": "app"}
_OWN: Final = {"init": "setup", **_RESCUE, **_FOR_AGENTS, **_UPKEEP}
"""Commands that are not operations, and the modules where they are; they import no operation."""


def build(first: str | None = None) -> typer.Typer:
    """The command with its groups; `first` is the first word after it, or None for everything.

    Only what that word names is imported, so that a command starts as fast as it can be. A word that names
    nothing gets everything, for the help and for the error that names what is there.
    """
    app = typer.Typer(
        name="longmind",
        cls=Topics,
        help="Long-term memory for AI agents, in one file.",
        epilog="Times are UTC unless they name a zone. Every command takes --json and has its own --help.",
        rich_markup_mode=HELP_STYLE,
        pretty_exceptions_enable=False,
    )
    app.callback()(_main)
    if first and first in registry.GROUPS:
        app.add_typer(_group(first, filled=True), rich_help_panel=_KINDS)
    elif first and first in _OWN:
        _add_own(app, first)
    elif first and (called := registry.common(first.replace("-", "_"))) is not None:
        _add_operation(app, called)
    else:
        _add_all(app, listed_only=first == "", filled=first is None)
    return app


def _add_all(app: typer.Typer, *, listed_only: bool, filled: bool) -> None:
    """Every command, in the order of the help; the groups have their own only if they are to be `filled`."""
    _add_own(app, "init")
    if listed_only:
        # Only the list of commands is shown: importing the operations would take three times as long.
        for name, topic, text in listed():
            app.command(name, help=text, rich_help_panel=topic)(_listed)
    else:
        for item in registry.group(""):
            _add_operation(app, item, _STORE if item in registry.table("upkeep") else _USE)
    for name in _RESCUE:
        _add_own(app, name)
    for name in registry.GROUPS:
        if name:
            app.add_typer(_group(name, filled=filled), rich_help_panel=_KINDS)
    for name in (*_FOR_AGENTS, *_UPKEEP):
        _add_own(app, name)


def _add_own(app: typer.Typer, name: str) -> None:
    module = _module(_OWN[name])
    panel = _USE if name == "init" else _AGENTS if name in _FOR_AGENTS else _STORE
    if name in ("keys", "models"):
        app.add_typer(module.commands, name=name, rich_help_panel=panel)
    else:
        app.command(name, rich_help_panel=panel)(getattr(module, name))


def _add_operation(app: typer.Typer, item: Operation, panel: str = _USE) -> None:
    """One of the common operations; most commands are made of their operation alone."""
    if item.name in ("ingest", "photos", "videos", "audio"):
        made = _module("ingest").command(item)
    elif item.name == "add":
        made = _module("chats").add
    elif item.name == "copy":
        made = _module("setup").copy
    elif item.name in ("import", "export"):
        made = getattr(_module("exchange"), "import_" if item.name == "import" else "export")
    else:
        commands.add(app, item, panel=panel)
        return
    app.command(item.name, rich_help_panel=panel)(made)


def _module(name: str) -> Any:
    return import_module(f"longmind.cli.{name}")


def _listed() -> None:
    """Stands for a command whose name and help are shown, and nothing else."""


def _group(name: str, *, filled: bool) -> typer.Typer:
    operations = registry.group(name) if filled else ()
    app = commands.group_app(name, registry.HELP[name], operations)
    if operations and name in BY_HAND:
        by_hand = _module(BY_HAND[name])
        commands.join(app, by_hand.commands)
        if hasattr(by_hand, "callback"):  # what the group does without a command
            app.callback(invoke_without_command=True, no_args_is_help=False)(by_hand.callback())
    return app


def version(as_json: JsonOption = False) -> None:
    """The version of Longmind."""
    from longmind import __version__

    emit({"version": __version__}, as_json=as_json, view=lambda shown: [f"longmind {shown['version']}"])


def _show_version(is_set: bool) -> None:
    if is_set:
        version()
        raise typer.Exit


def _main(
    show_version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """Options of the command itself; what it does is in the commands."""


def run(argv: Sequence[str] | None = None) -> None:
    """Entry point: errors become a message and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if argv is None else argv)
    interrupts.watch(words)
    sys.exit(outcome(words or ["--help"]))


def outcome(words: list[str]) -> int:
    """Run a command and return its exit code."""
    options = words[: words.index("--")] if "--" in words else words
    return _outcome(words, as_json="--json" in options)


def _first(words: list[str]) -> str | None:
    """The word that names the command or its group; None for completion, which needs all of them."""
    if any(name.endswith("_COMPLETE") for name in os.environ):
        return None
    return next((word for word in words if not word.startswith("-")), "")


def _outcome(words: list[str], *, as_json: bool) -> int:
    try:
        with calling("cli"):
            result = build(_first(words))(words, prog_name="longmind", standalone_mode=False)
    except UsageError as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "longmind"
        message = getattr(error, "format_message", error.__str__)()
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help, not an error
            print(message)
            return 0
        return errors.write(InvalidInput.code, message, f"See: {path} --help", as_json=as_json)
    except (typer.Abort, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
            interrupts.say(words)
        return interrupts.EXIT_CODE
    except Exception as error:  # errors.report says what it was, with the exit code of its kind
        return errors.report(error, as_json=as_json)
    if result == interrupts.EXIT_CODE:  # how Typer reports Ctrl-C
        interrupts.say(words)
    return result if isinstance(result, int) else 0
