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
from longmind.conversation.rows import (
    DecisionRow,
    LinkRow,
    MemoryRow,
    StateRow,
    TombstoneRow,
    VersionRow,
    close,
    insert,
    select,
    select_among,
    upsert,
)
from longmind.conversation.scoring import Score, score_memory
from longmind.conversation.similarity import word_postings, words_of
from longmind.conversation.values import PII
from longmind.extract import Statement
from longmind.store.drafts import Draft, draft
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause
from longmind.store.write import Prepared, put, relabel, retire
from longmind.text.postings import WORDS

TOMBSTONE_KEY: Final = "conversation.tombstone_key"


@dataclass(frozen=True, slots=True)
class WriteContext:
    """What every write needs."""

    store: Store
    tx: Transaction
    config: Config
    space: str

    def score(self, state: StateRow, created_at: int, *, now: int | None = None) -> Score:
        return score_memory(
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
    ctx: WriteContext,
    candidate: Candidate,
    *,
    source: str,
    prepared: Prepared | None = None,
    origin: Said | None = None,
    reason: str = "extracted",
    inputs: Mapping[str, Any] | None = None,
) -> int:
    """A new mid-term memory, never seen so far."""
    tx = ctx.tx
    memory_id = tx.allocate("conversation_memory")
    item = memory_draft(candidate, space=ctx.space, source=source)
    # Made of a text that was redacted already: this says so, and would catch what a model made up.
    items = ctx.store.redaction.drafts([item], tx)
    written = put(tx, items, parts=ctx.store.parts, prepared=prepared)[0]
    memory = MemoryRow(memory_id, ctx.space, tx.now, tx.system)
    version = version_row(memory_id, 1, written.id, candidate, tx.system)
    state = StateRow(memory_id, tx.system, None, "mid", "active", 0, candidate.importance, None, 0.0, tx.now)
    score = ctx.score(state, tx.now)
    state = state._replace(score=score.total)
    insert(tx.db, [memory])
    insert(tx.db, [version])
    insert(tx.db, [state])
    current = current_row(version, state, space=ctx.space, pii=PII in item.tags)
    write_current(tx.db, [current])
    WORDS.add(tx.db, {written.id: word_postings(ctx.space, item.text)})
    if origin is not None:
        link(ctx, memory_id, origin, reason=reason, rule=candidate.rule)
    decide(ctx, memory_id, "created", {"rule": candidate.rule, **(inputs or {}), **terms(score)})
    return memory_id


def see(
    ctx: WriteContext, memory_id: int, candidate: Candidate, *, likeness: float, origin: Said | None
) -> None:
    """The memory was said again."""
    state = state_of(ctx.tx.db, memory_id)
    created_at = memory_row(ctx.tx.db, memory_id).created_at
    seen = state._replace(
        hits=state.hits + 1,
        # A clock that was set back does not make it older than it was.
        last_seen_at=max(ctx.tx.now, state.last_seen_at or created_at),
        importance=max(state.importance, candidate.importance),
    )
    score = ctx.score(seen, created_at)
    change(ctx, state, seen._replace(score=score.total, scored_at=ctx.tx.now))
    if origin is not None:
        link(ctx, memory_id, origin, reason="seen", rule=candidate.rule)
    inputs = {"rule": candidate.rule, "likeness": round(likeness, 6), "hits": seen.hits, **terms(score)}
    decide(ctx, memory_id, "seen", inputs)


