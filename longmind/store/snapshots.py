"""Named states of a store: create, list, compare, go back to, delete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from longmind.base.caller import audited
from longmind.base.checks import check_label, check_text
from longmind.base.errors import Conflict, NotFound
from longmind.base.parameters import DryRun
from longmind.base.results import Listing
from longmind.base.times import FOREVER
from longmind.store.engine import Connection, scalar
from longmind.store.rollback import Difference, Rollback, frame_differences, roll_back, state_at
from longmind.store.store import Store
from longmind.store.tables import Tables
from longmind.store.write import Prepared

SnapshotName = Annotated[str, "The name of a snapshot."]


class SnapshotRow(NamedTuple):
    name: str
    system: int
    note: str
    created_at: int


_SEALED: Final = Tables({SnapshotRow: "store_snapshot"})


@dataclass(frozen=True, slots=True)
class SavedState:
    """A name for the state of a store at a system time."""

    name: str
    system: int
    note: str
    created_at: int


@dataclass(frozen=True, slots=True, eq=False)
class SavedStates(Listing[SavedState]):
    """Snapshots, oldest first."""

    snapshots: tuple[SavedState, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Differences(Listing[Difference]):
    """What is not the same in a later state."""

    differences: tuple[Difference, ...]
    before: int
    after: int | None
    """System times; None: as it is now."""


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """What going back to a snapshot did, or would do."""

    snapshot: str
    dry_run: bool
    restored_at: int | None
    """The system time of the new state; None if nothing had to change, or nothing was written."""
    counts: dict[str, int]
    erased: int
    """Frames that were erased since the snapshot: what was among them then does not come back."""
    expired: int
    """Frames that have expired since the snapshot, and do not come back either."""
    differences: tuple[Difference, ...]
    """What differed before, from the snapshot to that state."""


@audited("snapshot.")
class Snapshots:
    """Which states have a name, and how to get back to one?"""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(
        self,
        name: SnapshotName,
        *,
        note: Annotated[str, "What it is for."] = "",
    ) -> SavedState:
        """Give the present state of the memory a name, to compare with or go back to later."""
        label = check_label(name, "name")
        text = check_text(note, "note", empty=True)
        with self._store.write() as tx:
            if _find(tx.db, label) is not None:
                raise Conflict(
                    f"There is a snapshot {label!r} already.", hint="Delete it, or choose another name."
                )
            row = SnapshotRow(label, tx.system, text, tx.now)
            _SEALED.insert(tx.db, [row])
        return SavedState(*row)

    def list(self) -> SavedStates:
        """The snapshots of the memory, oldest first."""
        with self._store.read() as snapshot:
            rows = _SEALED.select(snapshot.db, SnapshotRow, "1 = 1 ORDER BY x.system, x.name")
        return SavedStates(tuple(SavedState(*row) for row in rows))

    def delete(self, name: SnapshotName) -> SavedState:
        """Take a name away. The state it named is not touched."""
        with self._store.write() as tx:
            row = _get(tx.db, name)
            assert tx.system
            _SEALED.delete(tx.db, [row])
        return SavedState(*row)

    def diff(
        self,
        name: SnapshotName,
        other: Annotated[str | None, "Another snapshot; the present state, if it is not given."] = None,
    ) -> Differences:
        """What was added, removed and changed from a snapshot to another, or to now."""
        with self._store.one_state() as snapshot:
            db = snapshot.db
            first, second = _get(db, name), None if other is None else _get(db, other)
            if second is not None and second.system < first.system:
                raise Conflict(
                    f"The snapshot {second.name!r} is older than {first.name!r}.",
                    hint="Name the older one first.",
                )
            after = FOREVER if second is None else second.system
            differences = self._differences(db, first.system, after)
        return Differences(differences, first.system, None if second is None else second.system)

    def restore(self, name: SnapshotName, *, dry_run: DryRun = False) -> RollbackReport:
        """Make the memory what it was at a snapshot, as a new state: history is kept, nothing is erased.

        What was added since is retired, what was retired or changed since is as it was. What was erased or
        has expired since does not come back. Reads as of any moment in between answer as before.
        """
        with self._store.read() as snapshot:
            row = _get(snapshot.db, name)
            differences = self._differences(snapshot.db, row.system, FOREVER)
            erased, expired = self._lost(snapshot.db, row.system)
        if dry_run:
            return RollbackReport(row.name, True, None, {}, erased, expired, differences)
        rollback = Rollback(self._store, row.system, self._prepared(row.system))
        with self._store.write() as tx:
            differs = bool(differences) or tx.revision != snapshot.revision
            counts = roll_back(tx, rollback) if differs else {}
            restored_at = tx.system if differs else None
        return RollbackReport(row.name, False, restored_at, counts, erased, expired, differences)

    def _differences(self, db: Connection, before: int, after: int) -> tuple[Difference, ...]:
        first, second = state_at(before), state_at(after, self._store.now())
        of_parts: list[Difference] = []
        for part in self._store.parts:
            of_parts += part.differences(db, first, second)
        covered = {frame for item in of_parts for frame in item.frames}
        frames = frame_differences(db, first, second)
        return (*(item for item in frames if covered.isdisjoint(item.frames)), *of_parts)

    def _prepared(self, to: int) -> dict[str, Prepared]:
        """Costly work before the transaction, for texts that must be written anew."""
        with self._store.read() as snapshot:
            drafts = [item for part in self._store.parts for item in part.drafts_at(snapshot.db, to)]
        prepared: dict[str, Prepared] = {}
        for item in drafts:
            by_part = (
                (part.name, part.prepare([item])) for part in self._store.parts if part.name != "facts"
            )
            prepared[item.text] = {name: items for name, items in by_part if items is not None}
        return prepared

    def _lost(self, db: Connection, since: int) -> tuple[int, int]:
        erased = scalar(db, "SELECT coalesce(sum(frames), 0) FROM erasure WHERE erased_at > ?", (since,))
        expired = scalar(
            db,
            "SELECT count(*) FROM frame_expiry e JOIN frame f ON f.frame_id = e.frame_id "
            "WHERE f.start_byte IS NULL AND f.recorded_at <= ? AND e.expires_at > ? AND e.expires_at <= ?",
            (since, since, self._store.now()),
        )
        return erased, expired


def _find(db: Connection, name: str) -> SnapshotRow | None:
    rows = _SEALED.select(db, SnapshotRow, "x.name = ?", (name,))
    return rows[0] if rows else None


def _get(db: Connection, name: object) -> SnapshotRow:
    label = check_label(name, "name")
    row = _find(db, label)
    if row is None:
        names = db.all("SELECT name FROM store_snapshot ORDER BY name LIMIT 5")
        existing = ", ".join(str(one[0]) for one in names)
        raise NotFound(
            f"There is no snapshot {label!r}.",
            hint=f"Choose from: {existing}." if existing else "Make one with snapshot create.",
        )
    return row
