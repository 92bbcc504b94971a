"""`longmind proxy`: a memory for any client of an OpenAI-compatible server."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from longmind.base.errors import Forbidden, MissingExtra
from longmind.base.names import DEFAULT_SPACE
from longmind.cli import arguments
from longmind.cli.arguments import MemoryLimitOption, SpaceOption, StoreOption, UserOption


def proxy(
    upstream: Annotated[
        str, typer.Option(metavar="URL", help="The server behind it, such as http://127.0.0.1:11434/v1.")
    ] = "https://api.openai.com/v1",
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen: on this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Where to listen.")] = 8789,
    budget: Annotated[
        int, typer.Option(metavar="COUNT", min=50, help="The most tokens that are added.")
    ] = 1000,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0.1, help="The longest silence of the server; not limited by default."
        ),
    ] = None,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    store: StoreOption = None,
    memory_limit: MemoryLimitOption = None,
) -> None:
    """Give any chat client a memory: point its base URL at this proxy.

    What is relevant is added to the instructions of a request, and what was said is kept. Requests name their
    user (header x-longmind-user, or the field user) and session (header x-longmind-session).
    """
    from longmind.mcp.serve import is_local

    if not is_local(host):
        raise Forbidden(
            f"{host} can be reached from elsewhere, and the proxy has no keys of its own.",
            hint="Use 127.0.0.1, or put a server that asks for keys in front of it.",
        )
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtra(f"The proxy needs {error.name}.", extra="server") from None
    from longmind.integrations.proxy import Proxy

    with arguments.writing(store, space=space, user=user, memory_limit=memory_limit) as memory:
        app = Proxy(memory, upstream, user=user, budget=budget, hosts=[host], timeout=timeout)
        print(f"Point your client at http://{host}:{port}/v1. Ctrl-C stops.", file=sys.stderr, flush=True)
        uvicorn.Server(app.config(host=host, port=port, log_level="warning")).run()
