"""An encrypted file that is written and read as a stream: exports of encrypted stores.

    magic, salt of a passphrase (16 bytes), salt of the file (32 bytes), check of the key (16 bytes)
    parts of 64 KiB, each encrypted with ChaCha20-Poly1305 and followed by its tag of 16 bytes

The nonce of a part is its number and whether it is the last one, and the header is authenticated with every
part. So a part that was changed, moved, left out or added is found, and so is a file that was cut off. The
stream's key is made from the store's key and the salt of the file: the two are never used for the same thing.
"""

from __future__ import annotations

import hmac
import io
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from longmind.base.errors import Corrupt, Forbidden, MissingExtra
from longmind.base.secret import SALT_BYTES, Secret

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC: Final = b"longmind-encrypted-export-1\n"
_FILE_SALT: Final = 32
_CHECK: Final = 16
_HEADER: Final = len(MAGIC) + SALT_BYTES + _FILE_SALT + _CHECK
_PART: Final = 64 * 1024
_TAG: Final = 16


class EncryptedWriter:
    """Encrypts what is written to it; `finish` writes the last part, without which the file is refused."""

    def __init__(self, file: BinaryIO, secret: Secret) -> None:
        _check_installed()
        salt, file_salt = secrets.token_bytes(SALT_BYTES), secrets.token_bytes(_FILE_SALT)
        stream, check = _keys(secret, salt, file_salt)
        self._file = file
        self._header = MAGIC + salt + file_salt + check
        self._stream = stream
        self._waiting = bytearray()
        self._parts = 0
        file.write(self._header)

    def write(self, data: bytes) -> int:
        self._waiting += data
        while len(self._waiting) > _PART:  # a full part waits for what follows: it may be the last
            self._put(bytes(self._waiting[:_PART]), last=False)
            del self._waiting[:_PART]
        return len(data)

    def finish(self) -> None:
        self._put(bytes(self._waiting), last=True)
        self._waiting.clear()

    def _put(self, part: bytes, *, last: bool) -> None:
        self._file.write(self._stream.encrypt(_nonce(self._parts, last), part, self._header))
        self._parts += 1


class EncryptedReader(io.RawIOBase):
    """Reads what an `EncryptedWriter` wrote; nothing is given out that its tag does not confirm."""

    def __init__(self, file: BinaryIO, secret: Secret, name: str) -> None:
        _check_installed()
        header = file.read(_HEADER)
        if len(header) < _HEADER:
            raise _damaged(name)
        salt = header[len(MAGIC) :][:SALT_BYTES]
        file_salt = header[len(MAGIC) + SALT_BYTES :][:_FILE_SALT]
        stream, check = _keys(secret, salt, file_salt)
        if not hmac.compare_digest(check, header[-_CHECK:]):
            raise Forbidden(
                f"{name} is encrypted, or damaged; the key does not fit. Nothing was read.",
                hint="Check the key: it is that of the store that was exported.",
            )
        self._parts = _decrypted(file, stream, header, name)
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._ready:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._ready = memoryview(part)
        room = memoryview(buffer).cast("B")
        count = min(len(room), len(self._ready))
        room[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


def _decrypted(file: BinaryIO, stream: ChaCha20Poly1305, header: bytes, name: str) -> Iterator[bytes]:
    from cryptography.exceptions import InvalidTag

    part, number = file.read(_PART + _TAG), 0
    while True:
        following = file.read(_PART + _TAG)
        try:
            yield stream.decrypt(_nonce(number, not following), part, header)
        except InvalidTag:
            raise _damaged(name) from None
        if not following:
            return
        part, number = following, number + 1


def _keys(secret: Secret, salt: bytes, file_salt: bytes) -> tuple[ChaCha20Poly1305, bytes]:
    """The cipher of the stream, and what tells a wrong key from damage: HKDF with two purposes."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    base = hmac.digest(file_salt, secret.key_for(salt), "sha256")
    check = hmac.digest(base, b"longmind export check\x01", "sha256")[:_CHECK]
    return ChaCha20Poly1305(hmac.digest(base, b"longmind export stream\x01", "sha256")), check


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes((last,))


def _check_installed() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise MissingExtra("Encrypted exports need cryptography.", extra="crypto") from None


def _damaged(name: str) -> Corrupt:
    return Corrupt(f"{name} is damaged or cut off. Nothing was written.", hint="Import another export.")