def put_away(
    ctx: WriteContext,
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
    old = state_of(ctx.tx.db, memory_id)
    new = old._replace(status=status)
    if score is not None and at is not None:
        new = new._replace(score=score.total, scored_at=at)
    change(ctx, old, new)
    version = newest_versions(ctx.tx.db, [memory_id])[memory_id]
    retire(ctx.tx, [version.frame_id], successor=successor, reason=reason, parts=ctx.store.parts)
    decide(ctx, memory_id, status, {"reason": reason, **inputs}, at=at, run=run)


def promote(
    ctx: WriteContext, memory_id: int, *, score: Score, at: int, run: int, inputs: Mapping[str, Any]
) -> None:
    """From mid- to long-term."""
    state = state_of(ctx.tx.db, memory_id)
    change(ctx, state, state._replace(layer="long", score=score.total, scored_at=at))
    version = newest_versions(ctx.tx.db, [memory_id])[memory_id]
    relabel(ctx.tx, version.frame_id, set_metadata={"layer": '"long"'})
    decide(ctx, memory_id, "promoted", inputs, at=at, run=run)


def revise(
    ctx: WriteContext, memory_id: int, candidate: Candidate, *, status: str, prepared: Prepared | None
) -> None:
    """Another wording under the same name: a new frame that supersedes the old."""
    tx = ctx.tx
    old = newest_versions(tx.db, [memory_id])[memory_id]
    state = state_of(tx.db, memory_id)
    item = memory_draft(candidate, space=ctx.space, source="user", layer=state.layer)
    # Made of a text that was redacted already: this says so, and would catch what a model made up.
    items = ctx.store.redaction.drafts([item], tx)
    written = put(tx, items, parts=ctx.store.parts, prepared=prepared)[0]
    version = version_row(memory_id, old.number + 1, written.id, candidate, tx.system)
    insert(tx.db, [version])
    score = ctx.score(state, memory_row(tx.db, memory_id).created_at)
    new = state._replace(status=status, score=score.total, scored_at=tx.now)
    state = change(ctx, state, new, derived=False)
    current = current_row(version, state, space=ctx.space, pii=PII in item.tags)
    write_current(tx.db, [current])
    WORDS.add(tx.db, {written.id: word_postings(ctx.space, item.text)})
    retire(tx, [old.frame_id], successor=written.id, reason="superseded", parts=ctx.store.parts)
    decide(ctx, memory_id, "updated", {"version": version.number, "status": status})


def change(ctx: WriteContext, old: StateRow, new: StateRow, *, derived: bool = True) -> StateRow:
    """End the state that holds and begin another; one of this very transaction was never visible."""
    tx = ctx.tx
    new = new._replace(since=tx.system, until=None)
    close(tx, [old])
    insert(tx.db, [new])
    if derived:
        tx.db.run(
            "UPDATE conversation_current SET layer = ?, status = ?, score = ?, scored_at = ? "
            "WHERE memory_id = ?",
            (new.layer, new.status, new.score, new.scored_at, new.memory_id),
        )
    return new


def link(ctx: WriteContext, memory_id: int, origin: Said, *, reason: str, rule: str) -> None:
    row = LinkRow(memory_id, origin.frame_id, reason, rule, origin.start, origin.end, ctx.tx.system)
    upsert(ctx.tx.db, row)


def decide(
    ctx: WriteContext,
    memory_id: int,
    action: str,
    inputs: Mapping[str, Any],
    *,
    at: int | None = None,
    run: int | None = None,
) -> None:
    number = ctx.tx.allocate("conversation_decision")
    when = ctx.tx.now if at is None else at
    written = canonical_json(inputs, "inputs")
    insert(ctx.tx.db, [DecisionRow(number, memory_id, run, action, when, written, ctx.tx.system)])


def terms(score: Score) -> dict[str, float]:
    return {"score": score.total, **asdict(score)}


def state_of(db: Connection, memory_id: int) -> StateRow:
    return select(db, StateRow, "x.memory_id = ? AND x.until IS NULL", (memory_id,))[0]


def memory_row(db: Connection, memory_id: int) -> MemoryRow:
    return select(db, MemoryRow, "x.memory_id = ?", (memory_id,))[0]


def version_row(memory_id: int, number: int, frame_id: int, candidate: Candidate, system: int) -> VersionRow:
    statement = candidate.statement
    return VersionRow(
        memory_id=memory_id,
        number=number,
        frame_id=frame_id,
        subject=None if statement is None else statement.subject,
        slot=None if statement is None else statement.slot,
        value=None if statement is None else statement.value,
        polarity=int(statement is None or statement.polarity),
        ended=int(statement is not None and statement.ended),
        cardinality="many" if statement is None else statement.cardinality,
        rule=candidate.rule,
        recorded_at=system,
    )


# What was erased must not come back


def tombstones(
    store: Store, db: Connection, space: str, content: str, statement: Statement | None
) -> list[bytes]:
    """Keyed names of what a memory says: by its words, and by its slot and value; none without a key."""
    secret = store.setting(db, TOMBSTONE_KEY)
    if secret is None:
        return []
    fields: list[list[str]] = [["words", *sorted(words_of(content))]]
    if statement is not None:
        polarity = f"{int(statement.polarity)}{int(statement.ended)}"
        fields.append(
            ["slot", subject_key(statement.subject), statement.slot, value_key(statement.value), polarity]
        )
    key = bytes.fromhex(secret)
    return [hmac.new(key, encode_fields([space, *item]), hashlib.sha256).digest() for item in fields]


def is_erased(store: Store, db: Connection, space: str, candidate: Candidate) -> bool:
    names = tombstones(store, db, space, candidate.content, candidate.statement)
    return bool(select_among(db, TombstoneRow, "name", names, Clause("x.space = ?", (space,))))


def bury(store: Store, tx: Transaction, space: str, content: str, statement: Statement | None) -> None:
    if store.setting(tx.db, TOMBSTONE_KEY) is None:
        store.set_setting(tx, TOMBSTONE_KEY, store.entropy(32).hex())
    for name in tombstones(store, tx.db, space, content, statement):
        upsert(tx.db, TombstoneRow(space, name, tx.system))


def prepare(
    store: Store, drafts: Sequence[Draft], *, leave_out: Sequence[str] = ()
) -> dict[str, list[object]]:
    """Let each part do its costly work before the transaction, one item per draft and chunk."""
    flat = [piece for item in drafts for piece in item.flat()]
    prepared: dict[str, list[object]] = {}
    for part in store.parts:
        items = part.prepare(flat) if flat and part.name not in leave_out else None
        if items is not None:
            prepared[part.name] = list(items)
    return prepared
