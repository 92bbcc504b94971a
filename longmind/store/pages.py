"""Pages of the database file: each is sealed with a checksum when written, and checked whenever it is read.

SQLite reads and writes its files through a VFS. Ours passes everything on to the system's, except the pages
of the database itself: the log has checksums of its own, and its pages are sealed on their way into the file.

A sealed page ends in eight bytes that SQLite leaves to us (byte 20 of the file's header says so): the page's
number, and a CRC-32 over all before it that starts from that number, so that a page in another's place does
not pass. One function of 32 bits, not two: one damage in four thousand million slips through.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import suppress
from typing import Any, Final

import apsw

from longmind.base.store_files import APPLICATION_ID
from longmind.store.cipher import FileKey

try:
    from isal.isal_zlib import crc32  # the same function, 0.3 µs for a page in place of 2
except ImportError:  # no wheel for this machine
    from zlib import crc32

STATEMENTS: Final = 500
"""Prepared statements that a connection keeps: a write of facts uses about a hundred different ones."""

VFS_NAME: Final = "longmind"
_UNCHECKED_NAME: Final = "longmind-unchecked"
RESERVED: Final = 8
"""Bytes at the end of each page that belong to us."""

_PATIENCE_MS: Final = 10_000
_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
_RESIDUE: Final = 0x2144DF1C
"""The CRC-32 of anything followed by its own CRC-32: a page is checked in one pass, without slicing it."""

MOST_PAGES: Final = 2**25 - 1
"""Of 4096 bytes, 137 GB: up to here the first byte tells b-tree pages from all others (see `_clear_gap`)."""

_BTREE_HEADERS: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""Kinds of b-tree pages (interior and leaf, of indexes and tables) and the length of their headers."""

_read = apsw.VFSFile.xRead
_write = apsw.VFSFile.xWrite


class DamagedPage(apsw.IOError):
    """A page that is not what was written. SQLite hears `SQLITE_IOERR_DATA`, which it keeps for this."""

    extendedresult = apsw.SQLITE_IOERR_DATA
    result = apsw.SQLITE_IOERR


