"""Memories that a turn ends or replaces without saying their slot: "I sold the Petrel"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.current import newest_versions
from longmind.extract import ANY, Statement, render
from longmind.store.engine import Connection

_MOST: Final = 500
_PLAIN: Final = frozenset("job account membership subscription lease position role contract".split())


class Ended(NamedTuple):
    """An active memory that is over now."""

    memory_id: int
    slot: str


def ended_by(db: Connection, space: str, statement: Statement) -> list[Ended]:
    """The active memories that the statement ends, or that its value takes the place of."""
    said = statement.old if statement.old else statement.value
    wanted = frozenset(value_key(said).split()) - _PLAIN
    if not wanted:
        return []
    slot = "" if statement.slot == ANY or statement.old else " AND slot = ?"
    rows = db.all(
        "SELECT memory_id, slot, value_key FROM conversation_current WHERE space = ? AND subject_key = ? "
        f"AND status = 'active' AND slot IS NOT NULL{slot} ORDER BY memory_id DESC LIMIT {_MOST}",
        (space, subject_key(statement.subject), *([statement.slot] if slot else [])),
    )
    return [
        Ended(int(memory_id), str(held))
        for memory_id, held, value in rows
        if wanted <= frozenset(str(value).split())
    ]


def in_its_place(db: Connection, candidate: Candidate, old: Ended) -> Candidate | None:
    """The candidate in the slot of the memory it takes the place of."""
    statement = candidate.statement
    versions = newest_versions(db, [old.memory_id])
    if statement is None or statement.old is None or old.memory_id not in versions:
        return None
    version = versions[old.memory_id]
    cardinality = "one" if version.cardinality == "one" else "many"
    moved = replace(statement, slot=old.slot, cardinality=cardinality, old=None, free=False, rule="replacement")  # type: ignore[arg-type]
    return replace(candidate, statement=moved, content=render(moved))
