"""What stands beside the frames and moves with them: text index, vectors, facts, sub-memories."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from longmind.base.frame import Frame
from longmind.store.engine import Connection
from longmind.store.transaction import Snapshot, Transaction

if TYPE_CHECKING:
    from longmind.base.filters import View
    from longmind.store.drafts import Draft
    from longmind.store.engine import Connection
    from longmind.store.rollback import Difference, Rollback
    from longmind.store.store import Store


@dataclass(frozen=True, slots=True)
class Problem:
    """Something `verify` found; `derived` problems are mended by `reindex`."""

    code: str
    detail: str
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """In place of what `prepare` would have made: the frame is written without, and the report says why."""

    reason: str
    lasting: bool = False
    """It will be so for every write, as without a model: the first write, searches and `doctor` say it."""


@dataclass(slots=True)
class Budget:
    """Limits of one piece of maintenance; counts down as work is done."""

    frames: int | None = None
    seconds: float | None = None
    _started: float = field(default_factory=time.monotonic)

    def spend(self, frames: int) -> None:
        if self.frames is not None:
            self.frames -= frames

    @property
    def exhausted(self) -> bool:
        out_of_time = self.seconds is not None and time.monotonic() - self._started >= self.seconds
        return out_of_time or (self.frames is not None and self.frames <= 0)


class Origin(NamedTuple):
    """Where a frame made of what another says has it from; without bytes, from the whole of it."""

    frame_id: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class DerivedLimits:
    """How much one write may derive from a frame; None leaves it to the part."""

    max_facts_per_chunk: int | None = None
    max_entities_per_chunk: int | None = None
    max_evidence_per_fact: int | None = None


class Part:
    """Base of everything that follows the frames; each method is a step it may take part in."""

    name: str
    needs_whole: bool = False
    """Whether what it writes of a new document shows before the document does. It is then told of one that is
    written in parts only when the last of them is there."""

    @property
    def loaded(self) -> Part:
        """The part itself; of a stand-in, the part that it stands in for."""
        return self

    def within(self, limits: DerivedLimits) -> Part:
        """The same part for one write with limits of its own."""
        return self

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        """Costly work before the transaction (embedding, extraction), one item per draft."""
        return None

    def written(
        self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None
    ) -> Mapping[str, int] | None:
        """New frames, in the transaction that writes them, each with what `prepare` made of it (or None).

        Returns counts for the report, where the part has any.
        """
        return None

    def repeated(self, tx: Transaction, frame_id: int, draft: Draft) -> int:
        """A text that is there already was given again; return how much of what it says counts anew."""
        return 0

    def relabelled(self, tx: Transaction, frame_id: int) -> None:
        """A frame whose tags or metadata a caller changed."""

    def retired(self, tx: Transaction, ids: Sequence[int], *, reason: str) -> None:
        """Frames gone from LATEST, still there as of before."""

    def settled(self, tx: Transaction, facts: Collection[int]) -> None:
        """What is held of these facts changed in this transaction, which is about to be committed."""

    def wording(self, tx: Transaction, facts: Collection[int]) -> Sequence[int]:
        """Frames that only put these facts into words: they cannot stay when the facts are erased."""
        return ()

    def told_by(self, db: Connection, ids: Sequence[int]) -> Mapping[int, Sequence[Origin]]:
        """For those of some frames that were made of what others say, where that is said."""
        return {}

    def expired(self, tx: Transaction, numbers: Sequence[int]) -> None:
        """Assertions that were made for a time which is over; frames that expire are retired."""

    def differences(self, db: Connection, before: View, after: View) -> Sequence[Difference]:
        """What of this part's own is not the same in two states of the store."""
        return ()

    def drafts_at(self, db: Connection, to: int) -> Sequence[Draft]:
        """Texts that going back to a system time writes anew."""
        return ()

    def written_anew(self, tx: Transaction, ids: Sequence[int], rollback: Rollback) -> Sequence[int]:
        """Those of the frames that stay away when the store goes back, because `rolled_back` writes them."""
        return ()

    def rewritten(self, tx: Transaction, old: int, new: int, *, at: int) -> None:
        """A frame was written anew as another: what the old one spoke for, the new one speaks for.

        `at` is the system time to which the store goes back.
        """

    def rolled_back(self, tx: Transaction, rollback: Rollback) -> Mapping[str, int]:
        """Make this part's rows hold again as they did; the frames are back already. Return counts."""
        return {}

    def doomed(self, tx: Transaction, ids: Sequence[int]) -> Sequence[int]:
        """Further frames that cannot stay when these are erased: they go with them."""
        return ()

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        """Remove every row that says something of these frames; return counts by table."""
        return {}

    def rebuild(self, store: Store) -> int:
        """Make derived rows anew from the canonical ones; return how many frames were covered."""
        return 0

    def derive(self, tx: Transaction) -> None:
        """Make the derived rows of a store that was just filled, in the transaction that fills it.

        What is too costly for a transaction is left to `fill`, and its lack reported until then.
        """

    def fill(self, store: Store, also: Callable[[Transaction], None]) -> int:
        """Make what `derive` left, in bounded transactions; each ends by calling `also`."""
        return 0

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        """Bounded upkeep; return counts of what was done."""
        return {}

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return ()

    def notes(self, snapshot: Snapshot) -> Iterable[str]:
        """What `verify` should report that is not damage, in whole sentences."""
        return ()

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return {}

    def counts(self, snapshot: Snapshot) -> Mapping[str, int]:
        """What `stats` says, less what can only be known by reading every row."""
        return self.stats(snapshot)


