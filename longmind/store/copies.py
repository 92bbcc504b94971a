"""Whole files: copied out of a store in use, and put in the place of another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

from longmind.base.partial import put_in_place, sync, writing
from longmind.base.store_files import APPLICATION_ID
from longmind.store import pages
from longmind.store.cipher import FileKey
from longmind.store.files import check_side_files, held
from longmind.store.log import seal_copy

_PAGES_AT_ONCE: Final = 1000
_KEPT: Final = ".before-restore"
_LOGS: Final = ("-wal", "-journal")
_INDEX: Final = "-shm"


def copy_snapshot(
    source: apsw.Connection, path: Path, entropy: Callable[[int], bytes], *, key: FileKey | None = None
) -> None:
    """Write what the connection sees as a file of its own, and bring it to the disk.

    A copy of an encrypted store needs a key, and its own may be another one.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    sealed = key is not None or pages.are_sealed(source)
    target = pages.connect(str(path), flags, key=key) if sealed else apsw.Connection(str(path), flags=flags)
    try:
        target.execute("PRAGMA secure_delete = ON")
        # First, so that page 1 says whether pages are sealed before any other page is written.
        target.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(_PAGES_AT_ONCE)
        target.execute("PRAGMA journal_mode = MEMORY").fetchall()  # nothing beside the copy
        seal_copy(target, entropy)
    finally:
        pages.close(target)
    sync(path)


def check_replaceable(path: Path) -> None:
    """Refuse to replace a file that somebody has open, or beside which a user's own file would go too."""
    check_side_files(path)
    with held(Path(os.path.realpath(path))):
        pass  # refused before the work, not after it


def replace_store(partial: Path, path: Path, *, keep: bool = False) -> Path | None:
    """Let a finished file replace another, whose log must not be replayed into it.

    With `keep`, the old file and its log first get a second name, which is returned. Then the new file takes
    the place of the old one, and last the old log goes. Killed before the second step, the old store is as it
    was; killed after it, the old log lies beside a file that it does not belong to, and opening refuses it.
    """
    real = Path(os.path.realpath(path))  # where SQLite looks for the log
    check_side_files(real)
    if not os.path.lexists(real):
        return _replace(partial, real, keep=keep)
    with held(real):
        return _replace(partial, real, keep=keep)


def put_in_place_of(partial: Path, path: Path) -> None:
    """As `replace_store`, for a caller that holds the old file itself; nothing of it is kept."""
    _replace(partial, path, keep=False)


def _replace(partial: Path, path: Path, *, keep: bool) -> Path | None:
    old = [suffix for suffix in ("", *_LOGS) if _beside(path, suffix).exists()]
    second = _free_name(path) if keep and old else None
    for suffix in old if second is not None else ():
        assert second is not None
        _second_name(_beside(path, suffix), _beside(second, suffix))
    put_in_place(partial, path)
    for suffix in (*_LOGS, _INDEX):
        _beside(path, suffix).unlink(missing_ok=True)
    sync(path.parent)
    return second


def place_new(partial: Path, path: Path) -> None:
    """Let a finished file appear where there is none, or an empty one; another that came first stays."""
    with writing(path):
        if not _appears(partial, path) and path.stat().st_size == 0:
            with held(path):
                if path.stat().st_size == 0:  # still: another process may have been as far
                    put_in_place(partial, path)
        sync(path.parent)


def _appears(partial: Path, path: Path) -> bool:
    try:
        os.link(partial, path)  # fails if there is a file by now, which a rename would replace
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if os.path.lexists(path):
            return False
        put_in_place(partial, path)
    return True


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _free_name(path: Path) -> Path:
    """The first that is free: an earlier one may be the only good copy there is."""
    number = 1
    while True:
        name = _beside(path, _KEPT if number == 1 else f"{_KEPT}-{number}")
        if not any(os.path.lexists(_beside(name, suffix)) for suffix in ("", *_LOGS)):
            return name
        number += 1


def _second_name(path: Path, name: Path) -> None:
    """A link, so that nothing is copied and nothing is missing at any moment."""
    try:
        os.link(path, name)
    except OSError:  # a file system without links
        shutil.copyfile(path, name)
