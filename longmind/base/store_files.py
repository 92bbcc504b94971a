"""Which files belong to a store, and the one way to open any other file.

POSIX drops every lock that a process holds on a file as soon as the process closes any descriptor of it.
A process that opens and closes its own store by hand therefore loses SQLite's locks: other processes no
longer see it, and the next one to close the store deletes the log under it. So a file of a store is opened
by SQLite alone, and every other file of a user is opened by `open_user_file`, which tells the two apart.

Locks belong to a process, so reading a store that only *other* processes have open does them no harm. That
is why the header of an unknown file may be read, once it is certain that this process has no store there.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Final

from longmind.base.errors import Busy, Forbidden, InvalidInput, LongmindError, NotFound, Unavailable
from longmind.base.partial import is_partial

APPLICATION_ID: Final = 0x52434C54
"""'RCLT' in the file's header: tells our files from every other SQLite database."""

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""What SQLite adds to the name of a database for the files beside it."""

PROJECT_FOLDERS: Final = (".longmind", ".recollect")
"""Folders in which a project keeps its store; reading a folder passes over them."""

PROJECT_STORE: Final = Path(".longmind") / "memory.mind"
"""Where a project keeps its store."""

OLD_PROJECT_STORE: Final = Path(".recollect") / "memory.recollect"
"""Where a project kept its store before the product had its name."""

_FAMILY = re.compile(r".+\.(mind|recollect)(-wal|-shm|-journal)?", re.IGNORECASE | re.DOTALL)
SQLITE_MAGIC: Final = b"SQLite format 3\x00"
"""How a SQLite database begins, unless it is encrypted."""
_HEADER_BYTES: Final = 100
_DESCRIPTORS: Final = "/dev/fd"
_AT: Final = slice(68, 72)  # where the header of a SQLite database has the application id
_PATIENCE: Final = 10.0
# A reader of files holds one for as long as it takes to read it into memory: 64 MiB at the most.

_ENCRYPTED: Final = bytes((32, 64, 32, 32))
"""What stays readable of an encrypted header: 32 bytes a page for the cipher, and three constants."""

Identity = tuple[int, int]
"""Device and inode: the same for every name of a file."""


class StoreFile(InvalidInput):
    """A file of a store where another file was expected; nothing was read or written."""


class Claim:
    """A store that this process has open, or is about to open."""

    def __init__(self, path: str) -> None:
        # SQLite follows links too, so its log lies beside the file itself and not beside the link.
        self.path = os.path.realpath(path)
        self._main: Identity | None = None
        self._last_seen: set[Identity] = set()
        self._settled = False

    def settle(self) -> None:
        """Note the file itself, once SQLite has made it: it stays ours under any name."""
        with _changed:
            self._main = _identity(self.path) or self._main
            self.identities()
            self._settled = True

    def identities(self) -> set[Identity]:
        """The file and those beside it, as they are now: the log may be made anew while a store is open."""
        present = {_identity(self.path + ending) for ending in ("", *SIDE_FILES)}
        self._last_seen = {identity for identity in (*present, self._main) if identity is not None}
        return self._last_seen

    def covers(self, status: os.stat_result) -> bool:
        # Looking at four files for every file of a folder is slow, and needed only for a file with a second
        # name: a log that was made anew under its own name is known by that name (`_is_side_file`).
        fresh = not self._settled or status.st_nlink > 1
        return _key(status) in (self.identities() if fresh else self._last_seen)

    def release(self) -> None:
        """To be called when SQLite has closed the file; a second call does nothing."""
        with _changed:
            if self in _claims:
                _claims.remove(self)


_changed = threading.Condition(threading.RLock())
"""Held while a file is looked at and opened, so that no store is opened between the two."""
_claims: list[Claim] = []
_reading: Counter[Identity] = Counter()
"""Files that are open through `open_user_file`."""
_never_closed: dict[Identity, int] = {}
"""Descriptors of open databases that were got by mistake: closing one would drop the database's locks."""


def _after_fork() -> None:
    """In the child: another thread may have held the lock, and whoever was reading is not here.

    Claims stay: the child has the parent's descriptors, and a store is not read as a file there either.
    """
    global _changed
    _changed = threading.Condition(threading.RLock())
    _reading.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def claim(path: str | os.PathLike[str]) -> Claim:
    """Say that a store is about to be opened here; waits for anyone who is reading that file by hand."""
    claimed = Claim(os.fspath(path))
    deadline = time.monotonic() + _PATIENCE
    with _changed:
        _claims.append(claimed)  # first, so that nobody begins to read it while we wait
        while any(_reading[identity] > 0 for identity in claimed.identities()):
            if not _changed.wait(max(0.0, deadline - time.monotonic())):
                _claims.remove(claimed)
                raise Busy(f"{path} is being read as a file.", hint="Try again when that is done.")
        claimed._main = _identity(claimed.path)
    return claimed


