"""Before a file is used: is the log beside it its own, and whole? Nothing is changed until that is known.

SQLite drops the rest of a log from the first frame whose checksum fails, and says nothing. After a power loss
that is right: the rest never reached the disk. After a kill it means that committed transactions are gone.
"""

from __future__ import annotations

import logging
import os
import struct
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

import apsw

from longmind.base.errors import RESTORE_COMMAND, Corrupt, Forbidden
from longmind.store import pages
from longmind.store.cipher import FileKey, does_not_fit
from longmind.store.log import WHOLE, LogState, boot_id, read_alone, read_state

_log = logging.getLogger(__name__)

_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_MAGIC: Final = (0x377F0682, 0x377F0683)
"""The last bit tells the byte order of the checksums."""
_INDEX_HEADER: Final = 48
_INDEX_VERSION: Final = 3_007_000
_LOCK_BYTE: Final = 1 << 30
"""SQLite locks this byte of a file, and never writes the page that it is in: a hole in every larger store."""
_RESERVED_AT: Final = 20
"""Where page 1 says how many bytes at the end of each page are ours."""
_TRIES: Final = 10
_PAUSE_SECONDS: Final = 0.02


class _Index(NamedTuple):
    """What the shared index (`-shm`) of a killed process says of the log."""

    frames: int
    """Frames of committed transactions."""
    moved: int
    """How many of them are in the file."""


def examine(path: str, *, accept_lost_log: bool, key: FileKey | None = None) -> bool:
    """Refuse a log that lost committed transactions; called before any connection replays it.

    Only where nobody else has the file open: then SQLite would build its index anew from the log, and what
    the old index says would be gone. A process that has it open has been through this.
    True: the index of a killed process proves that nothing is missing.
    """
    real = os.path.realpath(path)
    size = _size(f"{real}-wal")
    if size <= _HEADER and _size(f"{real}-shm") <= 0:
        return False
    if size > _HEADER and _size(real) <= 0:
        raise Corrupt(
            f"{path} is missing or empty, but its log {real}-wal is there. Nothing was changed.",
            hint=f"Put the file back beside its log, or restore a backup with: {RESTORE_COMMAND}.",
        )
    for pause in (0.0, 0.0005):  # two that open at the same moment are in each other's way once
        time.sleep(pause)
        connection = _alone(real, key)
        if connection is not None:
            try:
                return _check_whole(path, real, connection, accept_lost_log=accept_lost_log, key=key)
            finally:
                connection.close(True)
    return False


def check_own(
    path: str, connection: apsw.Connection, *, accept_lost_log: bool, key: FileKey | None = None
) -> None:
    """Refuse a log of another file, or none where there must be one; called before anything is written."""
    problem = None
    for _ in range(_TRIES):  # another process may be writing the file at this moment
        problem = _problem(path, connection, key)
        if problem is None:
            return
        if problem.lost and accept_lost_log:
            _log.warning("%s", problem.error.message)
            return
        time.sleep(_PAUSE_SECONDS)
    assert problem is not None
    raise problem.error


def refused(path: str, key: FileKey) -> Corrupt | Forbidden:
    """Why page 1 cannot be decrypted: the log has another one, if the key fits the file alone."""
    real = os.path.realpath(path)
    if _size(f"{real}-wal") > _HEADER and _alone_or_none(real, key) is not None:
        return _foreign(path, real)
    return does_not_fit(path)


def leave(path: str, connection: apsw.Connection) -> None:
    """Close a connection to a file that was refused, and leave the folder as it was.

    SQLite made an empty log for it, and takes that away; a log with content stays.
    """
    if _size(f"{os.path.realpath(path)}-wal") == 0:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    pages.close(connection)


class _Problem(NamedTuple):
    error: Corrupt
    lost: bool
    """Whether it may be accepted: a log of another file never is."""


def _problem(path: str, connection: apsw.Connection, key: FileKey | None) -> _Problem | None:
    real = os.path.realpath(path)
    # Inside a read transaction no checkpoint moves anything later than what is seen, and no log begins anew.
    connection.execute("BEGIN")
    try:
        try:
            seen = read_state(connection)
        except (apsw.CorruptError, apsw.NotADBError, Corrupt):
            seen = None
        has_log = _size(f"{real}-wal") > _HEADER
        alone = _alone_or_none(real, key) if has_log else seen
    finally:
        if connection.in_transaction:  # an error while reading may have ended it already
            connection.execute("ROLLBACK")
    if not has_log:
        # Damage is for whoever reads the row next; here it only matters whether something is missing.
        lost = seen is not None and seen.state != WHOLE
        return _Problem(_missing(path), lost=True) if lost else None
    if alone is None or seen is None:
        if seen is not None and seen.boot != boot_id():
            return None  # a power loss in the middle of a checkpoint, which the log mends
        # With both unreadable the file itself is damaged, and that is said by whoever reads it.
        return None if alone is None and seen is None else _Problem(_foreign(path, real), lost=False)
    return None if seen.follows(alone) else _Problem(_foreign(path, real), lost=False)


