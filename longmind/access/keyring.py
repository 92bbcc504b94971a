"""The keys of a running server: read again whenever the file changes, counted, and noted when used."""

from __future__ import annotations

import hmac
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from longmind.access.buckets import Buckets
from longmind.access.grants import OWNER, Denied, Grant
from longmind.access.keys import Key, KeyFile, hash_of
from longmind.base.errors import LongmindError
from longmind.base.file_lock import alone
from longmind.base.json_text import parse_json
from longmind.base.partial import partial_file, put_in_place

_log = logging.getLogger("longmind.access")
_SCHEME: Final = "bearer "
_WRITE_EVERY: Final = 60.0
"""Seconds between two writes of when keys were last used: a request must not wait for the disk."""


class TooOften(Denied):
    """A key that has asked more often than it may; `seconds` says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            "rate", "This key has made too many requests.", hint=f"Try again in {seconds} seconds."
        )
        self.seconds = seconds


class KeyRing:
    """Says who asks, by the Authorization header.

    With neither a token nor a key file everybody is the owner. Once a key file was seen, keys stay required
    until the process ends: deleting the file, or damaging it, lets nobody in.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        token: str | None = None,
        now: Callable[[], int] | None = None,
        required: bool = False,
        buckets: Buckets | None = None,
    ) -> None:
        self._file = None if path is None else KeyFile(path)
        self._token = token or None
        self._now = now or (lambda: time.time_ns() // 1_000_000)
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._has_looked = False
        """Whether the keys are known that there were when the server began: those are not new."""
        self._required = required
        self._keys: dict[str, Key] = {}
        self._changes: list[tuple[str, str]] = []
        """What became of which key, until somebody with a store writes it into the audit log."""
        self._buckets = buckets or Buckets()
        self._uses = None if path is None else LastUses(path)

    @property
    def is_open(self) -> bool:
        """Whether requests are answered without a key."""
        self._refresh()
        return self._token is None and not self._required

    def check(self) -> None:
        """Raise what is wrong with the key file, so that a server does not start with it."""
        if self._file is not None:
            self._file.read()

    def grant(self, authorization: str) -> Grant:
        """What the sender of this header may do, or `Denied`."""
        if self.is_open:
            return OWNER
        if not authorization.lower().startswith(_SCHEME):
            raise Denied("no_key", "A key is required.", hint="Send the header Authorization: Bearer KEY.")
        secret = authorization[len(_SCHEME) :].strip()
        if self._token is not None and hmac.compare_digest(secret.encode(), self._token.encode()):
            return OWNER
        return self._granted(hash_of(secret))

    def _granted(self, digest: str) -> Grant:
        key = self._keys.get(digest)
        if key is None or not hmac.compare_digest(key.hash, digest):
            raise Denied(
                "unknown_key", "This key is not valid.", hint="Ask for a new one; it may be revoked."
            )
        now = self._now()
        if key.state(now) != "active":
            raise Denied("expired_key", "This key has expired.", hint="Ask for a new one.")
        if key.rate is not None and (seconds := self._buckets.take(key.id, key.rate)):
            raise TooOften(seconds)
        if self._uses is not None:
            self._uses.note(key.id, now)
        return key.grant

    def take_changes(self) -> list[tuple[str, str]]:
        """Keys that were created or have ended since the last time, as actions for the audit log."""
        if not self._changes:  # nearly always
            return []
        with self._lock:
            changes, self._changes = self._changes, []
        return changes

    def close(self) -> None:
        """Write down when keys were last used."""
        self._buckets.close()
        if self._uses is not None:
            self._uses.write()

    def _refresh(self) -> None:
        """Read the file again if it is not the one that was read: a revoked key is refused from then on."""
        if self._file is None:
            return
        seen = _identity(self._file.path)
        if seen == self._seen:
            self._has_looked = True
            return
        with self._lock:
            try:
                keys = self._file.read()
            except LongmindError as error:
                _log.error("The key file cannot be used, so no key is accepted: %s", error.message)
                keys = ()
            if self._has_looked:
                self._changes += _logged_changes(self._keys.values(), keys, self._now())
            self._keys = {key.hash: key for key in keys if key.hash}
            self._required = self._required or seen is not None
            self._seen, self._has_looked = seen, True


def _logged_changes(before: Iterable[Key], after: Iterable[Key], now: int) -> list[tuple[str, str]]:
    """Which keys were created and which ended, by their ids, while the server runs; also in its log."""
    active = [{key.id: key for key in keys if key.state(now) == "active"} for keys in (before, after)]
    created = [key for key_id, key in active[1].items() if key_id not in active[0]]
    ended = [key_id for key_id in active[0] if key_id not in active[1]]
    for key in created:
        _log.warning("key created: key=%s role=%s", key.id, key.grant.role)
    for key_id in ended:
        _log.warning("key ended: key=%s", key_id)
    return [("key.create", key.id) for key in created] + [("key.end", key_id) for key_id in ended]


class LastUses:
    """When keys were last used, in a file of its own beside the keys: the server never writes the keys."""

    def __init__(self, keys: Path) -> None:
        self._path = keys.with_name(keys.name + ".used")
        self._lock = threading.Lock()
        self._pending: dict[str, int] = {}
        self._written = time.monotonic()

    def note(self, key_id: str, now: int) -> None:
        with self._lock:
            self._pending[key_id] = now
            due = time.monotonic() - self._written > _WRITE_EVERY
            if due:
                self._written = time.monotonic()
        if due:
            threading.Thread(target=self.write, name="longmind-key-uses", daemon=True).start()

    def read(self) -> dict[str, int]:
        """By the key's id; empty if nothing was written yet."""
        try:
            uses = parse_json(self._path.read_text(encoding="utf-8"))
            return {str(key_id): int(moment) for key_id, moment in uses.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def write(self) -> None:
        """Merge with what other servers wrote. A disk that cannot be written must not stop requests."""
        with self._lock:
            pending, self._pending = self._pending, {}
        if not pending:
            return
        with suppress(OSError, LongmindError), alone(self._path.with_name(self._path.name + ".lock")):
            uses = self.read()
            for key_id, moment in pending.items():
                uses[key_id] = max(moment, uses.get(key_id, 0))
            with partial_file(self._path) as partial:
                partial.write_text(json.dumps(uses), encoding="utf-8")
                put_in_place(partial, self._path)


def _identity(path: Path) -> tuple[int, ...] | None:
    """Which file is there, in which state; None for none. Changes replace the file, so that each differs."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode
