"""SQL on a store's file behind the store's back, with its page checksums in order: what a forger would do."""

from __future__ import annotations

from pathlib import Path

import apsw

from longmind.store import pages


def connect(path: Path | str) -> apsw.Connection:
    return pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
