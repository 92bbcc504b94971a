"""What the tests of encryption share: can this build encrypt, keys, and the pages under the cipher."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from longmind import Forbidden
from longmind.base.secret import secret_of
from longmind.base.store_files import is_encrypted_header
from longmind.store import pages
from longmind.store.cipher import INSTALL
from longmind.store.encrypted_files import file_key
from tests.store.opening import open_memory

CAN_ENCRYPT = hasattr(apsw, "mc_version")
needs_cipher = pytest.mark.skipif(
    not CAN_ENCRYPT,
    reason=f"this apsw cannot encrypt; test_encryption_build.py runs these with the one that can ({INSTALL})",
)
KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
PASSPHRASE = "correct horse battery stäple"


def keyed_connection(path: Path, key: Any) -> apsw.Connection:
    file = file_key(str(path), secret_of(key), None)
    return pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE, key=file)


def decrypted_pages(path: Path, key: Any) -> bytes:
    """Every page of the store as the holder of the key can read it, with what lies between the rows."""
    connection = keyed_connection(path, key)
    try:
        return connection.serialize("main")
    finally:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close(True)


MARKER = "pelicanmarker"


def filled(path: Path, key: Any = KEY, count: int = 60) -> Path:
    with open_memory(path, key=key) as memory:
        memory.remember_many([f"Note {number} about the {MARKER} in the harbour." for number in range(count)])
    return path


def texts(path: Path, key: Any = KEY) -> list[str]:
    with open_memory(path, key=key) as memory:
        assert memory.verify(deep=True)
        return sorted(frame.text for frame in memory.list(limit=1000))


def opens(path: Path, key: Any) -> bool:
    try:
        open_memory(path, key=key, create=False).close()
    except Forbidden:
        return False
    return True


def looks_encrypted(path: Path) -> bool:
    raw = path.read_bytes()
    return is_encrypted_header(raw[:100]) and MARKER.encode() not in raw and b"CREATE TABLE" not in raw
