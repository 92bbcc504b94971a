"""Memories follow frames: a memory goes with its frame, and with the last turn it rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from longmind.base.filters import View
from longmind.base.partitions import Partition
from longmind.conversation import rollback as rollbacks
from longmind.conversation.assertions import erase_statements, take_back
from longmind.conversation.config import Config
from longmind.conversation.current import (
    contents,
    expected_words,
    newest_versions,
    rebuild,
    remove_words,
    statement_of,
)
from longmind.conversation.following import follow, wording_of
from longmind.conversation.rows import TABLES, LinkRow, MemoryRow, StateRow, VersionRow, select_among
from longmind.conversation.rows import verify as verify_rows
from longmind.conversation.write import WriteContext, bury, memory_row, put_away, state_of
from longmind.facts.removal import counted
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Origin, Part, Problem
from longmind.store.rollback import REASON as ROLLED_BACK
from longmind.store.rollback import Difference, Rollback
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import Clause, among
from longmind.text.posting_table import WORDS

_TABLES = (
    "conversation_current",
    "conversation_decision",
    "conversation_link",
    "conversation_state",
    "conversation_version",
    "conversation_memory",
)


class ConversationPart(Part):
    """The share of conversation memory in the life of frames."""

    name = "conversation"

    def __init__(self, store: Store) -> None:
        self._store = store

    def retired(self, tx: Transaction, ids: Sequence[int], *, reason: str) -> None:
        """A memory whose frame was forgotten is deleted; so is one whose every turn was."""
        own = _shown_by(tx.db, ids)
        for memory_id in sorted({*own, *_orphans(tx.db, ids, live=True)}):
            if state_of(tx.db, memory_id).status == "active":
                space = memory_row(tx.db, memory_id).space
                why = reason if memory_id in own else f"its turns were {reason}"
                ctx = WriteContext(self._store, tx, Config(), Partition(space))
                put_away(ctx, memory_id, "deleted", reason=why, inputs={"frames": sorted(ids)[:10]})
                # Of a store that goes back, the ledger itself works out what was held then.
                if memory_id in own and reason != ROLLED_BACK:
                    version = newest_versions(tx.db, [memory_id])[memory_id]
                    take_back(ctx, statement_of(version), action="retract", reason=f"memory {reason}")

    def settled(self, tx: Transaction, facts: Collection[int]) -> None:
        follow(self._store, tx, facts)

    def wording(self, tx: Transaction, facts: Collection[int]) -> Sequence[int]:
        versions = select_among(tx.db, VersionRow, "memory_id", wording_of(tx, facts))
        return sorted({row.frame_id for row in versions})

    def told_by(self, db: Connection, ids: Sequence[int]) -> Mapping[int, Sequence[Origin]]:
        """For the frames of memories, the turns that they were read in."""
        rows = select_among(db, VersionRow, "frame_id", list(ids))
        versions = {row.frame_id: row.memory_id for row in rows}
        turns: dict[int, list[Origin]] = defaultdict(list)
        for row in select_among(db, LinkRow, "memory_id", set(versions.values())):
            if row.reason != "archived":
                turns[row.memory_id].append(Origin(row.frame_id, row.start_byte, row.end_byte))
        return {frame_id: turns[memory_id] for frame_id, memory_id in versions.items()}

    def differences(self, db: Connection, before: View, after: View) -> Sequence[Difference]:
        return rollbacks.differences(db, self._store.engine.dialect, before, after)

    def drafts_at(self, db: Connection, to: int) -> Sequence[Draft]:
        return rollbacks.drafts_at(db, self._store.engine.dialect, to)

    def written_anew(self, tx: Transaction, ids: Sequence[int], rollback: Rollback) -> Sequence[int]:
        return rollbacks.written_anew(tx.db, rollback.to)

    def rolled_back(self, tx: Transaction, rollback: Rollback) -> Mapping[str, int]:
        return rollbacks.roll_back(tx, rollback)

    def doomed(self, tx: Transaction, ids: Sequence[int]) -> Sequence[int]:
        """The frames of memories that rest on no other turn, and every version of a memory."""
        versions = select_among(tx.db, VersionRow, "memory_id", _bound_to(tx.db, ids))
        return sorted({row.frame_id for row in versions} - set(ids))

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        """Remove the memories of these frames; they are not extracted again."""
        memories = _bound_to(tx.db, ids)
        facts = self._erase_facts(tx, memories, ids)
        self._bury(tx, memories)
        words = remove_words(tx.db, memories)
        counts = {table: _delete(tx.db, table, "memory_id", memories) for table in _TABLES}
        counts["conversation_link"] += _delete(tx.db, "conversation_link", "frame_id", list(ids))
        return counted(facts, counts, {WORDS.name: words})

    def rebuild(self, store: Store) -> int:
        with store.write() as tx:
            return rebuild(tx.db)

    def derive(self, tx: Transaction) -> None:
        rebuild(tx.db)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return find_problems(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return count_rows(snapshot)

    def _erase_facts(self, tx: Transaction, memories: Sequence[int], ids: Sequence[int]) -> dict[str, int]:
        """Remove what these memories say from the ledger, too, unless only their turns are erased.

        What else a turn says, and what somebody recorded, stays where the turn itself goes: the ledger knows
        what rested on it.
        """
        db = tx.db
        resting = set(_orphans(db, ids, live=False))
        by_name = [memory_id for memory_id in memories if memory_id not in resting]
        # What faded was not taken back: the ledger keeps it when the memory is purged.
        standing = Clause("x.until IS NULL AND x.status <> 'deleted'")
        memory_ids = [row.memory_id for row in select_among(db, StateRow, "memory_id", by_name, standing)]
        return erase_statements(tx, memory_ids)

    def _bury(self, tx: Transaction, memories: Sequence[int]) -> None:
        """Those that were deleted had been forgotten or had faded already, and may be said anew."""
        db = tx.db
        standing = Clause("x.until IS NULL AND x.status <> 'deleted'")
        memory_ids = [row.memory_id for row in select_among(db, StateRow, "memory_id", memories, standing)]
        versions = newest_versions(db, memory_ids)
        texts = contents(db, [version.frame_id for version in versions.values()])
        spaces = {row.memory_id: row.space for row in select_among(db, MemoryRow, "memory_id", memory_ids)}
        for memory_id, version in versions.items():
            text = texts.get(version.frame_id)
            if text is not None:
                bury(self._store, tx, spaces[memory_id], text, statement_of(version))


def _bound_to(db: Connection, ids: Sequence[int]) -> list[int]:
    """Memories that these frames are versions of, or that rest on them alone."""
    own = {row.memory_id for row in select_among(db, VersionRow, "frame_id", list(ids))}
    return sorted(own | set(_orphans(db, ids, live=False)))


def _shown_by(db: Connection, ids: Sequence[int]) -> list[int]:
    """Active memories whose newest version is one of these frames."""
    memory_ids: list[int] = []
    for batch in batched(list(ids)):
        clause = among("v.frame_id", batch)
        sql = (
            "SELECT c.memory_id FROM conversation_version v JOIN conversation_current c "
            "ON c.memory_id = v.memory_id AND c.frame_id = v.frame_id AND c.status = 'active' "
            f"WHERE {clause.sql}"
        )
        memory_ids += [int(row[0]) for row in db.all(sql, clause.values)]
    return memory_ids


def _orphans(db: Connection, ids: Sequence[int], *, live: bool) -> list[int]:
    """Memories that were read in these turns and in no other that counts."""
    touched = sorted({row.memory_id for row in select_among(db, LinkRow, "frame_id", list(ids))})
    links = select_among(db, LinkRow, "memory_id", touched)
    others = {row.frame_id for row in links} - set(ids)
    counting = _live_turns(db, sorted(others)) if live else others
    supported = {row.memory_id for row in links if row.frame_id in counting}
    by_hand = {
        row.memory_id
        for row in select_among(db, VersionRow, "memory_id", touched)
        if row.rule == "remembered"
    }
    return [memory_id for memory_id in touched if memory_id not in supported | by_hand]


def _live_turns(db: Connection, ids: Sequence[int]) -> set[int]:
    live: set[int] = set()
    for batch in batched(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id FROM frame WHERE retired_at IS NULL AND {clause.sql}"
        live |= {int(row[0]) for row in db.all(sql, clause.values)}
    return live


def _delete(db: Connection, table: str, column: str, values: Sequence[int]) -> int:
    count = 0
    for batch in batched(list(values)):
        clause = among(column, batch)
        count += db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
    return count


_RULES: Final = (
    (
        "conversation_state",
        "memory {0} does not stand in exactly one state",
        (
            "SELECT m.memory_id FROM conversation_memory m LEFT JOIN conversation_state s "
            "ON s.memory_id = m.memory_id AND s.until IS NULL "
            "GROUP BY m.memory_id HAVING count(s.since) <> 1"
        ),
        False,
    ),
    (
        "conversation_version",
        "memory {0} has no frame",
        (
            "SELECT m.memory_id FROM conversation_memory m LEFT JOIN conversation_version v "
            "ON v.memory_id = m.memory_id LEFT JOIN frame f ON f.frame_id = v.frame_id "
            "GROUP BY m.memory_id HAVING count(f.frame_id) = 0"
        ),
        False,
    ),
    (
        "conversation_state",
        "the history of memory {0} has a gap",
        (
            "SELECT DISTINCT s.memory_id FROM conversation_state s JOIN conversation_memory m "
            "ON m.memory_id = s.memory_id WHERE s.since <> m.recorded_at AND NOT EXISTS ("
            "SELECT 1 FROM conversation_state p WHERE p.memory_id = s.memory_id AND p.until = s.since)"
        ),
        False,
    ),
    (
        "conversation_version",
        "memory {0} has a version that is not a memory of its space",
        (
            "SELECT DISTINCT v.memory_id FROM conversation_version v JOIN conversation_memory m "
            "ON m.memory_id = v.memory_id JOIN frame f ON f.frame_id = v.frame_id "
            "WHERE f.space <> m.space OR f.kind <> 'memory'"
        ),
        False,
    ),
    (
        "conversation_link",
        "memory {0} is linked to a frame of another space, or to bytes that it does not have",
        (
            "SELECT DISTINCT l.memory_id FROM conversation_link l JOIN conversation_memory m "
            "ON m.memory_id = l.memory_id JOIN frame f ON f.frame_id = l.frame_id "
            "WHERE (f.space <> m.space AND f.scope <> 'global') "
            "OR (l.start_byte IS NULL) <> (l.end_byte IS NULL) "
            "OR l.start_byte < 0 OR l.end_byte < l.start_byte OR l.recorded_at < m.recorded_at"
        ),
        False,
    ),
    (
        "conversation_decision",
        "a decision about memory {0} was made by a sweep of another space, or before there was the memory",
        (
            "SELECT DISTINCT d.memory_id FROM conversation_decision d JOIN conversation_memory m "
            "ON m.memory_id = d.memory_id LEFT JOIN conversation_run r ON r.run_id = d.run_id "
            "WHERE d.recorded_at < m.recorded_at OR (d.run_id IS NOT NULL AND r.space IS NULL) "
            "OR r.space <> m.space"
        ),
        False,
    ),
    (
        "conversation_decision",
        "nothing says why there is memory {0}",
        (
            "SELECT m.memory_id FROM conversation_memory m WHERE NOT EXISTS ("
            "SELECT 1 FROM conversation_decision d WHERE d.memory_id = m.memory_id)"
        ),
        False,
    ),
    (
        "conversation_current",
        "what stands of memory {0} is not in the index",
        (
            "SELECT m.memory_id FROM conversation_memory m JOIN conversation_state s "
            "ON s.memory_id = m.memory_id AND s.until IS NULL LEFT JOIN conversation_current c "
            "ON c.memory_id = m.memory_id AND c.space = m.space AND c.layer = s.layer "
            "AND c.status = s.status WHERE c.memory_id IS NULL"
        ),
        True,
    ),
)


def find_problems(snapshot: Snapshot, *, deep: bool) -> Iterator[Problem]:
    db = snapshot.db
    for code, text, sql, derived in _RULES:
        for (name,) in db.all(f"{sql} LIMIT 20"):
            yield Problem(code, text.format(name), derived)
    if deep:
        for detail in WORDS.differences(db, expected_words(db)):
            yield Problem(WORDS.name, detail, derived=True)
        for kind in TABLES:
            yield from verify_rows(db, kind)


def count_rows(snapshot: Snapshot) -> Mapping[str, int]:
    db = snapshot.db
    counts = {}
    for table in TABLES.values():
        counts[table.removeprefix("conversation_")] = scalar(db, f"SELECT count(*) FROM {table}")
    for layer, count in db.all(
        "SELECT layer, count(*) FROM conversation_current WHERE status = 'active' "
        "GROUP BY layer ORDER BY layer"
    ):
        counts[f"active_{layer}"] = int(count)
    return counts
