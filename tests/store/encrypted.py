"""What the tests of encryption share: can this build encrypt, keys, and the pages under the cipher."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from longmind.base.secret import secret_of
from longmind.store import pages
from longmind.store.cipher import INSTALL
from longmind.store.encrypted_files import file_key

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
