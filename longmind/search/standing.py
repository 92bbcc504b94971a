"""What still stands among the candidates: statements that were replaced, and words that are kept twice.

A store keeps what was said, also after something else became true. A frame counts as superseded if the
statements that make up most of it no longer hold, and another visible frame says what holds instead, or that
it ended. A memory counts as repeated beside the turn that it was made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from longmind.base.filters import View
from longmind.facts.canonical import alias_norm
from longmind.facts.expiry import lasting
from longmind.facts.hits import held
from longmind.facts.slots import group
from longmind.search.wording import Rule
from longmind.store.engine import Connection, Row
from longmind.store.letters import like_pattern
from longmind.store.visible import Clause, among, both, either, visible_by_id

_ASKS_PAST: Final = Rule(
    r"\b(?:used\s+to|before|previous(?:ly)?|former(?:ly)?|earlier|ever|history|originally|original|old|first|"
    r"past|once|change[ds]?|changing|back\s+then|was|were|did|had|until|since|ago)\b",
    "used before previous previously former formerly earlier ever history originally original old first past "
    "once change changed changes changing back was were did had until since ago",
)
_MOST_OF_A_TEXT: Final = 0.5
"""The share of a text that replaced statements have to make up: what else it says may still be so."""
_ENDS: Final = "end"
_ENTITY: Final = "\0"
"""Before the number of an entity that is a thing; no text begins so."""
_MOST_THINGS: Final = 50

Slot = tuple[int, tuple[str, ...], str]
"""Subject, the predicates that compete, and the thing where each thing competes apart."""


class _Statement(NamedTuple):
    """One thing that a frame says, with its bytes, and whether it holds now."""

    frame_id: int
    slot: Slot
    start: int
    end: int
    action: str
    said_at: int
    is_held: bool


@dataclass(slots=True)
class _Said:
    """What one frame says: the slots of what no longer holds, and the bytes of both kinds."""

    replaced: dict[Slot, int] = field(default_factory=dict)
    """Each with the system time at which it was said."""
    replaced_bytes: list[tuple[int, int]] = field(default_factory=list)
    held_bytes: list[tuple[int, int]] = field(default_factory=list)


def asks_past(query: str) -> bool:
    """Whether a question is about how things were, for which what was replaced is the answer."""
    return _ASKS_PAST.search(query) is not None


def superseded(db: Connection, frame_ids: Sequence[int], view: View) -> dict[int, int]:
    """Frames of these that no longer hold, each with the frame that says what holds now."""
    statements = _said(db, frame_ids, view)
    replaced = {
        frame_id: statements[frame_id] for frame_id in statements if _is_replaced(statements[frame_id])
    }
    if not replaced:
        return {}
    sizes = _sizes(db, list(replaced))
    replaced = {
        frame_id: frame
        for frame_id, frame in replaced.items()
        if frame_id in sizes and _covered(frame.replaced_bytes) >= _MOST_OF_A_TEXT * sizes[frame_id]
    }
    return _with_holders(db, replaced, view) if replaced else {}


def _said(db: Connection, frame_ids: Sequence[int], view: View) -> dict[int, _Said]:
    frames = among("v.frame_id", list(frame_ids))
    statements: dict[int, _Said] = defaultdict(_Said)
    for statement in _statements(db, frames, view):
        frame = statements[statement.frame_id]
        if statement.is_held or statement.action == _ENDS:
            frame.held_bytes.append((statement.start, statement.end))
        else:
            frame.replaced[statement.slot] = statement.said_at
            frame.replaced_bytes.append((statement.start, statement.end))
    return statements


def _statements(
    db: Connection, clause: Clause, view: View, *, only_current: bool = False
) -> list[_Statement]:
    """What is said by evidence `v` for assertions `a` under a condition, with the bytes that say it.

    `only_current` leaves out what does not hold now, unless it says that something ended: a thing that
    changes every day has thousands of values that were.
    """
    now = both([held(view.as_of), lasting(view)])
    is_held = (
        "EXISTS (SELECT 1 FROM fact_support u JOIN fact_span s ON s.span_id = u.span_id "
        f"WHERE u.assertion_id = a.assertion_id AND {now.sql})"
    )
    current = Clause("1 = 1")
    if only_current:
        current = Clause(f"(a.action = '{_ENDS}' OR {is_held})", now.values)
    rows = db.all(
        "SELECT v.frame_id, a.subject_entity_id, p.key_norm, p.cardinality, c.object_entity_id, "
        "c.object_text, v.start_byte, v.end_byte, a.action, a.system_from, "
        f"CASE WHEN {is_held} THEN 1 ELSE 0 END "
        "FROM fact_evidence v JOIN fact_assertion a ON a.assertion_id = v.assertion_id "
        "JOIN fact_predicate p ON p.predicate_id = a.predicate_id "
        "LEFT JOIN fact c ON c.fact_id = a.fact_id JOIN frame f ON f.frame_id = v.frame_id "
        # Without bytes it is about the text (its session, its author), and not said in it.
        "WHERE v.start_byte IS NOT NULL AND a.polarity = 1 AND a.held_back = 0 "
        f"AND a.action IN ('record', 'correct', 'replace', '{_ENDS}') "
        f"AND a.system_from <= ? AND {clause.sql} AND {current.sql}",
        (*now.values, view.as_of.system, *clause.values, *current.values),
    )
    return list(map(_statement, rows))


def _statement(row: Row) -> _Statement:
    frame_id, subject, predicate, cardinality, entity, text, start, end, action, said_at, is_held = row
    competing = group(str(predicate), single=cardinality == "one")
    thing = ""
    if competing.by_thing:
        thing = alias_norm(str(text)) if entity is None else f"{_ENTITY}{entity}"
    slot = (int(subject), competing.predicates, thing)
    return _Statement(int(frame_id), slot, int(start), int(end), str(action), int(said_at), bool(is_held))


def _is_replaced(said: _Said) -> bool:
    """Nothing that the frame says holds, but for what is read out of the very words that were replaced."""
    return bool(said.replaced) and all(
        any(first <= start and end <= last for first, last in said.replaced_bytes)
        for start, end in said.held_bytes
    )


def _covered(ranges: Sequence[tuple[int, int]]) -> int:
    total = reached = 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _sizes(db: Connection, frame_ids: Sequence[int]) -> dict[int, int]:
    """Bytes of each text; a chunk has none of its own, and what its document says is cited there."""
    clause = among("frame_id", frame_ids)
    rows = db.all(f"SELECT frame_id, text FROM frame_text WHERE {clause.sql}", clause.values)
    return {int(frame_id): len(str(text).encode()) for frame_id, text in rows}


def _with_holders(db: Connection, replaced: Mapping[int, _Said], view: View) -> dict[int, int]:
    """For each frame the one that holds the value of its first slot now, if every slot has such a frame."""
    slots = {slot for statements in replaced.values() for slot in statements.replaced}
    subjects = among("a.subject_entity_id", sorted({subject for subject, _, _ in slots}))
    predicates = sorted({key for _, competing, _ in slots for key in competing})
    things = _may_be_of(slots)
    if not things.is_true:
        own = among("c.subject_entity_id", sorted({subject for subject, _, _ in slots})) & things
        subjects = Clause(f"a.fact_id IN (SELECT c.fact_id FROM fact c WHERE {own.sql})", own.values)
    clause = both([subjects, among("p.key_norm", predicates), visible_by_id(view)])
    holders: dict[Slot, tuple[bool, int, int]] = {}
    for statement in _statements(db, clause, view, only_current=True):
        if statement.slot in slots:
            entry = (statement.is_held, statement.said_at, statement.frame_id)
            holders[statement.slot] = max(entry, holders.get(statement.slot, entry))
    outdated = {}
    for frame_id, statements in replaced.items():
        later = [
            holders[slot][2]
            for slot, said_at in sorted(statements.replaced.items())
            if slot in holders and (holders[slot][0] or holders[slot][1] >= said_at)
        ]
        if len(later) == len(statements.replaced) and later[0] != frame_id:
            outdated[frame_id] = later[0]
    return outdated


def _may_be_of(slots: Collection[Slot]) -> Clause:
    """What facts `c` of these slots fulfil, where each thing competes apart: few of the thousands of others.

    A text is the same thing as one with the same words (`alias_norm`); beyond ASCII, letters have several
    forms.
    """
    entities: list[int] = []
    texts: list[Clause] = []
    for _, _, thing in sorted(slots):
        if thing.startswith(_ENTITY):
            entities.append(int(thing.removeprefix(_ENTITY)))
            continue
        longest = max(thing.split(), key=len, default="")
        if not longest or not longest.isascii() or len(texts) > _MOST_THINGS:
            return Clause("1 = 1")
        texts.append(Clause("lower(c.object_text) LIKE ? ESCAPE '!'", (like_pattern(longest),)))
    if texts:
        texts.append(Clause("octet_length(c.object_text) <> length(c.object_text)"))
    return either([*texts, *([among("c.object_entity_id", entities)] if entities else ())])


def told_twice(db: Connection, frame_ids: Sequence[int]) -> dict[int, int]:
    """Memories beside the turn they were made of: the lower of the two, with the other."""
    positions = {frame_id: position for position, frame_id in enumerate(frame_ids)}
    if len(positions) < 2:
        return {}
    frames = among("v.frame_id", list(positions))
    rows = db.all(
        "SELECT v.frame_id, l.frame_id FROM conversation_version v "
        f"JOIN conversation_link l ON l.memory_id = v.memory_id WHERE {frames.sql}",
        frames.values,
    )
    repeated: dict[int, int] = {}
    for memory, turn in ((int(row[0]), int(row[1])) for row in rows):
        if turn in positions and turn != memory:
            first, second = sorted((memory, turn), key=positions.__getitem__)
            if first not in repeated:
                repeated.setdefault(second, first)
    return repeated
