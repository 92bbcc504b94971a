"""The indexes of a store's spaces: read when first asked for, and kept current by what changed since."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial

from longmind.base.times import FOREVER, AsOf
from longmind.spaces.rows import with_text
from longmind.spaces.space_index import SpaceIndex
from longmind.spaces.words import line, lines, stored_words
from longmind.store.engine import Connection, Row, Value
from longmind.store.follower import Follower, Mirrors
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot
from longmind.store.visible import among, during


@dataclass(slots=True)
class SpaceIndexes:
    """The indexes of one store's spaces, each brought up to date when it is asked for."""

    mirrors: Mirrors = field(default_factory=Mirrors)
    lock: threading.RLock = field(default_factory=threading.RLock)
    _followers: dict[str, Follower[_Latest]] = field(default_factory=dict)

    def at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> SpaceIndex:
        """The space as of an instant. Hold `lock`, and the snapshot, while using it."""
        return self._at(snapshot, space, as_of).reading(snapshot.db)

    def _at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> SpaceIndex:
        if as_of.system < snapshot.revision:
            return _load(snapshot.db, space, as_of)
        follower = self._followers.get(space)
        if follower is None:
            # There may be any number of spaces: those that were dropped from memory leave nothing here.
            self._followers = {name: one for name, one in self._followers.items() if one.revision >= 0}
            follower = self._followers[space] = Follower(self.mirrors, "spaces", partial(_Latest, space))
        if snapshot.revision < follower.revision:
            return _load(snapshot.db, space, AsOf.LATEST)
        if follower.at(snapshot).index.wasteful:
            follower.drop()
        return follower.at(snapshot).index


class _Latest:
    """The mirror of a space as it is now."""

    def __init__(self, space: str) -> None:
        self._space = space
        self.index = SpaceIndex(space, AsOf.LATEST)

    def advance(self, snapshot: Snapshot, since: int) -> None:
        if since < 0:
            self.index = _load(snapshot.db, self._space, AsOf.LATEST)
        else:
            _follow(self.index, snapshot.db, since)

    @property
    def nbytes(self) -> int:
        return self.index.nbytes


def _load(db: Connection, space: str, as_of: AsOf) -> SpaceIndex:
    index = SpaceIndex(space, as_of)
    if as_of.system == FOREVER:
        index.add(lines(db, "space = ? AND until = ?", (space, FOREVER)))
    else:
        values: tuple[Value, ...] = (space, as_of.system, as_of.system)
        index.add(lines(db, "space = ? AND until > ? AND since <= ?", values))
    clause = during("x", as_of)
    found = db.one(
        f"SELECT count(*) FROM space_object x WHERE x.space = ? AND {clause.sql}", (space, *clause.values)
    )
    if found is not None and int(found[0]) != len(index):
        index.add(_missing(db, space, as_of, set(index.slot_of)))
    return index


def _missing(db: Connection, space: str, as_of: AsOf, known: set[str]) -> list[Row]:
    """Lines that the store does not hold, or holds by older rules, made from the objects: right, but slow."""
    clause = during("x", as_of)
    sql = f"SELECT x.object_id FROM space_object x WHERE x.space = ? AND {clause.sql} ORDER BY x.object_id"
    ids = [str(row[0]) for row in db.all(sql, (space, *clause.values)) if row[0] not in known]
    return [line(stored_words(db, row, text)) for row, text in with_text(db, space, as_of, ids=ids)]


def _follow(index: SpaceIndex, db: Connection, revision: int) -> None:
    """Take in what was opened or closed since a revision."""
    sql = "SELECT object_id FROM space_object WHERE space = ? AND until > ?"
    gone = {str(row[0]) for row in db.all(sql, (index.space, revision))}
    sql = "SELECT frame_id, object_id FROM space_object WHERE space = ? AND until IS NULL AND since > ?"
    come = {int(frame): str(name) for frame, name in db.all(sql, (index.space, revision))}
    index.drop(gone)
    found: list[Row] = []
    for batch in batched(sorted(come)):
        clause = among("frame_id", batch)
        found += lines(
            db, f"space = ? AND until = ? AND {clause.sql}", (index.space, FOREVER, *clause.values)
        )
    index.add(found)
    lacking = sorted(name for name in come.values() if name not in index.slot_of)
    index.add(
        [
            line(stored_words(db, row, text))
            for row, text in with_text(db, index.space, AsOf.LATEST, ids=lacking)
        ]
    )
