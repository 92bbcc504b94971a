"""Back to an earlier state, as a new one: what differs; frames that go, come back or change labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.base.times import FOREVER, AsOf
from longmind.store.engine import Connection
from longmind.store.frames import checked_label, stored, tags_of
from longmind.store.lineage import note_rollback
from longmind.store.tables import Tables, batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among, at_instant, differing, during, published
from longmind.store.write import Prepared, open_labels, relabel, retire, rewrite

if TYPE_CHECKING:
    from longmind.store.store import Store

REASON: Final = "rolled back"
_SHOWN: Final = 80
"""Characters of a text that a difference shows."""


Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same in two states."""

    what: str
    """frame, fact, memory, object, link, space or record."""
    change: Change
    name: str
    space: str
    text: str = ""
    frames: tuple[int, ...] = ()
    """The frames that it is kept in: they are not listed a second time."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """A state to go back to, and what was prepared for it before the transaction."""

    store: Store
    to: int
    prepared: Mapping[str, Prepared] = field(default_factory=dict)
    """By text, what the parts made of it, for texts that have to be written anew."""

    @property
    def view(self) -> View:
        return state_at(self.to)


class AbsenceRow(NamedTuple):
    frame_id: int
    since: int
    until: int


_SEALED: Final = Tables({AbsenceRow: "frame_absence"}, keys={AbsenceRow: 2})


def state_at(system: int, now: int | None = None) -> View:
    """Everything in the store at a system time; at `FOREVER`, less what has expired by now."""
    return View(ALL, AsOf(system=system, valid=FOREVER), user=ALL, with_hidden=True, now=now)


def change_of(before: object | None, after: object | None) -> Change:
    """What became of something that was there before, or is there after."""
    if before is None:
        return "added"
    return "removed" if after is None else "changed"


def short(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


# What differs


def frame_differences(db: Connection, before: View, after: View) -> list[Difference]:
    """Whole frames that are in one of two states only, or have other labels in the second."""
    then, later = at_instant(before), at_instant(after)
    clause = differing(then, later)
    sql = (
        f"SELECT f.frame_id, f.kind, f.space, CASE WHEN {then.sql} THEN 1 ELSE 0 END, t.text "
        "FROM frame f JOIN frame_text t ON t.frame_id = f.frame_id "
        # Memories are listed as such, whichever frames they were worded in.
        "WHERE NOT EXISTS (SELECT 1 FROM conversation_version v WHERE v.frame_id = f.frame_id) "
        f"AND f.start_byte IS NULL AND {clause.sql} ORDER BY f.frame_id"
    )
    frames = [
        Difference("frame", "removed" if was else "added", f"{kind} {number}", space, short(text), (number,))
        for number, kind, space, was, text in db.all(sql, (*then.values, *clause.values))
    ]
    changed = _relabelled(db, before.as_of.system, after.as_of.system)
    for batch in batched(changed):
        both = among("f.frame_id", batch) & then & later
        sql = (
            "SELECT f.frame_id, f.kind, f.space, t.text FROM frame f "
            f"JOIN frame_text t ON t.frame_id = f.frame_id WHERE {both.sql} ORDER BY f.frame_id"
        )
        for number, kind, space, text in db.all(sql, both.values):
            if _labels(db, number, before) != _labels(db, number, after):
                name = f"labels of {kind} {number}"
                frames.append(Difference("frame", "changed", name, space, short(text), (number,)))
    return frames


def _relabelled(db: Connection, since: int, until: int) -> list[int]:
    """Frames with a label that began or ended after a system time, up to another."""
    between = "(since > ? AND since <= ?) OR (until > ? AND until <= ?)"
    labels = (f"SELECT frame_id FROM {table} WHERE {between}" for table in ("frame_tag", "frame_meta"))
    sql = " UNION ".join(labels)
    return sorted(int(row[0]) for row in db.all(sql, (since, until) * 4))


def _labels(db: Connection, frame_id: int, view: View) -> tuple[set[str], dict[str, str]]:
    clause = Clause("m.frame_id = ?", (frame_id,)) & during("m", view.as_of)
    columns = "m.frame_id, m.name, m.since, m.until, m.value, m.checksum"
    sql = f"SELECT {columns} FROM frame_meta m WHERE {clause.sql}"
    values = {row[1]: row[4] for row in (checked_label("meta", row) for row in db.all(sql, clause.values))}
    return set(tags_of(db, [frame_id], view)[frame_id]), values


# Going back


def roll_back(tx: Transaction, rollback: Rollback) -> dict[str, int]:
    """Make the state of an earlier system time hold again; return how much of what was changed."""
    counts: Counter[str] = Counter()
    changed = set(tx.changed_facts)
    added, gone = _moves(tx, rollback)
    counts["frames retired"] = len(retire(tx, added, reason=REASON, parts=rollback.store.parts))
    _come_back(tx, gone)
    counts["frames brought back"] = len(gone)
    counts["frames relabelled"] = _restore_labels(tx, rollback.view)
    for batch in batched(added):  # a write that was undone may be tried again under its key
        clause = among("frame_id", batch)
        tx.db.run(f"DELETE FROM frame_key WHERE {clause.sql}", clause.values)
    for part in rollback.store.parts:
        counts.update(part.rolled_back(tx, rollback))
    # Nothing follows the facts that changed here: what follows them is back as it was, too.
    tx.changed_facts = changed
    note_rollback(tx.db, restored_at=tx.system, system=rollback.to)
    return {name: count for name, count in counts.items() if count}


def _moves(tx: Transaction, rollback: Rollback) -> tuple[list[int], list[int]]:
    """Frames to retire, and frames to bring back: not those that have expired, nor what parts write anew."""
    then = at_instant(rollback.view)
    added = (
        f"SELECT f.frame_id FROM frame f WHERE f.retired_at IS NULL AND {published().sql} "
        f"AND NOT ({then.sql})"
    )
    gone = (
        f"SELECT f.frame_id FROM frame f WHERE f.retired_at IS NOT NULL AND {then.sql} AND NOT EXISTS "
        "(SELECT 1 FROM frame_expiry e WHERE e.frame_id = f.frame_id AND e.expires_at <= ?)"
    )
    coming = [int(row[0]) for row in tx.db.all(gone, (*then.values, tx.now))]
    away: set[int] = set()
    for part in rollback.store.parts:
        away.update(part.written_anew(tx, coming, rollback))
    return [int(row[0]) for row in tx.db.all(added, then.values)], sorted(set(coming) - away)


def _come_back(tx: Transaction, ids: Sequence[int]) -> None:
    rows = list(stored(tx.db, ids).values())
    absences = [AbsenceRow(row.frame_id, row.retired_at or 0, tx.system) for row in rows]
    _SEALED.insert(tx.db, absences)
    rewrite(tx.db, [row._replace(retired_at=None, superseded_by=None) for row in rows])


def _restore_labels(tx: Transaction, view: View) -> int:
    changed = 0
    for frame_id, row in stored(tx.db, _relabelled(tx.db, view.as_of.system, FOREVER)).items():
        if row.retired_at is not None or row.recorded_at > view.as_of.system:
            continue
        tags, values = _labels(tx.db, frame_id, view)
        tags_now, values_now = open_labels(tx.db, frame_id)
        changed += relabel(
            tx,
            frame_id,
            add_tags=tags,
            drop_tags=tags_now - tags,
            set_metadata=values,
            drop_metadata=set(values_now) - set(values),
        )
    return changed
