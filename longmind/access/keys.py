"""The keys of a server, in a small file beside no store: only their hashes, and what each may do."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, cast

from longmind.access.grants import ROLE_NAMES, ROLES, Grant, Role, check_pattern, check_user
from longmind.base.checks import check_label
from longmind.base.errors import Conflict, Corrupt, Forbidden, InvalidInput, NotFound
from longmind.base.file_lock import alone
from longmind.base.json_text import parse_json
from longmind.base.partial import partial_file, put_in_place, writing

PREFIX: Final = "lm_"
FILE_VARIABLE: Final = "LONGMIND_KEYS"
_FORMAT: Final = 1
_SECRET_BYTES: Final = 32
_MOST_RATE: Final = 1_000_000
_LATEST: Final = 253_402_300_799_999
"""The last millisecond of the year 9999: later moments cannot be written as a date."""
_MOST_BYTES: Final = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Key:
    """One key as the file keeps it. The key itself is shown once and kept nowhere."""

    id: str
    name: str
    spaces: tuple[str, ...]
    role: Role
    user: str | None
    any_user: bool
    created_at: int
    expires_at: int | None
    rate: int | None
    """Requests a minute; None for no limit."""
    revoked_at: int | None
    hash: str
    """SHA-256 of the key, in hexadecimal; empty once it is revoked.

    A key is 256 random bits, so that nothing slower is needed: there is no dictionary to try.
    """

    def state(self, now: int) -> str:
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"

    @property
    def grant(self) -> Grant:
        return Grant(self.spaces, self.role, self.user, self.any_user, self.id)


def hash_of(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def default_file() -> Path:
    """The user's own key file. It reads the environment, so only the interfaces call it."""
    if chosen := os.environ.get(FILE_VARIABLE):
        return Path(chosen).expanduser().absolute()
    home = Path.home()
    if sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        shared = Path(os.environ.get("XDG_CONFIG_HOME") or "")
        folder = shared if shared.is_absolute() else home / ".config"
    return folder / "longmind" / "keys.json"


class KeyFile:
    """The keys in one file. Changes are whole or not at all, and never overwrite another process's."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[Key, ...]:
        """Every key, oldest first; none without a file."""
        try:
            with self.path.open("rb") as file:
                _check_private(self.path, os.fstat(file.fileno()))
                raw = file.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            return ()
        except Forbidden:
            raise
        except OSError as error:
            raise Forbidden(
                f"The key file {self.path} cannot be read: {error.strerror}.", hint="Check its permissions."
            ) from None
        return _parsed(raw, self.path)

    def create(
        self,
        name: str,
        *,
        spaces: Iterable[str],
        now: int,
        role: Role | Literal["reader", "writer", "owner"] = "read",
        user: str | None = None,
        any_user: bool = False,
        expires_at: int | None = None,
        rate: int | None = None,
    ) -> tuple[str, Key]:
        """A new key: the text that its holder sends, which nobody can show again, and its entry."""
        chosen = cast(Role, ROLE_NAMES.get(role, role))
        secret = PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        key = _checked(
            Key(
                id="k_" + secrets.token_hex(4),
                name=name,
                spaces=tuple(spaces),
                role=chosen,
                user=user,
                # Upkeep is of a whole space, with everybody's part in it.
                any_user=any_user or chosen == "admin",
                created_at=now,
                expires_at=expires_at,
                rate=rate,
                revoked_at=None,
                hash=hash_of(secret),
            ),
            now,
        )
        with self._changing() as keys:
            if any(item.name == key.name and item.state(now) == "active" for item in keys):
                raise Conflict(
                    f"There is a key named {key.name!r} already.",
                    hint="Choose another name, or revoke it first: longmind keys revoke NAME",
                )
            keys.append(key)
        return secret, key

    def revoke(self, which: str, *, now: int) -> Key:
        """End a key by its id, or by its name; what it may have been is still listed."""
        with self._changing() as keys:
            named = [item for item in keys if which in (item.id, item.name) and item.revoked_at is None]
            if not named:
                raise NotFound(f"There is no key {which!r} in {self.path}.", hint="See: longmind keys list")
            if len(named) > 1:
                ids = ", ".join(item.id for item in named)
                raise Conflict(f"{len(named)} keys are named {which!r}.", hint=f"Give its id: {ids}")
            revoked = replace(named[0], revoked_at=now, hash="")
            keys[keys.index(named[0])] = revoked
        return revoked

    @contextmanager
    def _changing(self) -> Iterator[list[Key]]:
        """The keys to change; written back when the block ends well."""
        folder = self.path.parent
        with writing(self.path):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(self.path.with_name(self.path.name + ".lock")):
            keys = list(self.read())
            yield keys
            text = json.dumps({"format": _FORMAT, "keys": [asdict(key) for key in keys]}, indent=2)
            with partial_file(self.path) as partial, writing(self.path):
                partial.write_text(text + "\n", encoding="utf-8")
                put_in_place(partial, self.path)


def _check_private(path: Path, status: os.stat_result) -> None:
    """Whoever can write the file can let himself in, so that only its owner may."""
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o022:
        raise Forbidden(f"The key file {path} can be written by other users.", hint=f"Run: chmod 600 {path}")


def _parsed(raw: bytes, path: Path) -> tuple[Key, ...]:
    try:
        document: Any = parse_json(raw) if len(raw) <= _MOST_BYTES else None
        if document["format"] != _FORMAT:
            raise ValueError
        return tuple(_key(item) for item in document["keys"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Corrupt(
            f"{path} is not a key file of this version.", hint="Restore it, or make keys in another file."
        ) from None


def _key(item: Mapping[str, Any]) -> Key:
    key = Key(**{**item, "spaces": tuple(item["spaces"])})
    texts = (key.id, key.name, key.role, key.hash, *key.spaces)
    moments = (key.created_at, *(item for item in (key.expires_at, key.revoked_at) if item is not None))
    if (
        not all(isinstance(text, str) for text in texts)
        or key.role not in ROLES
        or not isinstance(key.any_user, bool)
        or not isinstance(key.user, str | None)
        or not all(type(moment) is int and 0 <= moment <= _LATEST for moment in moments)
        or (key.rate is not None and (type(key.rate) is not int or not 0 < key.rate <= _MOST_RATE))
    ):
        raise ValueError
    return key


def _checked(key: Key, now: int) -> Key:
    spaces = tuple(dict.fromkeys(check_pattern(space) for space in key.spaces))
    if not spaces:
        raise InvalidInput("The key is for no space.", hint="Name one with --space, or '*' for all.")
    if key.role not in ROLES:
        raise InvalidInput(f"{key.role!r} is not a role.", hint=f"The roles are {', '.join(ROLES)}.")
    if key.user is not None and key.any_user:
        raise InvalidInput(
            "A key is for one user, or for any user.",
            hint="An admin key is for any user; otherwise give --user or --any-user.",
        )
    if key.expires_at is not None and key.expires_at <= now:
        raise InvalidInput("The key would have expired already.", hint="Give a later moment.")
    if key.rate is not None and not 0 < key.rate <= _MOST_RATE:
        raise InvalidInput(
            f"rate must be between 1 and {_MOST_RATE} requests a minute.", hint="Leave it out for no limit."
        )
    user = None if key.user is None else check_user(key.user)
    return replace(key, name=check_label(key.name, "name"), spaces=spaces, user=user)
