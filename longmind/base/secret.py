"""What opens an encrypted store: a key of 32 bytes, or a passphrase from which one is derived.

A `Secret` never shows itself: not in `repr`, not in an error, not in a pickle. Where a key is needed, the
caller asks for the one that belongs to a file's salt.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import threading
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NoReturn

from longmind.base.errors import (
    Forbidden,
    InvalidInput,
    LongmindError,
    MissingExtra,
    NotFound,
    Unavailable,
)

KEY_BYTES: Final = 32
SALT_BYTES: Final = 16
VARIABLE: Final = "LONGMIND_KEY"
"""The key itself, in hex; `_FILE`, `_COMMAND` and `_KEYRING` after it say where else it is."""
NEW_VARIABLE: Final = "LONGMIND_NEW_KEY"
"""The same for the key that a store gets by `rekey`."""
ENDINGS: Final = ("", "_FILE", "_COMMAND", "_KEYRING")

_HEX = re.compile(r"[0-9a-fA-F]{64}")
_MOST_BYTES: Final = 4096
_COMMAND_SECONDS: Final = 120.0
# What OWASP recommends for scrypt in the least memory: 32 MiB, and three times over. A quarter of a second.
# Nothing in a file says how its key was derived, so a change here would lock every passphrase out.
_SCRYPT: Final = {"n": 2**15, "r": 8, "p": 3, "maxmem": 64 * 2**20, "dklen": KEY_BYTES}
_PURPOSE: Final = b"longmind store key 1"
_MOST_DERIVED: Final = 256

_lock = threading.Lock()
_blind: Final = secrets.token_bytes(32)
_derived: dict[bytes, bytes] = {}
"""Keys of passphrases, so that each is derived once in a process; named by a hash that only it can make."""


class Secret:
    """A key, or a passphrase; which of the two is decided by `secret_of`."""

    __slots__ = ("_bytes", "_is_key")

    def __init__(self, value: bytes, *, is_key: bool) -> None:
        self._bytes = value
        self._is_key = is_key

    def key_for(self, salt: bytes) -> bytes:
        """The 32 bytes that fit a file with this salt; a passphrase is derived once in a process."""
        if self._is_key:
            return self._bytes
        name = hmac.digest(_blind, salt + self._bytes, "sha256")
        with _lock:
            key = _derived.get(name)
        if key is None:
            key = hashlib.scrypt(self._bytes, salt=_PURPOSE + salt, **_SCRYPT)
            with _lock:
                while len(_derived) >= _MOST_DERIVED:
                    _derived.pop(next(iter(_derived)))
                _derived[name] = key
        return key

    def __repr__(self) -> str:
        return "<Secret>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A secret is not pickled.")


KeyLike = bytes | str | Secret | Callable[[], "bytes | str | Secret"]
"""32 bytes or 64 hexadecimal digits are the key itself; any other text is a passphrase."""


def secret_of(key: KeyLike, name: str = "key") -> Secret:
    """The secret that a caller gave, or that the function given returns."""
    if callable(key):
        try:
            key = key()
        except LongmindError:
            raise
        except Exception as error:  # its text may hold what it was to return
            raise Unavailable(
                f"The function given as {name} failed with {type(error).__name__}.",
                hint="Call it by itself to see why.",
            ) from None
    if isinstance(key, Secret):
        return key
    if isinstance(key, bytes | bytearray | memoryview):
        raw = bytes(key)
        if len(raw) != KEY_BYTES:
            raise InvalidInput(
                f"{name} has {len(raw)} bytes, and a key has {KEY_BYTES}.",
                hint="Give 32 random bytes, or a passphrase as text.",
            )
        return Secret(raw, is_key=True)
    if not isinstance(key, str):
        raise InvalidInput(
            f"{name} must be bytes, text or a function that returns one of them, not {type(key).__name__}."
        )
    if _HEX.fullmatch(key):
        return Secret(bytes.fromhex(key), is_key=True)
    try:
        passphrase = unicodedata.normalize("NFC", key).encode()  # the same on every keyboard
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{name} is not valid text.", hint="Give a passphrase in UTF-8, or a key of 32 bytes."
        ) from None
    if not passphrase.strip():
        raise InvalidInput(f"{name} is empty.", hint="Give a passphrase, or 64 hexadecimal digits.")
    return Secret(passphrase, is_key=False)


def environment_secret(environment: Mapping[str, str], variable: str = VARIABLE) -> Secret | None:
    """The secret that the environment names; None if it names none."""
    names = [variable + ending for ending in ENDINGS if environment.get(variable + ending)]
    if not names:
        return None
    if len(names) > 1:
        raise InvalidInput(
            f"{' and '.join(names)} are set, and only one of them can be right.", hint="Unset the others."
        )
    name, value = names[0], environment[names[0]]
    if name.endswith("_FILE"):
        return _parsed(_from_file(value, name), name)
    if name.endswith("_COMMAND"):
        return _parsed(_from_command(value, name), name)
    if name.endswith("_KEYRING"):
        return _parsed(_from_keyring(value, name).encode(), name)
    if not _HEX.fullmatch(value.strip()):
        raise InvalidInput(
            f"{name} is not a key: it must be 64 hexadecimal digits.",
            hint=f"Make one with: openssl rand -hex 32. A passphrase goes into a file ({name}_FILE).",
        )
    return secret_of(value.strip(), name)


def environment_without_keys() -> dict[str, str]:
    """The environment for a program that we start: it has no use for a key."""
    return {name: text for name, text in os.environ.items() if not name.startswith((VARIABLE, NEW_VARIABLE))}


def _parsed(raw: bytes, name: str) -> Secret:
    """32 bytes, or one line of text."""
    if len(raw) == KEY_BYTES and not _is_line(raw):
        return secret_of(raw, name)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{name} gave {len(raw)} bytes that are neither a key nor text.",
            hint="A key is 32 bytes or 64 hexadecimal digits; a passphrase is one line of UTF-8.",
        ) from None
    text = text.removesuffix("\n").removesuffix("\r")
    if "\n" in text:
        raise InvalidInput(f"{name} gave more than one line.", hint="A passphrase is one line.")
    return secret_of(text.strip() if _HEX.fullmatch(text.strip()) else text, name)


def _is_line(raw: bytes) -> bool:
    """Whether 32 bytes are rather typed than random: printable ASCII, which 32 random bytes never are."""
    return all(32 <= byte < 127 or byte in (10, 13) for byte in raw)


def _from_file(value: str, name: str) -> bytes:
    path = Path(value).expanduser()
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise NotFound(f"{path}, which {name} names, does not exist.", hint="Check the path.") from None
    except OSError as error:
        raise Forbidden(
            f"{path}, which {name} names, cannot be read: {error.strerror}.",
            hint="Let this user read it: chmod 400, and check its owner.",
        ) from None
    if len(raw) > _MOST_BYTES:
        raise InvalidInput(f"{path}, which {name} names, is too large for a key.", hint="Check the path.")
    return raw


def _from_command(value: str, name: str) -> bytes:
    """What a command prints. It runs without a shell, and its output is never shown."""
    import shlex
    import subprocess  # here, so that a hook without a key does not wait for it

    try:
        words = shlex.split(value)
    except ValueError as error:
        raise InvalidInput(
            f"{name} is not a valid command line: {error}.", hint="Quote it as you would in a shell."
        ) from None
    if not words:
        raise InvalidInput(f"{name} is empty.")
    try:
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stdin=None,  # a password manager may ask its user
            env=environment_without_keys(),
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(
            f"The command in {name} did not end within {_COMMAND_SECONDS:g} s.",
            hint="Run it by itself to see what it waits for.",
        ) from None
    except OSError as error:
        raise NotFound(
            f"The command in {name} cannot be run: {error.strerror}.", hint="Check its name and path."
        ) from None
    if done.returncode:
        raise Unavailable(
            f"The command in {name} ended with status {done.returncode}.", hint="Run it by itself to see why."
        )
    if len(done.stdout) > _MOST_BYTES:
        raise InvalidInput(
            f"The command in {name} printed more than a key.", hint="Let it print the key alone, on one line."
        )
    return done.stdout


def _from_keyring(value: str, name: str) -> str:
    service, slash, user = value.rpartition("/")
    if not slash or not service or not user:
        raise InvalidInput(f"{name} must be SERVICE/NAME.", hint=f"Write {name}=longmind/work.")
    try:
        import keyring  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra(f"{name} needs the package keyring.", extra="keyring") from None
    try:
        passphrase = keyring.get_password(service, user)
    except Exception as error:  # of whatever keeps the passwords of this system
        raise Unavailable(
            f"The keyring did not answer: {type(error).__name__}.", hint="Unlock it, and try again."
        ) from None
    if passphrase is None:
        raise NotFound(
            f"The keyring has no entry {service}/{user}.", hint=f"Run: keyring set {service} {user}"
        )
    return str(passphrase)
