"""Entry point of `longmind`: hooks and MCP clients wait, so they are answered before the rest is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn


def run(argv: Sequence[str] | None = None) -> None:
    """Entry point. Hooks run without the libraries of the command line."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["hook"] and not {"--help", "-h"} & set(words):
        _run_hook(words[1:])
    if words[:1] == ["mcp"]:
        _run_mcp(words)
        return
    _run_quickly(words, ends_process=argv is None)


def _run_command(words: list[str]) -> None:
    from longmind.cli.app import run as run_command

    run_command(words)


def _run_quickly(words: list[str], *, ends_process: bool) -> None:
    """If the command only reads, ask the resident process first; without one, start it for the next time."""
    from longmind.cli import quick

    store = quick.store_of(words)
    if store is None:
        _run_and_prepare(words, quick.store_to_prepare)
        return
    code = quick.answered(store, words)
    if code is not None:
        sys.exit(code)
    _live_shortly()
    try:
        _run_and_prepare(words, lambda _: store)
    except SystemExit as ended:
        # Telemetry sends what it has at the end of the process.
        if ends_process and isinstance(ended.code, int) and "LONGMIND_OTEL" not in os.environ:
            _leave(ended.code)
        raise


def _run_and_prepare(words: list[str], store_of: Callable[[list[str]], str | None]) -> None:
    """Run a command here; if it succeeds, start a resident process for what is asked next."""
    from longmind.cli import quick

    try:
        _run_command(words)
    except SystemExit as ended:
        if not ended.code and (store := store_of(words)) is not None:
            quick.prepare(store)
        raise


def _run_mcp(words: list[str]) -> None:
    """The client's first questions are answered while the command line is loaded."""
    from longmind.mcp.early import relay

    early = relay(words[1:])
    try:
        from longmind.cli.app import run as run_command

        run_command(words)
    finally:
        if early is not None:
            sys.stdout.flush()
            early.finish()


def _run_hook(words: list[str]) -> NoReturn:
    """Answer an event of an agent."""
    _live_shortly()
    from longmind.hooks.command import main

    _leave(main(words))


def _live_shortly() -> None:
    """For a process that reads a little and ends: no garbage collected, no threads for small products."""
    import gc

    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _leave(code: int) -> NoReturn:
    """End now. The store is closed; taking down every module would cost 0.1 CPU seconds more."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # whoever read it has gone
            stream.flush()
    os._exit(code)
