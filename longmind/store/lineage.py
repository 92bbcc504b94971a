"""Which rows that are only ever added count, in a store that was rolled back to a snapshot.

Frames, states and labels have an end of their own, and a rollback writes it. Votes, links and the like have
none: they are left as they are, and what was added between the snapshot and the rollback does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from longmind.store.engine import Connection
from longmind.store.tables import Tables
from longmind.store.visible import Clause

_EARLIEST: Final = -(2**63)


class RollbackRow(NamedTuple):
    restored_at: int
    system: int


_SEALED: Final = Tables({RollbackRow: "store_rollback"})


@dataclass(frozen=True, slots=True)
class Lineage:
    """The stretches of system time that led to a state: after the first of each pair, up to the second."""

    stretches: tuple[tuple[int, int], ...]

    def holds(self, recorded_at: int) -> bool:
        return any(after < recorded_at <= until for after, until in self.stretches)

    def clause(self, column: str) -> Clause:
        tests = " OR ".join(f"({column} > ? AND {column} <= ?)" for _ in self.stretches)
        return Clause(f"({tests})", tuple(moment for pair in self.stretches for moment in pair))

    @property
    def is_whole(self) -> bool:
        """Whether everything that was recorded before counts."""
        return len(self.stretches) == 1


def lineage(db: Connection, system: int) -> Lineage:
    """What led to the state at a system time."""
    stretches = []
    rows = _SEALED.select(db, RollbackRow, "1 = 1 ORDER BY x.restored_at DESC")
    for row in rows:
        if row.restored_at <= system:
            stretches.append((row.restored_at, system))
            system = row.system
    return Lineage((*stretches, (_EARLIEST, system)))


def note_rollback(db: Connection, *, restored_at: int, system: int) -> None:
    _SEALED.insert(db, [RollbackRow(restored_at, system)])
