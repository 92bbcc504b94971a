"""Memories that a turn ends or replaces without saying their slot: "I sold the Petrel"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, NamedTuple

from longmind.conversation.candidates import Candidate, subject_key
from longmind.conversation.current import newest_versions, statement_of
from longmind.extract.conflicts import ends, may_end, words_of_ending
from longmind.extract.statements import ANY, Statement
from longmind.extract.wording import render
from longmind.store.engine import Connection
from longmind.store.letters import like_pattern
from longmind.store.visible import Clause

_MOST: Final = 500


class Ended(NamedTuple):
    """An active memory that is over now."""

    memory_id: int
    slot: str


def ended_by(db: Connection, space: str, statement: Statement) -> list[Ended]:
    """The active memories that the statement ends, or that its value takes the place of."""
    about = Clause(
        "space = ? AND subject_key = ? AND status = 'active' AND slot IS NOT NULL",
        (space, subject_key(statement.subject)),
    )
    if statement.slot != ANY and statement.old is None:
        about &= Clause("slot = ?", (statement.slot,))
    if not statement.whole:
        # Of the thousands of things that somebody has told, an ending names one.
        words = words_of_ending(statement)
        if not words:
            return []
        longest = max(words, key=lambda word: (len(word), word))
        about &= Clause("value_key LIKE ? ESCAPE '!'", (like_pattern(longest),))
    rows = db.all(
        f"SELECT memory_id, slot, value_key FROM conversation_current WHERE {about.sql} "
        f"ORDER BY memory_id DESC LIMIT {_MOST}",
        about.values,
    )
    named = [int(number) for number, slot, value in rows if may_end(statement, str(slot), str(value or ""))]
    versions = newest_versions(db, named)
    return [
        Ended(memory_id, str(version.slot))
        for memory_id, version in versions.items()
        if (current := statement_of(version)) is not None and ends(statement, current)
    ]


def in_its_place(db: Connection, candidate: Candidate, old: Ended) -> Candidate | None:
    """The candidate in the slot of the memory it takes the place of."""
    statement = candidate.statement
    versions = newest_versions(db, [old.memory_id])
    if statement is None or statement.old is None or old.memory_id not in versions:
        return None
    version = versions[old.memory_id]
    cardinality: Literal["one", "many"] = "one" if version.cardinality == "one" else "many"
    moved = replace(
        statement, slot=old.slot, cardinality=cardinality, old=None, free=False, rule="replacement"
    )
    return replace(candidate, statement=moved, content=render(moved))
