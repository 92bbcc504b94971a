"""Paths that another program sends: only inside one folder, whatever they are spelled like."""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath

from longmind.base.errors import Forbidden


def inside(path: str, folder: str | Path | None, name: str) -> Path:
    """The real path of a file or folder below `folder`; anything that leads out of it is `Forbidden`.

    A relative path is taken from the folder. `name` is what messages call the argument; without a folder,
    every path is refused.
    """
    if folder is None:
        raise Forbidden(
            f"{name}: files of this machine are not served.",
            hint="Send the text itself, or start the server with --files FOLDER.",
        )
    if "://" in path:
        raise Forbidden(f"{name}: another database is not reached from here.", hint="Use the command line.")
    # Refused on every system, so that a request means the same wherever the server runs: "C:x" and "\\host\x"
    # are absolute on Windows, and "..\x" leads out there.
    windows = PureWindowsPath(path)
    backwards = "\\" in path and (bool(windows.root) or ".." in windows.parts)
    if windows.drive or backwards or path.startswith("~"):
        raise _outside(path, name)
    root = Path(os.path.realpath(folder))
    try:
        # Links are followed before the check, so that none leads out.
        real = Path(os.path.realpath(root / path))
        os.fsencode(real)
    except (OSError, ValueError):  # a NUL, a lone surrogate, a circle of links
        raise Forbidden(f"{name}: {path[:200]!r} is not a valid path.") from None
    if not real.is_relative_to(root):
        raise _outside(path, name)
    return real


def _outside(path: str, name: str) -> Forbidden:
    return Forbidden(
        f"{name}: {path[:200]!r} is outside the folder that is served.",
        hint="Give a path in it, relative to it.",
    )
