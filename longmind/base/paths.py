"""Paths that another program sends: only inside one folder, whatever they are spelled like."""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath
from typing import Final

from longmind.base.errors import Forbidden, InvalidInput

_LONGEST_NAME: Final = 255
_LONGEST_PATH: Final = 4095
"""Bytes in the name of a file, and in a path: what the common systems allow."""


def check_path(value: str | os.PathLike[str], name: str = "path") -> str:
    """A path that a file could have; whether one is there is another question.

    Asking the system about any other ends in an error that depends on the system, or in none of ours.
    """
    try:
        path = os.fspath(value)
        raw = os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        path, raw = "", b"\0"
    names = raw.split(os.sep.encode())
    if b"\0" in raw or len(raw) > _LONGEST_PATH or any(len(part) > _LONGEST_NAME for part in names):
        raise InvalidInput(f"{name}: not a valid path.", hint="Check its characters and its length.")
    return path


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
        real = Path(check_path(os.path.realpath(root / path)))
        path.encode()  # a name that is not text could be written, and not be answered with
    except (OSError, ValueError):  # too long, a NUL, a lone surrogate, a circle of links
        raise Forbidden(
            f"{name}: {path[:200]!r} is not a valid path.", hint="Check its characters and its length."
        ) from None
    if not real.is_relative_to(root):
        raise _outside(path, name)
    return real


def _outside(path: str, name: str) -> Forbidden:
    return Forbidden(
        f"{name}: {path[:200]!r} is outside the folder that is served.",
        hint="Give a path in it, relative to it.",
    )