def in_family(name: str) -> bool:
    """Whether a file's name is one that we give to stores, their logs or unfinished copies."""
    return _FAMILY.fullmatch(name) is not None or is_partial(name)


def is_encrypted_header(head: bytes) -> bool:
    """Whether a file begins like a database that SQLite3 Multiple Ciphers encrypted, as it does our stores.

    It begins with random bytes, but the size of pages and the version of the format stay as they are.
    """
    size = int.from_bytes(head[16:18], "big")
    return (
        not head.startswith(SQLITE_MAGIC)
        and head[20:24] == _ENCRYPTED
        and head[18:20] in (b"\1\1", b"\2\2")
        and (size == 1 or (size >= 512 and size & (size - 1) == 0))
    )


def is_open_here(path: str | os.PathLike[str]) -> bool:
    """Whether this process has a store open that the path, by whatever name, is a file of."""
    with _changed:
        status = _status(path)
        if status is not None:
            return _is_claimed(status)
        # Not there yet: a log that SQLite is about to make.
        real = os.path.realpath(path)
        return any(real == claimed.path + ending for claimed in _claims for ending in ("", *SIDE_FILES))


def belongs_to_store(path: str | os.PathLike[str], *, look_inside: bool = True) -> bool:
    """Whether a path is a file of a store: by what is open here, by its name, or by its header.

    Without `look_inside` the header is left to whoever opens the file next: see `open_user_file`.
    """
    text = os.fspath(path)
    if in_family(Path(text).name):
        return True
    with _changed:
        if is_open_here(text) or _is_side_file(text):
            return True
        if Path(text).is_symlink() and in_family(Path(os.path.realpath(text)).name):
            return True
        return look_inside and _has_our_header(text)


def refuse_store(path: str | os.PathLike[str]) -> None:
    """Raise `StoreFile` for a file of a store; for code that hands a path to another library."""
    if belongs_to_store(path):
        raise _refusal(path)


@contextmanager
def open_user_file(path: str | os.PathLike[str]) -> Iterator[BufferedReader]:
    """Open a file for reading, in bytes; a file of a store is refused with `StoreFile`, unopened.

    While it is open no store is opened on the same file in this process: see `claim`.
    """
    descriptor, identity = _open(os.fspath(path))
    file = os.fdopen(descriptor, "rb")
    try:
        yield file
    finally:
        with _changed:
            file.close()
            _reading[identity] -= 1
            if _reading[identity] <= 0:
                del _reading[identity]
            _changed.notify_all()


def read_user_file(path: str | os.PathLike[str]) -> bytes:
    with open_user_file(path) as file:
        return file.read()