class LaterPart(Part):
    """Stands in for a part that takes no part in writing, and imports it when it is first needed.

    `follows` is the table that has a row where the part has something that follows facts.
    """

    def __init__(self, name: str, load: Callable[[], Part], *, follows: str | None = None) -> None:
        self.name = name
        self._load = load
        self._follows = follows

    @cached_property
    def _part(self) -> Part:
        return self._load()

    @property
    def loaded(self) -> Part:
        return self._part

    def relabelled(self, tx: Transaction, frame_id: int) -> None:
        self._part.relabelled(tx, frame_id)

    def retired(self, tx: Transaction, ids: Sequence[int], *, reason: str) -> None:
        self._part.retired(tx, ids, reason=reason)

    def settled(self, tx: Transaction, facts: Collection[int]) -> None:
        if self._may_follow(tx):
            self._part.settled(tx, facts)

    def wording(self, tx: Transaction, facts: Collection[int]) -> Sequence[int]:
        return self._part.wording(tx, facts) if self._may_follow(tx) else ()

    def told_by(self, db: Connection, ids: Sequence[int]) -> Mapping[int, Sequence[Origin]]:
        return self._part.told_by(db, ids) if self._has_followers(db) else {}

    def _may_follow(self, tx: Transaction) -> bool:
        table = self._follows
        return table is not None and tx.known(table, "has rows", lambda: self._has_followers(tx.db))

    def _has_followers(self, db: Connection) -> bool:
        return self._follows is not None and db.one(f"SELECT 1 FROM {self._follows} LIMIT 1") is not None

    def differences(self, db: Connection, before: View, after: View) -> Sequence[Difference]:
        return self._part.differences(db, before, after)

    def drafts_at(self, db: Connection, to: int) -> Sequence[Draft]:
        return self._part.drafts_at(db, to)

    def written_anew(self, tx: Transaction, ids: Sequence[int], rollback: Rollback) -> Sequence[int]:
        return self._part.written_anew(tx, ids, rollback)

    def rolled_back(self, tx: Transaction, rollback: Rollback) -> Mapping[str, int]:
        return self._part.rolled_back(tx, rollback)

    def doomed(self, tx: Transaction, ids: Sequence[int]) -> Sequence[int]:
        return self._part.doomed(tx, ids)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        return self._part.erased(tx, ids)

    def rebuild(self, store: Store) -> int:
        return self._part.rebuild(store)

    def derive(self, tx: Transaction) -> None:
        self._part.derive(tx)

    def fill(self, store: Store, also: Callable[[Transaction], None]) -> int:
        return self._part.fill(store, also)

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        return self._part.maintain(store, budget)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return self._part.verify(snapshot, deep=deep)

    def notes(self, snapshot: Snapshot) -> Iterable[str]:
        return self._part.notes(snapshot)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return self._part.stats(snapshot)

    def counts(self, snapshot: Snapshot) -> Mapping[str, int]:
        return self._part.counts(snapshot)


class LaterWriter(LaterPart):
    """Stands in for a part that takes part in writing, and imports it at the first write: reads need none."""

    def __init__(self, name: str, load: Callable[[], Part], *, needs_whole: bool = False) -> None:
        super().__init__(name, load)
        self.needs_whole = needs_whole

    def within(self, limits: DerivedLimits) -> Part:
        return self._part.within(limits)

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        return self._part.prepare(drafts)

    def written(
        self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None
    ) -> Mapping[str, int] | None:
        return self._part.written(tx, frames, prepared)

    def repeated(self, tx: Transaction, frame_id: int, draft: Draft) -> int:
        return self._part.repeated(tx, frame_id, draft)

    def expired(self, tx: Transaction, numbers: Sequence[int]) -> None:
        self._part.expired(tx, numbers)

    def rewritten(self, tx: Transaction, old: int, new: int, *, at: int) -> None:
        self._part.rewritten(tx, old, new, at=at)
