"""`longmind inspect`: look at a memory in the browser."""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longmind.base.names import DEFAULT_SPACE
from longmind.cli import arguments
from longmind.cli.arguments import MemoryLimitOption, SpaceOption, StoreOption, UserOption
from longmind.cli.serve import TOKEN_VARIABLE

if TYPE_CHECKING:
    from longmind.memory import Memory


def inspect(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[STORE]", show_default=False, help="The memory; the same as --store."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Allow changes: forget, erase, confirm, reject, pin, merge.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Where to listen; 0 for any.")
    ] = 8790,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
    ] = True,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FILE", help="Also accept the keys in this file."),
    ] = None,
    store: StoreOption = None,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    memory_limit: MemoryLimitOption = None,
) -> None:
    """Look at a memory in the browser: what it knows, why, and since when.

    It listens on this machine only, and the address that it prints holds a secret of its own. It only reads,
    unless you say --write.
    """
    from longmind.access.keyring import KeyRing
    from longmind.inspect.inspector import Inspector
    from longmind.inspect.server import inspect as answer

    location = path or store
    token = os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(24)
    ring = KeyRing(None if keys is None else keys.expanduser().absolute(), token=token)
    ring.check()

    def announce(url: str) -> None:
        link = f"{url}#key={token}"
        print(f"Inspecting {location or arguments.DEFAULT_STORE} at {link}", file=sys.stderr)
        changes = "Changes are allowed." if write else "Nothing can be changed (see --write)."
        print(f"{changes} Ctrl-C stops.", file=sys.stderr, flush=True)
        if browser:
            webbrowser.open(link)

    with _opened(location, space=space, user=user, memory_limit=memory_limit, write=write) as memory:
        answer(Inspector(memory, write=write), ring, port=port, listening=announce)


def _opened(
    store: str | None, *, space: str, user: str | None, memory_limit: str | None, write: bool
) -> AbstractContextManager[Memory]:
    """The store; where only reading is allowed, opened so that nothing can write to it."""
    return arguments.reading(store, space=space, user=user, memory_limit=memory_limit, read_only=not write)
