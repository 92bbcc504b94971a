"""The share of conversation memory in going back to a snapshot: each memory stands and reads as it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from longmind.base.filters import View
from longmind.base.partitions import Partition
from longmind.conversation.config import Config
from longmind.conversation.current import current_row, newest_versions, write_current
from longmind.conversation.query import Run, last_runs, load, standing
from longmind.conversation.rows import MemoryRow, StateRow, VersionRow, insert, select
from longmind.conversation.similarity import word_postings
from longmind.conversation.values import PII
from longmind.conversation.write import WriteContext, change, decide, put_away, state_of
from longmind.store.drafts import Draft, draft
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import fetch, tags_of
from longmind.store.rollback import REASON, Difference, Rollback, short, state_at
from longmind.store.transaction import Transaction
from longmind.store.write import put
from longmind.text.posting_table import WORDS


class _Memory(NamedTuple):
    """A memory as it stood at the system time to go back to."""

    row: MemoryRow
    state: StateRow
    """With the score that reads gave it then."""
    version: VersionRow


def differences(db: Connection, dialect: Dialect, before: View, after: View) -> list[Difference]:
    """Memories that one of two states has, or that read or stand otherwise."""
    ids = [int(row[0]) for row in db.all("SELECT memory_id FROM conversation_memory ORDER BY memory_id")]
    first, second = load(db, dialect, ids, before), load(db, dialect, ids, after)
    frames: dict[int, list[int]] = {memory_id: [] for memory_id in ids}
    for row in select(db, VersionRow, "1 = 1"):
        frames[row.memory_id].append(row.frame_id)
    differing = []
    for memory_id in ids:
        old, new = first.get(memory_id), second.get(memory_id)
        was, stands = (item is not None and item.status == "active" for item in (old, new))
        shown = new or old
        if shown is None or (old is not None and new is not None and _same(old, new)):
            continue
        if (old is None or new is None) and not (was or stands):
            continue
        differing.append(
            Difference(
                "memory",
                "changed" if was == stands else "removed" if was else "added",
                f"memory {memory_id}",
                shown.space,
                short(shown.content),
                tuple(frames[memory_id]),
            )
        )
    return differing


def _same(old: object, new: object) -> bool:
    names = ("content", "layer", "status", "hits", "importance", "last_seen_at", "score", "tags")
    return all(getattr(old, name) == getattr(new, name) for name in names)


def drafts_at(db: Connection, dialect: Dialect, to: int) -> list[Draft]:
    """The wordings of then that have given way to others since: no frame is the wording of two versions."""
    return _drafts(db, dialect, _reworded(db, to), to)


def written_anew(db: Connection, to: int) -> list[int]:
    """The frames of those wordings."""
    return _reworded(db, to)


def roll_back(tx: Transaction, rollback: Rollback) -> dict[str, int]:
    """Let memories of then stand as they did; those that came since are deleted."""
    changed = 0
    then = {memory.row.memory_id: memory for memory in _at(tx.db, rollback.to)}
    for row in select(tx.db, MemoryRow, "x.recorded_at > ?", (rollback.to,)):
        if row.memory_id not in then and state_of(tx.db, row.memory_id).status != "deleted":
            ctx = WriteContext(rollback.store, tx, Config(), Partition(row.space))
            put_away(ctx, row.memory_id, "deleted", reason=REASON, inputs={})
            changed += 1
    runs = last_runs(tx.db)
    for memory in then.values():
        changed += _restore(tx, rollback, memory, runs.get(memory.row.space))
    return {"memories changed": changed}


def _restore(tx: Transaction, rollback: Rollback, memory: _Memory, run: Run | None) -> bool:
    row, state, version = memory
    ctx = WriteContext(rollback.store, tx, Config(), Partition(row.space))
    newest = newest_versions(tx.db, [row.memory_id])[row.memory_id]
    now = state_of(tx.db, row.memory_id)
    reworded = _is_reworded(memory, newest)
    if reworded:
        version = _word_anew(ctx, rollback, version, newest.number + 1)
    elif newest.number != version.number:
        version = newest  # put away then, and reworded since: it is put away in its last words
    score, scored_at = standing(row, now, run)
    stands = now._replace(score=score, scored_at=scored_at, since=0, until=None)
    if not reworded and stands == state._replace(since=0, until=None):
        return False
    new = change(ctx, now, state, derived=False)
    tagged = PII in tags_of(tx.db, [version.frame_id], View(()))[version.frame_id]
    write_current(tx.db, [current_row(version, new, space=row.space, pii=tagged)])
    decide(ctx, row.memory_id, "restored", {"version": version.number, "status": new.status})
    return True


def _word_anew(ctx: WriteContext, rollback: Rollback, version: VersionRow, number: int) -> VersionRow:
    tx, store = ctx.tx, rollback.store
    [item] = store.redaction.drafts(_drafts(tx.db, store.engine.dialect, [version.frame_id], rollback.to), tx)
    written = put(tx, [item], parts=store.parts, prepared=rollback.prepared.get(item.text))[0]
    fresh = version._replace(number=number, frame_id=written.id, recorded_at=tx.system)
    insert(tx.db, [fresh])
    for part in store.parts:
        part.rewritten(tx, version.frame_id, written.id, at=rollback.to)
    WORDS.add(tx.db, {written.id: word_postings(ctx.space, item.text)})
    return fresh


def _at(db: Connection, to: int) -> list[_Memory]:
    """The memories that there were at a system time."""
    runs = last_runs(db, system=to)
    rows = {row.memory_id: row for row in select(db, MemoryRow, "x.recorded_at <= ?", (to,))}
    in_force = "x.since <= ? AND (x.until IS NULL OR x.until > ?)"
    states = {row.memory_id: row for row in select(db, StateRow, in_force, (to, to))}
    versions: dict[int, VersionRow] = {}
    for version in sorted(select(db, VersionRow, "x.recorded_at <= ?", (to,))):
        versions[version.memory_id] = version
    memories = []
    for memory_id, row in sorted(rows.items()):
        score, scored_at = standing(row, states[memory_id], runs.get(row.space))
        state = states[memory_id]._replace(score=score, scored_at=scored_at)
        memories.append(_Memory(row, state, versions[memory_id]))
    return memories


def _reworded(db: Connection, to: int) -> list[int]:
    memories = _at(db, to)
    newest = newest_versions(db, [memory.row.memory_id for memory in memories])
    return [
        memory.version.frame_id for memory in memories if _is_reworded(memory, newest[memory.row.memory_id])
    ]


def _is_reworded(memory: _Memory, newest: VersionRow) -> bool:
    return memory.state.status == "active" and memory.version.number != newest.number


def _drafts(db: Connection, dialect: Dialect, ids: Sequence[int], to: int) -> list[Draft]:
    return [
        draft(
            frame.text,
            space=frame.partition,
            kind=frame.kind,
            source=frame.source,
            tags=frame.tags,
            metadata=frame.metadata,
            occurred_at=frame.occurred_at,
            repeatable=True,
            expires_at=frame.expires_at,
        )
        for frame in fetch(db, dialect, ids, state_at(to))
    ]
