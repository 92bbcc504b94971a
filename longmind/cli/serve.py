"""`longmind serve`: the operations over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from longmind.base.errors import InvalidInput, MissingExtra, NotFound
from longmind.base.names import DEFAULT_SPACE
from longmind.cli import arguments, telemetry
from longmind.cli.arguments import MemoryLimitOption, SpaceOption, StoreOption, UserOption
from longmind.cli.keys import KeysOption, OriginsOption, key_file

if TYPE_CHECKING:
    from longmind.access.guard import Limits
    from longmind.access.metrics import Metrics
    from longmind.http.processes import Share

TOKEN_VARIABLE: Final = "LONGMIND_TOKEN"
_STOPPED: Final = "Stopped. Every request that was answered is kept. Run the same command to serve again."

_Files = Annotated[
    Path | None,
    typer.Option("--files", metavar="FOLDER", help="Let requests read and write files in this folder."),
]
_MaxBody = Annotated[int, typer.Option("--max-body", metavar="BYTES", min=1, help="The largest request.")]
_Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.01, help="The longest request.")
]
_AtOnce = Annotated[
    int, typer.Option("--at-once", metavar="COUNT", min=1, help="The most requests in progress.")
]
_Queue = Annotated[
    int | None,
    typer.Option(
        "--queue",
        metavar="COUNT",
        min=0,
        show_default="half of --at-once",
        help="The most reads that wait for a worker, and the most writes.",
    ),
]
_Workers = Annotated[
    int, typer.Option("--workers", metavar="COUNT", min=1, help="The most requests worked on at once.")
]
_Processes = Annotated[
    int,
    typer.Option(
        "--processes", metavar="COUNT", min=1, max=256, help="Server processes; one for each core to use."
    ),
]
_Inspect = Annotated[
    Literal["off", "read", "write"],
    typer.Option("--inspect", help="Pages at /inspect: none, only to look, or with changes."),
]


def serve(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=1, max=65535)] = 8787,
    files: _Files = None,
    max_body: _MaxBody = 16 * 2**20,
    timeout: _Timeout = 60.0,
    at_once: _AtOnce = 64,
    queue: _Queue = None,
    workers: _Workers = 4,
    processes: _Processes = 1,
    inspect: _Inspect = "read",
    keys: KeysOption = None,
    allow_origin: OriginsOption = None,
    store: StoreOption = None,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    memory_limit: MemoryLimitOption = None,
) -> None:
    """Answer over HTTP until interrupted. Beyond this machine, create keys first: longmind keys create."""
    if files is not None and not files.is_dir():
        raise NotFound(f"{files} is not a folder.", hint="Create it first, or name another with --files.")
    server = _Server(
        store=store, space=space, user=user, memory_limit=memory_limit,
        host=host, port=port, files=None if files is None else str(files), keys=key_file(keys),
        origins=tuple(allow_origin or ()), inspect=inspect,
        limits={
            "body_bytes": max_body, "seconds": timeout, "at_once": at_once, "queue": queue,
            "workers": workers,
        },
    )  # fmt: skip

    def announce() -> None:
        shared = "" if processes == 1 else f" with {processes} processes"
        print(f"Serving {store or arguments.DEFAULT_STORE} on http://{host}:{port}{shared}", file=sys.stderr)
        pages = "" if inspect == "off" else f" Inspector: http://{host}:{port}/inspect."
        print(f"Documentation: http://{host}:{port}/docs.{pages} Ctrl-C stops.", file=sys.stderr, flush=True)

    if processes == 1:
        server.answer(listening=announce)
        print(_STOPPED, file=sys.stderr)
        return
    from longmind.http.processes import run_processes
    from longmind.http.serve import check_keys

    if store == ":memory:":
        raise InvalidInput(
            "A store in memory belongs to one process.",
            hint="Name a file with --store, or leave out --processes.",
        )
    _limits(**server.limits)
    check_keys(host, server.keys, os.environ.get(TOKEN_VARIABLE))
    # Opened here first: it is created and migrated once, and what is wrong with it is reported once.
    with arguments.writing(store, space=space, user=user, memory_limit=memory_limit):
        pass
    run_processes(server, count=processes, host=host, port=port, listening=announce)
    print(_STOPPED, file=sys.stderr)


@dataclass(frozen=True)
class _Server:
    """What the command line said, for one server process or for each of several."""

    store: str | None
    space: str
    user: str | None
    memory_limit: str | None
    host: str
    port: int
    files: str | None
    keys: Path | None
    origins: tuple[str, ...]
    inspect: Literal["off", "read", "write"]
    limits: dict[str, Any]

    def __call__(self, share: Share) -> None:
        self.answer(share=share)

    def answer(self, *, listening: Callable[[], None] = lambda: None, share: Share | None = None) -> None:
        from longmind.http.serve import serve as answer

        limits = _limits(**self.limits)
        metrics = _metrics(None if share is None else share.folder)
        with arguments.writing(
            self.store, space=self.space, user=self.user, memory_limit=self.memory_limit,
            registry=metrics.registry,
        ) as memory:  # fmt: skip
            answer(
                memory, host=self.host, port=self.port, token=os.environ.get(TOKEN_VARIABLE),
                listening=listening, keys=self.keys, origins=self.origins, limits=limits, files=self.files,
                metrics=metrics, tracer=telemetry.tracer() if telemetry.is_on() else None, share=share,
                inspect=self.inspect,
            )  # fmt: skip


def _limits(**limits: Any) -> Limits:
    try:
        from longmind.access.guard import Limits
    except ImportError as error:
        raise MissingExtra(f"The server needs {error.name}.", extra="server") from None
    return Limits(**limits)


def _metrics(folder: Path | None) -> Metrics:
    from longmind.access.metrics import Metrics

    return Metrics(folder)