def _alone_or_none(real: str, key: FileKey | None) -> LogState | None:
    try:
        return read_alone(real, key)
    except (apsw.Error, Corrupt):
        return None


def _foreign(path: str, real: str) -> Corrupt:
    return Corrupt(
        f"The log {real}-wal belongs to another file, or to another state of {path}. "
        "It was not replayed, and nothing was changed.",
        hint=f"If a backup was copied over the store, restore a backup with: {RESTORE_COMMAND}. "
        "If you know that the log is stale, move it away.",
    )


def _missing(path: str) -> Corrupt:
    return Corrupt(
        f"{path} was not closed properly, and its log ({Path(path).name}-wal) is missing or empty: "
        "the last writes may be lost.",
        hint="If this is a copy, copy the log too, or use: longmind backup. If the original is lost, "
        f"restore a backup with: {RESTORE_COMMAND}, or go on with what is there: longmind recover {path} "
        "(which is all there was, if another SQLite tool has opened the store since).",
    )


def _damaged(path: str, readable: int, committed: int | None) -> Corrupt:
    lost = "transactions after that" if committed is None else f"{committed - readable} frames after that"
    return Corrupt(
        f"The log of {path} is damaged: it can be read up to frame {readable}, and committed {lost} "
        "are lost. Nothing was changed.",
        hint=f"To put it back as it was, restore a backup with: {RESTORE_COMMAND}, or go on with "
        f"what can be read: longmind recover {path}",
    )


# The log as a whole


def _alone(real: str, key: FileKey | None) -> apsw.Connection | None:
    """A connection with the file to itself, which leaves the shared index untouched; None if in use."""
    try:
        connection = apsw.Connection(
            f"file:{quote(os.fsencode(real))}", flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        )
    except apsw.Error:  # no permission to write: then nothing is replayed into the file either
        return None
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        if key is not None:
            # Sets the mode first: with a key the first read comes next, and must not touch the shared index.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            key.unlock(connection)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except apsw.Error:  # in use; or damaged, which is said by whoever reads it
        connection.close(True)
        return None
    return connection


def _check_whole(
    path: str, real: str, connection: apsw.Connection, *, accept_lost_log: bool, key: FileKey | None
) -> bool:
    problem = _problem(path, connection, key)
    if problem is not None and not problem.lost:
        # An encrypted file gets its name when it has its tables, so its first move is like any other.
        if key is not None or not _is_interrupted_move(real):
            raise problem.error
        return True
    try:
        seen = read_state(connection)
    except (apsw.Error, Corrupt):
        return False
    if not seen.id:  # an earlier format, or a file that is not ours
        return False
    readable, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    same_boot = seen.boot in ("", boot_id())
    # Nobody has it open, so reading the index releases no lock of this process.
    index = _read_index(f"{real}-shm") if same_boot else None
    if index is None:
        lost, committed = _has_commits_after(f"{real}-wal", readable), None
    else:
        lost, committed = readable < index.frames and index.moved < index.frames, index.frames
    if not lost:
        # An index without frames may be one that was just built beside a file whose log is gone.
        return index is not None and index.frames > 0
    error = _damaged(path, readable, committed)
    if not same_boot:
        _log.warning(
            "%s was open when the machine stopped; the last writes did not reach the disk and are undone.",
            path,
        )
    elif accept_lost_log:
        _log.warning("%s", error.message)
    else:
        raise error
    return False


