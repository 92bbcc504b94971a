"""`longmind install AGENT` and `longmind uninstall AGENT`: the whole job, and all of it undone."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from longmind.base.errors import InvalidInput, LongmindError
from longmind.base.partitions import check_user
from longmind.base.store_files import SIDE_FILES
from longmind.cli import arguments, models
from longmind.cli.arguments import JsonOption
from longmind.cli.output import Block, Table, emit

if TYPE_CHECKING:
    from longmind.hooks.install import Setup
    from longmind.hooks.settings import Outcome

AgentName = Literal["claude-code", "codex", "cursor", "claude-desktop", "vscode", "gemini", "windsurf"]
Agent = Annotated[
    AgentName,
    typer.Argument(
        metavar="AGENT",
        help="claude-code, codex, cursor, claude-desktop, vscode, gemini or windsurf.",
        show_default=False,
    ),
]
ProjectFlag = Annotated[
    bool, typer.Option("--project", help="In the settings of the current folder. The default.")
]
UserFlag = Annotated[bool, typer.Option("--user", help="In your own settings, for all projects.")]
HooksFlag = Annotated[bool, typer.Option("--hooks", help="Only the hooks.")]
McpFlag = Annotated[bool, typer.Option("--mcp", help="Only the MCP server.")]
DryRunFlag = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change without writing anything.")
]
NamedStore = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH|URL", help="This memory, instead of the one of the project."),
]
NamedSpace = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="This space, instead of the default one.")
]

_SERVER_SECONDS: Final = 60
_HELLO: Final = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"longmind-install","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"?"}}}\n'
)


def install(
    agent: Agent,
    project: ProjectFlag = False,
    user: UserFlag = False,
    hooks: HooksFlag = False,
    mcp: McpFlag = False,
    begin: Annotated[
        bool, typer.Option("--begin", help="Let a session begin a memory where there is none.")
    ] = False,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Do not fetch the embedding model if it is missing.")
    ] = False,
    dry_run: DryRunFlag = False,
    space: NamedSpace = None,
    for_user: Annotated[
        str | None,
        typer.Option("--for-user", metavar="NAME", help="Whose memory it is, instead of what all share."),
    ] = None,
    store: NamedStore = None,
    as_json: JsonOption = False,
) -> None:
    """Set up an agent: a memory for the project, hooks that recall and remember, and the MCP server.

    Running it twice changes nothing more. Everything else in its settings is preserved.
    """
    from longmind.hooks import install

    setup = _setup(agent, project, user, hooks, mcp, store=store, space=space, begin=begin, whose=for_user)
    files = install.install(setup, project=Path.cwd(), home=Path.home(), dry_run=dry_run)
    memory = _memory(setup)
    created = memory is not None and not memory.exists()
    model_problem = None
    if not dry_run:
        if not no_model and not as_json:
            model_problem = models.default_model(quiet=False)
        if created and memory is not None:
            _create(memory)
    report = {
        "agent": agent,
        "dry_run": dry_run,
        "files": [_plain(item) for item in files],
        "memory": None if memory is None else {"path": str(memory), "created": created},
        "server_problem": None if dry_run or as_json or not setup.mcp else _server_problem(setup),
        "model_problem": model_problem,
        "undo": _undo(setup),
    }
    emit(report, as_json=as_json, view=_installed)


def uninstall(
    agent: Agent,
    project: ProjectFlag = False,
    user: UserFlag = False,
    hooks: HooksFlag = False,
    mcp: McpFlag = False,
    delete_memory: Annotated[
        bool, typer.Option("--delete-memory", help="Delete the project's memory too, with all it holds.")
    ] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonOption = False,
) -> None:
    """Undo an install: the agent's settings are what they were, byte for byte.

    A memory that is still empty goes too. One with content stays, unless you say --delete-memory.
    """
    from longmind.hooks import install

    setup = _setup(agent, project, user, hooks, mcp)
    files = install.uninstall(setup, project=Path.cwd(), home=Path.home(), dry_run=dry_run)
    memory = _memory(setup)
    removed = False
    if memory is not None and memory.exists():
        shared = agent in install.HOME_ONLY
        last = not install.is_set_up(Path.cwd(), home=Path.home(), home_only=shared)
        removed = delete_memory or (last and hooks == mcp and _is_empty(memory))
        if removed and not dry_run:
            _delete(memory)
    report = {
        "agent": agent,
        "dry_run": dry_run,
        "files": [_plain(item) for item in files],
        "memory": None if memory is None else {"path": str(memory), "removed": removed},
    }
    emit(report, as_json=as_json, view=_uninstalled)


def _setup(
    agent: str,
    project: bool,
    user: bool,
    hooks: bool,
    mcp: bool,
    *,
    store: str | None = None,
    space: str | None = None,
    begin: bool = False,
    whose: str | None = None,
) -> Setup:
    from longmind.hooks.install import HOME_ONLY, Setup, has_hooks, program

    if project and user:
        raise InvalidInput("Both --project and --user were given.", hint="Give one of them.")
    if hooks and not has_hooks(agent):
        raise InvalidInput(f"{agent} has no hooks.", hint="Leave out --hooks: it gets the MCP server.")
    if agent in HOME_ONLY:
        user = True
        # It starts in no project, so it gets a memory by its path.
        store = store or str(Path.home() / arguments.DEFAULT_STORE)
    both = hooks == mcp
    location = str(Path(store).expanduser().absolute()) if store and user and "://" not in store else store
    return Setup(
        agent=agent,
        user=user,
        hooks=(hooks or both) and has_hooks(agent),
        mcp=mcp or both,
        program=program(),
        store=location,
        space=space,
        begin=begin,
        whose=None if whose is None else check_user(whose),
    )


def _memory(setup: Setup) -> Path | None:
    """The file that the agent will use; None if it depends on the project, or is on a server."""
    if setup.store is not None:
        return None if "://" in setup.store else Path(setup.store)
    return None if setup.user else Path(arguments.DEFAULT_STORE)


def _create(memory: Path) -> None:
    if memory.parent.name == Path(arguments.DEFAULT_STORE).parent.name:
        memory.parent.mkdir(exist_ok=True)
    with arguments.writing(str(memory)):
        pass


def _is_empty(memory: Path) -> bool:
    try:
        with arguments.reading(str(memory)) as opened:
            return opened.stats().frames == 0
    except LongmindError:
        return False


def _delete(memory: Path) -> None:
    for suffix in ("", *SIDE_FILES):
        memory.with_name(memory.name + suffix).unlink(missing_ok=True)
    folder = memory.parent
    if folder.name == Path(arguments.DEFAULT_STORE).parent.name:
        for name in ("hook.log", "hook.json", "hook-status.json", ".gitignore"):
            (folder / name).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def _server_problem(setup: Setup) -> str | None:
    """Why the MCP server cannot start, or None: it is started as the agent will, and asked something."""
    command = [setup.server["command"], *setup.server["args"]]
    try:
        done = subprocess.run(
            command, input=_HELLO, capture_output=True, text=True, timeout=_SERVER_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]} could not be run ({type(error).__name__})."
    if '"id":2' in done.stdout.replace(" ", ""):
        return None
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return " ".join(lines[-2:]) or f"{command[0]} mcp ended with status {done.returncode}."


def _undo(setup: Setup) -> str:
    scope = " --user" if setup.user else ""
    return f"longmind uninstall {setup.agent}{scope}"


def _plain(item: Outcome) -> dict[str, str]:
    return {"path": item.path, "status": item.status, "note": item.note}


def _installed(report: dict[str, Any]) -> Iterator[Block]:
    yield from _files(report, "Nothing was changed: all of it is there already.")
    memory = report["memory"]
    if memory is not None and memory["created"]:
        yield f"{'Would create' if report['dry_run'] else 'Created'} the memory {memory['path']}."
    if report["dry_run"]:
        yield "This was a dry run: nothing was written."
        return
    if report["server_problem"]:
        yield f"The MCP server does not start: {report['server_problem']}"
        yield f"{report['agent']} will work without its tools until it does. See: longmind doctor"
    if report["model_problem"]:
        yield arguments.no_model_note(report["model_problem"])
    yield _next(report["agent"])
    yield f"To undo it: {report['undo']}"


def _next(agent: str) -> str:
    from longmind.hooks.install import has_hooks

    if not has_hooks(agent):
        return f"Restart {agent}. It can then search, recall and remember with Longmind's tools."
    if agent == "cursor":
        return "From the next session on, Cursor starts with what is known, and its turns are remembered."
    return (
        "From your next prompt on, what is known about it is added to the context, and the turns of the "
        "session are remembered. Start a new session for the tools."
    )


def _uninstalled(report: dict[str, Any]) -> Iterator[Block]:
    yield from _files(report, "Nothing was changed: nothing of it was there.")
    memory = report["memory"]
    if memory is not None and memory["removed"]:
        yield f"{'Would remove' if report['dry_run'] else 'Removed'} the memory {memory['path']}."
    elif memory is not None and Path(memory["path"]).exists():
        yield f"The memory {memory['path']} stays. To delete it as well, add --delete-memory."
    if report["dry_run"]:
        yield "This was a dry run: nothing was written."


def _files(report: dict[str, Any], nothing: str) -> Iterator[Block]:
    files = report["files"]
    if all(item["status"] in ("unchanged", "absent") for item in files):
        yield nothing
        return
    yield Table(("what", "file"), [(item["status"], item["path"]) for item in files])
    for item in files:
        if item["note"]:
            yield f"{item['path']}: {item['note']}."
