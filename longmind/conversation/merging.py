"""A turn's candidates against what is remembered: new, seen again, or opposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longmind.conversation.candidates import Candidate
from longmind.conversation.current import match
from longmind.conversation.rows import VersionRow, select_among
from longmind.conversation.values import Extracted
from longmind.conversation.writing import Desk, Said, create, is_erased, link, put_away, see
from longmind.extract import conflicts
from longmind.store.writing import Prepared


def merge(
    desk: Desk, candidates: Sequence[Candidate], *, turn: int, prepared: Mapping[int, Prepared]
) -> tuple[Extracted, ...]:
    """Apply the candidates of one turn in order; `prepared` holds what was made ready, by position.

    What the same turn takes back further on was never so for anyone, and is left out.
    """
    return tuple(
        _merge_one(desk, candidate, turn, prepared.get(place))
        for place, candidate in enumerate(candidates)
        if not _taken_back(candidate, candidates[place + 1 :])
    )


def _taken_back(candidate: Candidate, later: Sequence[Candidate]) -> bool:
    said = candidate.statement
    return said is not None and any(
        other.statement is not None and conflicts(said, other.statement) for other in later
    )


def _merge_one(desk: Desk, candidate: Candidate, turn: int, prepared: Prepared | None) -> Extracted:
    rows, said = desk.tx.rows, Said(turn, candidate.start, candidate.end)
    if is_erased(desk.store, rows, desk.space, candidate):
        return Extracted(None, "", "suppressed")
    found = match(rows, desk.space, candidate, threshold=desk.config.dedupe.threshold)
    if candidate.archives:
        if found.same is None:
            return Extracted(None, candidate.content, "suppressed")
        put_away(
            desk, found.same, "archived", reason="llm", inputs={"turn": turn, "likeness": found.likeness}
        )
        link(desk, found.same, said, reason="archived", rule=candidate.rule)
        return Extracted(found.same, candidate.content, "archived")
    opposed = tuple(memory_id for memory_id, _ in found.opposed)
    if found.same is not None and not opposed:
        see(desk, found.same, candidate, likeness=found.likeness, said=said)
        return Extracted(found.same, candidate.content, "seen")
    if not opposed:
        new = create(desk, candidate, source="agent", prepared=prepared, said=said)
        return Extracted(new, candidate.content, "created")
    if found.same is not None:
        see(desk, found.same, candidate, likeness=found.likeness, said=said)
        new = found.same
    else:
        reasons = {str(memory_id): reason for memory_id, reason in found.opposed}
        new = create(
            desk, candidate, source="agent", prepared=prepared, said=said, inputs={"conflicts": reasons}
        )
    link(desk, new, said, reason="conflict", rule=candidate.rule)
    successor = _frame_of(desk, new)
    for memory_id, reason in found.opposed:
        inputs = {"by": new, "conflict": reason, "turn": turn}
        put_away(desk, memory_id, "archived", reason="conflict", inputs=inputs, successor=successor)
    return Extracted(new, candidate.content, "conflict", opposed)


def _frame_of(desk: Desk, memory_id: int) -> int:
    versions = select_among(desk.tx.rows, VersionRow, "memory_id", [memory_id])
    return max(versions, key=lambda version: version.number).frame_id