def _is_interrupted_move(real: str) -> bool:
    """Whether a process was killed while it moved the log beside the file into it.

    Pages are moved in the order of their numbers. So the file begins with pages of the log, and may not be a
    database alone. That is so after a kill in the first checkpoint of a new file or of an upgrade.
    """
    size, offsets, count = _pages_of_log(f"{real}-wal")
    if not count or 1 not in offsets:
        return False
    has_all = all(number in offsets for number in range(1, count + 1))
    is_sealed = _read(f"{real}-wal", offsets[1][-1] + _RESERVED_AT, 1) == bytes([pages.RESERVED])
    # Through SQLite: closing a file of our own would release the locks of this process.
    file = apsw.VFSFile("", real, [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])
    try:
        length = file.xFileSize()
        others = (
            (number, page)
            for number in range(1, -(-length // size) + 1)
            if (is_sealed or number in offsets) and number != _LOCK_BYTE // size + 1
            if not _is_of_log(
                page := file.xRead(min(size, length - (number - 1) * size), (number - 1) * size),
                (_read(f"{real}-wal", start, size) for start in offsets.get(number, ())),
                number if is_sealed else None,
            )
        )
        first, page = next(others, (0, b""))
        if first == 1:
            return False
        if not is_sealed:
            # A file of an early format on its way up. What can be read alone, as a backup can, is whole.
            return _alone_or_none(real, None) is None
        # The log has every page, so replaying it takes nothing away from a file that has nothing else, nor
        # from one whose other pages have no checksums: no store has both kinds.
        if has_all:
            return not first or len(page) < size or pages.sealed(page, first) != page
        # An upgrade of a file that has checksums, and pages that the log has not: page 1 is the log's, the
        # others are the log's or sound, and it can be read alone again only when all of them are moved.
        return _alone_or_none(real, None) is None and all(
            len(page) == size and pages.sealed(page, number) == page
            for number, page in ((first, page), *others)
        )
    finally:
        file.xClose()


def _is_of_log(page: bytes, versions: Iterable[bytes], sealed_as: int | None) -> bool:
    if sealed_as is None:
        return any(version == page for version in versions)
    return any(pages.sealed(version, sealed_as) == page for version in versions)


def _pages_of_log(name: str) -> tuple[int, dict[int, list[int]], int]:
    """The size of a page, where the log has the versions of each, and how many the last commit counts."""
    header = _read(name, 0, _HEADER)
    if len(header) < _HEADER:
        return 1, {}, 0
    size = struct.unpack_from(">I", header, 8)[0]
    offsets: dict[int, list[int]] = {}
    count = 0
    for offset in range(_HEADER, _size(name), _FRAME_HEADER + size):
        frame = _read(name, offset, _FRAME_HEADER)
        if len(frame) < _FRAME_HEADER or frame[8:16] != header[16:24]:  # of an earlier generation
            break
        number, committed = struct.unpack_from(">II", frame)
        offsets.setdefault(number, []).append(offset + _FRAME_HEADER)
        count = committed or count
    return size, offsets, count


def _read_index(name: str) -> _Index | None:
    """None if there is no index, or if its writer was killed while it wrote it."""
    raw = _read(name, 0, 2 * _INDEX_HEADER + 4)
    first, second = raw[:_INDEX_HEADER], raw[_INDEX_HEADER : 2 * _INDEX_HEADER]
    if len(raw) < 2 * _INDEX_HEADER + 4 or first != second:
        return None
    version, _, _, is_set, _, _, frames = struct.unpack_from("=IIIBBHI", first)
    if version != _INDEX_VERSION or not is_set:
        return None
    (moved,) = struct.unpack_from("=I", raw, 2 * _INDEX_HEADER)
    return _Index(frames, moved)


def _has_commits_after(name: str, readable: int) -> bool:
    """Whether the log goes on with commits of the same generation where SQLite stopped reading it.

    Frames without a commit are what a killed or undone transaction leaves; those of earlier generations
    have other salts.
    """
    header = _read(name, 0, _HEADER)
    if len(header) < _HEADER:
        return False
    magic, _, page_size = struct.unpack_from(">III", header)
    if magic not in _MAGIC or not _header_is_whole(header, "<" if magic == _MAGIC[0] else ">"):
        return True
    salts = header[16:24]
    step = _FRAME_HEADER + (page_size or 1)
    frames = (_size(name) - _HEADER) // step
    for number in range(readable, frames + 1):
        frame = _read(name, _HEADER + number * step, _FRAME_HEADER)
        if frame[8:16] == salts and frame[4:8] != b"\0\0\0\0":
            return True
    return False


def _header_is_whole(header: bytes, order: str) -> bool:
    first = second = 0
    for left, right in struct.iter_unpack(f"{order}II", header[:24]):
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF
    return struct.pack(">II", first, second) == header[24:32]


def _read(name: str, start: int, count: int) -> bytes:
    """Part of a side file. SQLite holds no locks on a log, so closing it releases none."""
    try:
        with Path(name).open("rb", buffering=0) as file:
            file.seek(start)
            return file.read(count)
    except OSError:
        return b""


def _size(name: str) -> int:
    """Bytes of a file; -1 if there is none."""
    try:
        return Path(name).stat().st_size
    except OSError:
        return -1
