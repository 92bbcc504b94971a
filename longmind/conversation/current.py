"""The derived tables: how each memory stands now and which words it has, so that its like can be found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.rows import StateRow, VersionRow, select, select_among
from longmind.conversation.scoring import reckon
from longmind.conversation.similarity import jaccard, probes, word_key, words_of
from longmind.extract import Statement, conflicts
from longmind.store.engine import Connection
from longmind.store.tables import batched

_OPPOSITES: Final = {"likes": "dislikes", "dislikes": "likes"}
_MOST_OF_SLOT: Final = 50
_MOST_LIKE: Final = 200
_COUNTED: Final = 200
"""Words are ordered by how many memories have them, counted no further than this."""


class CurrentRow(NamedTuple):
    memory_id: int
    space: str
    frame_id: int
    layer: str
    status: str
    score: float
    scored_at: int
    pii: int
    subject_key: str | None
    slot: str | None
    value_key: str | None


def current_row(version: VersionRow, state: StateRow, *, space: str, pii: bool) -> CurrentRow:
    return CurrentRow(
        memory_id=version.memory_id,
        space=space,
        frame_id=version.frame_id,
        layer=state.layer,
        status=state.status,
        score=state.score,
        scored_at=state.scored_at,
        pii=int(pii),
        subject_key=None if version.subject is None else subject_key(version.subject),
        slot=version.slot,
        value_key=None if version.value is None else value_key(version.value),
    )


def write_current(
    db: Connection, items: Sequence[CurrentRow], texts: Sequence[str], *, fresh: bool = False
) -> None:
    """Put the rows in place of what stood there, if anything did; words are kept of active memories only."""
    if not items:
        return
    names = CurrentRow._fields
    changed = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
    db.many(
        f"INSERT INTO conversation_current ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}) "
        f"ON CONFLICT (memory_id) DO UPDATE SET {changed}",
        list(items),
    )
    for batch in batched([] if fresh else [item.memory_id for item in items]):
        marks = ", ".join("?" * len(batch))
        db.run(f"DELETE FROM conversation_word WHERE memory_id IN ({marks})", batch)
    words = []
    for item, text in zip(items, texts, strict=True):
        if item.status == "active":
            found = words_of(text)
            words += [(item.space, word_key(word), len(found), item.memory_id) for word in sorted(found)]
    if words:
        db.many("INSERT INTO conversation_word (space, word, size, memory_id) VALUES (?, ?, ?, ?)", words)


def statement_of(version: VersionRow) -> Statement | None:
    if version.subject is None or version.slot is None or version.value is None:
        return None
    return Statement(
        subject=version.subject,
        slot=version.slot,
        value=version.value,
        kind="state",
        cardinality="one" if version.cardinality == "one" else "many",
        polarity=bool(version.polarity),
        ended=bool(version.ended),
        start=0,
        end=0,
        value_start=0,
        value_end=0,
        rule=version.rule,
    )


class Match(NamedTuple):
    """What the store holds that concerns a candidate."""

    same: int | None
    """The memory that already says it."""
    likeness: float
    opposed: tuple[tuple[int, str], ...]
    """Memories that cannot be so if it is, with the reason."""


class _Near(NamedTuple):
    """An active memory that shares words or a slot with a candidate."""

    memory_id: int
    subject_key: str | None
    slot: str | None
    value_key: str | None


def match(db: Connection, space: str, candidate: Candidate, *, threshold: float) -> Match:
    """Find the memory that says the same, and those that say the opposite, among the active ones."""
    words = candidate.words
    near = {*_by_value(db, space, candidate.statement), *_by_words(db, space, words, threshold)}
    versions = newest_versions(db, _comparable(near, candidate.statement, threshold))
    free = [
        version.frame_id
        for version in versions.values()
        if candidate.statement is None or version.slot is None
    ]
    texts = contents(db, free)
    best: tuple[float, int] | None = None
    opposed = []
    for memory_id, version in sorted(versions.items()):
        known = statement_of(version)
        if candidate.statement is not None and known is not None:
            reason = conflicts(known, candidate.statement)
            if reason is not None:
                opposed.append((memory_id, reason))
                continue
            likeness = _same_slot(candidate.statement, known)
        else:
            likeness = jaccard(words, words_of(texts.get(version.frame_id, "")))
        if likeness >= threshold and (best is None or likeness > best[0]):
            best = likeness, memory_id
    return Match(None if best is None else best[1], 0.0 if best is None else best[0], tuple(opposed))


def _comparable(near: Iterable[_Near], said: Statement | None, threshold: float) -> list[int]:
    """Those that can be like or opposed: free texts, and statements of the slot with a like value."""
    if said is None:
        return [item.memory_id for item in near]
    subject, value = subject_key(said.subject), value_key(said.value)
    slots = (said.slot, _OPPOSITES.get(said.slot))
    # One value excludes every other, and a preference may be turned around: their wordings say nothing.
    any_value = said.cardinality == "one" or said.slot == "prefers"
    found = []
    for item in near:
        if item.slot is not None:
            if item.subject_key != subject or item.slot not in slots:
                continue
            if not (any_value or item.value_key == value):
                overlap = jaccard(frozenset(value.split()), frozenset((item.value_key or "").split()))
                if overlap < threshold:
                    continue
        found.append(item.memory_id)
    return found


def _same_slot(said: Statement, known: Statement) -> float:
    """Two statements are compared by value, inside one slot."""
    same_slot = subject_key(said.subject) == subject_key(known.subject) and said.slot == known.slot
    if not same_slot or (said.polarity, said.ended) != (known.polarity, known.ended):
        return 0.0
    left, right = frozenset(value_key(said.value).split()), frozenset(value_key(known.value).split())
    if said.cardinality == "one" and (left <= right or right <= left):
        return 1.0  # "Lisbon" and "Lisbon, Portugal"
    return jaccard(left, right)


def _by_value(db: Connection, space: str, statement: Statement | None) -> list[_Near]:
    if statement is None:
        return []
    subject, value = subject_key(statement.subject), value_key(statement.value)
    slots = [slot for slot in (statement.slot, _OPPOSITES.get(statement.slot)) if slot is not None]
    sql = (
        "SELECT memory_id, subject_key, slot, value_key FROM conversation_current "
        "WHERE space = ? AND subject_key = ? AND slot {} AND slot IS NOT NULL AND status = 'active' "
    )
    marks = f"IN ({', '.join('?' * len(slots))})"
    found = db.all(sql.format(marks) + "AND value_key = ?", (space, subject, *slots, value))
    if statement.cardinality == "one":
        found += db.all(sql.format("= ?") + f"LIMIT {_MOST_OF_SLOT}", (space, subject, statement.slot))
    return [_Near._make(row) for row in found]


def _by_words(db: Connection, space: str, words: frozenset[str], threshold: float) -> list[_Near]:
    if not words:
        return []
    listed = sorted(words)
    sql = " UNION ALL ".join(
        f"SELECT {place}, count(*) FROM (SELECT 1 FROM conversation_word "
        f"WHERE space = ? AND word = ? LIMIT {_COUNTED}) c"
        for place in range(len(listed))
    )
    values = [value for word in listed for value in (space, word_key(word))]
    counts = {listed[int(place)]: int(count) for place, count in db.all(sql, values)}
    found: list[_Near] = []
    for word, least, most in probes(sorted(words, key=lambda word: (counts[word], word)), threshold):
        if counts[word] == 0:
            continue
        sql = (
            "SELECT c.memory_id, c.subject_key, c.slot, c.value_key FROM (SELECT memory_id "
            "FROM conversation_word WHERE space = ? AND word = ? AND size BETWEEN ? AND ? "
            f"ORDER BY size, memory_id LIMIT {_MOST_LIKE}) w "
            "JOIN conversation_current c ON c.memory_id = w.memory_id"
        )
        found += [_Near._make(row) for row in db.all(sql, (space, word_key(word), least, most))]
    return found


def newest_versions(db: Connection, ids: Sequence[int]) -> dict[int, VersionRow]:
    """The last version of each memory."""
    found: dict[int, VersionRow] = {}
    for row in select_among(db, VersionRow, "memory_id", list(ids)):
        if row.memory_id not in found or found[row.memory_id].number < row.number:
            found[row.memory_id] = row
    return found


def contents(db: Connection, frame_ids: Sequence[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for batch in batched(list(frame_ids)):
        marks = ", ".join("?" * len(batch))
        sql = f"SELECT frame_id, text FROM frame_text WHERE frame_id IN ({marks})"
        found.update((int(frame_id), str(text)) for frame_id, text in db.all(sql, batch))
    return found


def rebuild(db: Connection) -> int:
    """Make both tables anew from the canonical rows."""
    from longmind.conversation.query import last_runs
    from longmind.conversation.rows import MemoryRow

    db.run("DELETE FROM conversation_word")
    db.run("DELETE FROM conversation_current")
    memories = {row.memory_id: row for row in select(db, MemoryRow, "1 = 1")}
    states = {row.memory_id: row for row in select(db, StateRow, "x.until IS NULL")}
    versions = newest_versions(db, list(memories))
    tagged = {
        int(row[0]) for row in db.all("SELECT frame_id FROM frame_tag WHERE tag = 'pii' AND until IS NULL")
    }
    runs = last_runs(db)
    items, texts = [], []
    stored = contents(db, [version.frame_id for version in versions.values()])
    for memory_id, memory in memories.items():
        version, state = versions[memory_id], states[memory_id]
        run = runs.get(memory.space)
        if run is not None and run.recorded_at > state.since and state.status == "active":
            score = reckon(
                run.weights,
                now=run.now,
                hits=state.hits,
                importance=state.importance,
                created_at=memory.created_at,
                last_seen_at=state.last_seen_at,
            )
            state = state._replace(score=score.total, scored_at=run.now)
        items.append(current_row(version, state, space=memory.space, pii=version.frame_id in tagged))
        texts.append(stored.get(version.frame_id, ""))
    write_current(db, items, texts)
    return len(items)