def unreadable(error: OSError, path: str | os.PathLike[str]) -> LongmindError:
    """The system's error on reading a file that somebody has named, as ours."""
    if isinstance(error, FileNotFoundError):
        return NotFound(f"{path} does not exist.", hint="Check the path.")
    if isinstance(error, IsADirectoryError):
        return InvalidInput(f"{path} is a folder.", hint="Name a file in it.")
    if isinstance(error, NotADirectoryError) or error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return InvalidInput(f"{path} cannot be a file: {error.strerror}.", hint="Check the path.")
    if isinstance(error, PermissionError):
        return Forbidden(f"{path} may not be read.", hint="Check its permissions.")
    reason = error.strerror or type(error).__name__
    return Unavailable(f"{path} cannot be read: {reason}.", hint="Check the disk that it lies on.")


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no file can have, before anything asks the system about it."""
    if "\0" in os.fspath(path):
        raise InvalidInput(
            f"{os.fspath(path)!r} is not a valid path: it holds a NUL.", hint="Check its characters."
        )


def check_target(path: Path) -> bool:
    """Refuse to write to a store that is open here or to a store's log; True if a closed store lies there.

    Whether a closed store may be replaced is for the caller to decide.
    """
    check_name(path)
    with _changed:
        is_store = not is_open_here(path) and _has_our_header(path)
        if is_open_here(path):  # asked again: the header may belong to a database that the program has open
            raise StoreFile(
                f"{path} belongs to a database that is open in this process.", hint="Choose another path."
            )
        name = path.name
        if name.lower().endswith(SIDE_FILES) and (in_family(name) or _is_side_file(str(path))):
            raise StoreFile(f"{path} is where SQLite keeps the log of a store.", hint="Choose another path.")
        return is_store


def _open(path: str) -> tuple[int, Identity]:
    with _changed:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        regular = stat.S_ISREG(status.st_mode)
        if regular and belongs_to_store(path, look_inside=False):
            raise _refusal(path)
        if regular:
            # Not blocking: if a pipe has taken its place, nobody may wait here with the lock.
            descriptor = os.open(path, _FLAGS | getattr(os, "O_NONBLOCK", 0))
            return descriptor, _checked(descriptor, path)
    descriptor = os.open(path, _FLAGS)  # a pipe or a terminal, which is waited for without the lock
    with _changed:
        return descriptor, _checked(descriptor, path)


_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def _checked(descriptor: int, path: str) -> Identity:
    """Look at what was really opened: the name may have been given to another file meanwhile."""
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and _is_database_of_ours(descriptor, status):
        raise _refusal(path)
    _reading[_key(status)] += 1
    return _key(status)


def _has_our_header(path: str | os.PathLike[str]) -> bool:
    """Whether a file that no store of this process has open is a store; called with the lock."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return False
        descriptor = os.open(path, _FLAGS | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return False
    if _is_database_of_ours(descriptor, os.fstat(descriptor)):
        return True
    os.close(descriptor)
    return False


def _is_database_of_ours(descriptor: int, status: os.stat_result) -> bool:
    """Whether a store was opened, or a database that this process has open; disposes of the descriptor then.

    The program that uses us may have databases of its own, and their locks are lost in the same way. Only
    the descriptors of the process can tell.
    """
    head = os.read(descriptor, _HEADER_BYTES)
    os.lseek(descriptor, 0, os.SEEK_SET)
    claimed = _is_claimed(status)
    encrypted = is_encrypted_header(head)
    is_database = encrypted or head.startswith(SQLITE_MAGIC)
    if claimed or (is_database and _is_open_elsewhere(descriptor, _key(status))):
        # Closing it would drop the locks, which is the very harm: so it stays open until the process ends.
        # That costs one descriptor for each database that somebody has open under a folder that we read.
        _never_closed[_key(status)] = descriptor
        return True
    # Whose an encrypted database is cannot be told; there is nothing to be read in it, either.
    if encrypted or (head.startswith(SQLITE_MAGIC) and head[_AT] == APPLICATION_ID.to_bytes(4, "big")):
        os.close(descriptor)
        return True
    return False


def _is_open_elsewhere(descriptor: int, identity: Identity) -> bool:
    """Whether this process has the file open by another descriptor than this one and those of readers."""
    try:
        others = [int(entry.name) for entry in Path(_DESCRIPTORS).iterdir() if entry.name.isdigit()]
    except OSError:  # a system that does not say
        return False
    count = 0
    for other in others:
        with suppress(OSError):  # closed since it was listed
            count += other != descriptor and _key(os.fstat(other)) == identity
    return count > _reading[identity]


def _is_side_file(path: str) -> bool:
    """Whether it is named like the log of a database that is ours."""
    for ending in SIDE_FILES:
        main = path.removesuffix(ending)
        if main != path and (is_open_here(main) or _has_our_header(main)):
            return True
    return False


def _is_claimed(status: os.stat_result) -> bool:
    return _key(status) in _never_closed or any(claimed.covers(status) for claimed in _claims)


def _identity(path: str | os.PathLike[str]) -> Identity | None:
    status = _status(path)
    return None if status is None else _key(status)


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except (OSError, ValueError):
        return None


def _key(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def _refusal(path: str | os.PathLike[str]) -> StoreFile:
    return StoreFile(
        f"{os.fspath(path)} is a store or an open database, and is not read as a file.",
        hint="To copy a store: longmind copy FROM TO. To get at its content: longmind export, then import. "
        "If it is another program's database, close it there first.",
    )


def how_to_move(folder: Path) -> str | None:
    """If a folder has a store under the old name and none under the new: the command that moves it."""
    if (folder / PROJECT_STORE).exists() or not (folder / OLD_PROJECT_STORE).is_file():
        return None
    new, old = PROJECT_STORE, OLD_PROJECT_STORE
    return f"mv {old.parent} {new.parent} && mv {new.parent / old.name} {new}"
