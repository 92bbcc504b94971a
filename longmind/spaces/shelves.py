"""The shelves of a store: read when first asked for, and kept current by what changed since."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from longmind.base.times import FOREVER, AsOf
from longmind.spaces.rows import held as holding
from longmind.spaces.rows import with_text
from longmind.spaces.shelf import Shelf
from longmind.spaces.words import line, lines, stored_words
from longmind.store.engine import Row, Rows, Value
from longmind.store.frames import batches
from longmind.store.transaction import Snapshot
from longmind.store.visible import among

_KEPT: Final = 8


@dataclass(slots=True)
class _Held:
    shelf: Shelf
    revision: int
    erasures: int


@dataclass(slots=True)
class Shelves:
    """The shelves of one store, each brought up to date when it is asked for."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    _held: OrderedDict[str, _Held] = field(default_factory=OrderedDict)

    def at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> Shelf:
        """The space as of an instant. Hold `lock`, and the snapshot, while using it."""
        return self._at(snapshot, space, as_of).reading(snapshot.rows)

    def _at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> Shelf:
        if as_of.system < snapshot.revision:
            return _load(snapshot.rows, space, as_of)
        held = self._held.get(space)
        if held is not None and snapshot.revision < held.revision:
            return _load(snapshot.rows, space, AsOf.LATEST)
        erasures = _erasures(snapshot.rows)
        if held is None or held.erasures != erasures or held.shelf.wasteful:
            held = _Held(_load(snapshot.rows, space, AsOf.LATEST), snapshot.revision, erasures)
            self._held[space] = held
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)
        elif held.revision < snapshot.revision:
            # Out of reach while it changes: an exception in between leaves a shelf that does not agree.
            del self._held[space]
            _follow(held.shelf, snapshot.rows, held.revision)
            held.revision = snapshot.revision
            self._held[space] = held
        self._held.move_to_end(space)
        return held.shelf


def _load(rows: Rows, space: str, as_of: AsOf) -> Shelf:
    shelf = Shelf(space, as_of)
    if as_of.system == FOREVER:
        shelf.add(lines(rows, "space = ? AND until = ?", (space, FOREVER)))
    else:
        values: tuple[Value, ...] = (space, as_of.system, as_of.system)
        shelf.add(lines(rows, "space = ? AND until > ? AND since <= ?", values))
    clause = holding(as_of)
    found = rows.one(
        f"SELECT count(*) FROM space_object x WHERE x.space = ? AND {clause.sql}", (space, *clause.values)
    )
    if found is not None and int(found[0]) != len(shelf):
        shelf.add(_missing(rows, space, as_of, set(shelf.slot_of)))
    return shelf


def _missing(rows: Rows, space: str, as_of: AsOf, known: set[str]) -> list[Row]:
    """Lines that the store does not hold, or holds by older rules, made from the objects: right, but slow."""
    clause = holding(as_of)
    sql = f"SELECT x.object_id FROM space_object x WHERE x.space = ? AND {clause.sql} ORDER BY x.object_id"
    ids = [str(row[0]) for row in rows.all(sql, (space, *clause.values)) if row[0] not in known]
    return [line(stored_words(rows, row, text)) for row, text in with_text(rows, space, as_of, ids=ids)]


def _follow(shelf: Shelf, rows: Rows, revision: int) -> None:
    """Take in what was opened or closed since a revision."""
    sql = "SELECT object_id FROM space_object WHERE space = ? AND until > ?"
    gone = {str(row[0]) for row in rows.all(sql, (shelf.space, revision))}
    sql = "SELECT frame_id, object_id FROM space_object WHERE space = ? AND until IS NULL AND since > ?"
    come = {int(frame): str(name) for frame, name in rows.all(sql, (shelf.space, revision))}
    shelf.drop(gone)
    found: list[Row] = []
    for batch in batches(sorted(come)):
        clause = among("frame_id", batch)
        found += lines(
            rows, f"space = ? AND until = ? AND {clause.sql}", (shelf.space, FOREVER, *clause.values)
        )
    shelf.add(found)
    lacking = sorted(name for name in come.values() if name not in shelf.slot_of)
    shelf.add(
        [
            line(stored_words(rows, row, text))
            for row, text in with_text(rows, shelf.space, AsOf.LATEST, ids=lacking)
        ]
    )


def _erasures(rows: Rows) -> int:
    row = rows.one("SELECT count(*) FROM erasure")
    return int(row[0]) if row else 0
