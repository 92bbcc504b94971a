"""The indexes of a store's spaces: read when first asked for, and kept current by what changed since."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial

from longmind.base.times import AsOf
from longmind.spaces.space_index import SpaceIndex, follow, load
from longmind.store.follower import Follower, Mirrors
from longmind.store.transaction import Snapshot


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
            return load(snapshot.db, space, as_of)
        follower = self._followers.get(space)
        if follower is None:
            # There may be any number of spaces: those that were dropped from memory leave nothing here.
            self._followers = {name: one for name, one in self._followers.items() if one.revision >= 0}
            follower = self._followers[space] = Follower(self.mirrors, "spaces", partial(_Latest, space))
        if snapshot.revision < follower.revision:
            return load(snapshot.db, space, AsOf.LATEST)
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
            self.index = load(snapshot.db, self._space, AsOf.LATEST)
        else:
            follow(self.index, snapshot.db, since)

    @property
    def nbytes(self) -> int:
        return self.index.nbytes
