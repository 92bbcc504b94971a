"""Experience follows frames: a record goes with its frame, and so does all that was said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longmind.experience import health, removal
from longmind.store.parts import Part, Problem
from longmind.store.transaction import Snapshot, Transaction


class ExperiencePart(Part):
    """The share of experience in the life of frames.

    Nothing is written when a frame is retired: records are read through their frames, and a fact that was
    replaced by one now forgotten stays replaced.
    """

    name = "experience"

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        return removal.erase(tx, ids)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return health.verify(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return health.stats(snapshot)
