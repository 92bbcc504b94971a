"""`longmind serve`: the operations over HTTP."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from longmind.base.errors import MissingExtra, NotFound
from longmind.base.names import DEFAULT_SPACE
from longmind.cli import arguments, telemetry
from longmind.cli.arguments import MemoryLimitOption, SpaceOption, StoreOption, UserOption
from longmind.cli.keys import KeysOption, OriginsOption, key_file

if TYPE_CHECKING:
    from longmind.access.guard import Limits
    from longmind.access.metrics import Metrics

TOKEN_VARIABLE: Final = "LONGMIND_TOKEN"


def serve(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=1, max=65535)] = 8787,
    files: Annotated[
        Path | None,
        typer.Option("--files", metavar="FOLDER", help="Let requests read and write files in this folder."),
    ] = None,
    max_body: Annotated[
        int, typer.Option("--max-body", metavar="BYTES", min=1, help="The largest request.")
    ] = 16 * 2**20,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.01, help="The longest request.")
    ] = 60.0,
    at_once: Annotated[
        int, typer.Option("--at-once", metavar="COUNT", min=1, help="The most requests in progress.")
    ] = 64,
    workers: Annotated[
        int, typer.Option("--workers", metavar="COUNT", min=1, help="The most requests worked on at once.")
    ] = 4,
    keys: KeysOption = None,
    allow_origin: OriginsOption = None,
    store: StoreOption = None,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    memory_limit: MemoryLimitOption = None,
) -> None:
    """Answer over HTTP until interrupted. Beyond this machine, create keys first: longmind keys create."""
    from longmind.http.serve import serve as answer

    limits = _limits(body_bytes=max_body, seconds=timeout, at_once=at_once, workers=workers)
    metrics = _metrics()

    if files is not None and not files.is_dir():
        raise NotFound(f"{files} is not a folder.", hint="Create it first, or name another with --files.")
    registry = metrics.registry
    with arguments.writing(
        store, space=space, user=user, memory_limit=memory_limit, registry=registry
    ) as memory:
        served = store or arguments.DEFAULT_STORE

        def announce() -> None:
            print(f"Serving {served} on http://{host}:{port}", file=sys.stderr)
            print(f"Documentation: http://{host}:{port}/docs. Ctrl-C stops.", file=sys.stderr, flush=True)

        answer(
            memory,
            host=host,
            port=port,
            token=os.environ.get(TOKEN_VARIABLE),
            listening=announce,
            keys=key_file(keys),
            origins=allow_origin or (),
            limits=limits,
            files=None if files is None else str(files),
            metrics=metrics,
            tracer=telemetry.tracer() if telemetry.is_on() else None,
        )


def _limits(**limits: Any) -> Limits:
    try:
        from longmind.access.guard import Limits
    except ImportError as error:
        raise MissingExtra(f"The server needs {error.name}.", extra="server") from None
    return Limits(**limits)


def _metrics() -> Metrics:
    from longmind.access.metrics import Metrics

    return Metrics()
