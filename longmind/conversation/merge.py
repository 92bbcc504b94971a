"""A turn's candidates against what is remembered: new, seen again, or opposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from longmind.conversation.assertions import (
    as_placed,
    end_opposed,
    is_past,
    present,
    stated_facts,
    take_back,
)
from longmind.conversation.candidates import Candidate
from longmind.conversation.current import match, newest_versions, statement_of
from longmind.conversation.endings import ended_by, in_its_place
from longmind.conversation.rows import VersionRow, select_among
from longmind.conversation.values import Extracted
from longmind.conversation.write import Said, WriteContext, create, is_erased, link, put_away, see
from longmind.extract.conflicts import conflicts, ends
from longmind.extract.statements import ANY
from longmind.store.write import Prepared


def merge(
    ctx: WriteContext,
    candidates: Sequence[Candidate],
    *,
    turn: int,
    prepared: Mapping[int, Prepared],
    corrected: bool = False,
) -> tuple[Extracted, ...]:
    """Apply the candidates of one turn in order; `prepared` holds what was made ready, by position.

    What the same turn takes back further on was never so for anyone, and is left out. `corrected` says that
    the turn corrects itself: "I live in Porto. No, sorry, Braga" leaves no memory of Porto.
    """
    facts = ctx.tx.placed_facts.get(turn, ())
    candidates = [
        candidate
        if candidate.statement is None
        else replace(candidate, statement=as_placed(candidate.statement, facts))
        for candidate in candidates
    ]
    extracted: list[Extracted] = []
    for position, candidate in enumerate(candidates):
        statement = candidate.statement
        if _taken_back(candidate, candidates[position + 1 :]) or (corrected and is_past(ctx, statement)):
            continue
        if statement is not None and (statement.action == "end" or statement.old is not None):
            new = {item.id for item in extracted if item.action in ("created", "conflict")}
            extracted += _end(ctx, candidate, turn, new)
        elif statement is None or statement.action == "record" or statement.slot != ANY:
            extracted.append(_merge_one(ctx, candidate, turn, prepared.get(position)))
    return tuple(extracted)


def _end(ctx: WriteContext, candidate: Candidate, turn: int, new: set[int | None]) -> list[Extracted]:
    """Put away what the candidate ends; what takes its place is remembered in its slot.

    What the same turn made is `new`, and stays: it was never there to be put away.
    """
    assert candidate.statement is not None
    origin = Said(turn, candidate.start, candidate.end)
    over = [old for old in ended_by(ctx.tx.db, ctx.space, candidate.statement) if old.memory_id not in new]
    extracted: list[Extracted] = []
    for old in over:
        if _is_held(ctx, old.memory_id):
            continue
        put_away(ctx, old.memory_id, "archived", reason="ended", inputs={"turn": turn})
        link(ctx, old.memory_id, origin, reason="archived", rule=candidate.rule)
        extracted.append(Extracted(old.memory_id, candidate.content, "archived"))
    moved = in_its_place(ctx.tx.db, candidate, over[0]) if over else None
    return extracted if moved is None else [*extracted, _merge_one(ctx, moved, turn, None)]


def _taken_back(candidate: Candidate, later: Sequence[Candidate]) -> bool:
    statement = candidate.statement
    return statement is not None and any(
        other.statement is not None
        and (conflicts(statement, other.statement) or ends(other.statement, statement))
        for other in later
    )


def _merge_one(ctx: WriteContext, candidate: Candidate, turn: int, prepared: Prepared | None) -> Extracted:
    db, origin = ctx.tx.db, Said(turn, candidate.start, candidate.end)
    if is_erased(ctx.tx, ctx.space, candidate):
        return Extracted(None, "", "suppressed")
    statement = candidate.statement
    if statement is not None and statement.when is not None and is_past(ctx, statement):
        return Extracted(None, candidate.content, "past")
    matched = match(db, ctx.space, candidate, threshold=ctx.config.dedupe.threshold)
    if candidate.archives:
        take_back(ctx, candidate.statement, action="end", reason="ended by a language model")
        if matched.same is None:
            return Extracted(None, candidate.content, "suppressed")
        put_away(
            ctx, matched.same, "archived", reason="llm", inputs={"turn": turn, "likeness": matched.likeness}
        )
        link(ctx, matched.same, origin, reason="archived", rule=candidate.rule)
        return Extracted(matched.same, candidate.content, "archived")
    opposed = tuple(memory_id for memory_id, _ in matched.opposed)
    if matched.same is not None and not opposed:
        see(ctx, matched.same, candidate, likeness=matched.likeness, origin=origin)
        return Extracted(matched.same, candidate.content, "seen")
    if not opposed:
        new = create(ctx, candidate, source="agent", prepared=prepared, origin=origin)
        return Extracted(new, candidate.content, "created")
    if matched.same is not None:
        see(ctx, matched.same, candidate, likeness=matched.likeness, origin=origin)
        new = matched.same
    else:
        reasons = {str(memory_id): reason for memory_id, reason in matched.opposed}
        new = create(
            ctx, candidate, source="agent", prepared=prepared, origin=origin, inputs={"conflicts": reasons}
        )
    link(ctx, new, origin, reason="conflict", rule=candidate.rule)
    successor = _frame_of(ctx, new)
    versions = newest_versions(db, opposed)
    for memory_id, reason in matched.opposed:
        inputs = {"by": new, "conflict": reason, "turn": turn}
        put_away(ctx, memory_id, "archived", reason="conflict", inputs=inputs, successor=successor)
        end_opposed(ctx, statement_of(versions[memory_id]), candidate.statement)
    return Extracted(new, candidate.content, "conflict", opposed)


def _is_held(ctx: WriteContext, memory_id: int) -> bool:
    """Whether the ledger, which has heard the turn by now, goes on to hold what a memory says.

    "I don't wear any clothes of wool" is no end of a dislike of clothes that are woolly.
    """
    statement = statement_of(newest_versions(ctx.tx.db, [memory_id])[memory_id])
    if statement is None or not statement.holds:
        return False
    return bool(stated_facts(ctx.tx.db, ctx.space, statement, held_at=present(ctx.tx)))


def _frame_of(ctx: WriteContext, memory_id: int) -> int:
    versions = select_among(ctx.tx.db, VersionRow, "memory_id", [memory_id])
    return max(versions, key=lambda version: version.number).frame_id
