"""Memories follow frames: a memory goes with its frame, and with the last turn it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.conversation import health
from recollect.conversation.config import Config
from recollect.conversation.current import contents, newest_versions, rebuild, statement_of
from recollect.conversation.rows import LinkRow, MemoryRow, VersionRow, batched, select_among
from recollect.conversation.writing import Desk, bury, memory_row, put_away, state_of
from recollect.store.engine import Rows
from recollect.store.frames import stored, with_chunks
from recollect.store.parts import Part, Problem
from recollect.store.store import Store
from recollect.store.transaction import Snapshot, Transaction
from recollect.store.visible import among
from recollect.store.writing import rewrite

_FRAME_TABLES = ("frame_tag", "frame_meta", "frame_key", "frame_text", "frame")
_TABLES = (
    "conversation_word",
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
        versions = select_among(tx.rows, VersionRow, "frame_id", list(ids))
        own = [row.memory_id for row in versions if _is_newest(tx.rows, row)]
        for memory_id in sorted({*own, *_orphans(tx.rows, ids, live=True)}):
            if state_of(tx.rows, memory_id).status == "active":
                space = memory_row(tx.rows, memory_id).space
                why = reason if memory_id in own else f"its turns were {reason}"
                desk = Desk(self._store, tx, Config(), space)
                put_away(desk, memory_id, "deleted", reason=why, inputs={"frames": sorted(ids)[:10]})

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        """Remove the memories of these frames, and those that rest on no other turn, with their frames."""
        rows = tx.rows
        doomed = {row.memory_id for row in select_among(rows, VersionRow, "frame_id", list(ids))}
        doomed |= set(_orphans(rows, ids, live=False))
        memories = sorted(doomed)
        versions = select_among(rows, VersionRow, "memory_id", memories)
        self._bury(tx, memories)
        counts: dict[str, int] = {}
        frames = sorted({row.frame_id for row in versions} - set(ids))
        for table in _TABLES:
            counts[table] = _delete(rows, table, "memory_id", memories)
        counts["conversation_link"] += _delete(rows, "conversation_link", "frame_id", list(ids))
        self._remove_frames(tx, frames)
        return {table: count for table, count in counts.items() if count}

    def rebuild(self, store: Store) -> int:
        with store.write() as tx:
            return rebuild(tx.rows)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return health.verify(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return health.stats(snapshot)

    def _bury(self, tx: Transaction, memories: Sequence[int]) -> None:
        versions = newest_versions(tx.rows, memories)
        texts = contents(tx.rows, [version.frame_id for version in versions.values()])
        spaces = {row.memory_id: row.space for row in select_among(tx.rows, MemoryRow, "memory_id", memories)}
        for memory_id, version in versions.items():
            text = texts.get(version.frame_id)
            if text is not None:
                bury(self._store, tx, spaces[memory_id], text, statement_of(version))

    def _remove_frames(self, tx: Transaction, ids: Sequence[int]) -> None:
        """Frames that the erase did not name, with all that the other parts keep of them."""
        if not ids:
            return
        whole = with_chunks(tx.rows, ids)
        for part in reversed(self._store.parts):
            if part is not self:
                part.erased(tx, whole)
        for batch in batched(whole):
            clause = among("superseded_by", batch)
            found = tx.rows.all(f"SELECT frame_id FROM frame WHERE {clause.sql}", clause.values)
            _unlink(tx.rows, [int(row[0]) for row in found])
        for table in _FRAME_TABLES:
            _delete(tx.rows, table, "frame_id", whole)


def _unlink(rows: Rows, ids: Sequence[int]) -> None:
    """What an erased frame had superseded stays retired, and no longer says by what."""
    rewrite(rows, [row._replace(superseded_by=None) for row in stored(rows, ids).values()])


def _is_newest(rows: Rows, version: VersionRow) -> bool:
    return newest_versions(rows, [version.memory_id])[version.memory_id].number == version.number


def _orphans(rows: Rows, ids: Sequence[int], *, live: bool) -> list[int]:
    """Memories that were read in these turns and in no other that counts."""
    touched = sorted({row.memory_id for row in select_among(rows, LinkRow, "frame_id", list(ids))})
    links = select_among(rows, LinkRow, "memory_id", touched)
    others = {row.frame_id for row in links} - set(ids)
    counting = _live_turns(rows, sorted(others)) if live else others
    kept = {row.memory_id for row in links if row.frame_id in counting}
    by_hand = {
        row.memory_id
        for row in select_among(rows, VersionRow, "memory_id", touched)
        if row.rule == "remembered"
    }
    return [memory_id for memory_id in touched if memory_id not in kept | by_hand]


def _live_turns(rows: Rows, ids: Sequence[int]) -> set[int]:
    found: set[int] = set()
    for batch in batched(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id FROM frame WHERE retired_at IS NULL AND {clause.sql}"
        found |= {int(row[0]) for row in rows.all(sql, clause.values)}
    return found


def _delete(rows: Rows, table: str, column: str, values: Sequence[int]) -> int:
    count = 0
    for batch in batched(list(values)):
        clause = among(column, batch)
        count += rows.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
    return count
