"""Paths of stores: whether one can be used, and whether it still leads to the files that were opened."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

import apsw

from longmind.base.errors import (
    RESTORE_COMMAND,
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    LongmindError,
    NotFound,
    Unavailable,
)
from longmind.base.store_files import SIDE_FILES, claim
from longmind.store import pages
from longmind.store.cipher import Kind, read_header
from longmind.store.sqlite_errors import translated

_LOGS: Final = ("-wal", "-shm")

Identity = tuple[int, int]
"""Device and inode."""

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
            raise InvalidInput(
                f"{path} is not a regular file.", hint="Name a file, or a path that does not exist yet."
            )
        if (
            not may_be_damaged and path.exists() and path.stat().st_size == 1
        ):  # which SQLite would take for an empty one
            raise Corrupt(
                f"{path} is not a Longmind file.",
                hint=f"Restore a backup ({RESTORE_COMMAND}), or choose another path.",
            )
    except (PermissionError, ValueError) as error:
        if isinstance(error, LongmindError):
            raise
        if isinstance(error, ValueError):
            raise InvalidInput(f"{str(path)!r} is not a usable path: {error}.") from None
        raise Forbidden(
            f"No permission to look at {path}.", hint="Check the permissions of the folders above it."
        ) from None
    except OSError as error:
        if isinstance(error, LongmindError):
            raise
        raise InvalidInput(f"{str(path)[:200]!r} is not a usable path: {error.strerror}.") from None


def may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Nobody else has the file open inside; `Busy` if somebody has.

    The lock is taken on the file as it is, so that a damaged one can be held too, and no log is replayed.
    """
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE
    with translated(str(path)):
        try:
            file = apsw.VFSFile("", str(path), [flags, 0])
        except UnicodeEncodeError:
            raise InvalidInput(f"{str(path)!r} is not valid UTF-8.", hint="Choose another name.") from None
    try:
        try:
            file.xLock(apsw.SQLITE_LOCK_SHARED)
            file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
        except (apsw.BusyError, apsw.LockedError):
            raise Busy(f"{path} is in use.", hint="Close it there, or choose another path.") from None
        yield
    finally:
        file.xUnlock(apsw.SQLITE_LOCK_NONE)
        file.xClose()


def fold_log(path: Path) -> None:
    """Take away the log of a file about to be replaced: SQLite would replay it over its successor.

    A database that somebody has open is refused as `Busy`. If the file is not a database that can be read
    here, such as an encrypted one, and nobody has it open, what SQLite left beside it is removed. A file of
    the user's own beside it is in the way: SQLite would take it for a log, and remove it.
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
        # An encrypted store may be in use, although nothing can be read in it here.
        encrypted = read_header(path).kind is Kind.ENCRYPTED
        with held(path) if encrypted else nullcontext():
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


class FileIdentity:
    """The files of one store as they were when it was opened.

    A file that is deleted or replaced stays open under its old name and takes writes that nobody will ever
    read. SQLite does not look, so device and inode of the file and of its log are compared with what they
    were.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = _identity(path)
        self._logs: dict[str, Identity] = {}

    def record_logs(self) -> None:
        """Once the log is in use it stays the same file for as long as a connection is open."""
        for suffix in _LOGS if len(self._logs) < len(_LOGS) else ():
            identity = _identity(self._path + suffix)
            if identity is not None:
                self._logs.setdefault(suffix, identity)

    def check(self, outcome: str) -> None:
        """Refuse if the path leads elsewhere; `outcome` says what that means for the caller."""
        problem = self.problem()
        if problem:
            raise Unavailable(
                f"{problem} {outcome}",
                hint="Put it back where it was, or close this memory and open the path again. "
                "A store in use is copied with backup; close it everywhere before its file is moved.",
            )

    def check_connection(self, connection: apsw.Connection, outcome: str) -> None:
        """Refuse a connection that opened another file than the first one did."""
        moved = ctypes.c_int(0)
        with_path = connection.file_control(
            "main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved)
        )  # False where the operating system keeps an open file from being moved
        if with_path and moved.value:
            raise Unavailable(
                f"{self._path} was deleted, moved or replaced while it was being opened. {outcome}",
                hint="Try again.",
            )
        self.check(outcome)

    def problem(self) -> str:
        """What is no longer as it was; empty if all is."""
        if self._file is not None:
            current = _identity(self._path)
            if current is None:
                return f"{self._path} was deleted or moved while it was open."
            if current != self._file:
                return f"{self._path} was replaced by another file while it was open."
        for suffix, identity in self._logs.items():
            current = _identity(self._path + suffix)
            if current is None:
                return f"{self._path}{suffix}, the log of an open store, was deleted."
            if current != identity:
                return f"{self._path}{suffix}, the log of an open store, was replaced by another file."
        return ""

    @property
    def is_file_ours(self) -> bool:
        return _identity(self._path) == self._file

    @property
    def is_log_ours(self) -> bool:
        """Whether no other log stands in the place of ours: it may be ours, or missing."""
        return all(_identity(self._path + suffix) in (None, own) for suffix, own in self._logs.items())


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path)  # noqa: PTH116 (at every transaction: a Path would cost as much again)
    except OSError:
        return None
    return status.st_dev, status.st_ino
