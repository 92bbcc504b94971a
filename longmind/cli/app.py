"""The command `longmind`: the operations as commands, and the few that are for people alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Final, cast

import typer

from longmind.base.errors import InvalidInput
from longmind.cli import agents, commands, errors, ingest, models, rescue, serve, setup
from longmind.cli.arguments import JsonOption
from longmind.cli.output import HELP_STYLE, emit
from longmind.operations import registry

# Typer has kept this class in different places; this is what all its usage errors derive from.
UsageError = cast("type[Exception]", typer.BadParameter.__bases__[0])

_USE: Final = "Remember and recall"
_STORE: Final = "Look after it"
_KINDS: Final = "Facts, conversations, experience, projects"
_AGENTS: Final = "Agents and programs"
_STORE_MODULES: Final = (".upkeep", ".moving")

BY_HAND: Final = {"space": "spaces"}
"""Groups that have commands of their own beside the operations, and the modules where they are."""


def build(first: str | None = None) -> typer.Typer:
    """The command with its groups; only the one whose name comes first is filled, if there is such a one.

    So a command starts as fast as its own group can be imported.
    """
    app = typer.Typer(
        name="longmind",
        help="Long-term memory for AI agents, in one file.",
        epilog="Times are UTC unless they name a zone. Every command takes --json and has its own --help.",
        rich_markup_mode=HELP_STYLE,
        pretty_exceptions_enable=False,
    )
    app.callback()(_main)
    if not first or first not in registry.GROUPS:
        app.command(rich_help_panel=_USE)(setup.init)
        for item in registry.group(""):
            panel = _STORE if item.function.__module__.endswith(_STORE_MODULES) else _USE
            if item.name == "ingest":
                app.command("ingest", rich_help_panel=panel)(ingest.ingest)
            elif item.name == "copy":
                app.command("copy", rich_help_panel=panel)(setup.copy)
            else:
                commands.add(app, item, panel=panel)
        app.command(rich_help_panel=_STORE)(rescue.restore)
        app.command(rich_help_panel=_STORE)(rescue.recover)
    for name in registry.GROUPS:
        if name:
            filled = registry.group(name) if first in (None, name) else ()
            made = commands.group_app(name, registry.HELP[name], filled)
            if filled and name in BY_HAND:
                commands.join(made, import_module(f"longmind.cli.{BY_HAND[name]}").commands)
            app.add_typer(made, rich_help_panel=_KINDS)
    for command in (agents.install, agents.uninstall, agents.hook, agents.mcp, serve.serve):
        app.command(rich_help_panel=_AGENTS)(command)
    app.command(rich_help_panel=_STORE)(setup.doctor)
    app.add_typer(models.commands, name="models", rich_help_panel=_STORE)
    app.command(rich_help_panel=_STORE)(version)
    return app


def version(as_json: JsonOption = False) -> None:
    """The version of Longmind."""
    from longmind import __version__

    emit({"version": __version__}, as_json=as_json, view=lambda found: [f"longmind {found['version']}"])


def _show_version(wanted: bool) -> None:
    if wanted:
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
    given = list(sys.argv[1:] if argv is None else argv)
    before_texts = given[: given.index("--")] if "--" in given else given
    sys.exit(_outcome(given or ["--help"], as_json="--json" in before_texts))


def _first(given: list[str]) -> str | None:
    """The word that chooses the group; None where everything is wanted: for completion."""
    if any(name.endswith("_COMPLETE") for name in os.environ):
        return None
    return next((word for word in given if not word.startswith("-")), "")


def _outcome(given: list[str], *, as_json: bool) -> int:
    try:
        result = build(_first(given))(given, prog_name="longmind", standalone_mode=False)
    except UsageError as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "longmind"
        message = getattr(error, "format_message", error.__str__)()
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help, not an error
            print(message)
            return 0
        return errors.write(InvalidInput.code, message, f"See: {path} --help", as_json=as_json)
    except typer.Abort:
        return 130
    except Exception as error:
        return errors.report(error, as_json=as_json)
    return result if isinstance(result, int) else 0
