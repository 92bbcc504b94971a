"""Paths of stores: whether one can be used, and what is written there brought to the disk."""

from __future__ import annotations

import os
from pathlib import Path

from recollect.base.errors import Corrupt, Forbidden, InvalidInput, NotFound, RecollectError


def check_path(path: Path, *, must_exist: bool) -> None:
    """Refuse what can be no store, and say why."""
    try:
        os.path.realpath(path).encode()
    except UnicodeEncodeError:  # apsw hands file names to a VFS as text
        raise InvalidInput(
            f"{str(path)!r} is not in UTF-8, and no store can have such a name.",
            hint="Rename the file or folder.",
        ) from None
    try:
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder.", hint="Give the path of a file.")
        if not path.parent.is_dir():
            raise NotFound(f"The folder {path.parent} does not exist.", hint="Create it first.")
        if must_exist and not path.exists():
            raise NotFound(
                f"{path} does not exist.", hint="Check the path, or open it for writing to create it."
            )
        if path.exists() and not path.is_file():
            raise InvalidInput(f"{path} is not a regular file.")
        if path.exists() and path.stat().st_size == 1:  # which SQLite would take for an empty one
            raise Corrupt(
                f"{path} is not a Recollect file.", hint="Restore a backup, or choose another path."
            )
    except (PermissionError, ValueError) as error:
        if isinstance(error, RecollectError):
            raise
        if isinstance(error, ValueError):
            raise InvalidInput(f"{str(path)!r} is no usable path: {error}.") from None
        raise Forbidden(f"No permission to look at {path}.") from None
    except OSError as error:
        if isinstance(error, RecollectError):
            raise
        raise InvalidInput(f"{str(path)[:200]!r} is no usable path: {error.strerror}.") from None


def may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
