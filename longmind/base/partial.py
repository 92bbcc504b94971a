"""Files in the making: written beside their target under a name of ours, put in place when they are whole.

A process that is killed leaves its unfinished file behind, with everything that was written so far. The
name says who made it, so that the next one to write in that folder can tell that nobody will finish it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from longmind.base.errors import Forbidden, InvalidInput, LongmindError, NotFound, OverBudget, Unavailable
from longmind.base.processes import host_name, is_alive

_NAME = re.compile(
    r"\..*\.(?:longmind|recollect)-(?P<machine>[0-9a-f]{8})-(?P<pid>[0-9]{1,10})-[0-9a-f]{8}\.partial"
    r"(?:-wal|-shm|-journal)?",  # SQLite's own beside a copy that it was making
    re.DOTALL,
)
_MARK: Final = "longmind"
_LONGEST: Final = 180  # bytes kept of the target's name: file systems allow 255, and SQLite adds to it
_ON_DOUBT: Final = 24 * 3600.0
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")

_lock = threading.Lock()
_active: set[str] = set()
"""Unfinished files of this process."""


def is_partial(name: str) -> bool:
    """Whether a file has the name of an unfinished one of ours."""
    return _NAME.fullmatch(name) is not None


@contextmanager
def partial_file(target: Path, *, mode: int = 0o600) -> Iterator[Path]:
    """An empty file beside the target; give it to `put_in_place` when it is whole, or it is removed.

    Only the user may read it: it may hold all that is remembered. What killed processes left in the folder
    is removed first.
    """
    remove_strays(target.parent)
    with _reserved(target) as path:
        with writing(target):
            # Exclusively: neither a link that was laid here nor another file is ever written through.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        try:
            yield path
        finally:
            for ending in ("", *_SIDE_FILES):
                path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def partial_folder(target: Path) -> Iterator[Path]:
    """The same for a folder, which the caller moves into place."""
    remove_strays(target.parent, folders=True)
    with _reserved(target) as path:
        path.mkdir(mode=0o700)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def put_in_place(partial: Path, target: Path) -> None:
    """Bring a whole file to the disk, then under its name; a file that was there lends its permissions."""
    with writing(target):
        with suppress(FileNotFoundError):
            partial.chmod(target.stat().st_mode & 0o7777)
        sync(partial)
        partial.replace(target)
        if os.name == "posix":  # elsewhere a folder cannot be opened, and a rename is not lost either
            sync(target.parent)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """The system's errors while a file is written, as ours."""
    try:
        yield
    except LongmindError:  # some of them are also errors of the system
        raise
    except FileNotFoundError:
        raise NotFound(f"The folder {target.parent} does not exist.", hint="Create it first.") from None
    except IsADirectoryError:
        raise InvalidInput(f"{target} is a folder.", hint="Name a file in it.") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OverBudget(f"{target} cannot be written: {reason}.", hint="Free some space.") from None
        if isinstance(error, PermissionError | NotADirectoryError | FileExistsError):
            raise Forbidden(f"{target} cannot be written: {reason}.", hint="Check its permissions.") from None
        raise Unavailable(f"{target} cannot be written: {reason}.", hint="Choose another path.") from None


def sync(path: Path) -> None:
    """Bring what was written to a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_strays(folder: Path, *, folders: bool = False) -> None:
    """Remove unfinished files of ours whose maker is gone; never fails, and never says anything.

    The maker is gone if it ran on this machine and no process has its number. If that cannot be told, the
    file must not have been written to for a day.
    """
    try:
        with os.scandir(folder) as entries:
            ours = [(entry, match) for entry in entries if (match := _NAME.fullmatch(entry.name))]
    except OSError:
        return
    for entry, match in ours:
        with suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                if folders and _is_stray(entry, match):
                    shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.is_file(follow_symlinks=False) and _is_stray(entry, match):
                Path(entry.path).unlink()


@contextmanager
def _reserved(target: Path) -> Iterator[Path]:
    stem = os.fsdecode(os.fsencode(target.name)[:_LONGEST])
    name = f".{stem}.{_MARK}-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.partial"
    path = target.with_name(name)
    with _lock:
        _active.add(name)
    try:
        yield path
    finally:
        with _lock:
            _active.discard(name)


def _is_stray(entry: os.DirEntry[str], match: re.Match[str]) -> bool:
    pid = int(match["pid"])
    if match["machine"] == _machine():
        if pid == os.getpid():
            # Our own number does not mean that it is ours: in a container it is often the same each time.
            name = entry.name
            for ending in _SIDE_FILES:
                name = name.removesuffix(ending)
            with _lock:
                return name not in _active
        if not is_alive(pid):
            return True
    # Another machine or container on the same volume, or a number that was given to another process since.
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > _ON_DOUBT


def _machine() -> str:
    """Tells apart machines, and containers of one machine, which number their processes each for itself."""
    return hashlib.sha256(host_name().encode()).hexdigest()[:8]
