"""Which key a file needs, and how a new encrypted file comes to be."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from longmind.base.errors import Unavailable
from longmind.base.partial import partial_file
from longmind.base.secret import SALT_BYTES, Secret
from longmind.store import cipher
from longmind.store.cipher import FileKey, Kind
from longmind.store.copies import place_new

Make = Callable[[str, FileKey], None]
"""Makes a complete, closed store at a path, encrypted with a key."""


def file_key(location: str, key: Secret | FileKey | None, make: Make | None) -> FileKey | None:
    """The key of the file that is there, or of the one that is made here; refuses what does not fit.

    A `FileKey` is for a file in the making, and taken as it is. Without `make` nothing is made.
    """
    if isinstance(key, FileKey):
        return key
    path = os.path.realpath(location)
    header = cipher.read_header(path)
    if key is None:
        if header.kind is Kind.ENCRYPTED:
            raise cipher.needs_key(location)
        return None
    cipher.check_available()
    if header.kind is Kind.EMPTY and make is not None and not Path(f"{path}-wal").exists():
        _make_encrypted(Path(path), key, make)
        header = cipher.read_header(path)
    if header.kind is Kind.PLAIN:
        raise cipher.is_plain(location)
    if header.kind is Kind.OTHER:
        raise cipher.not_ours(location)
    salt = header.salt or bytes(SALT_BYTES)  # of an empty file, which is refused next
    return FileKey(key.key_for(salt), salt)


def new_key(secret: Secret) -> FileKey:
    """For a file that is to be made: with a salt of its own."""
    salt = secrets.token_bytes(SALT_BYTES)
    return FileKey(secret.key_for(salt), salt)


def check_encrypted(path: Path) -> None:
    """Never to fail, and never to be left out: whatever went wrong, no plain file is passed off."""
    if cipher.read_header(path).kind is not Kind.ENCRYPTED:
        raise Unavailable(
            f"{path} was not encrypted, and was not kept.", hint="Check the free space, and try again."
        )


def _make_encrypted(path: Path, secret: Secret, make: Make) -> None:
    """Make the file under another name, and let it appear with all its tables.

    So a second process that makes the same file cannot take another salt, and no kill leaves a file that
    only its log makes whole.
    """
    with partial_file(path) as partial:
        make(str(partial), new_key(secret))
        check_encrypted(partial)
        place_new(partial, path)
