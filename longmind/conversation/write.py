"""Writing memories inside one transaction: create, see again, change, put away; each with its decision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longmind.base.checks import canonical_json, check_tags
from longmind.base.frame import Kind
from longmind.base.partitions import Partition
from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.config import Config
from longmind.conversation.current import current_row, newest_versions, write_current
from longmind.conversation.rows import (
    DecisionRow,
    LinkRow,
    MemoryRow,
    StateRow,
    VersionRow,
    close,
    insert,
    select,
    upsert,
)
from longmind.conversation.scoring import Score, score_memory
from longmind.conversation.similarity import word_postings, words_of
from longmind.conversation.values import PII
from longmind.extract.statements import SPEAKER, Statement
from longmind.facts import suppression
from longmind.facts.trust import USER
from longmind.store.drafts import Draft, draft
from longmind.store.engine import Connection
from longmind.store.expiry import extend, moment_of
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.write import Prepared, open_labels, put, relabel, retire
from longmind.text.posting_table import WORDS


@dataclass(frozen=True, slots=True)
class WriteContext:
    """What every write needs."""

    store: Store
    tx: Transaction
    config: Config
    space: Partition
    expires_at: int | None = None
    """When what is written expires: with the turn it was said in, or as somebody asked."""

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
    if ctx.expires_at is not None:
        item = replace(item, expires_at=ctx.expires_at)
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
        insert(tx.db, [_link_row(ctx, memory_id, origin, reason=reason, rule=candidate.rule)])
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
    extend(ctx.tx, newest_versions(ctx.tx.db, [memory_id])[memory_id].frame_id, ctx.expires_at)
    score = ctx.score(seen, created_at)
    change(ctx, state, seen._replace(score=score.total, scored_at=ctx.tx.now))
    tag(ctx, memory_id, add=check_tags(candidate.tags))
    if origin is not None:
        link(ctx, memory_id, origin, reason="seen", rule=candidate.rule)
    inputs = {"rule": candidate.rule, "likeness": round(likeness, 6), "hits": seen.hits, **terms(score)}
    decide(ctx, memory_id, "seen", inputs)


def tag(ctx: WriteContext, memory_id: int, *, add: Iterable[str], drop: Iterable[str] = ()) -> None:
    """Give a memory other tags; the one for personal data is also kept where listings look."""
    db = ctx.tx.db
    frame_id = newest_versions(db, [memory_id])[memory_id].frame_id
    before, _ = open_labels(db, frame_id)
    tags = (before - set(drop)) | set(add)
    if tags == before:
        return
    relabel(ctx.tx, frame_id, add_tags=add, drop_tags=drop, set_metadata={PII: json.dumps(PII in tags)})
    db.run("UPDATE conversation_current SET pii = ? WHERE memory_id = ?", (int(PII in tags), memory_id))


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
    item = replace(item, expires_at=moment_of(tx.db, old.frame_id))
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
    upsert(ctx.tx.db, _link_row(ctx, memory_id, origin, reason=reason, rule=rule))


def _link_row(ctx: WriteContext, memory_id: int, origin: Said, *, reason: str, rule: str) -> LinkRow:
    return LinkRow(memory_id, origin.frame_id, reason, rule, origin.start, origin.end, ctx.tx.system)


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
    return {
        "score": score.total,
        "frequency": score.frequency,
        "recency": score.recency,
        "importance": score.importance,
        "age_days": score.age_days,
    }


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


def tombstones(content: str, statement: Statement | None) -> list[list[str]]:
    """What a memory says, as it is known again: by its words, and by its statement."""
    names = [["words", *sorted(words_of(content))]]
    if statement is not None:
        polarity = f"{int(statement.polarity)}{int(statement.ended)}"
        slot = ["slot", subject_key(statement.subject), statement.slot, value_key(statement.value), polarity]
        # The last is the ledger's: what is said of a name of its own there stays apart.
        names += [slot, ledger_statement(statement)]
    return names


def entity_name(subject: str) -> str:
    """What the ledger calls the subject of a statement: the speaker is the user."""
    if subject == SPEAKER or subject.startswith(f"{SPEAKER}/"):
        return USER + subject[len(SPEAKER) :]
    return subject


def ledger_statement(statement: Statement) -> list[str]:
    subject = entity_name(statement.subject)
    return suppression.statement_fields(subject, statement.slot, statement.value, holds=statement.polarity)


def is_erased(tx: Transaction, space: str, candidate: Candidate) -> bool:
    secret = suppression.secret_of(tx, space)
    if secret is None:
        return False
    fields = tombstones(candidate.content, candidate.statement)
    names = {suppression.keyed(secret, space, item) for item in fields}
    return bool(suppression.suppressed(tx.db, space, names))


def bury(store: Store, tx: Transaction, space: str, content: str, statement: Statement | None) -> None:
    suppression.suppress(tx, space, tombstones(content, statement), entropy=store.entropy)


def unbury(tx: Transaction, space: str, candidates: Iterable[Candidate]) -> None:
    """Let what somebody asks to remember be read again, though it was erased."""
    names = [fields for item in candidates for fields in tombstones(item.content, item.statement)]
    suppression.lift(tx, space, names)


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
