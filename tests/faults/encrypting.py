"""What child processes do to encrypted stores until they are killed."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from longmind import Memory
from longmind.store import pages
from tests.store.encrypted import keyed_connection
from tests.store.opening import open_memory

MARKER = "Qmarkerword"


def write_some(say: Callable[..., None], location: str, key: str, name: str) -> None:
    """Open a store that may not be there yet, and write to it."""
    with open_memory(location, key=key) as memory:
        for number in range(10):
            memory.remember(f"{name} wrote {number}")
    say("done")


def change_key(say: Callable[..., None], location: str, act: str, old: str, new: str, point: str) -> None:
    """Encrypt, rekey or decrypt; kill this process at its n-th call of a function, if a number is given."""
    calls = itertools.count(1)
    last = int(point)

    def count(frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call") and next(calls) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    say("ready")
    sys.setprofile(count)
    try:
        if act == "rekey":
            Memory.rekey(location, key=old, new_key=new)
        else:
            getattr(Memory, act)(location, key=old or new)
    finally:
        sys.setprofile(None)
    say("done", calls=next(calls) - 1)


def mark_every_column(say: Callable[..., None], location: str, key: str) -> None:
    """Write rows with a marker in every column of text or bytes, in every table, until killed.

    The rows make no sense, so triggers and constraints are out of the way; what matters is where bytes go.
    """
    path = Path(location)
    open_memory(path, **({"key": key} if key else {})).close()
    db = keyed_connection(path, key) if key else pages.connect(str(path), apsw.SQLITE_OPEN_READWRITE)
    db.execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    db.execute("PRAGMA wal_autocheckpoint = 40").fetchall()
    for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        db.execute(f'DROP TRIGGER "{name}"')
    tables = [str(row[0]) for row in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()]  # fmt: skip
    columns = {table: _columns(db, table) for table in tables}
    say(
        "ready", columns=sum(len(kinds) - kinds.count(None) for kinds in columns.values()), tables=len(tables)
    )
    for number in itertools.count(1_000_000):
        db.execute("BEGIN IMMEDIATE")
        for table, kinds in columns.items():
            values = [_value(kind, number, place) for place, kind in enumerate(kinds)]
            marks = ", ".join("?" * len(values))
            db.execute(f'INSERT OR REPLACE INTO "{table}" VALUES ({marks})', values)
            if number % 7 == 3:  # larger than the cache of pages, so that SQLite writes in mid-transaction
                db.execute("PRAGMA cache_spill = 1; PRAGMA cache_size = 5").fetchall()
        db.execute("COMMIT")
        say("done")


def _columns(db: apsw.Connection, table: str) -> list[type | None]:
    """For each column of a table: text, bytes, or None for a number."""
    kinds: list[type | None] = []
    for _, _, declared, _, _, _, hidden in db.execute(f'PRAGMA table_xinfo("{table}")').fetchall():
        assert not hidden, "a generated column cannot be inserted"
        kinds.append({"TEXT": str, "BLOB": bytes}.get(str(declared).upper()))
    return kinds


def _value(kind: type | None, number: int, place: int) -> str | bytes | int:
    text = f"{MARKER} {number} {place} " + "x" * (number % 900)
    return number if kind is None else text if kind is str else text.encode()
