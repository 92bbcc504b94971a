"""Whether the path of an open store still leads to the files that were opened.

A file that is deleted or replaced stays open under its old name and takes writes that nobody will ever read.
SQLite does not look, so device and inode of the file and of its log are compared with what they were.
"""

from __future__ import annotations

import ctypes
import os
from typing import Final

import apsw

from longmind.base.errors import Unavailable

_LOGS: Final = ("-wal", "-shm")

Identity = tuple[int, int]


class FileIdentity:
    """The files of one store as they were when it was opened."""

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
