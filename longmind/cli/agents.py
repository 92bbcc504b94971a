"""Commands for agents: the MCP server, and setting coding agents up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from longmind.base.errors import InvalidInput
from longmind.base.names import DEFAULT_SPACE
from longmind.base.partitions import check_user
from longmind.cli import arguments
from longmind.cli.arguments import JsonOption, MemoryLimitOption, SpaceOption, StoreOption, UserOption
from longmind.cli.keys import KeysOption, OriginsOption, key_file
from longmind.cli.output import Block, Table, emit

if TYPE_CHECKING:
    from longmind.hooks.install import Setup
    from longmind.hooks.settings import Outcome
    from longmind.memory import Memory

TOKEN_VARIABLE: Final = "LONGMIND_TOKEN"

Agent = Annotated[
    Literal["claude-code", "codex", "cursor"],
    typer.Argument(metavar="AGENT", help="claude-code, codex or cursor.", show_default=False),
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


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Over HTTP, instead of standard input.")] = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where HTTP listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Where HTTP listens.")] = 8788,
    token: Annotated[
        str | None,
        typer.Option(
            envvar=TOKEN_VARIABLE, show_envvar=True, metavar="TOKEN", help="What HTTP clients must send."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which HTTP clients may ask for it. May be repeated."),
    ] = None,
    keys: KeysOption = None,
    allow_origin: OriginsOption = None,
    profile: Annotated[
        Literal["default", "full", "memory"],
        typer.Option(
            metavar="default|full|memory",
            help="Which tools: a few, all, or those of the reference MCP memory server.",
        ),
    ] = "default",
    max_tokens: Annotated[
        int, typer.Option(metavar="COUNT", min=200, help="The most tokens of one answer.")
    ] = 4000,
    files: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            show_default="the current one; none over HTTP",
            help="The folder in which tools may read and write files.",
        ),
    ] = None,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    store: StoreOption = None,
    memory_limit: MemoryLimitOption = None,
) -> None:
    """Serve agents by the Model Context Protocol, over standard input and output or over HTTP."""
    from longmind.mcp.lazy_memory import Holder
    from longmind.mcp.serve import serve_http, serve_stdio
    from longmind.mcp.settings import Settings

    if memory_limit:
        arguments.byte_count(memory_limit)  # refused now, not when the first call opens the memory
    if user is not None:
        check_user(user)
    with ExitStack() as stack:

        def opening(begins: bool) -> Memory:
            opened = arguments.writing if begins else arguments.reading
            return stack.enter_context(opened(store, space=space, user=user, memory_limit=memory_limit))

        holder = Holder(opening)
        if http:
            settings = Settings(profile, max_tokens, files)
            serve_http(
                holder,
                settings,
                host=host,
                port=port,
                token=token,
                keys=key_file(keys),
                names=allow_host or (),
                origins=allow_origin or (),
            )
        else:
            serve_stdio(holder, Settings(profile, max_tokens, files or Path.cwd()))


def hook(
    event: Annotated[
        str,
        typer.Argument(
            metavar="EVENT", help="The agent's name for it, such as SessionStart.", show_default=False
        ),
    ],
    agent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="claude-code, codex or cursor; seen from the JSON otherwise."),
    ] = None,
    begin: Annotated[
        bool, typer.Option("--begin", help="Create a memory when a session starts and there is none.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Say on standard error what failed.")] = False,
    space: NamedSpace = None,
    user: UserOption = None,
    store: NamedStore = None,
) -> None:
    """Answer a coding agent's hook: its JSON on standard input, the answer in its format.

    Whatever fails, the exit code is 0 and the agent goes on; the log is hook.log beside the memory.
    """
    from longmind.hooks.command import main

    values = (("--agent", agent), ("--store", store), ("--space", space), ("--user", user))
    options = [word for name, value in values if value is not None for word in (name, value)]
    flags = [name for name, is_set in (("--begin", begin), ("--verbose", verbose)) if is_set]
    raise typer.Exit(main([event, *options, *flags]))


def install(
    agent: Agent,
    project: ProjectFlag = False,
    user: UserFlag = False,
    hooks: HooksFlag = False,
    mcp: McpFlag = False,
    begin: Annotated[
        bool, typer.Option("--begin", help="Let a session begin a memory where there is none.")
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
    """Set up a coding agent: hooks that recall and remember in its sessions, and the MCP server.

    Running it twice changes nothing more. Everything else in its settings is preserved.
    """
    from longmind.hooks import install

    request = _request(
        agent, project, user, hooks, mcp, store=store, space=space, begin=begin, whose=for_user
    )
    done = install.install(request, project=Path.cwd(), home=Path.home(), dry_run=dry_run)
    emit(
        {"dry_run": dry_run, "files": [_plain(item) for item in done]},
        as_json=as_json,
        view=lambda report: _view(report, "Nothing was changed: all of it is there already."),
    )


def uninstall(
    agent: Agent,
    project: ProjectFlag = False,
    user: UserFlag = False,
    hooks: HooksFlag = False,
    mcp: McpFlag = False,
    dry_run: DryRunFlag = False,
    as_json: JsonOption = False,
) -> None:
    """Undo an install: the agent's settings are what they were, byte for byte."""
    from longmind.hooks import install

    request = _request(agent, project, user, hooks, mcp)
    done = install.uninstall(request, project=Path.cwd(), home=Path.home(), dry_run=dry_run)
    emit(
        {"dry_run": dry_run, "files": [_plain(item) for item in done]},
        as_json=as_json,
        view=lambda report: _view(report, "Nothing was changed: nothing of it was there."),
    )


def _request(
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
    from longmind.hooks.install import Setup, program

    if project and user:
        raise InvalidInput("Both --project and --user were given.", hint="Give one of them.")
    both = hooks == mcp
    location = str(Path(store).expanduser().absolute()) if store and user and "://" not in store else store
    return Setup(
        agent=agent,
        user=user,
        hooks=hooks or both,
        mcp=mcp or both,
        program=program(),
        store=location,
        space=space,
        begin=begin,
        whose=None if whose is None else check_user(whose),
    )


def _plain(item: Outcome) -> dict[str, str]:
    return {"path": item.path, "status": item.status, "note": item.note}


def _view(report: dict[str, Any], nothing: str) -> Iterator[Block]:
    files = report["files"]
    if all(item["status"] in ("unchanged", "absent") for item in files):
        yield nothing
        return
    yield Table(("file", "what"), [(item["path"], item["status"]) for item in files])
    for item in files:
        if item["note"]:
            yield f"{item['path']}: {item['note']}."
    if report["dry_run"]:
        yield "This was a dry run: nothing was written."
