"""Writing memories inside one transaction: create, see again, change, put away; each with its decision."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from longmind.base.checks import canonical_json, check_tags
from longmind.base.frame import Kind
from longmind.base.hashing import encode_fields
from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.config import Config
from longmind.conversation.current import current_row, newest_versions, write_current
from longmind.conversation.likeness import words_of
from longmind.conversation.rows import (
    DecisionRow,
    LinkRow,
    MemoryRow,
    StateRow,
    TombstoneRow,
    VersionRow,
    insert,
    select,
    select_among,
    upsert,
)
from longmind.conversation.scoring import Score, reckon
from longmind.conversation.values import PII
from longmind.extract import Statement
from longmind.store.drafts import Draft, draft
from longmind.store.engine import Rows
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause
from longmind.store.writing import Prepared, put, relabel, retire

TOMBSTONE_KEY: Final = "conversation.tombstone_key"


@dataclass(frozen=True, slots=True)
class Desk:
    """What every write needs."""

    store: Store
    tx: Transaction
    config: Config
    space: str

    def score(self, state: StateRow, created_at: int, *, now: int | None = None) -> Score:
        return reckon(
            self.config.scoring,
            now=self.tx.now if now is None else now,
            hits=state.hits,
            importance=state.importance,
            created_at=created_at,
            last_seen_at=state.last_seen_at,
        )


@dataclass(frozen=True, slots=True)
class Said:
    """The turn that something was said in."""

    frame_id: int
    start: int | None = None
    end: int | None = None


def memory_draft(candidate: Candidate, *, space: str, source: str, layer: str = "mid") -> Draft:
    """A memory as a frame: found by the one search, under its layer and without personal data if asked."""
    tags = check_tags(candidate.tags)
    return draft(
        candidate.content,
        space=space,
        kind=Kind.MEMORY,
        source=source,
        tags=tags,
        metadata={"layer": layer, PII: PII in tags},
        repeatable=True,
    )


def create(
    desk: Desk,
    candidate: Candidate,
    *,
    source: str,
    prepared: Prepared | None = None,
    said: Said | None = None,
    reason: str = "extracted",
    inputs: Mapping[str, Any] | None = None,
) -> int:
    """A new mid-term memory, never seen so far."""
    tx = desk.tx
    memory_id = tx.allocate("conversation_memory")
    item = memory_draft(candidate, space=desk.space, source=source)
    written = put(tx, [item], parts=desk.store.parts, prepared=prepared)[0]
    memory = MemoryRow(memory_id, desk.space, tx.now, tx.system)
    version = version_row(memory_id, 1, written.id, candidate, tx.system)
    state = StateRow(memory_id, tx.system, None, "mid", "active", 0, candidate.importance, None, 0.0, tx.now)
    score = desk.score(state, tx.now)
    state = state._replace(score=score.total)
    insert(tx.rows, [memory])
    insert(tx.rows, [version])
    insert(tx.rows, [state])
    current = current_row(version, state, space=desk.space, pii=PII in item.tags)
    write_current(tx.rows, [current], [candidate.content], fresh=True)
    if said is not None:
        link(desk, memory_id, said, reason=reason, rule=candidate.rule)
    decide(desk, memory_id, "created", {"rule": candidate.rule, **(inputs or {}), **terms(score)})
    return memory_id


def see(desk: Desk, memory_id: int, candidate: Candidate, *, likeness: float, said: Said | None) -> None:
    """The memory was said again."""
    state = state_of(desk.tx.rows, memory_id)
    created_at = memory_row(desk.tx.rows, memory_id).created_at
    seen = state._replace(
        hits=state.hits + 1,
        # A clock that was set back does not make it older than it was.
        last_seen_at=max(desk.tx.now, state.last_seen_at or created_at),
        importance=max(state.importance, candidate.importance),
    )
    score = desk.score(seen, created_at)
    change(desk, state, seen._replace(score=score.total, scored_at=desk.tx.now))
    if said is not None:
        link(desk, memory_id, said, reason="seen", rule=candidate.rule)
    inputs = {"rule": candidate.rule, "likeness": round(likeness, 6), "hits": seen.hits, **terms(score)}
    decide(desk, memory_id, "seen", inputs)


def put_away(
    desk: Desk,
    memory_id: int,
    status: str,
    *,
    reason: str,
    inputs: Mapping[str, Any],
    at: int | None = None,
    run: int | None = None,
    successor: int | None = None,
    score: Score | None = None,
) -> None:
    """Archive or delete: gone from every read at LATEST, still there as of before."""
    old = state_of(desk.tx.rows, memory_id)
    new = old._replace(status=status)
    if score is not None and at is not None:
        new = new._replace(score=score.total, scored_at=at)
    change(desk, old, new)
    version = newest_versions(desk.tx.rows, [memory_id])[memory_id]
    retire(desk.tx, [version.frame_id], successor=successor, reason=reason, parts=desk.store.parts)
    decide(desk, memory_id, status, {"reason": reason, **inputs}, at=at, run=run)


def promote(
    desk: Desk, memory_id: int, *, score: Score, at: int, run: int, inputs: Mapping[str, Any]
) -> None:
    """From mid- to long-term."""
    state = state_of(desk.tx.rows, memory_id)
    change(desk, state, state._replace(layer="long", score=score.total, scored_at=at))
    version = newest_versions(desk.tx.rows, [memory_id])[memory_id]
    relabel(desk.tx, version.frame_id, set_metadata={"layer": '"long"'})
    decide(desk, memory_id, "promoted", inputs, at=at, run=run)


def revise(
    desk: Desk, memory_id: int, candidate: Candidate, *, status: str, prepared: Prepared | None
) -> None:
    """Another wording under the same name: a new frame that supersedes the old."""
    tx = desk.tx
    old = newest_versions(tx.rows, [memory_id])[memory_id]
    state = state_of(tx.rows, memory_id)
    item = memory_draft(candidate, space=desk.space, source="user", layer=state.layer)
    written = put(tx, [item], parts=desk.store.parts, prepared=prepared)[0]
    version = version_row(memory_id, old.number + 1, written.id, candidate, tx.system)
    insert(tx.rows, [version])
    score = desk.score(state, memory_row(tx.rows, memory_id).created_at)
    new = state._replace(status=status, score=score.total, scored_at=tx.now)
    state = change(desk, state, new, derived=False)
    current = current_row(version, state, space=desk.space, pii=PII in item.tags)
    write_current(tx.rows, [current], [candidate.content])
    retire(tx, [old.frame_id], successor=written.id, reason="superseded", parts=desk.store.parts)
    decide(desk, memory_id, "updated", {"version": version.number, "status": status})


def change(desk: Desk, old: StateRow, new: StateRow, *, derived: bool = True) -> StateRow:
    """End the state that holds and begin another; one of this very transaction was never visible."""
    tx = desk.tx
    new = new._replace(since=tx.system, until=None)
    if old.since == tx.system:
        upsert(tx.rows, new)
    else:
        upsert(tx.rows, old._replace(until=tx.system))
        insert(tx.rows, [new])
    if derived:
        tx.rows.run(
            "UPDATE conversation_current SET layer = ?, status = ?, score = ?, scored_at = ? "
            "WHERE memory_id = ?",
            (new.layer, new.status, new.score, new.scored_at, new.memory_id),
        )
        if new.status != "active":
            tx.rows.run("DELETE FROM conversation_word WHERE memory_id = ?", (new.memory_id,))
    return new


def link(desk: Desk, memory_id: int, said: Said, *, reason: str, rule: str) -> None:
    row = LinkRow(memory_id, said.frame_id, reason, rule, said.start, said.end, desk.tx.system)
    upsert(desk.tx.rows, row)


def decide(
    desk: Desk,
    memory_id: int,
    action: str,
    inputs: Mapping[str, Any],
    *,
    at: int | None = None,
    run: int | None = None,
) -> None:
    number = desk.tx.allocate("conversation_decision")
    when = desk.tx.now if at is None else at
    written = canonical_json(inputs, "inputs")
    insert(desk.tx.rows, [DecisionRow(number, memory_id, run, action, when, written, desk.tx.system)])


def terms(score: Score) -> dict[str, float]:
    return {"score": score.total, **asdict(score)}


def state_of(rows: Rows, memory_id: int) -> StateRow:
    return select(rows, StateRow, "x.memory_id = ? AND x.until IS NULL", (memory_id,))[0]


def memory_row(rows: Rows, memory_id: int) -> MemoryRow:
    return select(rows, MemoryRow, "x.memory_id = ?", (memory_id,))[0]


def version_row(memory_id: int, number: int, frame_id: int, candidate: Candidate, system: int) -> VersionRow:
    said = candidate.statement
    return VersionRow(
        memory_id=memory_id,
        number=number,
        frame_id=frame_id,
        subject=None if said is None else said.subject,
        slot=None if said is None else said.slot,
        value=None if said is None else said.value,
        polarity=int(said is None or said.polarity),
        ended=int(said is not None and said.ended),
        cardinality="many" if said is None else said.cardinality,
        rule=candidate.rule,
        recorded_at=system,
    )


# What was erased must not come back


def tombstones(store: Store, rows: Rows, space: str, content: str, said: Statement | None) -> list[bytes]:
    """Keyed names of what a memory says: by its words, and by its slot and value; none without a key."""
    secret = store.setting(rows, TOMBSTONE_KEY)
    if secret is None:
        return []
    fields: list[list[str]] = [["words", *sorted(words_of(content))]]
    if said is not None:
        polarity = f"{int(said.polarity)}{int(said.ended)}"
        fields.append(["slot", subject_key(said.subject), said.slot, value_key(said.value), polarity])
    key = bytes.fromhex(secret)
    return [hmac.new(key, encode_fields([space, *item]), hashlib.sha256).digest() for item in fields]


def is_erased(store: Store, rows: Rows, space: str, candidate: Candidate) -> bool:
    names = tombstones(store, rows, space, candidate.content, candidate.statement)
    return bool(select_among(rows, TombstoneRow, "name", names, Clause("x.space = ?", (space,))))


def bury(store: Store, tx: Transaction, space: str, content: str, said: Statement | None) -> None:
    if store.setting(tx.rows, TOMBSTONE_KEY) is None:
        store.set_setting(tx, TOMBSTONE_KEY, store.entropy(32).hex())
    for name in tombstones(store, tx.rows, space, content, said):
        upsert(tx.rows, TombstoneRow(space, name, tx.system))


def prepare(
    store: Store, drafts: Sequence[Draft], *, leave_out: Sequence[str] = ()
) -> dict[str, list[object]]:
    """Let each part do its costly work before the transaction, one item per draft and chunk."""
    flat = [piece for item in drafts for piece in item.flat()]
    made: dict[str, list[object]] = {}
    for part in store.parts:
        items = part.prepare(flat) if flat and part.name not in leave_out else None
        if items is not None:
            made[part.name] = list(items)
    return made
