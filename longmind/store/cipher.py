"""Encryption of a store's file by SQLite3 Multiple Ciphers, which is another build of `apsw`.

Its cipher sits between SQLite and the system's VFS. Every page, in the file and in the log, is encrypted with
ChaCha20 under a nonce of its own, and ends in that nonce and a Poly1305 tag bound to the page's number: 32
bytes that take the place of our own checksums (`pages.py`), and also find changes made on purpose. There is
one cipher and no choice: nothing in a file could say which one it is, ChaCha20 is as fast and as safe on
machines without AES instructions, and every build of the library has it.

The file begins with 16 random bytes, the salt of a passphrase, where a plain one says that it is a database.
The next eight bytes stay readable, and tell an encrypted database from anything else.
"""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import apsw

from longmind.base.errors import RESTORE_COMMAND, RESTORE_HINT, Corrupt, Forbidden, MissingExtra
from longmind.base.secret import KEY_BYTES, SALT_BYTES
from longmind.base.store_files import SQLITE_MAGIC, is_encrypted_header

NAME: Final = "chacha20"
HEADER: Final = 24
INSTALL: Final = "pip uninstall -y apsw && pip install apsw-sqlite3mc"
_OLDEST: Final = (2, 6, 1)
"""Before this, a forked process drew the nonces of its parent again: 2.3.2 and 2.4.0 were seen to do so."""


class FileKey:
    """The key of one file, and the salt that its header has. Shows neither."""

    __slots__ = ("_key", "_salt")

    def __init__(self, key: bytes, salt: bytes) -> None:
        assert len(key) == KEY_BYTES
        assert len(salt) == SALT_BYTES
        self._key = key
        self._salt = salt

    @property
    def key(self) -> bytes:
        return self._key

    @property
    def salt(self) -> bytes:
        return self._salt

    def unlock(self, connection: apsw.Connection) -> None:
        """Let a connection that has not read anything yet encrypt and decrypt; `NotADBError`: a wrong key.

        The raw key skips the derivation that the library would do for each connection, and a new file takes
        the salt from it, so that the passphrase of the original opens a copy, too.
        """
        try:
            connection.pragma("cipher", NAME)
            connection.pragma("key", self._literal())
        except apsw.Error as error:  # its text may quote the statement
            raise apsw.CantOpenError(f"the key could not be set ({type(error).__name__})") from None
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()

    def uri_parameters(self) -> str:
        """The same for a database that SQLite opens by a URI; for bound values only, never for a text."""
        return f"cipher={NAME}&hexkey={self._literal().encode().hex()}"

    def _literal(self) -> str:
        return f"raw:{self._key.hex()}{self._salt.hex()}"

    def __repr__(self) -> str:
        return "<FileKey>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not pickled.")


class Kind(enum.Enum):
    """What lies at a path, as far as its first bytes tell."""

    EMPTY = "empty"
    """Nothing, or a file without a byte."""
    PLAIN = "plain"
    ENCRYPTED = "encrypted"
    OTHER = "other"


class Header(NamedTuple):
    kind: Kind
    salt: bytes = b""


def read_header(path: str | Path) -> Header:
    """Through SQLite's own file layer: closing a file of our own would release the locks of this process."""
    try:
        if Path(path).stat().st_size == 0:
            return Header(Kind.EMPTY)
        file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])
    except FileNotFoundError:
        return Header(Kind.EMPTY)
    except (OSError, apsw.Error):  # said by whoever opens it next
        return Header(Kind.OTHER)
    try:
        head = file.xRead(HEADER, 0)
    except apsw.Error:
        return Header(Kind.OTHER)
    finally:
        file.xClose()
    if head.startswith(SQLITE_MAGIC):
        return Header(Kind.PLAIN)
    return Header(Kind.ENCRYPTED, head[:SALT_BYTES]) if is_encrypted_header(head) else Header(Kind.OTHER)


def check_available() -> None:
    version = getattr(apsw, "mc_version", None)
    if version is None:
        raise MissingExtra(
            "Encryption needs the build of apsw with SQLite3 Multiple Ciphers.", hint=f"Run: {INSTALL}"
        )
    if _numbers(version) < _OLDEST:
        raise MissingExtra(
            f"{version} is too old to encrypt safely: processes forked from one another share nonces.",
            hint="Run: pip install --upgrade apsw-sqlite3mc",
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.rpartition(" ")[2]))


def needs_key(path: str) -> Forbidden:
    return Forbidden(
        f"{path} is encrypted, and no key was given.",
        hint="Give key=… in Python, or set LONGMIND_KEY, LONGMIND_KEY_FILE or LONGMIND_KEY_COMMAND.",
    )


def is_plain(path: str) -> Forbidden:
    return Forbidden(
        f"{path} is not encrypted, and a key was given for it. Nothing was changed.",
        hint=f"Encrypt it with: longmind encrypt {path}. To use it as it is, give no key.",
    )


def does_not_fit(path: str) -> Forbidden:
    return Forbidden(
        f"{path} is encrypted, or damaged; the key does not fit. Nothing was changed.",
        hint=f"Check the key. If it is the right one, restore a backup: {RESTORE_COMMAND}.",
    )


def not_ours(path: str) -> Corrupt:
    return Corrupt(
        f"{path} is not a Longmind file, or its header is damaged.",
        hint=RESTORE_HINT,
    )
