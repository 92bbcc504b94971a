"""The same limits for several processes: buckets in a file, locked for the moment of a change."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from longmind.access.buckets import Bucket, Buckets
from longmind.base.file_lock import alone

_SLOT: Final = struct.Struct("<32sqdd")
"""The hash of a key's id, its limit, what is left, and since when."""


class SharedBuckets(Buckets):
    """One bucket for each key, whichever process is asked.

    The lock is the system's own, which ends with a process: one that is killed stops nobody. The clock must
    be the same in all processes, as the monotonic one of a machine is.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        path.touch(mode=0o600)
        self._file = path.open("r+b", buffering=0)
        self._lock_path = path.with_name(path.name + ".lock")
        self._offsets: dict[bytes, int] = {}

    def take(self, key_id: str, rate: int) -> int:
        name = sha256(key_id.encode()).digest()
        with self.lock, alone(self._lock_path):
            now = self.clock()
            bucket = self._read(name) or Bucket(rate, float(rate), now)
            bucket, seconds = bucket.take(rate, now)
            self._file.seek(self._offsets[name])
            self._file.write(_SLOT.pack(name, *bucket))
        return seconds

    def close(self) -> None:
        self._file.close()

    def _read(self, name: bytes) -> Bucket | None:
        """The key's bucket; None if no process has one yet, and then its place is at the end."""
        if name not in self._offsets:
            self._file.seek(0)
            rows = self._file.read() or b""
            for offset in range(0, len(rows) - _SLOT.size + 1, _SLOT.size):
                self._offsets[rows[offset : offset + len(name)]] = offset
            if name not in self._offsets:
                self._offsets[name] = len(rows) // _SLOT.size * _SLOT.size
                return None
        self._file.seek(self._offsets[name])
        slot = self._file.read(_SLOT.size) or b""
        return Bucket(*_SLOT.unpack(slot)[1:]) if len(slot) == _SLOT.size else None