class _PageFile(apsw.VFSFile):
    """A database file. Only `xRead` and `xWrite` run Python: a signal cannot interrupt a lock or a sync."""

    _sealed = 0
    """The page size, if the file's pages are sealed; 0 if they are not, or if that is not known yet."""

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's name
        data = _read(self, amount, offset)
        if amount == self._sealed and crc32(data, offset // amount + 1) == _RESIDUE:
            return data
        return self._examined(data, amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        if offset == 0:
            self._sealed = _sealed_size(data)
        elif not self._sealed:
            self._sealed = self._size_in_file()
        if not self._sealed:
            _write(self, data, offset)
        elif len(data) == self._sealed and offset % self._sealed == 0:
            _write(self, sealed(data, offset // self._sealed + 1), offset)
        else:  # SQLite writes whole pages only; anything else would break a checksum unnoticed
            raise apsw.IOError(f"{len(data)} bytes at {offset} are not a page of {self._sealed} bytes")

    def xDeviceCharacteristics(self) -> int:  # noqa: N802 - SQLite's name
        # Without this flag SQLite reads whole pages only, also those of long values.
        return super().xDeviceCharacteristics() & ~apsw.SQLITE_IOCAP_SUBPAGE_READ

    def _examined(self, data: bytes, amount: int, offset: int) -> bytes:
        """What was read, unless it lies in a sealed page that is not whole."""
        if offset == 0:
            self._adopt(data)
        elif not self._sealed:
            # Another process may have sealed the file since.
            self._sealed = self._size_in_file()
        size = self._sealed
        if not size or offset + amount <= _HEADER:
            return (
                data  # the header, which SQLite reads before it holds a lock: page 1 is checked whole later
            )
        first, last = offset // size, (offset + amount - 1) // size
        pages = [self._checked(number + 1, size) for number in range(first, last + 1)]
        return b"".join(pages)[offset - first * size :][:amount]

    def _checked(self, number: int, size: int) -> bytes:
        page = _read(self, size, (number - 1) * size)
        if len(page) == size and crc32(page, number) == _RESIDUE:
            return page
        raise DamagedPage(_damage(page, number, size))

    def _adopt(self, head: bytes) -> None:
        """Learn from the beginning of the file whether its pages are sealed."""
        self._sealed = _sealed_size(head)
        if self._sealed or len(head) <= _HEADER:
            return
        # Page 1 of a file without seals ends in the text of the schema, never in the number one.
        if head[-RESERVED:-4] == (1).to_bytes(4, "big"):
            raise DamagedPage("page 1 was sealed, and its header is damaged")

    def _size_in_file(self) -> int:
        return _sealed_size(_read(self, _HEADER, 0))


class _UncheckedFile(_PageFile):
    """Read as it is: for a file that another SQLite tool has written to, whose rows are checked instead."""

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's name
        return _read(self, amount, offset)


class _PageVFS(apsw.VFS):
    def __init__(self, name: str, kind: type[_PageFile]) -> None:
        super().__init__(name, "")
        self._kind = kind

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return self._kind("", name, flags)
        return super().xOpen(name, flags)


_registered: list[_PageVFS] = []
_registering = threading.Lock()


def connect(name: str, flags: int, *, checked: bool = True, key: FileKey | None = None) -> apsw.Connection:
    """Open a database whose pages are checked when read. A new one has its pages sealed from the start.

    With a key, the cipher's tags are the seals: it works between SQLite and the system's files, where a VFS
    of ours would see nothing but what is encrypted.
    """
    if key is not None:
        return _connect_encrypted(name, flags, key)
    with _registering:
        if not _registered:
            _registered.append(_PageVFS(VFS_NAME, _PageFile))
            _registered.append(_PageVFS(_UNCHECKED_NAME, _UncheckedFile))
    connection = apsw.Connection(
        name,
        flags=flags,
        vfs=VFS_NAME if checked else _UNCHECKED_NAME,
        statementcachesize=STATEMENTS,
    )
    connection.set_busy_timeout(_PATIENCE_MS)  # another process may be making the same file
    try:
        if flags & apsw.SQLITE_OPEN_CREATE and connection.execute("PRAGMA page_count").fetchone() == (0,):
            _reserve(connection, RESERVED)
    except apsw.Error:
        close(connection)
        raise
    return connection


def _connect_encrypted(name: str, flags: int, key: FileKey) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags, statementcachesize=STATEMENTS)
    connection.set_busy_timeout(_PATIENCE_MS)
    try:
        key.unlock(connection)
    except apsw.Error:
        close(connection)
        raise
    return connection


def close(connection: apsw.Connection) -> None:
    # SQLite does not mind a lock that a reader without rights cannot take, but through a VFS it is raised.
    with suppress(apsw.IOError):
        connection.close(True)


def are_sealed(connection: apsw.Connection) -> bool:
    """Whether the pages of the database have checksums, in the state that this connection sees."""
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # so that it has read the header
    return _reserve(connection, -1) == RESERVED


def rebuild(connection: apsw.Connection, *, encrypted: bool = False) -> None:
    """Write the whole database anew, without free pages, and with its pages sealed."""
    if encrypted:
        connection.execute("VACUUM")
        return
    _reserve(connection, RESERVED)
    try:
        connection.execute("VACUUM")
    except BaseException:  # also Ctrl-C
        _reserve(connection, 0)  # or it would be taken for what the file has
        raise


def _reserve(connection: apsw.Connection, count: int) -> int:
    """Ask for bytes at the end of each page from now on; -1 only says how many there are, or were asked for.

    An empty file takes them at once, any other with its next VACUUM.
    """
    number = ctypes.c_int(count)
    connection.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(number))
    return number.value


def sealed(page: bytes, number: int) -> bytes:
    """The page as it is stored: with its checksum, and without what was left between pointers and cells."""
    body = bytearray(page)
    _clear_gap(body, _HEADER if number == 1 else 0)
    body[-RESERVED:-4] = number.to_bytes(4, "big")
    body[-4:] = crc32(memoryview(body)[:-4], number).to_bytes(4, "little")
    return bytes(body)


def _clear_gap(page: bytearray, start: int) -> None:
    """Zero the free space of a b-tree page, where a split leaves the cells that it moved to other pages.

    Freed cells SQLite zeroes itself (secure_delete). Overflow and free pages begin with the number of a page,
    whose first byte is 0 or 1 in a file of up to `MOST_PAGES`, so none is taken for a b-tree page.
    """
    length = _BTREE_HEADERS.get(page[start])
    if length is None:
        return
    cells = int.from_bytes(page[start + 3 : start + 5], "big")
    content = int.from_bytes(page[start + 5 : start + 7], "big") or 65536
    first = start + length + 2 * cells
    if first < content <= len(page) - RESERVED:
        page[first:content] = bytes(content - first)


def _sealed_size(head: bytes) -> int:
    """The page size that the header of a sealed file names; 0 for any other file."""
    if head[:16] != _MAGIC or len(head) < _HEADER or head[20] != RESERVED:
        return 0
    if int.from_bytes(head[68:72], "big") not in (0, APPLICATION_ID):  # 0 in one that is being made
        return 0
    size = int.from_bytes(head[16:18], "big")
    return 65536 if size == 1 else size


def _damage(page: bytes, number: int, size: int) -> str:
    if len(page) < size and not any(page):
        return f"page {number} is missing or empty"
    written_as = int.from_bytes(page[size - RESERVED : size - 4], "big")
    if len(page) == size and written_as != number and crc32(page, written_as) == _RESIDUE:
        return f"page {number} holds what was written as page {written_as}"
    return f"page {number} is not what was written"
