"""Paths of stores: whether one can be used, and what is written there brought to the disk."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from longmind.base.errors import Busy, Conflict, Corrupt, Forbidden, InvalidInput, LongmindError, NotFound
from longmind.base.partial import sync as sync
from longmind.base.store_files import SIDE_FILES, claim
from longmind.store import pages
from longmind.store.sqlite_errors import translated

_LOG_MARKS = {
    # How SQLite's files beside a database begin; the index of the log is in the machine's byte order.
    "-wal": (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"\0" * 8),
    "-shm": (b"\x18\xe2\x2d\x00", b"\x00\x2d\xe2\x18", b"\0" * 8),
    "-journal": (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", b"\0" * 8),
}


def check_path(path: Path, *, must_exist: bool, may_be_damaged: bool = False) -> None:
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
        if (
            not may_be_damaged and path.exists() and path.stat().st_size == 1
        ):  # which SQLite would take for an empty one
            raise Corrupt(
                f"{path} is not a Longmind file.",
                hint="Restore a backup (longmind restore BACKUP TO), or choose another path.",
            )
    except (PermissionError, ValueError) as error:
        if isinstance(error, LongmindError):
            raise
        if isinstance(error, ValueError):
            raise InvalidInput(f"{str(path)!r} is no usable path: {error}.") from None
        raise Forbidden(f"No permission to look at {path}.") from None
    except OSError as error:
        if isinstance(error, LongmindError):
            raise
        raise InvalidInput(f"{str(path)[:200]!r} is no usable path: {error.strerror}.") from None


def may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def fold_log(path: Path) -> None:
    """Take away the log of a file about to be replaced: SQLite would replay it over its successor.

    A database that somebody has open is refused as `Busy`. If the file is not a database, nobody can be
    using it, and what SQLite left beside it is removed. A file of the user's own beside it is in the way:
    SQLite would take it for a log, and remove it.
    """
    claimed = claim(path)
    try:
        check_side_files(path)
        with translated(str(path)):
            target = pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
            try:
                target.execute("PRAGMA journal_mode = DELETE")
            finally:
                pages.close(target)
    except Busy:
        raise Busy(f"{path} is in use.", hint="Close it there, or choose another path.") from None
    except Corrupt:
        for ending in SIDE_FILES:
            path.with_name(path.name + ending).unlink(missing_ok=True)
    finally:
        claimed.release()


def check_side_files(path: Path) -> None:
    """Refuse where a user's own file has the name of a log: SQLite would take it for one, and remove it."""
    for ending in SIDE_FILES:
        file = path.with_name(path.name + ending)
        if file.exists() and not _is_log(file):
            raise Conflict(
                f"{file} is in the way: SQLite would take it for the log of {path.name}.",
                hint="Move it, or choose another path.",
            )


def _is_log(file: Path) -> bool:
    # Opening it by hand is harmless: this process has the database not open, or it would have been refused.
    with file.open("rb") as stream:
        head = stream.read(8)
    return not head or head.startswith(_LOG_MARKS[file.name[file.name.rindex("-") :]])
