"""Commands that agents run: the MCP server, and the answers to their hooks."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from longmind.base.names import DEFAULT_SPACE
from longmind.base.partitions import check_user
from longmind.cli import arguments
from longmind.cli.agent_install import NamedSpace, NamedStore
from longmind.cli.arguments import MemoryLimitOption, SpaceOption, StoreOption, UserOption
from longmind.cli.keys import KeysOption, OriginsOption, key_file

if TYPE_CHECKING:
    from longmind.memory import Memory

TOKEN_VARIABLE: Final = "LONGMIND_TOKEN"

HostOption = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where HTTP listens.")]
PortOption = Annotated[
    int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Where HTTP listens.")
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar=TOKEN_VARIABLE,
        show_envvar=True,
        metavar="TOKEN",
        help="What HTTP clients must send.",
    ),
]
NamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host", metavar="NAME", help="A name by which HTTP clients may ask for it. May be repeated."
    ),
]
ProfileOption = Annotated[
    Literal["default", "full", "memory"],
    typer.Option(
        "--profile",
        metavar="default|full|memory",
        help="Which tools: a few, all, or those of the reference MCP memory server.",
    ),
]
TokensOption = Annotated[
    int, typer.Option("--max-tokens", metavar="COUNT", min=200, help="The most tokens of one answer.")
]
FilesOption = Annotated[
    Path | None,
    typer.Option(
        "--files",
        metavar="FOLDER",
        exists=True,
        file_okay=False,
        show_default="the current one; none over HTTP",
        help="The folder in which tools may read and write files.",
    ),
]


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Over HTTP, instead of standard input.")] = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8788,
    token: TokenOption = None,
    allow_host: NamesOption = None,
    keys: KeysOption = None,
    allow_origin: OriginsOption = None,
    profile: ProfileOption = "default",
    max_tokens: TokensOption = 4000,
    files: FilesOption = None,
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
