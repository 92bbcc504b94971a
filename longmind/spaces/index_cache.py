"""The shelves of a store: read when first asked for, and kept current by what changed since."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from longmind.base.times import AsOf
from longmind.spaces.space_index import SpaceIndex, follow, load
from longmind.store.engine import Connection
from longmind.store.transaction import Snapshot

_KEPT: Final = 8


@dataclass(slots=True)
class _Held:
    index: SpaceIndex
    revision: int
    erasures: int


@dataclass(slots=True)
class SpaceIndexes:
    """The shelves of one store, each brought up to date when it is asked for."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    _held: OrderedDict[str, _Held] = field(default_factory=OrderedDict)

    def at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> SpaceIndex:
        """The space as of an instant. Hold `lock`, and the snapshot, while using it."""
        return self._at(snapshot, space, as_of).reading(snapshot.db)

    def _at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> SpaceIndex:
        if as_of.system < snapshot.revision:
            return load(snapshot.db, space, as_of)
        held = self._held.get(space)
        if held is not None and snapshot.revision < held.revision:
            return load(snapshot.db, space, AsOf.LATEST)
        erasures = _erasures(snapshot.db)
        if held is None or held.erasures != erasures or held.index.wasteful:
            held = _Held(load(snapshot.db, space, AsOf.LATEST), snapshot.revision, erasures)
            self._held[space] = held
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)
        elif held.revision < snapshot.revision:
            # Out of reach while it changes: an exception in between leaves a shelf that does not agree.
            del self._held[space]
            follow(held.index, snapshot.db, held.revision)
            held.revision = snapshot.revision
            self._held[space] = held
        self._held.move_to_end(space)
        return held.index


def _erasures(db: Connection) -> int:
    row = db.one("SELECT count(*) FROM erasure")
    return int(row[0]) if row else 0
